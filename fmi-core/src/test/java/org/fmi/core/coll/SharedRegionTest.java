package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.fmi.core.p2p.CollectiveCall.NONE;

import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.Datatype;
import org.fmi.Datatype.Predefined;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.log.Recording;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.CollectiveCall.Name;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryShare;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives of ranks that share a region, one after the other and at different speeds. */
class SharedRegionTest {
  private static final int USES_BEFORE_REGION = Channel.USES_BEFORE_REGION;

  /** Short data and data in the ring alternate at this count. */
  private static final int SLOTS = 64;

  /** The collectives that go through a region. */
  private enum Kind {
    BARRIER,
    BCAST,
    GATHER,
    SCATTER,
    ALL_GATHER,
    ALL_TO_ALL,
    REDUCE,
    ALL_REDUCE,
    REDUCE_SCATTER
  }

  private static final Kind[] KINDS = Kind.values();

  private static final Reducer SUM = Reducer.of(Op.SUM, Datatype.DOUBLE);
  private static final Reducer WHOLE_SUM = Reducer.of(Op.SUM, Datatype.LONG);

  /**
   * In elements: lengths that fit into a slot, just fit, and do not; in the ring; in several
   * pieces.
   */
  private static final int[] LENGTHS = {1, 3, 4, 14, 15, 100, 1000, 5000, 8193, 20_000};

  /** Creates a channel whose ranks share a region. */
  private static Channel channel(PointToPoint p2p) {
    Channel channel = new Channel(p2p, 1, null, p2p.rank(), p2p.size());
    for (int i = 0; i < USES_BEFORE_REGION; i++) {
      Collectives.barrier(channel);
    }
    assertThat(channel.region()).isNotNull();
    return channel;
  }

  private static MemoryShare share(PointToPoint p2p) {
    return (MemoryShare) Objects.requireNonNull(p2p.share());
  }

  private static Location at(double[] array) {
    return new Location(array, 0);
  }

  /** Element i of a rank's contribution in a step; sums of a few are exact. */
  private static double value(int step, int rank, int i) {
    return 1000.0 * step + 17 * rank + i;
  }

  private static double[] own(int step, int rank, int n) {
    double[] own = new double[n];
    for (int i = 0; i < n; i++) {
      own[i] = value(step, rank, i);
    }
    return own;
  }

  private static double[] sum(int step, int ranks, int n) {
    double[] sum = new double[n];
    for (int r = 0; r < ranks; r++) {
      for (int i = 0; i < n; i++) {
        sum[i] += value(step, r, i);
      }
    }
    return sum;
  }

  /** Copies a block of n elements into a longer array. */
  private static void put(double[] block, double[] all, int at) {
    System.arraycopy(block, 0, all, at, block.length);
  }

  private static double[] cut(double[] all, int at, int n) {
    return Arrays.copyOfRange(all, at, at + n);
  }

  /** The time of each placement of ranks; a run uses each slot several times. */
  private static final int MILLIS = 300;

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8})
  void anySequenceWithAnyRoots(int ranks) {
    Seeds.forMillis(
        MILLIS,
        seed ->
            Ranks.runDelayed(
                ranks,
                true,
                seed,
                p2p -> {
                  Channel channel = channel(p2p);
                  Random random = new Random(seed);
                  for (int step = 0; step < 30; step++) {
                    Kind kind = KINDS[random.nextInt(KINDS.length)];
                    int n =
                        LENGTHS[random.nextInt(LENGTHS.length - (random.nextInt(4) == 0 ? 0 : 4))];
                    int root = random.nextInt(ranks);
                    // Several equal calls in a row let ranks run ahead.
                    for (int times = 1 + random.nextInt(10); times > 0; times--) {
                      check(channel, kind, step, n, root);
                      checkOtherForms(channel, kind, step, n, root);
                    }
                  }
                }));
  }

  /** Ranks in blocks, in turn, and uneven; some alone on their node. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 1",
        "0 1 0",
        "0 0 1 1",
        "0 1 0 1",
        "0 1 1 2",
        "5 2 2 2 5 7 7 2",
        "0 0 0 1 1 1",
        "0 0 1 1 2 2",
        "0 0 0 0 1 1 1 1"
      })
  void anySequenceOnSeveralNodes(String mapping) {
    int[] nodes = Arrays.stream(mapping.split(" ")).mapToInt(Integer::parseInt).toArray();
    Seeds.forMillis(
        MILLIS,
        seed ->
            Ranks.runOnNodes(
                nodes,
                seed,
                p2p -> {
                  Channel channel = new Channel(p2p, 1, null, p2p.rank(), p2p.size());
                  for (int i = 0; i < USES_BEFORE_REGION; i++) {
                    Collectives.barrier(channel);
                  }
                  assertThat(channel.nodes()).isNotNull();
                  Random random = new Random(seed);
                  for (int step = 0; step < 15; step++) {
                    Kind kind = KINDS[random.nextInt(KINDS.length)];
                    int n = LENGTHS[random.nextInt(LENGTHS.length)];
                    int root = random.nextInt(nodes.length);
                    for (int times = 1 + random.nextInt(4); times > 0; times--) {
                      check(channel, kind, step, n, root);
                      checkOtherForms(channel, kind, step, n, root);
                    }
                  }
                }));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 1", "0 1 0 1", "0 1 1 2 2 2"})
  void barrierOfSeveralNodesWaitsForAll(String mapping) {
    int[] nodes = Arrays.stream(mapping.split(" ")).mapToInt(Integer::parseInt).toArray();
    AtomicInteger arrived = new AtomicInteger();
    Ranks.runOnNodes(
        nodes,
        mapping.hashCode(),
        p2p -> {
          Channel channel = new Channel(p2p, 1, null, p2p.rank(), p2p.size());
          for (int round = 1; round <= 200; round++) {
            arrived.incrementAndGet();
            Collectives.barrier(channel);
            assertThat(arrived.get()).isGreaterThanOrEqualTo(round * nodes.length);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 0", "0 0 1", "0 1 0 1"})
  void dropsTheLastLoopsRegionWhileRecordingAndInANewEpoch(String mapping) {
    int[] nodes = Arrays.stream(mapping.split(" ")).mapToInt(Integer::parseInt).toArray();
    MemoryNetwork next = MemoryNetwork.ofNodes(nodes);
    Ranks.runOnNodes(
        nodes,
        mapping.hashCode(),
        messenger -> {
          Recording p2p = new Recording(messenger, 1 << 20, () -> {});
          Channel channel = new Channel(p2p, 1, null, p2p.rank(), p2p.size());
          for (int i = 0; i < USES_BEFORE_REGION; i++) {
            Collectives.barrier(channel);
          }
          assertThat(channel.region() != null || channel.nodes() != null).isTrue();
          p2p.recorder().record();
          assertThat(channel.region()).isNull();
          assertThat(channel.nodes()).isNull();
          p2p.recorder().off();
          assertThat(channel.region() != null || channel.nodes() != null).isTrue();
          p2p.recorder().record();
          messenger.enter(1, new Transport[] {next.transport(p2p.rank())});
          assertThat(channel.region()).isNull();
          assertThat(channel.nodes()).isNull();
          check(channel, Kind.BCAST, 1, 3, 0);
          p2p.recorder().off();
          assertThat(channel.region()).isNull();
          assertThat(channel.nodes()).isNull();
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0", "0 0 1 1"})
  void aFreedChannelGivesUpItsMemory(String mapping) {
    int[] nodes = Arrays.stream(mapping.split(" ")).mapToInt(Integer::parseInt).toArray();
    Ranks.runOnNodes(
        nodes,
        1,
        p2p -> {
          for (int context = 1; context <= 3; context++) {
            Channel channel = new Channel(p2p, context, null, p2p.rank(), p2p.size());
            for (int i = 0; i <= USES_BEFORE_REGION; i++) {
              Collectives.barrier(channel);
            }
            channel.free();
            channel.free();
            assertThat(share(p2p).unmapped()).isEqualTo(context);
          }
        });
  }

  @Test
  void noNodeKeepsItsMemoryIfAnotherHasNone() {
    Ranks.runOnNodes(
        new int[] {0, 0, 1, 1},
        1,
        p2p -> {
          if (p2p.rank() == 2) {
            share(p2p).refuse();
          }
          Channel channel = new Channel(p2p, 1, null, p2p.rank(), p2p.size());
          for (int i = 0; i <= USES_BEFORE_REGION; i++) {
            Collectives.barrier(channel);
          }
          assertThat(channel.region()).isNull();
          assertThat(channel.nodes()).isNull();
          assertThat(share(p2p).unmapped()).isEqualTo(p2p.rank() < 2 ? 1 : 0);
          check(channel, Kind.ALL_REDUCE, 1, 3, 0);
        });
  }

  /**
   * 0.0 and -0.0 are equal, but not the same. Covers short vectors, and long ones, which are
   * combined in parts.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 1100})
  void choosesTheSameOfEqualPairsAsMessages(int pairs) {
    assertZero(Op.MAXLOC, pairs);
    assertZero(Op.MINLOC, pairs);
  }

  private static void assertZero(Op op, int pairs) {
    double[] expected = new double[2 * pairs];
    for (int i = 1; i < expected.length; i += 2) {
      expected[i] = 7;
    }
    Ranks.run(
        2,
        p2p ->
            assertThat(ofZeros(new Channel(p2p, 1, null, p2p.rank(), 2), op, pairs))
                .containsExactly(expected));
    Ranks.runOnOneNode(
        2, p2p -> assertThat(ofZeros(channel(p2p), op, pairs)).containsExactly(expected));
  }

  private static double[] ofZeros(Channel channel, Op op, int pairs) {
    double[] mine = new double[2 * pairs];
    for (int i = 0; i < mine.length; i += 2) {
      mine[i] = channel.rank() == 0 ? 0.0 : -0.0;
      mine[i + 1] = 7;
    }
    double[] result = new double[2 * pairs];
    Reductions.allReduce(
        channel, Reducer.of(op, Datatype.DOUBLE), at(mine), at(result), mine.length);
    return result;
  }

  /** Only a part of a long vector is in the region at a time. */
  @Test
  void lengthsThatDifferByMoreThanAPieceAreSeen() {
    Ranks.runOnOneNode(
        2,
        p2p -> {
          Channel channel = channel(p2p);
          double[] data = new double[(p2p.rank() + 1) * (128 << 10) / Double.BYTES];
          channel.begin(SUM.call(Name.ALL_REDUCE, NONE, data.length));
          assertThatThrownBy(
                  () -> Reductions.allReduce(channel, SUM, at(data), at(data), data.length))
              .isInstanceOf(FmiException.class)
              .hasMessageContaining("allReduce(double[16384], SUM)")
              .hasMessageContaining("allReduce(double[32768], SUM)");
        });
  }

  private static void check(Channel channel, Kind kind, int step, int n, int root) {
    int rank = channel.rank();
    int ranks = channel.size();
    String what = kind + ", step " + step + ", " + n + " elements, root " + root;
    long bytes = 8L * n;
    double[] mine = own(step, rank, n);
    double[] result = new double[n];
    double[] all = new double[ranks * n];
    switch (kind) {
      case BARRIER -> Collectives.barrier(channel);
      case BCAST -> {
        double[] data = rank == root ? mine : result;
        Collectives.bcast(channel, at(data), bytes, root);
        assertThat(data).as(what).isEqualTo(own(step, root, n));
      }
      case GATHER -> {
        Collectives.gather(channel, at(mine), bytes, at(all), root);
        if (rank == root) {
          assertThat(all).as(what).isEqualTo(ofAll(step, ranks, n));
        }
      }
      case SCATTER -> {
        double[] from = ofAll(step, ranks, n);
        Collectives.scatter(channel, rank == root ? at(from) : null, at(result), bytes, root);
        assertThat(result).as(what).isEqualTo(mine);
      }
      case ALL_GATHER -> {
        Collectives.allGather(channel, at(mine), bytes, at(all));
        assertThat(all).as(what).isEqualTo(ofAll(step, ranks, n));
      }
      case ALL_TO_ALL -> {
        double[] expected = new double[ranks * n];
        for (int r = 0; r < ranks; r++) {
          put(cut(own(step, r, ranks * n), rank * n, n), expected, r * n);
        }
        double[] data = own(step, rank, ranks * n);
        Collectives.allToAll(channel, at(data), at(all), bytes);
        assertThat(all).as(what).isEqualTo(expected);
        Collectives.allToAll(channel, null, at(data), bytes);
        assertThat(data).as(what + " in place").isEqualTo(expected);
      }
      case REDUCE -> {
        double[] to = rank == root ? result : mine;
        Reductions.reduce(channel, SUM, at(mine), at(to), n, root);
        assertThat(to).as(what).isEqualTo(rank == root ? sum(step, ranks, n) : mine);
      }
      case ALL_REDUCE -> {
        Reductions.allReduce(channel, SUM, at(mine), at(result), n);
        assertThat(result).as(what).isEqualTo(sum(step, ranks, n));
        Reductions.allReduce(channel, SUM, at(mine), at(mine), n);
        assertThat(mine).as(what + " in place").isEqualTo(result);
      }
      case REDUCE_SCATTER -> {
        long[] counts = new long[ranks];
        Arrays.fill(counts, n);
        counts[root] = n / 3;
        int total = ranks * n - n + n / 3;
        int begin = rank * n - (rank > root ? n - n / 3 : 0);
        double[] expected = cut(sum(step, ranks, total), begin, (int) counts[rank]);
        double[] data = own(step, rank, total);
        Reductions.reduceScatter(channel, SUM, at(data), at(all), counts);
        assertThat(cut(all, 0, expected.length)).as(what).isEqualTo(expected);
        Reductions.reduceScatter(channel, SUM, at(data), at(data), counts);
        assertThat(cut(data, 0, expected.length)).as(what + " in place").isEqualTo(expected);
      }
    }
  }

  /** In place, and with integers, for which the order of a sum does not matter. */
  private static void checkOtherForms(Channel channel, Kind kind, int step, int n, int root) {
    int rank = channel.rank();
    int ranks = channel.size();
    String what = kind + " in place, step " + step + ", " + n + " elements, root " + root;
    long bytes = 8L * n;
    boolean isRoot = rank == root;
    double[] mine = own(step, rank, n);
    switch (kind) {
      case GATHER -> {
        double[] all = withOwn(mine, rank, ranks);
        Location to = isRoot ? at(all) : null;
        Collectives.gather(channel, isRoot ? null : at(mine), bytes, to, root);
        if (isRoot) {
          assertThat(all).as(what).isEqualTo(ofAll(step, ranks, n));
        }
      }
      case SCATTER -> {
        double[] from = ofAll(step, ranks, n);
        double[] result = new double[n];
        Location to = isRoot ? null : at(result);
        Collectives.scatter(channel, isRoot ? at(from) : null, to, bytes, root);
        assertThat(isRoot ? cut(from, rank * n, n) : result).as(what).isEqualTo(mine);
      }
      case ALL_GATHER -> {
        double[] all = withOwn(mine, rank, ranks);
        Collectives.allGather(channel, null, bytes, at(all));
        assertThat(all).as(what).isEqualTo(ofAll(step, ranks, n));
      }
      case REDUCE -> {
        long[] whole = longs(mine);
        Location numbers = new Location(whole, 0);
        Reductions.reduce(channel, WHOLE_SUM, numbers, numbers, n, root);
        assertThat(whole).as(what).isEqualTo(longs(isRoot ? sum(step, ranks, n) : mine));
      }
      case ALL_REDUCE -> {
        long[] whole = longs(mine);
        Location numbers = new Location(whole, 0);
        Reductions.allReduce(channel, WHOLE_SUM, numbers, numbers, n);
        assertThat(whole).as(what).isEqualTo(longs(sum(step, ranks, n)));
      }
      default -> {}
    }
  }

  private static double[] withOwn(double[] mine, int rank, int ranks) {
    double[] all = new double[ranks * mine.length];
    put(mine, all, rank * mine.length);
    return all;
  }

  private static long[] longs(double[] values) {
    return Arrays.stream(values).mapToLong(value -> (long) value).toArray();
  }

  private static double[] ofAll(int step, int ranks, int n) {
    double[] all = new double[ranks * n];
    for (int r = 0; r < ranks; r++) {
      put(own(step, r, n), all, r * n);
    }
    return all;
  }

  /** Ranks that only write do not wait for readers, and no data is lost. */
  @ParameterizedTest
  @ValueSource(ints = {1, 14, 15, 150})
  void aWritingRankRunsAhead(int n) {
    int ranks = 3;
    int rounds = SLOTS;
    for (Kind kind : new Kind[] {Kind.BCAST, Kind.SCATTER, Kind.GATHER, Kind.REDUCE}) {
      boolean rootWrites = kind == Kind.BCAST || kind == Kind.SCATTER;
      CountDownLatch ahead = new CountDownLatch(rootWrites ? 1 : ranks - 1);
      Ranks.runOnOneNode(
          ranks,
          p2p -> {
            Channel channel = channel(p2p);
            boolean writes = rootWrites == (p2p.rank() == 0);
            if (!writes) {
              assertThat(ahead.await(60, TimeUnit.SECONDS)).as("%s, ahead", kind).isTrue();
            }
            // The barriers have used slots as well, but all ranks are done with them once one has
            // begun.
            for (int step = 0; step < 3 * rounds; step++) {
              check(channel, kind, step, n, 0);
              if (step == rounds - 2) {
                ahead.countDown();
              }
            }
          });
    }
  }

  /** No wait continues when another rank fails, not even the wait of a rank that is ahead. */
  @ParameterizedTest
  @ValueSource(ints = {1, 20_000})
  void noRankWaitsForADeadOne(int n) {
    for (Kind kind : KINDS) {
      assertThatThrownBy(
              () ->
                  Ranks.runOnOneNode(
                      3,
                      p2p -> {
                        Channel channel = channel(p2p);
                        for (int step = 0; true; step++) {
                          if (p2p.rank() == 1 && step == 5) {
                            throw new IllegalArgumentException("dies here");
                          }
                          check(channel, kind, step, n, 0);
                        }
                      }))
          .as(kind.toString())
          .hasMessageContaining("dies here");
    }
  }

  @Test
  void readersSeeAMismatchedCountOrCall() {
    Ranks.runOnOneNode(
        2,
        p2p -> {
          Channel channel = channel(p2p);
          double[] data = new double[100];
          boolean first = p2p.rank() == 0;
          channel.begin(bcast(first ? 80 : 800));
          if (first) {
            Collectives.bcast(channel, at(data), 80, 0);
          } else {
            assertThatThrownBy(() -> Collectives.bcast(channel, at(data), 800, 0))
                .isInstanceOf(FmiException.class)
                .hasMessageContaining(
                    "rank 0 calls bcast(double[10], root 0) where rank 1 calls bcast(double[100],"
                        + " root 0)");
          }
          channel.end();
          if (first) {
            channel.begin(bcast(8));
            Collectives.bcast(channel, at(data), 8, 0);
          } else {
            channel.begin(CollectiveCall.of(Name.ALL_GATHER, Predefined.DOUBLE, NONE, 8));
            assertThatThrownBy(() -> Collectives.allGather(channel, at(data), 8, at(data)))
                .isInstanceOf(FmiException.class)
                .hasMessageContaining(
                    "rank 0 calls bcast(double[1], root 0) where rank 1 calls"
                        + " allGather(double[1])");
          }
          channel.end();
          channel.begin(CollectiveCall.of(Name.BARRIER, null, NONE, NONE));
          Collectives.barrier(channel);
        });
  }

  private static long bcast(long bytes) {
    return CollectiveCall.of(Name.BCAST, Predefined.DOUBLE, 0, bytes);
  }
}
