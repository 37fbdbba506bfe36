package org.fmi.core.coll;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data movement collectives. Chooses the algorithm by size and number of ranks.
 *
 * <p>Arguments have been checked. Lengths and starts are in bytes. A null send region stands for
 * MPI_IN_PLACE.
 */
public final class Collectives {
  private Collectives() {}

  /** MPI_Barrier. */
  public static void barrier(Channel channel) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null) {
      SharedBarrier.run(region);
    } else if (nodes != null) {
      NodewiseBarrier.run(nodes);
    } else {
      DisseminationBarrier.run(channel);
    }
  }

  /** MPI_Bcast. */
  public static void bcast(Channel channel, Location data, long bytes, int root) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null) {
      SharedBcast.run(region, data, bytes, root);
    } else if (nodes != null) {
      NodewiseBcast.run(nodes, data, bytes, root);
    } else {
      bcastByMessages(channel, data, bytes, root);
    }
  }

  /** Broadcasts without shared memory. */
  static void bcastByMessages(Channel channel, Location data, long bytes, int root) {
    if (Thresholds.bcastByTree(bytes, channel.size())) {
      BinomialBcast.run(channel, data, bytes, root);
    } else if (Thresholds.bcastByChain(bytes, channel.size())) {
      ChainBcast.run(channel, data, bytes, root);
    } else {
      ScatterRingBcast.run(channel, data, bytes, root);
    }
  }

  /** MPI_Gather; {@code all} is used at the root only. */
  public static void gather(
      Channel channel, @Nullable Location mine, long bytes, @Nullable Location all, int root) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null) {
      SharedGather.run(region, mine, bytes, all, root);
    } else if (nodes != null && NodewiseGather.suits(nodes, bytes)) {
      NodewiseGather.run(nodes, mine, bytes, all, root);
    } else {
      gatherByMessages(channel, mine, bytes, all, root);
    }
  }

  /** Gathers without shared memory. */
  static void gatherByMessages(
      Channel channel, @Nullable Location mine, long bytes, @Nullable Location all, int root) {
    boolean isRoot = channel.rank() == root;
    if (!Thresholds.gatherByTree(bytes)) {
      gatherv(
          channel,
          mine,
          bytes,
          all,
          isRoot ? evenStarts(channel.size(), bytes) : null,
          isRoot ? evenLengths(channel.size(), bytes) : null,
          root);
      return;
    }
    Location own = mine != null ? mine : required(all).plus(root * bytes);
    BinomialGather.run(channel, own, bytes, isRoot ? required(all) : own, root);
  }

  /** MPI_Gatherv; arguments for the result are used at the root only. */
  public static void gatherv(
      Channel channel,
      @Nullable Location mine,
      long bytes,
      @Nullable Location all,
      long @Nullable [] starts,
      long @Nullable [] lengths,
      int root) {
    if (channel.rank() != root) {
      LinearGather.send(channel, required(mine), bytes, root);
      return;
    }
    Location to = required(all);
    long[] at = required(starts);
    if (mine != null) {
      mine.copyTo(to.plus(at[root]), bytes);
    }
    LinearGather.receive(channel, to, at, required(lengths));
  }

  /** MPI_Scatter; {@code all} is used at the root only; {@code mine} is null for MPI_IN_PLACE. */
  public static void scatter(
      Channel channel, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null) {
      SharedScatter.run(region, all, mine, bytes, root);
    } else if (nodes != null && NodewiseScatter.suits(nodes, bytes)) {
      NodewiseScatter.run(nodes, all, mine, bytes, root);
    } else {
      scatterByMessages(channel, all, mine, bytes, root);
    }
  }

  /** Scatters without shared memory. */
  static void scatterByMessages(
      Channel channel, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    boolean isRoot = channel.rank() == root;
    if (!Thresholds.gatherByTree(bytes)) {
      scatterv(
          channel,
          all,
          isRoot ? evenStarts(channel.size(), bytes) : null,
          isRoot ? evenLengths(channel.size(), bytes) : null,
          mine,
          bytes,
          root);
      return;
    }
    BinomialScatter.run(channel, all, mine, bytes, root);
  }

  /** MPI_Scatterv; arguments for the source are used at the root only. */
  public static void scatterv(
      Channel channel,
      @Nullable Location all,
      long @Nullable [] starts,
      long @Nullable [] lengths,
      @Nullable Location mine,
      long bytes,
      int root) {
    if (channel.rank() != root) {
      LinearScatter.receive(channel, required(mine), bytes, root);
      return;
    }
    Location from = required(all);
    long[] at = required(starts);
    LinearScatter.send(channel, from, at, required(lengths));
    if (mine != null) {
      from.plus(at[root]).copyTo(mine, bytes);
    }
  }

  /** MPI_Allgather. */
  public static void allGather(Channel channel, @Nullable Location mine, long bytes, Location all) {
    SharedRegion region = channel.region();
    Nodes nodes = channel.nodes();
    if (region != null) {
      SharedAllGather.run(region, mine, bytes, all);
    } else if (nodes != null && NodewiseAllGather.suits(nodes, channel.size(), bytes)) {
      Location own = mine == null ? all.plus(channel.rank() * bytes) : mine;
      NodewiseAllGather.run(nodes, own, bytes, all, channel.size());
    } else {
      allGatherByMessages(channel, mine, bytes, all);
    }
  }

  /** Gathers to all ranks without shared memory. */
  static void allGatherByMessages(
      Channel channel, @Nullable Location mine, long bytes, Location all) {
    int size = channel.size();
    Location place = all.plus(channel.rank() * bytes);
    if (Thresholds.allGatherInFewSteps(size * bytes)) {
      BruckAllGather.run(channel, mine == null ? place : mine, bytes, all);
      return;
    }
    if (mine != null) {
      mine.copyTo(place, bytes);
    }
    RingAllGather.run(
        channel, all, evenStarts(size, bytes), evenLengths(size, bytes), channel.rank());
  }

  /** MPI_Allgatherv; {@code bytes} of this rank, whose block may be longer. */
  public static void allGatherv(
      Channel channel,
      @Nullable Location mine,
      long bytes,
      Location all,
      long[] starts,
      long[] lengths) {
    int rank = channel.rank();
    if (mine != null) {
      mine.copyTo(all.plus(starts[rank]), bytes);
    }
    RingAllGather.run(channel, all, starts, lengths, rank, bytes);
  }

  /** MPI_Alltoall; {@code bytes} for each pair of ranks. */
  public static void allToAll(Channel channel, @Nullable Location out, Location in, long bytes) {
    SharedRegion region = channel.region();
    if (region != null) {
      SharedAllToAll.run(region, out, in, bytes);
      return;
    }
    int size = channel.size();
    if (Thresholds.allToAllInFewSteps(bytes, size)) {
      BruckAllToAll.run(channel, out == null ? in : out, in, bytes);
      return;
    }
    long[] starts = evenStarts(size, bytes);
    long[] lengths = evenLengths(size, bytes);
    allToAllv(channel, out, starts, lengths, in, starts, lengths);
  }

  /** MPI_Alltoallv; in place, the starts and lengths of the send side are not used. */
  public static void allToAllv(
      Channel channel,
      @Nullable Location out,
      long[] outStarts,
      long[] outLengths,
      Location in,
      long[] inStarts,
      long[] inLengths) {
    if (out != null) {
      PairwiseAllToAll.run(channel, out, outStarts, outLengths, in, inStarts, inLengths);
      return;
    }
    int size = channel.size();
    long[] copyStarts = new long[size];
    long total = 0;
    for (int i = 0; i < size; i++) {
      copyStarts[i] = total;
      total += inLengths[i];
    }
    Location copy = in.scratch(total);
    for (int i = 0; i < size; i++) {
      in.plus(inStarts[i]).copyTo(copy.plus(copyStarts[i]), inLengths[i]);
    }
    PairwiseAllToAll.run(channel, copy, copyStarts, inLengths, in, inStarts, inLengths);
  }

  private static long[] evenStarts(int n, long bytes) {
    long[] starts = new long[n];
    for (int i = 0; i < n; i++) {
      starts[i] = i * bytes;
    }
    return starts;
  }

  private static long[] evenLengths(int n, long bytes) {
    long[] lengths = new long[n];
    Arrays.fill(lengths, bytes);
    return lengths;
  }

  /** An argument that this rank's role requires. */
  static <T> T required(@Nullable T argument) {
    if (argument == null) {
      throw new IllegalStateException("an argument that this rank needs was not passed on");
    }
    return argument;
  }
}
