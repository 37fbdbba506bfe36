package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.coll.Channel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Floating-point reductions give the same bits on all ranks and in all runs, whatever the timing
 * and the placement of ranks.
 */
class DeterminismTest {
  private static final int[] LENGTHS = {1, 100, 2100, 9000};

  private record Content(int n, int rank) {}

  /** Cached, as creating them costs more than adding them. */
  private final Map<Content, double[]> contents = new ConcurrentHashMap<>();

  private double[] random(int n, int rank) {
    return contents.computeIfAbsent(new Content(n, rank), DeterminismTest::fill);
  }

  private static double[] fill(Content content) {
    int n = content.n;
    Random random = new Random(1000L * n + content.rank);
    double[] a = new double[n];
    for (int i = 0; i < n; i++) {
      // Wide exponents: almost any other order of additions gives other bits.
      a[i] = random.nextGaussian() * Math.pow(10, random.nextInt(12));
    }
    return a;
  }

  private long[][] run(int ranks, boolean oneNode, long seed) {
    long[][] bits = new long[ranks][];
    Worlds.runDelayed(ranks, oneNode, seed, world -> reduce(world, bits));
    return bits;
  }

  private void reduce(Communicator world, long[][] bits) {
    for (int i = 0; i < Channel.USES_BEFORE_REGION; i++) {
      world.barrier();
    }
    int rank = world.rank();
    long[] own = new long[7 * LENGTHS.length];
    int k = 0;
    for (int n : LENGTHS) {
      double[] mine = random(n, rank);
      double[] all = mine.clone();
      world.allReduce(all, Op.SUM);
      own[k++] = hash(all); // the same at all ranks
      double[] result = new double[n];
      world.reduce(Slice.of(mine, 0, n), result, Op.SUM, 0);
      own[k++] = hash(result);
      world.reduce(Slice.of(mine, 0, n), result, Op.PROD, world.size() - 1);
      own[k++] = hash(result);
      world.reduce(Slice.of(mine, 0, n), result, Op.SUM, world.size() / 2);
      own[k++] = hash(result);
      world.scan(Slice.of(mine, 0, n), result, Op.SUM);
      own[k++] = hash(result);
      world.exScan(Slice.of(mine, 0, n), result, Op.SUM);
      own[k++] = hash(result);
      long[] counts = new long[world.size()];
      counts[0] = n / 2;
      counts[world.size() - 1] += n - n / 2;
      world.reduceScatter(mine, result, counts, Op.SUM);
      own[k++] = hash(result);
    }
    bits[rank] = own;
  }

  private static long hash(double[] a) {
    long h = 0;
    for (double d : a) {
      h = 31 * h + Double.doubleToRawLongBits(d);
    }
    return h;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 12, 17})
  void sameBits(int ranks) {
    long seed = System.nanoTime();
    long[][] first = run(ranks, false, seed);
    for (int i = 0; i < first[0].length; i += 7) {
      for (long[] rank : first) {
        assertThat(rank[i]).as("allReduce at all ranks, delays %d", seed).isEqualTo(first[0][i]);
      }
    }
    for (long other = seed + 1; other <= seed + 3; other++) {
      for (boolean oneNode : new boolean[] {false, true}) {
        assertThat(Arrays.deepEquals(run(ranks, oneNode, other), first))
            .as("%d ranks, on one node: %s, delays %d and %d", ranks, oneNode, seed, other)
            .isTrue();
      }
    }
  }

  /** So long that each block is sent directly to its owner: the pairwise algorithm. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6})
  void sameBitsOfLongBlocks(int ranks) {
    int n = 70_000;
    long seed = System.nanoTime();
    long[][] byMessages = new long[ranks][];
    long[][] inSharedMemory = new long[ranks][];
    for (boolean oneNode : new boolean[] {false, true}) {
      Worlds.runDelayed(
          ranks,
          oneNode,
          seed,
          world -> {
            for (int i = 0; i < Channel.USES_BEFORE_REGION; i++) {
              world.barrier();
            }
            double[] result = new double[n];
            long[] counts = new long[ranks];
            Arrays.fill(counts, n / ranks);
            double[] mine = random(n, world.rank());
            world.reduceScatter(mine, result, counts, Op.SUM);
            (oneNode ? inSharedMemory : byMessages)[world.rank()] = new long[] {hash(result)};
          });
    }
    assertThat(inSharedMemory).as("delays %d", seed).isEqualTo(byMessages);
  }

  /** A replaced rank may move to another node: ranks in blocks, in turn, and in any order. */
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 8, 9, 12, 16})
  void sameBitsWhereverTheRanksAre(int ranks) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[][] first = run(ranks, false, seed);
    for (int nodes = 2; nodes < ranks; nodes *= 2) {
      int[] blocks = new int[ranks];
      int[] turns = new int[ranks];
      int[] anyhow = new int[ranks];
      for (int r = 0; r < ranks; r++) {
        blocks[r] = r * nodes / ranks;
        turns[r] = r % nodes;
        anyhow[r] = random.nextInt(nodes);
      }
      for (int[] mapping : new int[][] {blocks, turns, anyhow}) {
        long[][] bits = new long[ranks][];
        Worlds.runOnNodes(mapping, seed, world -> reduce(world, bits));
        assertThat(bits).as("nodes %s, seed %d", Arrays.toString(mapping), seed).isEqualTo(first);
      }
    }
  }
}
