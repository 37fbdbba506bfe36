package org.fmi.core.coll;

import static org.fmi.core.coll.Vectors.assertSame;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.assertj.core.api.Assertions;
import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Ranks;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every algorithm for every number of ranks, and with vectors too short for it. */
class AlgorithmsTest {
  private static final int[] LENGTHS = {0, 1, 2, 7, 8, 33, 100};

  private interface Case {
    void run(Channel channel, int n, String what);
  }

  private static void forAllLengths(int ranks, Case test) {
    Ranks.run(
        ranks,
        p2p -> {
          Channel channel = channel(p2p);
          for (int n : LENGTHS) {
            test.run(channel, n, "rank " + p2p.rank() + " of " + ranks + ", " + n + " elements");
          }
        });
  }

  private static Channel channel(PointToPoint p2p) {
    return new Channel(p2p, 1, null, p2p.rank(), p2p.size());
  }

  private static Location at(Object array) {
    return new Location(array, 0);
  }

  /** Blocks of the given length, one per rank, one after the other. */
  private static Object concat(int ranks, int n, LongFunction<Object> block) {
    Object all = Vectors.array(Datatype.INT, ranks * n);
    for (int r = 0; r < ranks; r++) {
      System.arraycopy(block.apply(r), 0, all, r * n, n);
    }
    return all;
  }

  private static Object ints(int n, long seed, long rank) {
    return Vectors.random(Datatype.INT, n, seed, (int) rank);
  }

  private static Object doubles(int n, long seed, int rank) {
    return Vectors.small(Datatype.DOUBLE, n, seed, rank, Op.SUM);
  }

  private static Object sum(int n, long seed, int from, int to) {
    Object acc = doubles(n, seed, from);
    for (int r = from + 1; r < to; r++) {
      Vectors.model(Op.Predefined.SUM, acc, doubles(n, seed, r));
    }
    return acc;
  }

  private static Object part(Object array, int from, int n) {
    Object part = Vectors.array(Objects.requireNonNull(Location.elementType(array)), n);
    System.arraycopy(array, from, part, 0, n);
    return part;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void broadcasts(int ranks) {
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          for (int root = 0; root < ranks; root++) {
            Object expected = ints(n, root, root);
            Object tree = channel.rank() == root ? ints(n, root, root) : new int[n];
            BinomialBcast.run(channel, at(tree), 4L * n, root);
            assertSame(tree, expected, what + " tree from " + root);
            Object ring = channel.rank() == root ? ints(n, root, root) : new int[n];
            ScatterRingBcast.run(channel, at(ring), 4L * n, root);
            assertSame(ring, expected, what + " ring from " + root);
          }
        });
  }

  /** Whole pieces, parts of one, and more than are in flight at a time. */
  @ParameterizedTest
  @CsvSource({
    "1, 8",
    "2, 0",
    "2, 8",
    "2, 131072",
    "3, 131080",
    "4, 393216",
    "5, 1310728",
    "9, 917504"
  })
  void broadcastsInPieces(int ranks, int bytes) {
    Ranks.run(
        ranks,
        p2p -> {
          Channel channel = channel(p2p);
          for (int root = 0; root < ranks; root++) {
            Object data = p2p.rank() == root ? ints(bytes / 4, root, root) : new int[bytes / 4];
            ChainBcast.run(channel, at(data), bytes, root);
            assertSame(data, ints(bytes / 4, root, root), "rank " + p2p.rank() + ", root " + root);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 131_072, 131_080, 393_216, 1_310_728})
  void reducesOfAPairInPieces(int bytes) {
    Reducer reducer = Reducer.of(Op.SUM, Datatype.DOUBLE);
    int n = bytes / 8;
    Object expected = sum(n, 9, 0, 2);
    Ranks.run(
        2,
        p2p -> {
          Channel channel = channel(p2p);
          for (int root = 0; root < 2; root++) {
            Object mine = doubles(n, 9, p2p.rank());
            double[] apart = new double[n];
            PairReduce.run(channel, reducer, at(mine), at(apart), bytes, root);
            assertSame(mine, doubles(n, 9, p2p.rank()), "input");
            double[] further = new double[n + 1];
            PairReduce.run(channel, reducer, at(mine), at(further).plus(8), bytes, root);
            PairReduce.run(channel, reducer, at(mine), at(mine), bytes, root);
            if (p2p.rank() == root) {
              assertSame(apart, expected, "root " + root);
              assertSame(part(further, 1, n), expected, "at another offset, root " + root);
              assertSame(mine, expected, "in place, root " + root);
            } else {
              assertSame(mine, doubles(n, 9, p2p.rank()), "input at rank " + p2p.rank());
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void gathers(int ranks) {
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          int rank = channel.rank();
          Object expected = concat(ranks, n, r -> ints(n, 5, r));
          for (int root = 0; root < ranks; root++) {
            int[] all = new int[ranks * n];
            BinomialGather.run(channel, at(ints(n, 5, rank)), 4L * n, at(all), root);
            if (rank == root) {
              assertSame(all, expected, what + " gather to " + root);
            }
            Object mine = new int[n];
            Object source = rank == root ? expected : new int[0];
            BinomialScatter.run(channel, at(source), at(mine), 4L * n, root);
            assertSame(mine, ints(n, 5, rank), what + " scatter from " + root);
          }
          int[] bruck = new int[ranks * n];
          BruckAllGather.run(channel, at(ints(n, 5, rank)), 4L * n, at(bruck));
          assertSame(bruck, expected, what + " Bruck");

          int[] ring = new int[ranks * n];
          System.arraycopy(ints(n, 5, rank), 0, ring, rank * n, n);
          long[] starts = new long[ranks + 1];
          for (int r = 0; r <= ranks; r++) {
            starts[r] = 4L * r * n;
          }
          RingAllGather.run(channel, at(ring), starts, rank);
          assertSame(ring, expected, what + " ring");
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void exchangesAmongAll(int ranks) {
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          int rank = channel.rank();
          Object out = concat(ranks, n, to -> ints(n, rank, to));
          Object expected = concat(ranks, n, from -> ints(n, from, rank));
          int[] bruck = new int[ranks * n];
          BruckAllToAll.run(channel, at(out), at(bruck), 4L * n);
          assertSame(bruck, expected, what + " Bruck");
          BruckAllToAll.run(channel, at(out), at(out), 4L * n);
          assertSame(out, expected, what + " Bruck in place");
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void reduces(int ranks) {
    Reducer reducer = Reducer.of(Op.SUM, Datatype.DOUBLE);
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          int rank = channel.rank();
          Object expected = sum(n, 9, 0, ranks);
          for (int root = 0; root < ranks; root++) {
            Object data = doubles(n, 9, rank);
            double[] tree = new double[n];
            BinomialReduce.run(channel, reducer, at(data), at(tree), 8L * n, root);
            double[] halving = new double[n];
            RabenseifnerReduce.run(channel, reducer, at(data), at(halving), 8L * n, root);
            if (rank == root) {
              assertSame(tree, expected, what + " tree to " + root);
              assertSame(halving, expected, what + " Rabenseifner to " + root);
            }
            assertSame(data, doubles(n, 9, rank), what + " input");
            Object inPlace = doubles(n, 9, rank);
            RabenseifnerReduce.run(channel, reducer, at(inPlace), at(inPlace), 8L * n, root);
            assertSame(
                inPlace,
                rank == root ? expected : doubles(n, 9, rank),
                what + " Rabenseifner in place to " + root);
          }
        });
  }

  private interface AllReduce {
    void run(Channel channel, Reducer reducer, Location data, Location result, long bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void allReduces(int ranks) {
    Reducer reducer = Reducer.of(Op.SUM, Datatype.DOUBLE);
    AllReduce[] algorithms = {
      RecursiveDoublingAllReduce::run, RabenseifnerAllReduce::run, PairwiseRingAllReduce::run
    };
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          Object expected = sum(n, 11, 0, ranks);
          for (int a = 0; a < algorithms.length; a++) {
            Object data = doubles(n, 11, channel.rank());
            double[] result = new double[n];
            algorithms[a].run(channel, reducer, at(data), at(result), 8L * n);
            assertSame(result, expected, what + " algorithm " + a);
            assertSame(data, doubles(n, 11, channel.rank()), what + " input of " + a);
            algorithms[a].run(channel, reducer, at(data), at(data), 8L * n);
            assertSame(data, expected, what + " in place, algorithm " + a);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void reducesAndScatters(int ranks) {
    Reducer reducer = Reducer.of(Op.SUM, Datatype.DOUBLE);
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          int rank = channel.rank();
          // Uneven blocks: rank r gets n + r elements, the third rank none.
          long[] starts = new long[ranks + 1];
          for (int r = 0; r < ranks; r++) {
            starts[r + 1] = starts[r] + (r == 2 ? 0 : 8L * (n + r));
          }
          int total = (int) starts[ranks] / 8;
          int mine = (int) (starts[rank + 1] - starts[rank]) / 8;
          Object expected = part(sum(total, 13, 0, ranks), (int) starts[rank] / 8, mine);
          Object data = doubles(total, 13, rank);
          double[] halving = new double[mine];
          RecursiveHalvingReduceScatter.run(channel, reducer, at(data), at(halving), starts);
          assertSame(halving, expected, what + " halving");
          double[] pairwise = new double[mine];
          PairwiseReduceScatter.run(channel, reducer, at(data), at(pairwise), starts);
          assertSame(pairwise, expected, what + " pairwise");
          Object inPlace = doubles(total, 13, rank);
          RecursiveHalvingReduceScatter.run(channel, reducer, at(inPlace), at(inPlace), starts);
          assertSame(part(inPlace, 0, mine), expected, what + " halving in place");
          PairwiseReduceScatter.run(channel, reducer, at(data), at(data), starts);
          assertSame(part(data, 0, mine), expected, what + " pairwise in place");
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
  void scans(int ranks) {
    Reducer reducer = Reducer.of(Op.SUM, Datatype.DOUBLE);
    forAllLengths(
        ranks,
        (channel, n, what) -> {
          int rank = channel.rank();
          double[] result = new double[n];
          Location data = at(doubles(n, 17, rank));
          RecursiveDoublingScan.run(channel, reducer, data, at(result), 8L * n, false);
          assertSame(result, sum(n, 17, 0, rank + 1), what + " scan");
          double[] before = new double[n];
          RecursiveDoublingScan.run(channel, reducer, data, at(before), 8L * n, true);
          assertSame(before, rank == 0 ? new double[n] : sum(n, 17, 0, rank), what + " exscan");
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 64})
  void barrierWaitsForAll(int ranks) {
    AtomicInteger arrived = new AtomicInteger();
    MemoryNetwork network =
        Ranks.runDelayed(
            ranks,
            false,
            ranks,
            p2p -> {
              Channel channel = channel(p2p);
              for (int round = 1; round <= 3; round++) {
                arrived.incrementAndGet();
                DisseminationBarrier.run(channel);
                if (arrived.get() < round * ranks) {
                  throw new AssertionError("left the barrier before all had come");
                }
                DisseminationBarrier.run(channel);
              }
            });
    int steps = 32 - Integer.numberOfLeadingZeros(ranks - 1);
    Assertions.assertThat(network.sent()).isEqualTo(6L * ranks * steps);
  }
}
