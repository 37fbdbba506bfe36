package org.fmi.core.comm;

import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.coll.Location;
import org.fmi.core.coll.Reducer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of collectives, and makes a {@link Plan} of each: the one place where they
 * are checked, whatever form the call has.
 */
final class Plans {
  private static final Plan.Barrier BARRIER = new Plan.Barrier();

  private final int rank;
  private final int size;

  /** Plans for rank {@code rank} of a communicator of {@code size} ranks. */
  Plans(int rank, int size) {
    this.rank = rank;
    this.size = size;
  }

  // ---- collectives that move data

  Plan.Barrier barrier() {
    return BARRIER;
  }

  Plan.Bcast bcast(Object buffer, long offset, long count, int root) {
    Arguments.checkRoot(root, size);
    Datatype type = Buffers.typeOf(buffer);
    long bytes =
        rank == root
            ? Buffers.checkRead(buffer, offset, count, type)
            : Buffers.checkWrite(buffer, offset, count, type);
    return new Plan.Bcast(Buffers.place(buffer, offset, type), bytes, root);
  }

  Plan.Gather gather(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Data mine = toRead(sendBuffer, sendOffset, sendCount);
      return new Plan.Gather(mine.place, mine.bytes, null, root);
    }
    if (Buffers.isInPlace(sendBuffer)) {
      Data all = blocksToWrite(recvBuffer, recvOffset, sendCount);
      return new Plan.Gather(null, all.bytes, all.place, root);
    }
    Data mine = toRead(sendBuffer, sendOffset, sendCount);
    Data all = blocksToWrite(recvBuffer, recvOffset, mine);
    return new Plan.Gather(mine.place, mine.bytes, all.place, root);
  }

  Plan.Gatherv gatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      long @Nullable [] recvCounts,
      long @Nullable [] displs,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Data mine = toRead(sendBuffer, sendOffset, sendCount);
      return new Plan.Gatherv(mine.place, mine.bytes, null, root);
    }
    Data mine = Buffers.isInPlace(sendBuffer) ? null : toRead(sendBuffer, sendOffset, sendCount);
    Blocks all =
        Blocks.toWrite(
            present(recvBuffer), recvOffset, recvCounts, displs, "recvCounts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(mine.bytes, bytes);
    }
    return new Plan.Gatherv(placeOf(mine), bytes, all, root);
  }

  Plan.Scatter scatter(
      @Nullable Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Data mine = toWrite(recvBuffer, recvOffset, recvCount);
      return new Plan.Scatter(null, mine.place, mine.bytes, root);
    }
    if (Buffers.isInPlace(recvBuffer)) {
      Data all = blocksToRead(sendBuffer, sendOffset, recvCount);
      return new Plan.Scatter(all.place, null, all.bytes, root);
    }
    Data mine = toWrite(recvBuffer, recvOffset, recvCount);
    Data all = blocksToRead(sendBuffer, sendOffset, mine);
    return new Plan.Scatter(all.place, mine.place, mine.bytes, root);
  }

  Plan.Scatterv scatterv(
      @Nullable Object sendBuffer,
      long sendOffset,
      long @Nullable [] sendCounts,
      long @Nullable [] displs,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root) {
    Arguments.checkRoot(root, size);
    if (rank != root) {
      Data mine = toWrite(recvBuffer, recvOffset, recvCount);
      return new Plan.Scatterv(null, mine.place, mine.bytes, root);
    }
    Data mine = Buffers.isInPlace(recvBuffer) ? null : toWrite(recvBuffer, recvOffset, recvCount);
    Blocks all =
        Blocks.toRead(
            present(sendBuffer), sendOffset, sendCounts, displs, "sendCounts", "displs", size);
    long bytes = all.lengths()[root];
    if (mine != null) {
      Arguments.checkOwn(bytes, mine.bytes);
    }
    return new Plan.Scatterv(all, placeOf(mine), bytes, root);
  }

  Plan.AllGather allGather(
      Object sendBuffer, long sendOffset, long sendCount, Object recvBuffer, long recvOffset) {
    if (Buffers.isInPlace(sendBuffer)) {
      Data all = blocksToWrite(recvBuffer, recvOffset, sendCount);
      return new Plan.AllGather(null, all.bytes, all.place);
    }
    Data mine = toRead(sendBuffer, sendOffset, sendCount);
    Data all = blocksToWrite(recvBuffer, recvOffset, mine);
    return new Plan.AllGather(mine.place, mine.bytes, all.place);
  }

  Plan.AllGatherv allGatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] displs) {
    Data mine = Buffers.isInPlace(sendBuffer) ? null : toRead(sendBuffer, sendOffset, sendCount);
    Blocks all =
        Blocks.toWrite(recvBuffer, recvOffset, recvCounts, displs, "recvCounts", "displs", size);
    if (mine != null) {
      Arguments.checkOwn(mine.bytes, all.lengths()[rank]);
    }
    return new Plan.AllGatherv(placeOf(mine), all);
  }

  Plan.AllToAll allToAll(
      Object sendBuffer, long sendOffset, long count, Object recvBuffer, long recvOffset) {
    if (Buffers.isInPlace(sendBuffer)) {
      Data in = blocksToWrite(recvBuffer, recvOffset, count);
      return new Plan.AllToAll(null, in.place, in.bytes);
    }
    Data out = blocksToRead(sendBuffer, sendOffset, count);
    Data in = blocksToWrite(recvBuffer, recvOffset, out);
    return new Plan.AllToAll(out.place, in.place, in.bytes);
  }

  Plan.AllToAllv allToAllv(
      Object sendBuffer,
      long sendOffset,
      long[] sendCounts,
      long[] sendDispls,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] recvDispls) {
    Blocks in =
        Blocks.toWrite(
            recvBuffer, recvOffset, recvCounts, recvDispls, "recvCounts", "recvDispls", size);
    if (Buffers.isInPlace(sendBuffer)) {
      return new Plan.AllToAllv(null, in);
    }
    Blocks out =
        Blocks.toRead(
            sendBuffer, sendOffset, sendCounts, sendDispls, "sendCounts", "sendDispls", size);
    Arguments.checkOwn(out.lengths()[rank], in.lengths()[rank]);
    Arguments.checkApart(out.place(), in.place(), in.lengths()[rank]);
    return new Plan.AllToAllv(out, in);
  }

  // ---- collectives that reduce

  Plan.Reduce reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      int root) {
    Arguments.checkRoot(root, size);
    Reducer reducer = reducer(op, type, count);
    if (rank == root) {
      Location result = operandToWrite(present(recvBuffer), recvOffset, count, type);
      Location data = operand(sendBuffer, sendOffset, count, type, result);
      return new Plan.Reduce(reducer, data, result, count, root);
    }
    Location data = operandToRead(sendBuffer, sendOffset, count, type);
    return new Plan.Reduce(reducer, data, data, count, root);
  }

  /** The type of what is reduced where the call does not name it. */
  Datatype typeOf(Object recvBuffer) {
    return Buffers.arrayType(recvBuffer);
  }

  /** The same where it is reduced to a root. */
  Datatype typeToReduce(Object sendBuffer, @Nullable Object recvBuffer, int root) {
    Arguments.checkRoot(root, size);
    return Buffers.arrayType(
        rank == root && Buffers.isInPlace(sendBuffer) ? recvBuffer : sendBuffer);
  }

  Plan.AllReduce allReduce(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op) {
    Reducer reducer = reducer(op, type, count);
    Location result = operandToWrite(recvBuffer, recvOffset, count, type);
    Location data = operand(sendBuffer, sendOffset, count, type, result);
    return new Plan.AllReduce(reducer, data, result, count);
  }

  Plan.ReduceScatter reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Datatype type,
      Op op) {
    long[] counts = Arguments.onePerRank(recvCounts, "recvCounts", size);
    long total = 0;
    for (long count : counts) {
      Arguments.checkCount(count);
      reducer(op, type, count); // each part must be made of whole pairs
      total = Arguments.add(total, count);
    }
    Reducer reducer = reducer(op, type, total);
    boolean inPlace = Buffers.isInPlace(sendBuffer);
    Location result = operandToWrite(recvBuffer, recvOffset, inPlace ? total : counts[rank], type);
    Location data = operand(sendBuffer, sendOffset, total, type, result);
    return new Plan.ReduceScatter(reducer, data, result, counts.clone());
  }

  Plan.Scan scan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      boolean exclusive) {
    Reducer reducer = reducer(op, type, count);
    Location result = operandToWrite(recvBuffer, recvOffset, count, type);
    Location data = operand(sendBuffer, sendOffset, count, type, result);
    return new Plan.Scan(reducer, data, result, count, exclusive);
  }

  /** Checked data of a collective: {@code bytes} of it, or a rank. */
  private record Data(Location place, long bytes) {}

  private static Data toRead(Object buffer, long offset, long count) {
    Datatype type = Buffers.typeOf(buffer);
    long bytes = Buffers.checkRead(buffer, offset, count, type);
    return new Data(Buffers.place(buffer, offset, type), bytes);
  }

  private static Data toWrite(Object buffer, long offset, long count) {
    Datatype type = Buffers.typeOf(buffer);
    long bytes = Buffers.checkWrite(buffer, offset, count, type);
    return new Data(Buffers.place(buffer, offset, type), bytes);
  }

  /** {@code count} elements per rank, which the call writes. */
  private Data blocksToWrite(@Nullable Object buffer, long offset, long count) {
    Object present = present(buffer);
    Arguments.checkCount(count);
    Datatype type = Buffers.typeOf(present);
    long bytes = Buffers.checkWrite(present, offset, Arguments.multiply(count, size), type) / size;
    return new Data(Buffers.place(present, offset, type), bytes);
  }

  /** As many bytes per rank as {@code peer} has, at another place; the call writes them. */
  private Data blocksToWrite(@Nullable Object buffer, long offset, Data peer) {
    long count = Arguments.blockCount(peer.bytes, Buffers.typeOf(buffer));
    Data blocks = blocksToWrite(buffer, offset, count);
    Arguments.checkApart(peer.place, blocks.place, peer.bytes);
    return blocks;
  }

  /** {@code count} elements per rank, which the call reads. */
  private Data blocksToRead(@Nullable Object buffer, long offset, long count) {
    Object present = present(buffer);
    Arguments.checkCount(count);
    Datatype type = Buffers.typeOf(present);
    long bytes = Buffers.checkRead(present, offset, Arguments.multiply(count, size), type) / size;
    return new Data(Buffers.place(present, offset, type), bytes);
  }

  /** As many bytes per rank as {@code peer} has, at another place; the call reads them. */
  private Data blocksToRead(@Nullable Object buffer, long offset, Data peer) {
    long count = Arguments.blockCount(peer.bytes, Buffers.typeOf(buffer));
    Data blocks = blocksToRead(buffer, offset, count);
    Arguments.checkApart(peer.place, blocks.place, peer.bytes);
    return blocks;
  }

  private static Location operandToRead(Object buffer, long offset, long count, Datatype type) {
    Buffers.checkType(buffer, type);
    Buffers.checkRead(buffer, offset, count, type);
    return Buffers.place(buffer, offset, type);
  }

  private static Location operandToWrite(Object buffer, long offset, long count, Datatype type) {
    Buffers.checkType(buffer, type);
    Buffers.checkWrite(buffer, offset, count, type);
    return Buffers.place(buffer, offset, type);
  }

  /** What is reduced: what stands at the result's place if that is said, else what is given. */
  private static Location operand(
      Object sendBuffer, long offset, long count, Datatype type, Location result) {
    if (Buffers.isInPlace(sendBuffer)) {
      return result;
    }
    Location data = operandToRead(sendBuffer, offset, count, type);
    Arguments.checkApart(data, result, count);
    return data;
  }

  private static Reducer reducer(Op op, Datatype type, long count) {
    if (op == null || type == null) {
      throw new FmiException(
          op == null ? ErrorClass.OP : ErrorClass.TYPE,
          op == null
              ? "null is not an operation: use those of Op"
              : "null is not a type: use one of Datatype");
    }
    Reducer reducer = Reducer.of(op, type);
    Arguments.checkGroups(count, reducer);
    return reducer;
  }

  private static @Nullable Location placeOf(@Nullable Data data) {
    return data == null ? null : data.place;
  }

  private static <T> T required(@Nullable T data) {
    if (data == null) {
      throw new IllegalStateException("data of this rank was not checked");
    }
    return data;
  }

  /** A buffer that this rank must give. */
  private static Object present(@Nullable Object buffer) {
    Buffers.typeOf(buffer);
    return required(buffer);
  }
}
