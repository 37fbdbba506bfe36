package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.fmi.RollbackException;
import org.fmi.core.spi.CheckpointId;
import org.fmi.core.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints are protected, lost, brought back, and never restored wrong. */
class XorStoreTest {
  private static final int MAX_IMAGE = 3 << 20;

  private static long[] randomSizes(Random random, int members) {
    long[] edges = {0, 1, 7, 63, 64, 65, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1};
    long[] sizes = new long[members];
    for (int i = 0; i < members; i++) {
      sizes[i] =
          random.nextInt(3) == 0 ? edges[random.nextInt(edges.length)] : random.nextInt(MAX_IMAGE);
    }
    return sizes;
  }

  private static byte[] image(XorStore store, CheckpointId id) throws IOException {
    return store.image(id).toArray(ValueLayout.JAVA_BYTE);
  }

  private static void assertImages(Cluster cluster, CheckpointId id, long[] sizes, long seed)
      throws IOException {
    for (int i = 0; i < cluster.size; i++) {
      assertThat(image(cluster.stores[i], id))
          .as("image of member %d of %d, seed %d", i, cluster.size, seed)
          .isEqualTo(Cluster.content(sizes[i], seed, i));
    }
  }

  private static PieceLayout layout(long[] sizes, int index) {
    return new PieceLayout(sizes.length, sizes[index], Arrays.stream(sizes).max().orElseThrow());
  }

  /** The only piece of a member, as far as it is used. */
  private static byte[] piece(Cluster cluster, long[] sizes, int index) {
    MemorySegment piece = cluster.map(index).pieces().getLast();
    MemorySegment used = piece.asSlice(0, layout(sizes, index).totalBytes());
    byte[] bytes = used.toArray(ValueLayout.JAVA_BYTE);
    // What lies between the header and the image is never looked at.
    int header = CheckpointHeader.bytes(sizes.length);
    Arrays.fill(bytes, header, (int) PieceLayout.headerBytes(sizes.length), (byte) 0);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 16, 64})
  void bringsBackAnyMemberAndThenAnother(int members) throws Exception {
    Random seeds = new Random(members);
    CheckpointId id = Cluster.id(7);
    for (int round = 0; round < (members < 10 ? 4 : 1); round++) {
      long seed = seeds.nextLong();
      long[] sizes = randomSizes(new Random(seed), members);
      try (Cluster cluster = new Cluster(members)) {
        cluster.checkpoint(id, sizes, seed);
        byte[][] before = new byte[members][];
        for (int i = 0; i < members; i++) {
          before[i] = piece(cluster, sizes, i);
        }
        for (int lost = 0; lost < members; lost += members > 16 ? 13 : 1) {
          cluster.loseNode(lost);
          assertThat(cluster.stores[lost].held()).isEmpty();
          int[] lostRank = {cluster.group[lost]};
          cluster.run((store, i) -> store.rebuild(id, lostRank));
          assertThat(cluster.stores[lost].held()).containsExactly(id);
          assertThat(piece(cluster, sizes, lost))
              .as(
                  "piece of member %d of %d, sizes %s, seed %d",
                  lost, members, Arrays.toString(sizes), seed)
              .isEqualTo(before[lost]);
        }
        assertImages(cluster, id, sizes, seed);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  void parityIsTheSumOfTheChunksItCovers(int members) throws Exception {
    long seed = 4711L + members;
    long[] sizes = randomSizes(new Random(seed), members);
    try (Cluster cluster = new Cluster(members)) {
      cluster.checkpoint(Cluster.id(1), sizes, seed);
      for (int holder = 0; holder < members; holder++) {
        PieceLayout layout = layout(sizes, holder);
        int chunk = (int) layout.chunkBytes();
        byte[] expected = new byte[chunk];
        for (int i = 0; i < members; i++) {
          if (i != holder) {
            int which = (holder - i - 1 + members) % members;
            byte[] padded =
                Arrays.copyOf(Cluster.content(sizes[i], seed, i), chunk * (members - 1));
            for (int b = 0; b < chunk; b++) {
              expected[b] ^= padded[which * chunk + b];
            }
          }
        }
        byte[] parity =
            cluster
                .map(holder)
                .pieces()
                .getFirst()
                .asSlice(layout.blockAt(members - 1, 0), chunk)
                .toArray(ValueLayout.JAVA_BYTE);
        assertThat(parity).as("member %d of %d", holder, members).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void emptyImagesAreCheckpointsToo(int members) throws Exception {
    CheckpointId id = new CheckpointId(3, 2, 1, true);
    long[] sizes = new long[members];
    try (Cluster cluster = new Cluster(members)) {
      cluster.checkpoint(id, sizes, 0);
      if (members > 1) {
        cluster.loseNode(1);
        cluster.run((store, i) -> store.rebuild(id, new int[] {cluster.group[1]}));
      }
      assertThat(cluster.stores[members - 1].held()).containsExactly(id);
      assertImages(cluster, id, sizes, 0);
    }
  }

  @Test
  void aGroupOfOneKeepsImagesButSurvivesNoLoss() throws Exception {
    CheckpointId id = Cluster.id(1);
    long[] sizes = {1_000_000};
    try (Cluster cluster = new Cluster(1)) {
      assertThat(cluster.stores[0].tolerance()).isZero();
      cluster.checkpoint(id, sizes, 5);
      cluster.restart(0);
      assertImages(cluster, id, sizes, 5);
      cluster.stores[0].rebuild(id, new int[0]);
      assertThatThrownBy(() -> cluster.stores[0].rebuild(id, cluster.group))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("checkpoint 1")
          .hasMessageContaining("group of one");
    }
  }

  private static void assertAllThrow(
      @Nullable Throwable[] thrown, Class<? extends Throwable> type, String... parts) {
    for (Throwable t : thrown) {
      assertThat(t).isInstanceOf(type).hasMessageContainingAll(parts);
    }
  }

  @Test
  void twoLostAreUnrecoverableOnAllMembers() throws Exception {
    CheckpointId id = Cluster.id(12);
    long[] sizes = {100, 200, 300, 400};
    try (Cluster cluster = new Cluster(4)) {
      assertThat(cluster.stores[0].tolerance()).isEqualTo(1);
      cluster.checkpoint(id, sizes, 1);
      cluster.loseNode(1);
      cluster.loseNode(3);
      int[] both = {cluster.group[1], cluster.group[3]};
      assertAllThrow(
          cluster.attempt((store, i) -> store.rebuild(id, both)),
          UnrecoverableException.class,
          "checkpoint 12 (loop 0, iteration 120)",
          "[4, 10]",
          "group of 4 ranks [1, 4, 7, 10]",
          "smaller groups");
      // The same when the caller knows of one only.
      assertAllThrow(
          cluster.attempt((store, i) -> store.rebuild(id, new int[] {both[0]})),
          UnrecoverableException.class,
          "[4, 10]");
    }
  }

  @Test
  void lostRanksMustBeOfTheGroup() throws Exception {
    try (Cluster cluster = new Cluster(2)) {
      assertThatThrownBy(() -> cluster.stores[0].rebuild(Cluster.id(1), new int[] {2}))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aNewProcessFindsWhatTheOldOneCompleted() throws Exception {
    long[] sizes = {70_000, 0, 1_000_000};
    try (Cluster cluster = new Cluster(3)) {
      cluster.checkpoint(Cluster.id(1), sizes, 1);
      cluster.checkpoint(Cluster.id(2), sizes, 2);
      // A third one is being written when they die.
      for (XorStore store : cluster.stores) {
        store.begin(Cluster.id(3), 5000).fill((byte) 1);
      }
      for (int i = 0; i < 3; i++) {
        cluster.restart(i);
        assertThat(cluster.stores[i].held()).containsExactly(Cluster.id(1), Cluster.id(2));
      }
      assertImages(cluster, Cluster.id(1), sizes, 1);
      assertImages(cluster, Cluster.id(2), sizes, 2);
      cluster.loseNode(0);
      for (int version = 1; version <= 2; version++) {
        CheckpointId id = Cluster.id(version);
        cluster.run((store, i) -> store.rebuild(id, new int[] {cluster.group[0]}));
        assertImages(cluster, id, sizes, version);
      }
    }
  }

  @Test
  void generationsTakeTurnsInTheSamePieces() throws Exception {
    Random random = new Random(99);
    try (Cluster cluster = new Cluster(3)) {
      long[] sizes = {800_000, 500_000, 900_000};
      for (int version = 1; version <= 8; version++) {
        cluster.checkpoint(Cluster.id(version), sizes, version);
        for (XorStore store : cluster.stores) {
          store.release(Cluster.id(version - 1));
          assertThat(store.held()).containsExactly(Cluster.id(version));
        }
        assertImages(cluster, Cluster.id(version), sizes, version);
        if (version == 2) {
          for (int i = 0; i < 3; i++) {
            assertThat(cluster.map(i).list("ckpt-r" + cluster.group[i] + "-")).hasSize(2);
            cluster.map(i).creations = 0;
          }
        }
        // Smaller ones fit as well.
        sizes = Arrays.stream(sizes).map(s -> Math.max(0, s - random.nextInt(1000))).toArray();
      }
      for (int i = 0; i < 3; i++) {
        assertThat(cluster.map(i).creations).isZero();
      }
    }
  }

  @Test
  void whatWasNotReleasedIsKept() throws Exception {
    long[] sizes = {1000, 300_000};
    try (Cluster cluster = new Cluster(2)) {
      for (int version = 1; version <= 5; version++) {
        cluster.checkpoint(Cluster.id(version), sizes, version);
      }
      for (XorStore store : cluster.stores) {
        store.release(Cluster.id(2));
        store.release(Cluster.id(99));
        assertThat(store.held()).extracting(CheckpointId::version).containsExactly(1L, 3L, 4L, 5L);
      }
      for (int version : new int[] {1, 3, 4, 5}) {
        assertImages(cluster, Cluster.id(version), sizes, version);
      }
      assertThatThrownBy(() -> cluster.stores[0].begin(Cluster.id(4), 10))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> cluster.stores[0].protect(Cluster.id(6)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  enum Region {
    HEADER,
    IMAGE,
    PARITY,
    TABLE
  }

  /** Offsets that are worth spoiling. */
  private static long[] offsets(Region region, PieceLayout layout) {
    long parity = layout.blockAt(layout.members() - 1, 0);
    long table = layout.crcAt(0, 0);
    return switch (region) {
      case HEADER -> new long[] {0, 8, 16, 24, 32, 40, 48, 56, 64, 68, 72, 80, 88, 96};
      case IMAGE ->
          new long[] {
            layout.imageAt(),
            layout.imageAt() + layout.imageBytes() / 2,
            layout.imageAt() + layout.imageBytes() - 1
          };
      case PARITY -> new long[] {parity, parity + layout.chunkBytes() - 1};
      case TABLE -> new long[] {table, table + 5, layout.totalBytes() - 1};
    };
  }

  private static void flipBit(MemorySegment piece, long at) {
    piece.set(ValueLayout.JAVA_BYTE, at, (byte) (piece.get(ValueLayout.JAVA_BYTE, at) ^ 4));
  }

  @ParameterizedTest
  @EnumSource
  void aSpoiltByteIsNoticedAndRepaired(Region region) throws Exception {
    CheckpointId id = Cluster.id(1);
    long[] sizes = {700_000, 650_001, 20};
    try (Cluster cluster = new Cluster(3)) {
      cluster.checkpoint(id, sizes, 8);
      for (long at : offsets(region, layout(sizes, 1))) {
        flipBit(cluster.map(1).pieces().getFirst(), at);
        assertThat(cluster.stores[1].intact(id)).as("%s, offset %d", region, at).isFalse();
        cluster.stores[1].release(id);
        assertThat(cluster.stores[1].held()).isEmpty();
        cluster.run((store, i) -> store.rebuild(id, new int[] {cluster.group[1]}));
        assertImages(cluster, id, sizes, 8);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsRebuiltFromSpoiltParts(Region region) throws Exception {
    CheckpointId id = Cluster.id(1);
    long[] sizes = {700_000, 650_001, 20};
    for (int spoilt = 0; spoilt < 2; spoilt++) {
      for (long at : offsets(region, layout(sizes, spoilt))) {
        try (Cluster cluster = new Cluster(3)) {
          cluster.checkpoint(id, sizes, 8);
          cluster.loseNode(2);
          flipBit(cluster.map(spoilt).pieces().getFirst(), at);
          assertAllThrow(
              cluster.attempt((store, i) -> store.rebuild(id, new int[] {cluster.group[2]})),
              UnrecoverableException.class,
              String.valueOf(cluster.group[spoilt]));
          assertThat(cluster.stores[2].held()).isEmpty();
          assertThat(cluster.stores[spoilt].held()).isEmpty();
          assertThat(cluster.stores[1 - spoilt].held()).containsExactly(id);
        }
      }
    }
  }

  @Test
  void noMemoryForAnImageLeavesWhatIsThere() throws Exception {
    long[] sizes = {10_000, 10_000};
    try (Cluster cluster = new Cluster(2)) {
      cluster.checkpoint(Cluster.id(1), sizes, 1);
      cluster.map(0).limit = 60_000;
      assertThatThrownBy(() -> cluster.stores[0].begin(Cluster.id(2), 50_000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("are free");
      assertThatThrownBy(() -> cluster.stores[0].protect(Cluster.id(2)))
          .isInstanceOf(IllegalStateException.class);
      assertImages(cluster, Cluster.id(1), sizes, 1);
      cluster.checkpoint(Cluster.id(2), sizes, 2);
      assertImages(cluster, Cluster.id(2), sizes, 2);
    }
  }

  @Test
  void noMemoryForParityOnOneMemberIsToldToAll() throws Exception {
    CheckpointId id = Cluster.id(2);
    long[] small = {1000, 1000, 1000};
    long[] sizes = {1_000_000, 500, 2_000_000};
    try (Cluster cluster = new Cluster(3)) {
      cluster.checkpoint(Cluster.id(1), small, 1);
      cluster.map(1).limit = 200_000;
      assertAllThrow(
          cluster.attempt(
              (store, i) -> Cluster.writeAndProtect(store, id, Cluster.content(sizes[i], 2, i))),
          IOException.class,
          "rank 4: ",
          "are free");
      assertImages(cluster, Cluster.id(1), small, 1);
      for (XorStore store : cluster.stores) {
        assertThat(store.held()).containsExactly(Cluster.id(1));
      }
      cluster.map(1).limit = Long.MAX_VALUE;
      cluster.checkpoint(id, sizes, 2);
      assertImages(cluster, id, sizes, 2);
    }
  }

  @Test
  void noMemoryOnTheReplacementIsToldToAll() throws Exception {
    CheckpointId id = Cluster.id(1);
    long[] sizes = {300_000, 200_000, 100_000};
    try (Cluster cluster = new Cluster(3)) {
      cluster.checkpoint(id, sizes, 1);
      cluster.loseNode(0);
      cluster.map(0).limit = 100_000;
      int[] lost = {cluster.group[0]};
      assertAllThrow(
          cluster.attempt((store, i) -> store.rebuild(id, lost)), IOException.class, "rank 1: ");
      cluster.map(0).limit = Long.MAX_VALUE;
      cluster.run((store, i) -> store.rebuild(id, lost));
      assertImages(cluster, id, sizes, 1);
    }
  }

  private static boolean died(@Nullable Throwable[] thrown) {
    boolean any = false;
    for (Throwable t : thrown) {
      assertThat(t)
          .satisfiesAnyOf(
              x -> assertThat(x).isNull(),
              x -> assertThat(x).isInstanceOf(RollbackException.class));
      any |= t != null;
    }
    return any;
  }

  @Test
  void aNodeMayDieAtAnyStepOfProtect() throws Exception {
    long[] sizes = {600_000, 1_300_000, 40_000};
    int steps = 0;
    boolean more = true;
    for (int k = 0; more; k++) {
      int victim = k % 3;
      try (Cluster cluster = new Cluster(3)) {
        cluster.checkpoint(Cluster.id(1), sizes, 1);
        cluster.network.dieAt(cluster.group[victim], k);
        more =
            died(
                cluster.attempt(
                    (store, i) ->
                        Cluster.writeAndProtect(
                            store, Cluster.id(2), Cluster.content(sizes[i], 2, i))));
        steps++;
        for (XorStore store : cluster.stores) {
          assertThat(store.held()).contains(Cluster.id(1));
        }
        cluster.network.nextEpoch();
        cluster.loseNode(victim);
        int[] lost = {cluster.group[victim]};
        boolean survivorsHoldIt = true;
        for (int i = 0; i < 3; i++) {
          survivorsHoldIt &= i == victim || cluster.stores[i].held().contains(Cluster.id(2));
        }
        CheckpointId line = Cluster.id(survivorsHoldIt ? 2 : 1);
        cluster.run((store, i) -> store.rebuild(line, lost));
        assertImages(cluster, line, sizes, line.version());
        // And on: what was not committed is written again.
        CheckpointId next = Cluster.id(survivorsHoldIt ? 3 : 2);
        cluster.run((store, i) -> store.release(next));
        cluster.checkpoint(next, sizes, 3);
        assertImages(cluster, next, sizes, 3);
        assertImages(cluster, line, sizes, line.version());
      }
    }
    assertThat(steps).isGreaterThan(30);
  }

  @Test
  void anyProcessOrTheReplacementsNodeMayDieAtAnyStepOfRebuild() throws Exception {
    CheckpointId id = Cluster.id(1);
    long[] sizes = {600_000, 1_300_000, 40_000, 900_000};
    int first = 1;
    int steps = 0;
    for (int victim = 0; victim < 4; victim++) {
      boolean more = true;
      for (int k = 0; more; k++) {
        try (Cluster cluster = new Cluster(4)) {
          cluster.checkpoint(id, sizes, 1);
          cluster.loseNode(first);
          int[] lost = {cluster.group[first]};
          cluster.network.dieAt(cluster.group[victim], k);
          more = died(cluster.attempt((store, i) -> store.rebuild(id, lost)));
          steps++;
          cluster.network.nextEpoch();
          for (int i = 0; i < 4; i++) {
            if (i != first) {
              assertThat(cluster.stores[i].held()).containsExactly(id);
            }
          }
          if (victim == first) {
            cluster.loseNode(first);
          } else {
            cluster.restart(victim);
          }
          if (cluster.stores[first].held().isEmpty()) {
            cluster.run((store, i) -> store.rebuild(id, lost));
          }
          assertImages(cluster, id, sizes, 1);
          if (!more) {
            // Another node may go now, but not two.
            cluster.loseNode(3);
            cluster.run((store, i) -> store.rebuild(id, new int[] {cluster.group[3]}));
            assertImages(cluster, id, sizes, 1);
          }
        }
      }
    }
    assertThat(steps).isGreaterThan(100);
  }

  @Test
  void aSurvivorsNodeThatDiesDuringRebuildMakesTwoLost() throws Exception {
    CheckpointId id = Cluster.id(1);
    try (Cluster cluster = new Cluster(3)) {
      cluster.checkpoint(id, new long[] {1000, 2000, 3000}, 1);
      cluster.loseNode(0);
      cluster.network.dieAt(cluster.group[1], 5);
      assertThat(died(cluster.attempt((store, i) -> store.rebuild(id, new int[] {1})))).isTrue();
      cluster.network.nextEpoch();
      cluster.loseNode(1);
      assertAllThrow(
          cluster.attempt((store, i) -> store.rebuild(id, new int[] {1, 4})),
          UnrecoverableException.class,
          "[1, 4]");
    }
  }
}
