package org.fmi.core.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.fmi.ArrayBlock;
import org.fmi.Repartitioned;
import org.fmi.Replicated;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.core.checkpoint.Image;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.p2p.Ranks;
import org.fmi.core.state.ImageWriter;
import org.fmi.core.state.LoopState;
import org.fmi.core.state.StateLayout;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.OtherImages;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RedistributionTest {
  private static final CheckpointId LINE = new CheckpointId(5, 0, 50, false);
  private static final int MESSAGES_BYTES = 8;

  /** Images in memory. */
  private static final class Images implements OtherImages {
    private final List<MemorySegment> images = new ArrayList<>();
    private final String name;

    /** The rank whose images fail their checksums; -1 for none. */
    private int damaged = -1;

    /** The damaged checkpoint; null for the newest one. */
    private @Nullable CheckpointId damagedId;

    /** Number of bytes before the damage. */
    private long damagedAt;

    /** The checkpoints of loops that had ended, and the newest one: all with the same images. */
    private List<CheckpointId> needed = List.of(LINE);

    /** Number of verifications of an image before any of it was needed. */
    private final AtomicInteger verified = new AtomicInteger();

    /** Images of ranks with these states. */
    Images(int size, IntFunction<Object[]> state) {
      this("job/v5", size, state);
    }

    Images(String name, int size, IntFunction<Object[]> state) {
      this.name = name;
      for (int rank = 0; rank < size; rank++) {
        LoopState written = new LoopState(state.apply(rank));
        long bytes = written.bytes();
        MemorySegment memory =
            MemorySegment.ofArray(new byte[(int) Image.bytes(0, MESSAGES_BYTES, bytes)]);
        Image image = new Image(memory);
        image.writeHeader(new ImageWriter(memory), 1, 0, 0, 0, MESSAGES_BYTES, bytes, size);
        written.write(new ImageWriter(memory), image.stateAt());
        images.add(memory);
      }
    }

    /** Gives a rank this many unreceived messages. */
    void putMessages(int rank, long count) {
      MemorySegment memory = images.get(rank);
      memory.set(FrameLayout.LONG, new Image(memory).unexpectedAt(), count);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean inFiles() {
      return true;
    }

    @Override
    public int size() {
      return images.size();
    }

    @Override
    public List<CheckpointId> needed() {
      return needed;
    }

    @Override
    public void verify(int rank, CheckpointId id) throws IOException {
      verified.incrementAndGet();
      require(rank, id, images.get(rank).byteSize());
    }

    private void require(int rank, CheckpointId id, long end) throws IOException {
      if (rank == damaged && end > damagedAt && id.equals(damagedId == null ? LINE : damagedId)) {
        throw new IOException(name + ": damaged");
      }
    }

    @Override
    public void read(int rank, CheckpointId id, long at, MemorySegment into) throws IOException {
      require(rank, id, at + into.byteSize());
      into.copyFrom(images.get(rank).asSlice(at, into.byteSize()));
    }

    @Override
    public void close() {}
  }

  private static RankConfig config(int rank, int size) {
    return RankConfigs.rank(rank, size).build();
  }

  /** The refusals that all ranks of the new job get; null if their state was filled. */
  private static @Nullable String fill(Images images, int size, IntFunction<Object[]> state) {
    @Nullable String[] heard = new String[size];
    Ranks.run(
        size,
        p2p -> {
          Communicator world =
              Communicator.world(
                  p2p,
                  new ContextIds(),
                  status -> {
                    throw new AssertionError("abort " + status);
                  });
          LoopState mine = new LoopState(state.apply(world.rank()));
          Redistribution from =
              new Redistribution(config(world.rank(), size), world, List.of(images));
          heard[world.rank()] =
              from.fill(
                  LINE.loop(),
                  mine,
                  why -> {
                    throw new AssertionError(why);
                  });
        });
    assertThat(heard).containsOnly(heard[0]);
    return heard[0];
  }

  // ---- choice of a generation

  /** The checkpoint that three ranks continue from, their state then, and the refusals. */
  private static Map<String, Integer> goOn(List<Images> offered, long loops) {
    Map<String, Integer> heard = new ConcurrentHashMap<>();
    Ranks.run(
        3,
        p2p -> {
          Communicator world =
              Communicator.world(
                  p2p,
                  new ContextIds(),
                  status -> {
                    throw new AssertionError("abort " + status);
                  });
          Redistribution from =
              new Redistribution(config(world.rank(), 3), world, List.copyOf(offered));
          for (long loop = 0; loop < loops; loop++) {
            long[] array = new long[1];
            LoopState mine = new LoopState(new Object[] {Replicated.of(array)});
            String refusal = from.fill(loop, mine, why -> heard.merge(why, 1, Integer::sum));
            heard.merge(from.name() + " gives " + array[0] + " " + refusal, 1, Integer::sum);
          }
        });
    return heard;
  }

  private static Images same(String name, int size, long value) {
    return new Images(name, size, rank -> new Object[] {Replicated.of(new long[] {value})});
  }

  /** Whichever rank finds the damage, all ranks learn of it and take the same older generation. */
  @Test
  void fallsBackToAnOlderGenerationAfterDamage() {
    for (int damaged = 0; damaged < 5; damaged++) {
      Images newest = same("job/v9", 5, 9);
      newest.damaged = damaged;
      Images next = same("job/v7", 2, 7);
      Images last = same("job/v5", 3, 5);
      assertThat(goOn(List.of(newest, next, last), 1))
          .isEqualTo(Map.of("job/v9: damaged", 3, "job/v7 gives 7 null", 3));
      assertThat(newest.verified.get() + next.verified.get())
          .as("nothing is read beside what the loop needs")
          .isZero();
    }
  }

  /** Loop 0 had ended there: data needed later is verified before any is used. */
  @Test
  void allLoopsBeginFromOneGeneration() {
    CheckpointId ended = new CheckpointId(2, 0, 20, true);
    CheckpointId line = new CheckpointId(5, 1, 50, false);
    for (CheckpointId damaged : List.of(ended, line)) {
      Images newest = same("job/v9", 2, 9);
      newest.damaged = 1;
      newest.damagedId = damaged;
      Images last = same("job/v5", 2, 5);
      newest.needed = List.of(ended, line);
      last.needed = newest.needed;
      assertThat(goOn(List.of(newest, last), 2))
          .isEqualTo(Map.of("job/v9: damaged", 3, "job/v5 gives 5 null", 6));
      assertThat(newest.verified).as("the line, of two ranks").hasValueLessThanOrEqualTo(2);
      assertThat(last.verified).as("there is nothing older").hasValue(0);
    }
  }

  @Test
  void reportsDamageOfTheLastGeneration() {
    Images only = same("job/v9", 2, 9);
    only.damaged = 0;
    assertThat(goOn(List.of(only), 1)).isEqualTo(Map.of("job/v9 gives 0 job/v9: damaged", 3));
  }

  /** The program would read too late for another generation. */
  @Test
  void verifiesDataBeforeTheProgramReadsIt() {
    Images newest = new Images("job/v9", 2, rank -> new Object[] {list(holder(9), rank, 2)});
    newest.damaged = 1;
    Images last = new Images("job/v5", 2, rank -> new Object[] {list(holder(5), rank, 2)});
    newest.damagedAt = newest.images.get(1).byteSize() - 1;
    List<List<Integer>> read = Collections.synchronizedList(new ArrayList<>());
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        1,
        p2p -> {
          Communicator world =
              Communicator.world(
                  p2p,
                  new ContextIds(),
                  status -> {
                    throw new AssertionError("abort " + status);
                  });
          StateRef<List<Integer>> mine = holder(0);
          new Redistribution(config(0, 1), world, List.of(newest, last))
              .fill(0, new LoopState(new Object[] {list(mine, 0, 1)}), heard::add);
          read.add(mine.get());
        });
    assertThat(heard).containsExactly("job/v9: damaged");
    assertThat(read).containsExactly(List.of(5, 5));
  }

  private static StateRef<List<Integer>> holder(int value) {
    return StateRef.of(new ArrayList<>(List.of(value)));
  }

  // ---- blocks

  /** A partition of a global array, in each dimension; parts may be empty. */
  private record Cuts(long[][] begins) {
    static Cuts random(SplittableRandom random, long[] shape) {
      long[][] begins = new long[shape.length][];
      for (int d = 0; d < shape.length; d++) {
        long[] cuts = new long[2 + random.nextInt(3)];
        Arrays.setAll(cuts, i -> random.nextLong(shape[0] + 1));
        int dimension = d;
        Arrays.setAll(cuts, i -> Math.min(cuts[i], shape[dimension]));
        cuts[0] = 0;
        cuts[cuts.length - 1] = shape[d];
        Arrays.sort(cuts);
        begins[d] = cuts;
      }
      return new Cuts(begins);
    }

    int ranks() {
      int ranks = 1;
      for (long[] each : begins) {
        ranks *= each.length - 1;
      }
      return ranks;
    }

    /** Start and extent of a rank's part. */
    long[][] part(int rank) {
      long[] from = new long[begins.length];
      long[] extent = new long[begins.length];
      int left = rank;
      for (int d = 0; d < begins.length; d++) {
        int i = left % (begins[d].length - 1);
        left /= begins[d].length - 1;
        from[d] = begins[d][i];
        extent[d] = begins[d][i + 1] - from[d];
      }
      return new long[][] {from, extent};
    }
  }

  private static final int OUTSIDE = 99;

  /** The value of an element, determined by its place in the global array. */
  private static int value(long[] shape, long[] index) {
    long at = 0;
    for (int d = 0; d < shape.length; d++) {
      at = at * shape[d] + index[d];
    }
    return (int) (at * 7 + 3) % 97;
  }

  /**
   * A rank's part of a global array, in a local array with ghost points, and its expected contents.
   */
  private static final class Part {
    final Object array;
    final Object expected;
    final ArrayBlock block;

    /**
     * @param held whether a StateRef refers to the local array
     */
    Part(Class<?> type, SplittableRandom random, long[] shape, long[][] part, boolean held) {
      int dimensions = shape.length;
      long[] extent = part[1];
      long[] localFrom = new long[dimensions];
      long[] local = new long[dimensions];
      for (int d = 0; d < dimensions; d++) {
        localFrom[d] = random.nextInt(3);
        local[d] = localFrom[d] + extent[d] + random.nextInt(3);
      }
      int length = (int) StateLayout.elements(local);
      array = Array.newInstance(type, length);
      expected = Array.newInstance(type, length);
      for (int i = 0; i < length; i++) {
        long[] index = new long[dimensions];
        long left = i;
        boolean inside = true;
        for (int d = dimensions - 1; d >= 0; d--) {
          long at = left % local[d] - localFrom[d];
          left /= local[d];
          inside &= at >= 0 && at < extent[d];
          index[d] = part[0][d] + at;
        }
        put(expected, i, inside ? value(shape, index) : OUTSIDE);
        put(array, i, OUTSIDE);
      }
      block =
          ArrayBlock.of(
              held ? StateRef.of(array) : array, shape, part[0], extent, local, localFrom);
    }

    private static void put(Object array, int at, int value) {
      switch (array) {
        case boolean[] a -> a[at] = value % 2 == 0;
        case char[] a -> a[at] = (char) value;
        case byte[] a -> a[at] = (byte) value;
        case short[] a -> a[at] = (short) value;
        default -> Array.setInt(array, at, value);
      }
    }

    Object now() {
      return block.state() instanceof StateRef<?> holder ? holder.get() : array;
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        byte.class,
        boolean.class,
        char.class,
        short.class,
        int.class,
        long.class,
        float.class,
        double.class
      })
  void anyCutBecomesAnyOther(Class<?> type) {
    for (int round = 0; round < 12; round++) {
      SplittableRandom random = new SplittableRandom(31 * round + type.getName().hashCode());
      long[] shape = random.longs(1 + round % 3, 1, 9).toArray();
      Cuts before = Cuts.random(random, shape);
      Cuts after = Cuts.random(random, shape);
      Images images =
          new Images(
              before.ranks(),
              rank -> {
                Part old = new Part(type, random, shape, before.part(rank), rank % 2 == 0);
                System.arraycopy(old.expected, 0, old.array, 0, Array.getLength(old.array));
                return new Object[] {old.block};
              });
      Part[] parts = new Part[after.ranks()];
      Arrays.setAll(parts, rank -> new Part(type, random, shape, after.part(rank), rank % 2 == 1));
      assertThat(fill(images, parts.length, rank -> new Object[] {parts[rank].block})).isNull();
      for (int rank = 0; rank < parts.length; rank++) {
        assertThat(parts[rank].now())
            .as("round %d, rank %d, %s", round, rank, parts[rank].block)
            .isEqualTo(parts[rank].expected);
      }
    }
  }

  private static ArrayBlock line(long total, long from, long extent) {
    return ArrayBlock.of(
        new int[(int) extent], new long[] {total}, new long[] {from}, new long[] {extent});
  }

  @Test
  void refusesGapsByName() {
    Images images = new Images(2, rank -> new Object[] {line(10, 6L * rank, 4)});
    assertThat(fill(images, 1, rank -> new Object[] {line(10, 0, 10)}))
        .isEqualTo(
            "the loop's state object 0, a org.fmi.ArrayBlock, has gaps: 2 elements of the global"
                + " array of [10] were in no rank's block");
  }

  @Test
  void refusesOverlapsByName() {
    Images images =
        new Images(
            3,
            rank ->
                new Object[] {Replicated.of(new int[1]), line(12, 4L * rank, rank == 1 ? 5 : 4)});
    assertThat(
            fill(
                images,
                2,
                rank -> new Object[] {Replicated.of(new int[1]), line(12, 6L * rank, 6)}))
        .isEqualTo(
            "the loop's state object 1, a org.fmi.ArrayBlock, overlaps: rank 1 had from [4] extent"
                + " [5], rank 2 from [8] extent [4]");
  }

  @Test
  void refusesAnotherGlobalArray() {
    Images images = new Images(2, rank -> new Object[] {line(10, 5L * rank, 5)});
    assertThat(fill(images, 1, rank -> new Object[] {line(12, 0, 12)}))
        .contains(
            "object 0",
            "is part of a global array of shape [12], but was part of one of shape [10] at rank 0");
  }

  @Test
  void refusesAnotherType() {
    Images images = new Images(2, rank -> new Object[] {line(10, 5L * rank, 5)});
    ArrayBlock longs =
        ArrayBlock.of(new long[10], new long[] {10}, new long[] {0}, new long[] {10});
    assertThat(fill(images, 1, rank -> new Object[] {longs}))
        .contains("object 0", "holds LONGS, but held INTS at rank 0");
  }

  // ---- replicated objects, and objects that cannot be redistributed

  private record Seen(List<String> names) implements Serializable {}

  @Test
  void readsReplicatedObjectsFromRankZero() {
    Images images =
        new Images(
            3,
            rank ->
                new Object[] {
                  Replicated.of(new double[] {1, 2, 3}),
                  Replicated.of(
                      StateRef.of(new Seen(List.of("a", "longer than the one that it replaces")))),
                  Replicated.of(new long[][] {{7}, {8, 9}})
                });
    double[][] sums = new double[2][3];
    List<StateRef<Seen>> seen =
        List.of(StateRef.of(new Seen(List.of())), StateRef.of(new Seen(List.of("b"))));
    long[][][] rows = {{{0}, {0, 0}}, {{0}, {0, 0}}};
    assertThat(
            fill(
                images,
                2,
                rank ->
                    new Object[] {
                      Replicated.of(sums[rank]),
                      Replicated.of(seen.get(rank)),
                      Replicated.of(rows[rank])
                    }))
        .isNull();
    for (int rank = 0; rank < 2; rank++) {
      assertThat(sums[rank]).containsExactly(1, 2, 3);
      assertThat(seen.get(rank).get().names).hasSize(2);
      assertThat(rows[rank][1]).containsExactly(8, 9);
    }
  }

  @Test
  void refusesDifferingReplicasByName() {
    Images images = new Images(3, rank -> new Object[] {Replicated.of(new int[] {rank / 2})});
    assertThat(fill(images, 2, rank -> new Object[] {Replicated.of(new int[1])}))
        .isEqualTo(
            "the loop's state object 0, a org.fmi.Replicated, differed between ranks 0 and 2");
  }

  @Test
  void refusesStateWithoutALayoutByName() {
    Images images = new Images(4, rank -> new Object[] {line(8, 2L * rank, 2), new double[1]});
    assertThat(fill(images, 2, rank -> new Object[] {line(8, 4L * rank, 4), new double[1]}))
        .isEqualTo(
            "the loop's state object 1, a double[], has no layout for a number of ranks other"
                + " than 4: register ArrayBlock.of(...), Replicated.of(...) or"
                + " Repartitioned.of(...), or use -n 4");
    assertThat(
            fill(
                images,
                2,
                rank -> new Object[] {line(8, 4L * rank, 4), Replicated.of(new double[1])}))
        .contains("object 1", "was not registered as Replicated at rank 0");
    assertThat(fill(images, 2, rank -> new Object[] {line(8, 4L * rank, 4)}))
        .isEqualTo("the loop's state has 1 object, but rank 0's had 2");
  }

  @Test
  void namesAreComparedWithThoseInTheFiles() {
    IntFunction<Object[]> before =
        rank -> new Object[] {State.of("sums", Replicated.of(new int[] {7})), named(rank, 4)};
    Images images = new Images(4, before);
    int[] sums = {0};
    assertThat(
            fill(
                images,
                2,
                rank -> new Object[] {State.of("sums", Replicated.of(sums)), named(rank, 2)}))
        .isNull();
    assertThat(sums).containsExactly(7);
    assertThat(fill(images, 2, rank -> new Object[] {Replicated.of(new int[1]), named(rank, 2)}))
        .isNull();
    assertThat(
            fill(
                images,
                2,
                rank ->
                    new Object[] {State.of("total", Replicated.of(new int[1])), named(rank, 2)}))
        .isEqualTo(
            "the loop's state \"total\", a org.fmi.Replicated, had the name \"sums\" at rank 0:"
                + " register the same state, with the same names in the same order, in every run");
    assertThat(
            fill(images, 2, rank -> new Object[] {named(rank, 2), State.of("sums", new double[1])}))
        .startsWith("the loop's state \"line\", a org.fmi.ArrayBlock, had the name \"sums\"");
  }

  private static State named(int rank, int size) {
    return State.of("line", line(8, 8L / size * rank, 8 / size));
  }

  @Test
  void refusesUnreceivedMessages() {
    Images images = new Images(3, rank -> new Object[] {Replicated.of(new int[1])});
    images.putMessages(2, 1);
    assertThat(fill(images, 2, rank -> new Object[] {Replicated.of(new int[1])}))
        .isEqualTo(
            "rank 2 had unreceived messages, which only a job of 3 ranks can receive:"
                + " use -n 3");
  }

  @Test
  void refusesContentSharedWithAnotherObject() {
    Images images =
        new Images(
            2,
            rank -> {
              int[] array = new int[5];
              return new Object[] {
                Replicated.of(StateRef.of(array)),
                ArrayBlock.of(
                    StateRef.of(array), new long[] {10}, new long[] {5L * rank}, new long[] {5})
              };
            });
    assertThat(
            fill(
                images,
                1,
                rank -> new Object[] {Replicated.of(StateRef.of(new int[5])), line(10, 0, 10)}))
        .contains("object 1", "shares its content with another object at rank 0");
  }

  // ---- objects that the program partitions itself

  private static Repartitioned list(StateRef<List<Integer>> holder, int rank, int size) {
    return Repartitioned.of(
        holder,
        old -> {
          List<Integer> mine = new ArrayList<>();
          for (int r = 0; r < old.ranks(); r++) {
            old.get(r).stream().filter(each -> each % size == rank).forEach(mine::add);
          }
          holder.set(mine);
        });
  }

  @Test
  void theProgramDividesItsOwnObjects() {
    Images images =
        new Images(
            3,
            rank ->
                new Object[] {
                  list(StateRef.of(new ArrayList<>(List.of(rank, rank + 3, rank + 6))), rank, 3),
                  Repartitioned.of(StateRef.of(new double[][] {{rank}, {rank, rank}}), old -> {})
                });
    List<StateRef<List<Integer>>> lists =
        List.of(StateRef.of(new ArrayList<>()), StateRef.of(new ArrayList<>()));
    List<StateRef<double[][]>> rows =
        List.of(StateRef.of(new double[1][1]), StateRef.of(new double[0][]));
    assertThat(
            fill(
                images,
                2,
                rank ->
                    new Object[] {
                      list(lists.get(rank), rank, 2),
                      Repartitioned.of(rows.get(rank), old -> rows.get(rank).set(old.get(rank + 1)))
                    }))
        .isNull();
    assertThat(lists.get(0).get()).containsExactly(0, 6, 4, 2, 8);
    assertThat(lists.get(1).get()).containsExactly(3, 1, 7, 5);
    assertThat(rows.get(0).get()).isDeepEqualTo(new double[][] {{1}, {1, 1}});
    assertThat(rows.get(1).get()).isDeepEqualTo(new double[][] {{2}, {2, 2}});
  }
}
