package org.fmi.core.comm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.Status;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.p2p.MessagePool;
import org.jspecify.annotations.Nullable;

/**
 * Collectives of objects, each a collective of lengths followed by one of bytes. A rank whose
 * object cannot be written takes part with the length {@link #FAILED}, so that no other rank waits
 * for it.
 */
final class ObjectCollectives {
  /** Stands for the length of an object that its rank could not write. */
  private static final long FAILED = -1;

  private final Comm comm;

  ObjectCollectives(Comm comm) {
    this.comm = comm;
  }

  /** The bytes that this rank sends, or the reason why it has none. */
  private record Own(byte[] array, long length, @Nullable RuntimeException failure) {
    static Own of(@Nullable Object object) {
      try {
        ObjectCodec.Bytes bytes = ObjectCalls.bytes(object);
        return new Own(bytes.array(), bytes.length(), null);
      } catch (RuntimeException e) { // also from the object's own code
        return failed(e);
      }
    }

    static Own failed(RuntimeException why) {
      return new Own(new byte[0], FAILED, why);
    }

    /** Returns the bytes to send. */
    Slice data() {
      return Slice.of(array, 0, Math.max(0, length));
    }

    void throwFailure() {
      if (failure != null) {
        throw failure;
      }
    }
  }

  /** The gathered bytes of all ranks. */
  private record Parts(MemorySegment memory, long[] lengths, long[] starts) {
    static Parts of(long[] lengths) {
      long[] counts = new long[lengths.length];
      long[] starts = new long[lengths.length];
      long all = 0;
      for (int rank = 0; rank < lengths.length; rank++) {
        counts[rank] = Math.max(0, lengths[rank]);
        starts[rank] = all;
        all += counts[rank];
      }
      return new Parts(MessagePool.memory(all), counts, starts);
    }

    byte[] bytes(int rank) {
      byte[] bytes = new byte[(int) lengths[rank]];
      MemorySegment.copy(memory, starts[rank], MemorySegment.ofArray(bytes), 0, bytes.length);
      return bytes;
    }
  }

  <T> @Nullable T bcast(@Nullable T object, int root) {
    boolean sends = comm.rank() == root;
    return bcast(object, sends ? Own.of(object) : null, root);
  }

  /**
   * Sends an object of the root.
   *
   * @param own the root's bytes; null at all other ranks
   */
  private <T> @Nullable T bcast(@Nullable T object, @Nullable Own own, int root) {
    long[] length = {own == null ? 0 : own.length};
    comm.bcast(length, root);
    if (own != null) {
      own.throwFailure();
      comm.bcast(own.data(), root);
      return object;
    }
    requireSent(length[0], root);
    byte[] bytes = new byte[(int) length[0]];
    comm.bcast(bytes, root);
    return object(bytes, root);
  }

  <T> List<@Nullable T> gather(@Nullable T object, int root) {
    Own own = Own.of(object);
    long[] lengths = gatherLengths(own, root);
    Parts parts = gatherParts(own, lengths, root);
    own.throwFailure();
    return parts == null ? List.of() : objects(parts, Objects.requireNonNull(lengths), object);
  }

  private long @Nullable [] gatherLengths(Own own, int root) {
    long[] lengths = comm.rank() == root ? new long[comm.size()] : null;
    comm.gather(new long[] {own.length}, lengths, root);
    return lengths;
  }

  private @Nullable Parts gatherParts(Own own, long @Nullable [] lengths, int root) {
    Parts parts = lengths == null ? null : Parts.of(lengths);
    comm.gatherv(
        own.data(),
        parts == null ? null : parts.memory,
        parts == null ? null : parts.lengths,
        parts == null ? null : parts.starts,
        root);
    return parts;
  }

  <T> List<@Nullable T> allGather(@Nullable T object) {
    Own own = Own.of(object);
    long[] lengths = new long[comm.size()];
    comm.allGather(new long[] {own.length}, lengths);
    Parts parts = Parts.of(lengths);
    comm.allGatherv(own.data(), parts.memory, parts.lengths, parts.starts);
    own.throwFailure();
    return objects(parts, lengths, object);
  }

  /** Returns the objects of all ranks; this rank's is the given object itself, not a copy. */
  private <T> List<@Nullable T> objects(Parts parts, long[] lengths, @Nullable T own) {
    List<@Nullable T> all = new ArrayList<>();
    for (int rank = 0; rank < lengths.length; rank++) {
      requireSent(lengths[rank], rank);
      all.add(rank == comm.rank() ? own : object(parts.bytes(rank), rank));
    }
    return Collections.unmodifiableList(all);
  }

  <T> @Nullable T scatter(@Nullable List<? extends @Nullable T> objects, int root) {
    int size = comm.size();
    boolean sends = comm.rank() == root;
    RuntimeException failure = null;
    long[] lengths = null;
    Parts parts = null;
    if (sends) {
      if (objects == null || objects.size() != size) {
        throw new FmiException(
            ErrorClass.ARG,
            "objects "
                + (objects == null ? "is null" : "has " + objects.size() + " elements")
                + ": give one for each of the "
                + size
                + " ranks");
      }
      Own[] all = objects.stream().map(Own::of).toArray(Own[]::new);
      lengths = Arrays.stream(all).mapToLong(Own::length).toArray();
      for (Own each : all) {
        if (each.failure != null) {
          failure = each.failure;
          Arrays.fill(lengths, FAILED);
          break;
        }
      }
      parts = Parts.of(lengths);
      for (int rank = 0; rank < size && failure == null; rank++) {
        MemorySegment.copy(
            MemorySegment.ofArray(all[rank].array),
            0,
            parts.memory,
            parts.starts[rank],
            lengths[rank]);
      }
    }
    long[] length = new long[1];
    comm.scatter(lengths, length, root);
    if (failure != null) {
      throw failure;
    }
    requireSent(length[0], root);
    byte[] bytes = new byte[(int) length[0]];
    comm.scatterv(
        parts == null ? null : parts.memory,
        parts == null ? null : parts.lengths,
        parts == null ? null : parts.starts,
        bytes,
        root);
    return sends ? Objects.requireNonNull(objects).get(root) : object(bytes, root);
  }

  <T> @Nullable T reduce(@Nullable T object, BinaryOperator<T> op, int root) {
    requireOp(op);
    List<@Nullable T> all = gather(object, root);
    return comm.rank() == root ? fold(all, op) : null;
  }

  <T> @Nullable T allReduce(@Nullable T object, BinaryOperator<T> op) {
    requireOp(op);
    Own own = Own.of(object);
    long[] lengths = gatherLengths(own, 0);
    Parts parts = gatherParts(own, lengths, 0);
    if (parts == null || lengths == null) {
      RuntimeException failure = own.failure;
      try {
        return bcast((T) null, null, 0);
      } catch (FmiException e) {
        throw failure == null ? e : failure;
      }
    }
    T result = null;
    Own sent;
    try {
      own.throwFailure();
      result = fold(objects(parts, lengths, object), op);
      sent = Own.of(result);
    } catch (Rollback e) {
      throw e;
    } catch (RuntimeException e) { // also from the operation: no other rank may wait
      sent = Own.failed(e);
    }
    return bcast(result, sent, 0);
  }

  private static <T> @Nullable T fold(List<@Nullable T> all, BinaryOperator<T> op) {
    T result = all.getFirst();
    for (T each : all.subList(1, all.size())) {
      result = op.apply(result, each);
    }
    return result;
  }

  private static void requireOp(@Nullable Object op) {
    if (op == null) {
      throw new FmiException(
          ErrorClass.OP, "the operation is null: give one that joins two objects");
    }
  }

  private static void requireSent(long length, int rank) {
    if (length == FAILED) {
      throw new FmiException(
          ErrorClass.TYPE,
          "rank " + rank + " has sent no object, as it has failed: its own error says why");
    }
  }

  // All ranks run the same program, which sends objects of the types that it expects.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T> @Nullable T object(byte[] bytes, int rank) {
    return (T)
        ObjectCalls.object(bytes, Object.class, new Status(rank, Comm.ANY_TAG, bytes.length));
  }
}
