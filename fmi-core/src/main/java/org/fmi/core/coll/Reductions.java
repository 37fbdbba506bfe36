package org.fmi.core.coll;

/**
 * The reducing collectives. Chooses the algorithm by size, operation and number of ranks.
 *
 * <p>Arguments have been checked. Counts are in elements of the reducer's type. In place means that
 * both regions are the same.
 *
 * <p>Vectors are reduced in place, with scratch memory of bounded size. Only a user-defined
 * operation, which needs whole vectors in arrays of the type, gets copies of operands of any other
 * kind.
 */
public final class Reductions {
  /**
   * The most elements for which an algorithm is chosen at once. All ranks cut at the same places,
   * for any kinds of buffers. This number is part of the definition of a sum's bits.
   */
  private static final long PIECE = 1 << 24;

  /**
   * The longest vector for user-defined operations, which need whole vectors: near the longest
   * array.
   */
  private static final long WHOLE_PIECE = 1 << 30;

  private Reductions() {}

  /** MPI_Reduce; {@code result} is used at the root only. */
  public static void reduce(
      Channel channel, Reducer reducer, Location data, Location result, long count, int root) {
    boolean isRoot = channel.rank() == root;
    for (long done = 0, piece; done < count; done += piece) {
      piece = Math.min(count - done, pieceOf(reducer));
      long bytes = bytes(reducer, piece);
      Location from = operand(reducer, data.plus(bytes(reducer, done)), bytes);
      if (!isRoot) {
        reducePiece(channel, reducer, from, from, bytes, root);
      } else {
        Location target = result.plus(bytes(reducer, done));
        Location to = resultFor(reducer, target, bytes);
        reducePiece(channel, reducer, from, to, bytes, root);
        deliver(to, target, bytes);
      }
    }
  }

  /** MPI_Allreduce. */
  public static void allReduce(
      Channel channel, Reducer reducer, Location data, Location result, long count) {
    for (long done = 0, piece; done < count; done += piece) {
      piece = Math.min(count - done, pieceOf(reducer));
      long bytes = bytes(reducer, piece);
      Location from = operand(reducer, data.plus(bytes(reducer, done)), bytes);
      Location target = result.plus(bytes(reducer, done));
      Location to = resultFor(reducer, target, bytes);
      allReducePiece(channel, reducer, from, to, bytes);
      deliver(to, target, bytes);
    }
  }

  /** MPI_Reduce_scatter; {@code counts} one per rank. */
  public static void reduceScatter(
      Channel channel, Reducer reducer, Location data, Location result, long[] counts) {
    int size = channel.size();
    int rank = channel.rank();
    long[] starts = new long[size + 1];
    for (int i = 0; i < size; i++) {
      starts[i + 1] = starts[i] + bytes(reducer, counts[i]);
    }
    long total = starts[size];
    long mine = starts[rank + 1] - starts[rank];
    if (total / reducer.type().bytes() > pieceOf(reducer)) {
      // In place, a result at the vector's beginning would overwrite data still to be reduced.
      Location to = data.isSamePlaceAs(result) ? data.plus(starts[rank]) : result;
      for (int root = 0; root < size; root++) {
        reduce(channel, reducer, data.plus(starts[root]), to, counts[root], root);
      }
      deliver(to, result, mine);
      return;
    }
    Location from = operand(reducer, data, total);
    Location to = resultFor(reducer, result, mine);
    if (!reducer.divisible()) {
      reduceThenScatter(channel, reducer, from, to, starts);
      deliver(to, result, mine);
      return;
    }
    SharedRegion region = channel.region();
    if (region != null) {
      ReductionOrder order =
          Thresholds.reduceScatterByHalving(total)
              ? region.halving()
              : ReductionOrder.pairwise(size, rank);
      SharedReduceScatter.run(region, reducer, order, from, to, starts);
    } else if (Thresholds.reduceScatterByHalving(total)) {
      RecursiveHalvingReduceScatter.run(channel, reducer, from, to, starts);
    } else {
      PairwiseReduceScatter.run(channel, reducer, from, to, starts);
    }
  }

  /** MPI_Scan, or MPI_Exscan if exclusive. */
  public static void scan(
      Channel channel,
      Reducer reducer,
      Location data,
      Location result,
      long count,
      boolean exclusive) {
    for (long done = 0, piece; done < count; done += piece) {
      piece = Math.min(count - done, pieceOf(reducer));
      long bytes = bytes(reducer, piece);
      Location from = operand(reducer, data.plus(bytes(reducer, done)), bytes);
      Location target = result.plus(bytes(reducer, done));
      boolean nothing = exclusive && channel.rank() == 0;
      Location to = nothing ? target : resultFor(reducer, target, bytes);
      RecursiveDoublingScan.run(channel, reducer, from, to, bytes, exclusive);
      if (!nothing) {
        deliver(to, target, bytes);
      }
    }
  }

  private static void reducePiece(
      Channel channel, Reducer reducer, Location from, Location to, long bytes, int root) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null && SharedOperands.fit(region, reducer, bytes)) {
      ReductionOrder order =
          reduceInTree(reducer, bytes)
              ? region.binomial(reducer.commutative() ? root : 0)
              : region.halving();
      SharedReduce.run(region, reducer, order, from, to, bytes, root);
    } else if (nodes != null && NodewiseReduce.suits(nodes, reducer, bytes, root)) {
      NodewiseReduce.run(nodes, reducer, from, to, bytes, root);
    } else {
      reduceByMessages(channel, reducer, from, to, bytes, root);
    }
  }

  private static boolean reduceInTree(Reducer reducer, long bytes) {
    return !reducer.divisible() || Thresholds.reduceWhole(bytes);
  }

  /** Reduces without shared memory. */
  static void reduceByMessages(
      Channel channel, Reducer reducer, Location from, Location to, long bytes, int root) {
    if (reduceInTree(reducer, bytes)) {
      BinomialReduce.run(channel, reducer, from, to, bytes, root);
    } else if (PairReduce.suits(channel, reducer)) {
      PairReduce.run(channel, reducer, from, to, bytes, root);
    } else {
      RabenseifnerReduce.run(channel, reducer, from, to, bytes, root);
    }
  }

  private static void allReducePiece(
      Channel channel, Reducer reducer, Location from, Location to, long bytes) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null
        && (reducer.divisible() || Thresholds.reduceWhole(bytes))
        && SharedOperands.fit(region, reducer, bytes)) {
      allReduceShared(region, reducer, from, to, bytes);
    } else if (nodes != null && NodewiseAllReduce.suits(nodes, reducer, bytes)) {
      NodewiseAllReduce.run(nodes, reducer, from, to, bytes);
    } else if (reducer.divisible() || Thresholds.reduceWhole(bytes)) {
      allReduceByMessages(channel, reducer, from, to, bytes);
    } else {
      BinomialReduce.run(channel, reducer, from, to, bytes, 0);
      Collectives.bcast(channel, to, bytes, 0);
    }
  }

  /**
   * Reduces to all ranks without shared memory. For a user-defined operation the vector must be
   * short.
   */
  static void allReduceByMessages(
      Channel channel, Reducer reducer, Location from, Location to, long bytes) {
    if (Thresholds.reduceWhole(bytes)) {
      RecursiveDoublingAllReduce.run(channel, reducer, from, to, bytes);
    } else if (Thresholds.allReduceByRing(bytes, channel.size())) {
      PairwiseRingAllReduce.run(channel, reducer, from, to, bytes);
    } else {
      RabenseifnerAllReduce.run(channel, reducer, from, to, bytes);
    }
  }

  private static void allReduceShared(
      SharedRegion region, Reducer reducer, Location from, Location to, long bytes) {
    int size = region.size();
    if (Thresholds.reduceWhole(bytes)) {
      SharedAllReduce.run(region, reducer, region.doubling(), from, to, bytes);
    } else if (!Thresholds.allReduceByRing(bytes, size)) {
      SharedAllReduce.run(region, reducer, region.halving(), from, to, bytes);
    } else {
      long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, size);
      for (int owner = 0; owner < size; owner++) {
        SharedAllReduce.run(
            region,
            reducer,
            ReductionOrder.pairwise(size, owner),
            from.plus(starts[owner]),
            to.plus(starts[owner]),
            starts[owner + 1] - starts[owner]);
      }
    }
  }

  private static void reduceThenScatter(
      Channel channel, Reducer reducer, Location from, Location to, long[] starts) {
    int size = channel.size();
    int rank = channel.rank();
    Location all = rank == 0 ? reducer.scratch(starts[size]) : from;
    BinomialReduce.run(channel, reducer, from, all, starts[size], 0);
    long[] lengths = new long[size];
    for (int i = 0; i < size; i++) {
      lengths[i] = starts[i + 1] - starts[i];
    }
    Collectives.scatterv(channel, all, starts, lengths, to, lengths[rank], 0);
  }

  /** The operand as an array of the type or a segment, or as a copy in such an array. */
  private static Location operand(Reducer reducer, Location data, long bytes) {
    if (data.isArrayOf(reducer.type())) {
      return data;
    }
    return reducer.divisible() ? data.inSegment() : reducer.copyOf(data, bytes);
  }

  /** The memory to compute the result in: its destination, or an array to be copied there. */
  private static Location resultFor(Reducer reducer, Location result, long bytes) {
    if (result.isArrayOf(reducer.type())) {
      return result;
    }
    return reducer.divisible() ? result.inSegment() : reducer.scratch(bytes);
  }

  private static void deliver(Location computed, Location result, long bytes) {
    if (!computed.isSamePlaceAs(result)) {
      computed.copyTo(result, bytes);
    }
  }

  private static long pieceOf(Reducer reducer) {
    return reducer.divisible() ? PIECE : WHOLE_PIECE;
  }

  private static long bytes(Reducer reducer, long count) {
    return count * reducer.type().bytes();
  }
}
