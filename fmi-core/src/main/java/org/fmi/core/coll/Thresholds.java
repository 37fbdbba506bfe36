package org.fmi.core.coll;

/**
 * Says at which size one algorithm takes over from another. All ranks decide by what all of them
 * know (bytes, number of ranks), so that all choose the same.
 *
 * <p>The models are those of Thakur, Rabenseifner and Gropp, "Optimization of Collective
 * Communication Operations in MPICH" (IJHPCA 19(1), 2005): a message of n bytes takes a + n b.
 * Short messages want few steps (a), long ones few bytes through each rank (b). The two are even at
 * n = a / b; for Java over TCP a is about 4 us and 1/b 3 to 8 GB/s (both measured), so a / b is 12
 * to 32 KiB, where the paper's machines had 2 KiB. The other limits are those of the paper, also
 * MPICH's defaults. {@code bench/tune} measures them all: it knows their names, and reads the
 * values out of this file.
 *
 * <p>Those of reductions, but for {@link #REDUCE_SHARED_SHORT_BYTES}, define the order in which
 * operands are combined, and so the bits of a sum: each has one value for all transports.
 */
final class Thresholds {
  private static final ThresholdOverrides OVERRIDES =
      new ThresholdOverrides(System.getProperty(ThresholdOverrides.PROPERTY, ""));

  /** Up to here bytes are reduced in log N steps of the whole vector. */
  static final long REDUCE_SHORT_BYTES = OVERRIDES.of("REDUCE_SHORT_BYTES", 16 << 10);

  /** Blocks from here on are worth 2(N-1) steps instead of a fold to a power of two. */
  static final long ALL_REDUCE_RING_BLOCK_BYTES =
      OVERRIDES.of("ALL_REDUCE_RING_BLOCK_BYTES", 16 << 10);

  /** Above, each block goes straight to its owner. */
  static final long REDUCE_SCATTER_SHORT_BYTES =
      OVERRIDES.of("REDUCE_SCATTER_SHORT_BYTES", 512 << 10);

  /** Below, a broadcast sends the whole message down a tree. */
  static final long BCAST_LONG_BYTES = OVERRIDES.of("BCAST_LONG_BYTES", 512 << 10);

  /**
   * Bytes for each rank from which on a long message goes down a chain in pieces. In k pieces it
   * then takes the time of k + N - 2 of them, with scatter and allgather that of 2 k (N-1) / N. At
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

  /** With fewer ranks bundling saves no step worth its copies. */
  static final long ALL_TO_ALL_SHORT_RANKS = OVERRIDES.of("ALL_TO_ALL_SHORT_RANKS", 8);

  /**
   * Up to here, in shared memory, a second round costs more than combining all of it everywhere.
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

  /** Two ranks have nothing to gain from slices: each reads as much either way. */
  static boolean reduceSharedWhole(long bytes, int ranks) {
    return bytes <= REDUCE_SHARED_SHORT_BYTES || ranks == 2;
  }

  /**
   * Whether the root of a reduce combines all, though others could help. Where ranks share cores
   * that is better for any length: the others go on, and a second round would wait for all of them
   * to get a core.
   */
  static boolean reduceSharedAtRoot(long bytes, SharedRegion region) {
    return region.coresShared() || reduceSharedWhole(bytes, region.size());
  }

  static boolean reduceWhole(long bytes) {
    return bytes <= REDUCE_SHORT_BYTES;
  }

  /** A power of two needs no fold, so it has nothing to gain from the ring. */
  static boolean allReduceByRing(long bytes, int ranks) {
    return Integer.bitCount(ranks) != 1 && bytes / ranks >= ALL_REDUCE_RING_BLOCK_BYTES;
  }

  static boolean reduceScatterByHalving(long totalBytes) {
    return totalBytes <= REDUCE_SCATTER_SHORT_BYTES;
  }
}
