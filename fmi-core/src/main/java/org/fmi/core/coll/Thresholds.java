package org.fmi.core.coll;

/**
 * The sizes at which one algorithm takes over from another. All ranks choose by values that all of
 * them know (bytes, number of ranks), and so choose alike.
 *
 * <p>The models are from Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
 * Operations in MPICH" (IJHPCA 19(1), 2005): a message of n bytes takes a + n b. Short messages
 * need few steps (a), long ones few bytes through each rank (b). The two are even at n = a / b; for
 * Java over TCP a is about 4 us and 1/b 3 to 8 GB/s (both measured), so a / b is 12 to 32 KiB; on
 * the paper's machines it was 2 KiB. The other limits are the paper's, also MPICH's defaults.
 * {@code bench/tune} measures them all: it knows their names, and reads the values from this file.
 *
 * <p>The limits for reductions, except {@link #REDUCE_SHARED_SHORT_BYTES}, define the order in
 * which operands are combined, and so the bits of a sum: each has one value for all transports.
 */
final class Thresholds {
  private static final ThresholdOverrides OVERRIDES =
      new ThresholdOverrides(System.getProperty(ThresholdOverrides.PROPERTY, ""));

  /** The longest vector that is reduced whole, in log N steps. */
  static final long REDUCE_SHORT_BYTES = OVERRIDES.of("REDUCE_SHORT_BYTES", 16 << 10);

  /** The shortest block for which 2(N-1) steps are better than a fold to a power of two. */
  static final long ALL_REDUCE_RING_BLOCK_BYTES =
      OVERRIDES.of("ALL_REDUCE_RING_BLOCK_BYTES", 16 << 10);

  /**
   * The longest vector reduced by halving; in a longer one, each block goes directly to its owner.
   */
  static final long REDUCE_SCATTER_SHORT_BYTES =
      OVERRIDES.of("REDUCE_SCATTER_SHORT_BYTES", 512 << 10);

  /** The shortest message that a broadcast does not send whole down a tree. */
  static final long BCAST_LONG_BYTES = OVERRIDES.of("BCAST_LONG_BYTES", 512 << 10);

  /**
   * Bytes per rank from which on a long message goes down a chain in pieces. In k pieces it takes
   * the time of k + N - 2 pieces; scatter and allgather take the time of 2 k (N-1) / N pieces. At
   * least one piece ({@link Pipeline#BYTES}).
   */
  static final long BCAST_CHAIN_BLOCK_BYTES = OVERRIDES.of("BCAST_CHAIN_BLOCK_BYTES", 128 << 10);

  /**
   * Bytes per rank up to which gather and scatter go along a tree, which forwards data log N times.
   */
  static final long GATHER_SHORT_BYTES = OVERRIDES.of("GATHER_SHORT_BYTES", 16 << 10);

  /** Bytes of the whole result up to which an allgather takes log N steps. */
  static final long ALL_GATHER_SHORT_BYTES = OVERRIDES.of("ALL_GATHER_SHORT_BYTES", 80 << 10);

  /** Bytes per pair of ranks up to which blocks are bundled, and forwarded log N times. */
  static final long ALL_TO_ALL_SHORT_BYTES = OVERRIDES.of("ALL_TO_ALL_SHORT_BYTES", 256);

  /** The fewest ranks for which bundling saves enough steps to be worth its copies. */
  static final long ALL_TO_ALL_SHORT_RANKS = OVERRIDES.of("ALL_TO_ALL_SHORT_RANKS", 8);

  /**
   * The longest vector for which, in shared memory, a second round costs more than combining all of
   * it on every rank.
   */
  static final long REDUCE_SHARED_SHORT_BYTES = OVERRIDES.of("REDUCE_SHARED_SHORT_BYTES", 8 << 10);

  static {
    OVERRIDES.refuseUnknown();
  }

  private Thresholds() {}

  static boolean bcastByTree(long bytes, int ranks) {
    return bytes < BCAST_LONG_BYTES || ranks == 2;
  }

  static boolean bcastByChain(long bytes, int ranks) {
    return bytes / ranks >= BCAST_CHAIN_BLOCK_BYTES;
  }

  static boolean gatherByTree(long bytesPerRank) {
    return bytesPerRank <= GATHER_SHORT_BYTES;
  }

  static boolean allGatherInFewSteps(long totalBytes) {
    return totalBytes <= ALL_GATHER_SHORT_BYTES;
  }

  static boolean allToAllInFewSteps(long bytesPerPair, int ranks) {
    return bytesPerPair <= ALL_TO_ALL_SHORT_BYTES && ranks >= ALL_TO_ALL_SHORT_RANKS;
  }

  /**
   * Whether each rank combines the whole vector. Two ranks gain nothing from slices, as each reads
   * as much either way.
   */
  static boolean reduceSharedWhole(long bytes, int ranks) {
    return bytes <= REDUCE_SHARED_SHORT_BYTES || ranks == 2;
  }

  /**
   * Whether the root of a reduce combines all operands alone. If ranks share cores this is best for
   * any length: the other ranks continue, and a second round would wait until all of them got a
   * core.
   */
  static boolean reduceSharedAtRoot(long bytes, SharedRegion region) {
    return region.coresShared() || reduceSharedWhole(bytes, region.size());
  }

  static boolean reduceWhole(long bytes) {
    return bytes <= REDUCE_SHORT_BYTES;
  }

  /** Whether to reduce by the ring. A power of two needs no fold, and gains nothing from it. */
  static boolean allReduceByRing(long bytes, int ranks) {
    return Integer.bitCount(ranks) != 1 && bytes / ranks >= ALL_REDUCE_RING_BLOCK_BYTES;
  }

  static boolean reduceScatterByHalving(long totalBytes) {
    return totalBytes <= REDUCE_SCATTER_SHORT_BYTES;
  }
}
