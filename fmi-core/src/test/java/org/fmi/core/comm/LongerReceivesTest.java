package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Slice;
import org.fmi.core.coll.Channel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Receive counts of the v forms that are larger than the data sent: the rest of a block stays as it
 * is. Smaller ones are refused where the data arrives, and no other rank waits for that.
 */
class LongerReceivesTest {
  private static final int UNTOUCHED = -1;
  private static final int TAG = 5;

  /** Long enough for a rendezvous. */
  private static final int LONG = 20_000;

  static Stream<int[]> placements() {
    return Stream.of(
        new int[] {0},
        new int[] {0, 1},
        new int[] {0, 0, 0},
        new int[] {0, 1, 2, 3, 4},
        new int[] {0, 1, 0, 1, 2},
        new int[] {0, 0, 0, 0, 1, 1, 1, 1});
  }

  static Stream<int[]> placementsOfThreeOrMore() {
    return placements().filter(nodes -> nodes.length >= 3);
  }

  /** Who sends how much to whom, and how much room there is for it: the same at all ranks. */
  private record Table(int[][] sent, int[][] room) {
    static Table of(int ranks, int scale, long seed) {
      Random random = new Random(seed);
      int[][] sent = new int[ranks][ranks];
      int[][] room = new int[ranks][ranks];
      for (int i = 0; i < ranks; i++) {
        for (int j = 0; j < ranks; j++) {
          sent[i][j] = random.nextInt(3) == 0 ? 0 : random.nextInt(scale + 1);
          room[i][j] = sent[i][j] + (random.nextInt(3) == 0 ? 0 : random.nextInt(scale + 1));
        }
      }
      return new Table(sent, room);
    }

    /** The column: what each rank has for this one. */
    static int[] of(int[][] table, int to) {
      return Arrays.stream(table).mapToInt(row -> row[to]).toArray();
    }
  }

  private static int[] starts(int[] lengths) {
    int[] starts = new int[lengths.length];
    for (int i = 1; i < lengths.length; i++) {
      starts[i] = starts[i - 1] + lengths[i - 1];
    }
    return starts;
  }

  private static int value(int from, int to, int i) {
    return 1_000_000 * from + 100_000 * to + i + 1;
  }

  private static int[] block(int from, int to, int n) {
    int[] block = new int[n];
    Arrays.setAll(block, i -> value(from, to, i));
    return block;
  }

  private static int[] room(int[] lengths) {
    int[] room = new int[Arrays.stream(lengths).sum()];
    Arrays.fill(room, UNTOUCHED);
    return room;
  }

  /** What a rank has when it has received from each {@code sent[from]} of {@code room[from]}. */
  private static int[] expected(int[] sent, int[] room, int to) {
    int[] all = room(room);
    int[] starts = starts(room);
    for (int from = 0; from < sent.length; from++) {
      System.arraycopy(block(from, to, sent[from]), 0, all, starts[from], sent[from]);
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("placements")
  void theRestStaysAsItIs(int[] nodes) {
    Worlds.runOnNodes(
        nodes,
        7,
        world -> {
          for (int i = 0; i < Channel.USES_BEFORE_REGION; i++) {
            world.barrier();
          }
          for (int scale : new int[] {1, 9, 3_000, LONG}) {
            for (int root = 0; root < world.size(); root += Math.max(1, world.size() - 1)) {
              check(world, Table.of(world.size(), scale, 31L * scale + root), root);
            }
          }
        });
  }

  private static void check(Comm world, Table table, int root) {
    int rank = world.rank();
    int[] sent = Table.of(table.sent, root);
    int[] lengths = Table.of(table.room, root);
    int[] mine = block(rank, root, sent[rank]);

    if (rank == root) {
      int[] all = room(lengths);
      world.gatherv(mine, all, lengths, starts(lengths), root);
      assertThat(all).as("gatherv").isEqualTo(expected(sent, lengths, root));
    } else {
      world.gatherv(mine, null, (int[]) null, null, root);
    }

    int[] everywhere = room(lengths);
    world.allGatherv(mine, everywhere, lengths, starts(lengths));
    assertThat(everywhere).as("allGatherv").isEqualTo(expected(sent, lengths, root));

    int[] part = new int[table.room[root][rank]];
    Arrays.fill(part, UNTOUCHED);
    int[] outgoing = table.sent[root];
    int[] spread = spread(root, outgoing);
    world.scatterv(rank == root ? spread : null, outgoing, starts(outgoing), part, root);
    int[] scattered = new int[part.length];
    Arrays.fill(scattered, UNTOUCHED);
    System.arraycopy(block(root, rank, outgoing[rank]), 0, scattered, 0, outgoing[rank]);
    assertThat(part).as("scatterv").isEqualTo(scattered);

    int[] out = table.sent[rank];
    int[] in = Table.of(table.room, rank);
    int[] exchanged = room(in);
    world.allToAllv(spread(rank, out), out, starts(out), exchanged, in, starts(in));
    assertThat(exchanged).as("allToAllv").isEqualTo(expected(Table.of(table.sent, rank), in, rank));
  }

  private static int[] spread(int from, int[] lengths) {
    int[] all = room(lengths);
    int[] starts = starts(lengths);
    for (int to = 0; to < lengths.length; to++) {
      System.arraycopy(block(from, to, lengths[to]), 0, all, starts[to], lengths[to]);
    }
    return all;
  }

  private static void assertTruncated(ThrowingCallable call, String what) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TRUNCATE))
        .hasMessageContaining(what);
  }

  /** One rank's message is too long for rank 0; all others come to the end of the call. */
  @ParameterizedTest
  @MethodSource("placementsOfThreeOrMore")
  void aLongerMessageIsRefusedWhereItArrives(int[] nodes) {
    int ranks = nodes.length;
    Worlds.runOnNodes(
        nodes,
        3,
        world -> {
          int rank = world.rank();
          for (int n : new int[] {2, LONG}) {
            int[] counts = new int[ranks];
            Arrays.fill(counts, n);
            int[] starts = starts(counts);
            int[] data = new int[n + 1];

            Comm gathering = world.dup();
            Object mine = Slice.of(data, 0, rank == 1 ? n + 1 : n);
            int[] all = new int[n * ranks];
            if (rank == 0) {
              assertTruncated(
                  () -> gathering.gatherv(mine, all, counts, starts, 0),
                  "rank 1 has sent " + 4 * (n + 1) + " bytes");
            } else {
              gathering.gatherv(mine, all, counts, starts, 0);
            }

            Comm scattering = world.dup();
            int[] part = new int[rank == 0 ? n - 1 : n];
            if (rank == 0) {
              assertTruncated(
                  () -> scattering.scatterv(null, (int[]) null, null, part, 1),
                  "rank 1 has sent " + 4 * n + " bytes");
            } else {
              scattering.scatterv(all, counts, starts, part, 1);
            }

            Comm exchanging = world.dup();
            int[] out = new int[n * ranks + 1];
            int[] more = counts.clone();
            more[0] = rank == 1 ? n + 1 : n;
            int[] in = new int[n * ranks];
            ThrowingCallable exchange =
                () -> exchanging.allToAllv(out, more, starts(more), in, counts, starts);
            if (rank == 0) {
              assertTruncated(exchange, "rank 1 has sent " + 4 * (n + 1) + " bytes");
            } else {
              exchanging.allToAllv(out, more, starts(more), in, counts, starts);
            }

            // Nothing is left of it.
            Comm after = world.dup();
            after.barrier();
            world.sendRecv(
                new int[] {rank}, (rank + 1) % ranks, TAG, part, (rank + ranks - 1) % ranks, TAG);
            assertThat(part[0]).isEqualTo((rank + ranks - 1) % ranks);
          }
        });
  }

  /** Bytes that are less than the room, and no whole elements. */
  @Test
  void partOfAnElementIsRefused() {
    Worlds.run(
        2,
        world -> {
          int[] counts = {2, 2};
          int[] starts = {0, 2};
          if (world.rank() == 1) {
            world.gatherv(new byte[6], null, (int[]) null, null, 0);
          } else {
            assertThatThrownBy(() -> world.gatherv(new int[2], new int[4], counts, starts, 0))
                .isInstanceOfSatisfying(
                    FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TYPE))
                .hasMessageContaining("6 bytes in gatherv(int[], root 0), not a whole number");
          }
        });
  }
}
