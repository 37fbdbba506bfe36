package org.fmi.core.comm;

import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of collectives, and makes a {@link Plan} of each; all forms of a call are
 * checked here.
 */
final class Plans {
  private static final Plan.Barrier BARRIER = new Plan.Barrier();

  private final int rank;
  private final int size;

  /** Creates plans for rank {@code rank} of a communicator of {@code size} ranks. */
  Plans(int rank, int size) {
    this.rank = rank;
    this.size = size;
  }

  // ---- collectives that move data

  Plan.Barrier barrier() {
    return BARRIER;
  }

  Plan.Bcast bcast(Object buffer, int root) {
    Arguments.checkRoot(root, size);
    Slice data = rank == root ? toRead(buffer) : toWrite(buffer);
    return new Plan.Bcast(Buffers.type(data), Buffers.place(data), data.bytes(), root);
  }

  Plan.Gather gather(Object send, @Nullable Object recv, int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Slice mine = toRead(send);
      return new Plan.Gather(Buffers.type(mine), Buffers.place(mine), mine.bytes(), null, root);
    }
    if (Buffers.isInPlace(send)) {
      Slice all = toWrite(recv);
      return new Plan.Gather(Buffers.type(all), null, share(all), Buffers.place(all), root);
    }
    Slice mine = toRead(send);
    Slice all = toWrite(recv);
    checkRoom(all, mine.bytes());
    return new Plan.Gather(
        Buffers.type(mine), Buffers.place(mine), mine.bytes(), apart(all, mine), root);
  }

  Plan.Gatherv gatherv(
      Object send,
      @Nullable Object recv,
      long @Nullable [] counts,
      long @Nullable [] displs,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Slice mine = toRead(send);
      return new Plan.Gatherv(type(mine), Buffers.place(mine), mine.bytes(), null, root);
    }
    Slice mine = Buffers.isInPlace(send) ? null : toRead(send);
    Slice data = toWrite(recv);
    Blocks all = Blocks.of(data, counts, displs, "counts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(mine.bytes(), bytes, data.type());
      bytes = mine.bytes();
    }
    return new Plan.Gatherv(type(mine == null ? data : mine, bytes), place(mine), bytes, all, root);
  }

  Plan.Scatter scatter(@Nullable Object send, Object recv, int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Slice mine = toWrite(recv);
      return new Plan.Scatter(Buffers.type(mine), null, Buffers.place(mine), mine.bytes(), root);
    }
    if (Buffers.isInPlace(recv)) {
      Slice all = toRead(send);
      return new Plan.Scatter(Buffers.type(all), Buffers.place(all), null, share(all), root);
    }
    Slice mine = toWrite(recv);
    Slice all = toRead(send);
    checkRoom(all, mine.bytes());
    return new Plan.Scatter(
        Buffers.type(mine), apart(all, mine), Buffers.place(mine), mine.bytes(), root);
  }

  Plan.Scatterv scatterv(
      @Nullable Object send,
      long @Nullable [] counts,
      long @Nullable [] displs,
      Object recv,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Slice mine = toWrite(recv);
      return new Plan.Scatterv(type(mine), null, Buffers.place(mine), mine.bytes(), root);
    }
    Slice mine = Buffers.isInPlace(recv) ? null : toWrite(recv);
    Slice data = toRead(send);
    Blocks all = Blocks.of(data, counts, displs, "counts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(bytes, mine.bytes(), mine.type());
    }
    return new Plan.Scatterv(
        type(mine == null ? data : mine, bytes), all, place(mine), bytes, root);
  }

  Plan.AllGather allGather(Object send, Object recv) {
    if (Buffers.isInPlace(send)) {
      Slice all = toWrite(recv);
      return new Plan.AllGather(Buffers.type(all), null, share(all), Buffers.place(all));
    }
    Slice mine = toRead(send);
    Slice all = toWrite(recv);
    checkRoom(all, mine.bytes());
    return new Plan.AllGather(
        Buffers.type(all), Buffers.place(mine), mine.bytes(), apart(all, mine));
  }

  Plan.AllGatherv allGatherv(
      Object send, Object recv, long @Nullable [] counts, long @Nullable [] displs) {
    Slice mine = Buffers.isInPlace(send) ? null : toRead(send);
    Slice data = toWrite(recv);
    Blocks all = Blocks.of(data, counts, displs, "counts", "displs", size);
    long bytes = all.lengths()[rank];
    if (mine != null) {
      Arguments.checkOwn(mine.bytes(), bytes, data.type());
      bytes = mine.bytes();
    }
    return new Plan.AllGatherv(place(mine), bytes, all);
  }

  Plan.AllToAll allToAll(Object send, Object recv) {
    if (Buffers.isInPlace(send)) {
      Slice in = toWrite(recv);
      return new Plan.AllToAll(Buffers.type(in), null, Buffers.place(in), share(in));
    }
    Slice out = toRead(send);
    Slice in = toWrite(recv);
    long bytes = share(out);
    checkRoom(in, bytes);
    return new Plan.AllToAll(Buffers.type(in), Buffers.place(out), apart(in, out), bytes);
  }

  Plan.AllToAllv allToAllv(
      Object send,
      long @Nullable [] sendCounts,
      long @Nullable [] sendDispls,
      Object recv,
      long @Nullable [] recvCounts,
      long @Nullable [] recvDispls) {
    Slice data = toWrite(recv);
    Blocks in = Blocks.of(data, recvCounts, recvDispls, "recvCounts", "recvDispls", size);
    if (Buffers.isInPlace(send)) {
      return new Plan.AllToAllv(null, in);
    }
    Blocks out = Blocks.of(toRead(send), sendCounts, sendDispls, "sendCounts", "sendDispls", size);
    Arguments.checkOwn(out.lengths()[rank], in.lengths()[rank], data.type());
    Arguments.checkApart(out.place(), in.place(), out.lengths()[rank]);
    return new Plan.AllToAllv(out, in);
  }

  // ---- collectives that reduce

  Plan.Reduce reduce(Object send, @Nullable Object recv, Op op, int root) {
    Arguments.checkRoot(root, size);
    if (rank == root) {
      Operands operands = operands(send, recv, op);
      return new Plan.Reduce(
          operands.reducer, operands.data, operands.result, operands.count, root);
    }
    Slice mine = toRead(send);
    Reducer reducer = reducer(op, mine, mine.count());
    Location data = Buffers.place(mine);
    return new Plan.Reduce(reducer, data, data, mine.count(), root);
  }

  Plan.AllReduce allReduce(Object send, Object recv, Op op) {
    Operands operands = operands(send, recv, op);
    return new Plan.AllReduce(operands.reducer, operands.data, operands.result, operands.count);
  }

  Plan.ReduceScatter reduceScatter(Object send, Object recv, long @Nullable [] counts, Op op) {
    long[] n = Arguments.onePerRank(counts, "counts", size);
    Slice out = toWrite(recv);
    long total = 0;
    for (int i = 0; i < size; i++) {
      if (n[i] < 0) {
        throw new FmiException(
            ErrorClass.COUNT, "counts[" + i + "] is " + n[i] + ": use 0 for an empty part");
      }
      reducer(op, out, n[i]); // each part must consist of whole pairs
      total = Arguments.add(total, n[i]);
    }
    Reducer reducer = reducer(op, out, total);
    if (Buffers.isInPlace(send)) {
      checkHolds(out, total);
      Location both = Buffers.place(out);
      return new Plan.ReduceScatter(reducer, both, both, n.clone());
    }
    checkHolds(out, n[rank]);
    Slice in = operandToRead(send, reducer);
    checkHolds(in, total);
    Arguments.checkApart(Buffers.place(in), Buffers.place(out), total);
    return new Plan.ReduceScatter(reducer, Buffers.place(in), Buffers.place(out), n.clone());
  }

  Plan.Scan scan(Object send, Object recv, Op op, boolean exclusive) {
    Operands operands = operands(send, recv, op);
    return new Plan.Scan(
        operands.reducer, operands.data, operands.result, operands.count, exclusive);
  }

  /** The checked operands of a reduction and the location of its result, which may be the same. */
  private record Operands(Reducer reducer, Location data, Location result, long count) {}

  private static Operands operands(Object send, @Nullable Object recv, Op op) {
    Slice out = toWrite(recv);
    Location result = Buffers.place(out);
    if (Buffers.isInPlace(send)) {
      return new Operands(reducer(op, out, out.count()), result, result, out.count());
    }
    Slice in = toRead(send);
    Reducer reducer = reducer(op, in, in.count());
    checkElements(out, reducer);
    checkHolds(out, in.count());
    Location data = Buffers.place(in);
    Arguments.checkApart(data, result, in.count());
    return new Operands(reducer, data, result, in.count());
  }

  private static Slice operandToRead(Object buffer, Reducer reducer) {
    Slice in = toRead(buffer);
    checkElements(in, reducer);
    return in;
  }

  /** Creates a reducer for {@code count} elements of {@code data}. */
  private static Reducer reducer(Op op, Slice data, long count) {
    if (op == null) {
      throw new FmiException(ErrorClass.OP, "null is not an operation: use an Op");
    }
    if (!data.isTyped()) {
      throw new FmiException(
          ErrorClass.TYPE,
          "the type of the operand is unknown ("
              + data
              + "): pass a Slice with a Datatype, as Slice.of(segment, Datatype.DOUBLE)");
    }
    Reducer reducer = Reducer.of(op, data.type());
    Arguments.checkGroups(count, reducer);
    return reducer;
  }

  private static void checkElements(Slice data, Reducer reducer) {
    if (!data.isTyped() || data.type() != reducer.type()) {
      throw new FmiException(
          ErrorClass.TYPE,
          "the send and the receive buffer of a reduction have elements of one type: "
              + data
              + (data.isTyped() ? ", not " : ": pass a Slice with the Datatype ")
              + reducer.type());
    }
  }

  private static void checkHolds(Slice data, long count) {
    if (data.count() < count) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "the call needs " + count + " elements, and the buffer has fewer: " + data);
    }
  }

  // ---- blocks

  private static Slice toRead(@Nullable Object buffer) {
    Slice data = Buffers.sliceOf(buffer);
    Buffers.checkRead(data);
    return data;
  }

  private static Slice toWrite(@Nullable Object buffer) {
    Slice data = Buffers.sliceOf(buffer);
    Buffers.checkWrite(data);
    return data;
  }

  /** The length in bytes of a block, of which a buffer contains one per rank. */
  private long share(Slice all) {
    if (all.count() % size != 0) {
      throw new FmiException(
          ErrorClass.COUNT,
          all.count()
              + " elements are not a whole number for each of the "
              + size
              + " ranks: pass a Slice of a multiple of "
              + size);
    }
    return all.bytes() / size;
  }

  /** Checks that a buffer has room for a block per rank, each of whole elements. */
  private void checkRoom(Slice all, long bytes) {
    long block = Arguments.blockCount(bytes, all.type());
    long count = Arguments.multiply(block, size);
    if (all.count() < count) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "blocks of "
              + block
              + " elements for "
              + size
              + " ranks do not fit into the buffer, which needs "
              + count
              + ": "
              + all);
    }
  }

  /** The location of all blocks; checks that it differs from the location of one block. */
  private static Location apart(Slice all, Slice one) {
    Location place = Buffers.place(all);
    Arguments.checkApart(Buffers.place(one), place, one.bytes());
    return place;
  }

  /** The type of data; null if they are empty, as ranks may give different lengths. */
  private static @Nullable Predefined type(Slice data) {
    return type(data, data.bytes());
  }

  private static @Nullable Predefined type(Slice data, long bytes) {
    return bytes == 0 ? null : Buffers.type(data);
  }

  private static @Nullable Location place(@Nullable Slice data) {
    return data == null ? null : Buffers.place(data);
  }
}
