package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.fmi.Comm;
import org.fmi.Rollback;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnreadableException;
import org.fmi.spi.UnrecoverableException;
import org.fmi.testkit.support.ArrayContent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of every {@link CheckpointStore}: checkpoints are protected, lost, rebuilt, and
 * never restored wrong, whichever member dies at whichever step. A store's test extends this class
 * and opens the store.
 */
public abstract class CheckpointStoreContract {
  /** The largest number of blocks of an image. */
  private static final int MAX_BLOCKS = 12;

  /**
   * The largest number of blocks if so many members share an image that no chunk has a second block
   * anyway.
   */
  private static final int MAX_BLOCKS_OF_MANY = 4;

  /** Opens the store of one rank. */
  protected abstract CheckpointStore open(int rank, int[] group, Comm system, NodeMemory memory)
      throws IOException;

  /** The store's block size, on which sizes of images depend. At least 8 KiB. */
  protected abstract int blockBytes();

  /** Draws sizes of images at random, some of them at the ends of blocks. */
  protected long[] randomSizes(Random random, int members) {
    int block = blockBytes();
    long[] edges = {0, 1, 7, 63, 64, 65, 4096, block - 1, block, block + 1};
    long[] sizes = new long[members];
    int most = block * (members > 9 ? MAX_BLOCKS_OF_MANY : MAX_BLOCKS);
    for (int i = 0; i < members; i++) {
      sizes[i] =
          random.nextInt(3) == 0 ? edges[random.nextInt(edges.length)] : random.nextInt(most);
    }
    return sizes;
  }

  /** Asserts that all members hold the images of {@link StoreGroup#checkpoint}. */
  protected static void assertImages(StoreGroup group, CheckpointId id, long[] sizes, long seed)
      throws IOException {
    for (int i = 0; i < group.size(); i++) {
      assertImage(group, id, sizes, seed, i);
    }
  }

  private static void assertImage(
      StoreGroup group, CheckpointId id, long[] sizes, long seed, int member) throws IOException {
    MemorySegment expected = MemorySegment.ofArray(StoreGroup.content(sizes[member], seed, member));
    assertThat(group.store(member).image(id).mismatch(expected))
        .as("first wrong byte of member %d of %d, seed %d", member, group.size(), seed)
        .isEqualTo(-1);
  }

  /**
   * Sizes of images whose chunks have two blocks, of which the second is small: more blocks would
   * only repeat the same steps.
   */
  private long[] twoBlocks(int members) throws IOException {
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      long block = blockBytes();
      long largest = (members - group.store(0).tolerance()) * (block + block / 7);
      long[] sizes = {largest / 2, largest, block / 6, largest - block * 2 / 5, block / 50};
      return Arrays.copyOf(sizes, members);
    }
  }

  /** Sizes of the images of three members, of several blocks except for the last. */
  protected long[] threeImages() {
    long block = blockBytes();
    return new long[] {block * 8 / 3, block * 5 / 2 + 1, 20};
  }

  /** Asserts that all members threw an exception of a type, with some texts in its message. */
  protected static void assertAllThrow(
      @Nullable Throwable[] thrown, Class<? extends Throwable> type, String... parts) {
    for (Throwable t : thrown) {
      assertThat(t).isInstanceOf(type).hasMessageContainingAll(parts);
    }
  }

  /** Whether any member learned of a failure; asserts that none ended otherwise. */
  protected static boolean died(@Nullable Throwable[] thrown) {
    boolean any = false;
    for (Throwable t : thrown) {
      assertThat(t)
          .satisfiesAnyOf(
              x -> assertThat(x).isNull(), x -> assertThat(x).isInstanceOf(Rollback.class));
      any |= t != null;
    }
    return any;
  }

  /** Covers {@link CheckpointStore.Protection}, and an image that grows meanwhile. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void protectsAGrownImageInParts(int members) throws Exception {
    CheckpointId begun = new CheckpointId(7, 0, 30, false);
    CheckpointId named = new CheckpointId(7, 0, 29, false);
    long seed = members;
    long[] sizes = randomSizes(new Random(seed), members);
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      group.run(
          (store, i) -> {
            byte[] content = StoreGroup.content(sizes[i], seed, i);
            int first = content.length / 3;
            MemorySegment.copy(
                content, 0, store.begin(begun, first), ValueLayout.JAVA_BYTE, 0, first);
            MemorySegment image = store.resize(begun, content.length);
            int rest = content.length - first;
            MemorySegment.copy(content, first, image, ValueLayout.JAVA_BYTE, first, rest);
            StoreGroup.complete(store.protecting(named));
          });
      assertImages(group, named, sizes, seed);
      if (group.store(0).tolerance() > 0) {
        group.loseNode(members - 1);
        group.run((store, i) -> store.rebuild(named, new int[] {group.rank(members - 1)}));
        assertImages(group, named, sizes, seed);
      }
    }
  }

  /** Covers new and reused memory, and reads of any size. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void protectsImagesThatAreRead(int members) throws Exception {
    Random random = new Random(members);
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      for (int version = 1; version < 7; version++) {
        CheckpointId id = StoreGroup.id(version);
        int seed = version;
        long[] sizes = version == 1 ? twoBlocks(members) : randomSizes(random, members);
        int most = version % 2 == 0 ? blockBytes() / 3 + 1 : Integer.MAX_VALUE;
        group.run(
            (store, i) -> {
              byte[] image = StoreGroup.content(sizes[i], seed, i);
              store.fill(id, image.length, () -> new ArrayContent(image, most, ""));
              store.protect(id);
            });
        assertImages(group, id, sizes, seed);
        for (CheckpointStore store : group.stores()) {
          assertThat(store.intact(id)).isTrue();
          store.release(StoreGroup.id(version - 2));
        }
        if (group.store(0).tolerance() > 0) {
          group.loseNode(members - 1);
          group.run((store, i) -> store.rebuild(id, new int[] {group.rank(members - 1)}));
          assertImages(group, id, sizes, seed);
        }
      }
    }
  }

  @Test
  void anUnreadableImageIsNoCheckpoint() throws Exception {
    long[] sizes = {300_000};
    byte[] image = StoreGroup.content(400_000, 2, 0);
    try (StoreGroup group = new StoreGroup(1, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      CheckpointStore store = group.store(0);
      CheckpointId id = StoreGroup.id(2);
      for (int attempt = 0; attempt < 2; attempt++) {
        for (String damage : List.of("damaged", "")) { // without damage it is too short
          long bytes = damage.isEmpty() ? 400_001 : 400_000;
          assertThatThrownBy(
                  () -> store.fill(id, bytes, () -> new ArrayContent(image, 999, damage)))
              .isInstanceOf(UnreadableException.class)
              .hasMessageContaining(damage.isEmpty() ? "ends after 400000 bytes" : damage);
          assertThatThrownBy(() -> store.protect(id)).isInstanceOf(IllegalStateException.class);
          assertThat(group.map(0).pieces()).hasSize(1 + attempt);
        }
        // The second time the memory is reused.
        group.checkpoint(id, new long[] {500_000}, 2);
        store.release(id);
      }
      assertImages(group, StoreGroup.id(1), sizes, 1);
      group.map(0).limit(800_000);
      assertThatThrownBy(() -> store.fill(id, 600_000, () -> new ArrayContent(image, 999, "")))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(UnreadableException.class)
          .hasMessageContaining("are free");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 16, 64})
  void rebuildsAnyMemberAndThenAnother(int members) throws Exception {
    Random seeds = new Random(members);
    CheckpointId id = StoreGroup.id(7);
    for (int round = 0; round < (members < 10 ? 4 : 1); round++) {
      long seed = seeds.nextLong();
      long[] sizes = randomSizes(new Random(seed), members);
      try (StoreGroup group = new StoreGroup(members, this::open)) {
        group.checkpoint(id, sizes, seed);
        for (int lost = 0; lost < members; lost += members > 16 ? 13 : 1) {
          group.loseNode(lost);
          assertThat(group.store(lost).held()).isEmpty();
          int[] lostRank = {group.rank(lost)};
          group.run((store, i) -> store.rebuild(id, lostRank));
          assertThat(group.store(lost).held()).containsExactly(id);
          assertImage(group, id, sizes, seed, lost);
        }
        assertImages(group, id, sizes, seed);
      }
    }
  }

  /** More members than the code can rebuild are lost; their images come from elsewhere. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 9})
  void protectsAnewWhenSomeImagesComeFromElsewhere(int members) throws Exception {
    CheckpointId id = StoreGroup.id(7);
    for (long seed = 0; seed < 3; seed++) {
      long[] sizes = randomSizes(new Random(seed * 31 + members), members);
      try (StoreGroup group = new StoreGroup(members, this::open)) {
        group.checkpoint(id, sizes, seed);
        int lost = group.store(0).tolerance() + 1;
        for (int i = 0; i < lost; i++) {
          group.loseNode(i);
        }
        long of = seed;
        group.run(
            (store, i) -> {
              if (i < lost) {
                StoreGroup.writeAndProtect(store, id, StoreGroup.content(sizes[i], of, i));
              } else {
                store.reopen(id);
                assertThat(store.held()).isEmpty();
                store.protect(id);
              }
            });
        for (CheckpointStore store : group.stores()) {
          assertThat(store.intact(id)).as("seed %d", seed).isTrue();
        }
        assertImages(group, id, sizes, seed);
        group.loseNode(members - 1);
        int[] again = {group.rank(members - 1)};
        group.run((store, i) -> store.rebuild(id, again));
        assertImages(group, id, sizes, seed);
      }
    }
  }

  /** Up to as many members at once as the code can rebuild, several times. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 16})
  void rebuildsMembersLostTogether(int members) throws Exception {
    CheckpointId id = StoreGroup.id(7);
    for (long seed = 0; seed < 3; seed++) {
      Random random = new Random(seed * 31 + members);
      long[] sizes = randomSizes(random, members);
      try (StoreGroup group = new StoreGroup(members, this::open)) {
        group.checkpoint(id, sizes, seed);
        for (int round = 0; round < 6; round++) {
          int[] lost = new int[1 + random.nextInt(group.store(0).tolerance())];
          BitSet gone = new BitSet();
          for (int l = 0; l < lost.length; l++) {
            int member = gone.nextClearBit(random.nextInt(members));
            member = member < members ? member : gone.nextClearBit(0);
            gone.set(member);
            group.loseNode(member);
            lost[l] = group.rank(member);
          }
          group.run((store, i) -> store.rebuild(id, lost));
          for (CheckpointStore store : group.stores()) {
            assertThat(store.intact(id)).as("seed %d", seed).isTrue();
          }
        }
        assertImages(group, id, sizes, seed);
      }
    }
  }

  @Test
  void aGroupOfOneKeepsImagesButSurvivesNoLoss() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {1_000_000};
    try (StoreGroup group = new StoreGroup(1, this::open)) {
      assertThat(group.store(0).tolerance()).isZero();
      group.checkpoint(id, sizes, 5);
      group.restart(0);
      assertImages(group, id, sizes, 5);
      group.store(0).rebuild(id, new int[0]);
      assertThatThrownBy(() -> group.store(0).rebuild(id, group.ranks()))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("checkpoint 1");
    }
  }

  @Test
  void losingMoreThanTheCodeToleratesIsUnrecoverableOnAllMembers() throws Exception {
    CheckpointId id = StoreGroup.id(12);
    long[] sizes = {100, 200, 300, 400};
    try (StoreGroup group = new StoreGroup(4, this::open)) {
      int tolerance = group.store(0).tolerance();
      assertThat(tolerance).isPositive();
      group.checkpoint(id, sizes, 1);
      int[] lost = new int[tolerance + 1];
      for (int i = 0; i < lost.length; i++) {
        lost[i] = group.rank(i);
        group.loseNode(i);
      }
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, lost)),
          UnrecoverableException.class,
          "checkpoint 12 (loop 0, iteration 120)",
          Arrays.toString(lost));
      // The same if the caller does not know of all losses.
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, Arrays.copyOf(lost, tolerance))),
          UnrecoverableException.class,
          Arrays.toString(lost));
    }
  }

  @Test
  void aDamagedImageIsDetectedAndRebuilt() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = threeImages();
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(id, sizes, 8);
      assertThat(group.store(1).intact(id)).isTrue();
      for (MemorySegment piece : group.map(1).pieces()) {
        long at = piece.byteSize() / 2;
        piece.set(ValueLayout.JAVA_BYTE, at, (byte) ~piece.get(ValueLayout.JAVA_BYTE, at));
      }
      assertThat(group.store(1).intact(id)).isFalse();
      group.store(1).release(id);
      group.run((store, i) -> store.rebuild(id, new int[] {group.rank(1)}));
      assertImages(group, id, sizes, 8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void emptyImagesAreCheckpointsToo(int members) throws Exception {
    CheckpointId id = new CheckpointId(3, 2, 1, true);
    long[] sizes = new long[members];
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      group.checkpoint(id, sizes, 0);
      if (members > 1) {
        group.loseNode(1);
        group.run((store, i) -> store.rebuild(id, new int[] {group.rank(1)}));
      }
      assertThat(group.store(members - 1).held()).containsExactly(id);
      assertImages(group, id, sizes, 0);
    }
  }

  @Test
  void aNewProcessFindsCompletedCheckpoints() throws Exception {
    long[] sizes = {70_000, 0, 1_000_000};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      // They die while they write a third checkpoint.
      for (CheckpointStore store : group.stores()) {
        store.begin(StoreGroup.id(3), 5000).fill((byte) 1);
      }
      for (int i = 0; i < 3; i++) {
        group.restart(i);
        assertThat(group.store(i).held()).containsExactly(StoreGroup.id(1), StoreGroup.id(2));
      }
      assertImages(group, StoreGroup.id(1), sizes, 1);
      assertImages(group, StoreGroup.id(2), sizes, 2);
      group.loseNode(0);
      for (int version = 1; version <= 2; version++) {
        CheckpointId id = StoreGroup.id(version);
        group.run((store, i) -> store.rebuild(id, new int[] {group.rank(0)}));
        assertImages(group, id, sizes, version);
      }
    }
  }

  @Test
  void keepsCheckpointsUntilTheirRelease() throws Exception {
    long[] sizes = {1000, 300_000};
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      for (int version = 1; version <= 5; version++) {
        group.checkpoint(StoreGroup.id(version), sizes, version);
      }
      for (CheckpointStore store : group.stores()) {
        store.release(StoreGroup.id(2));
        store.release(StoreGroup.id(99));
        assertThat(store.held()).extracting(CheckpointId::version).containsExactly(1L, 3L, 4L, 5L);
      }
      for (int version : new int[] {1, 3, 4, 5}) {
        assertImages(group, StoreGroup.id(version), sizes, version);
      }
      assertThatThrownBy(() -> group.store(0).begin(StoreGroup.id(4), 10))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> group.store(0).protect(StoreGroup.id(6)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aFailedAllocationKeepsExistingCheckpoints() throws Exception {
    long[] sizes = {10_000, 10_000};
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.map(0).limit(60_000);
      assertThatThrownBy(() -> group.store(0).begin(StoreGroup.id(2), 50_000))
          .isInstanceOf(NoRoomException.class)
          .hasMessageContaining("are free");
      assertImages(group, StoreGroup.id(1), sizes, 1);
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      assertImages(group, StoreGroup.id(2), sizes, 2);
    }
  }

  /** Of a rank that has no room for its image, the group learns when it protects its own ones. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noMemoryForAnImageIsReportedToTheGroup(boolean bySteps) throws Exception {
    CheckpointId id = StoreGroup.id(2);
    long[] sizes = {10_000, 10_000, 10_000};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.map(1).limit(60_000);
      @Nullable Throwable[] thrown =
          group.attempt(
              (store, i) -> {
                try {
                  store.begin(id, i == 1 ? 50_000 : 10_000);
                } catch (NoRoomException e) {
                  assertThat(i).isEqualTo(1);
                }
                if (bySteps) {
                  StoreGroup.complete(store.protecting(id));
                } else {
                  store.protect(id);
                }
              });
      for (int i = 0; i < thrown.length; i++) {
        assertThat(thrown[i]).isInstanceOf(NoRoomException.class).hasMessageContaining("are free");
        assertThat(((NoRoomException) Objects.requireNonNull(thrown[i])).isHere())
            .isEqualTo(i == 1);
      }
      for (CheckpointStore store : group.stores()) {
        assertThat(store.held()).containsExactly(StoreGroup.id(1));
      }
      assertTakenWithRoom(group, id, sizes);
    }
  }

  /** Gives member 1 room again. */
  private static void assertTakenWithRoom(StoreGroup group, CheckpointId id, long[] sizes)
      throws Exception {
    group.map(1).limit(Long.MAX_VALUE);
    group.checkpoint(id, sizes, 2);
    assertImages(group, id, sizes, 2);
  }

  /** An image that grows after it was begun, as an asynchronous one does. */
  @Test
  void noMemoryForAnImageThatGrowsIsReportedToTheGroup() throws Exception {
    CheckpointId id = StoreGroup.id(2);
    long[] sizes = {10_000, 10_000};
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.map(1).limit(90_000);
      assertAllThrow(
          group.attempt(
              (store, i) -> {
                store.begin(id, 10_000);
                try {
                  store.resize(id, i == 1 ? 80_000 : 10_000);
                } catch (NoRoomException e) {
                  assertThat(i).isEqualTo(1);
                }
                StoreGroup.complete(store.protecting(id));
              }),
          NoRoomException.class,
          "are free");
      assertImages(group, StoreGroup.id(1), sizes, 1);
      assertTakenWithRoom(group, id, sizes);
    }
  }

  @Test
  void noMemoryForParityOnOneMemberIsReportedToAll() throws Exception {
    CheckpointId id = StoreGroup.id(2);
    long[] small = {1000, 1000, 1000};
    long[] sizes = {1_000_000, 500, 2_000_000};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(StoreGroup.id(1), small, 1);
      group.map(1).limit(200_000);
      @Nullable Throwable[] thrown =
          group.attempt(
              (store, i) ->
                  StoreGroup.writeAndProtect(store, id, StoreGroup.content(sizes[i], 2, i)));
      assertAllThrow(thrown, NoRoomException.class, "are free");
      assertThat(thrown[0]).hasMessageStartingWith("rank 4: ");
      assertThat(thrown[2]).hasMessageStartingWith("rank 4: ");
      assertImages(group, StoreGroup.id(1), small, 1);
      for (CheckpointStore store : group.stores()) {
        assertThat(store.held()).containsExactly(StoreGroup.id(1));
      }
      assertTakenWithRoom(group, id, sizes);
    }
  }

  /** The others wait until that rank is replaced. */
  @Test
  void noMemoryOnTheReplacementIsItsFailureAlone() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {300_000, 200_000, 100_000};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(id, sizes, 1);
      group.loseNode(0);
      group.map(0).limit(100_000);
      int[] lost = {group.rank(0)};
      @Nullable Throwable[] thrown =
          group.attempt(
              (store, i) -> {
                try {
                  store.rebuild(id, lost);
                } catch (NoRoomException e) {
                  group.network().fail(); // the epoch ends
                  throw e;
                }
              });
      assertThat(thrown[0]).isInstanceOf(NoRoomException.class).hasMessageContaining("are free");
      assertThat(thrown[1]).isInstanceOf(Rollback.class);
      assertThat(thrown[2]).isInstanceOf(Rollback.class);
      group.network().nextEpoch();
      group.map(0).limit(Long.MAX_VALUE);
      group.run((store, i) -> store.rebuild(id, lost));
      assertImages(group, id, sizes, 1);
    }
  }

  @Test
  void aNodeMayDieAtAnyStepOfProtect() throws Exception {
    long[] sizes = twoBlocks(3);
    int steps = 0;
    boolean more = true;
    for (int k = 0; more; k++) {
      int victim = k % 3;
      try (StoreGroup group = new StoreGroup(3, this::open)) {
        group.checkpoint(StoreGroup.id(1), sizes, 1);
        group.network().dieAt(group.rank(victim), k);
        more =
            died(
                group.attempt(
                    (store, i) ->
                        StoreGroup.writeAndProtect(
                            store, StoreGroup.id(2), StoreGroup.content(sizes[i], 2, i))));
        steps++;
        for (CheckpointStore store : group.stores()) {
          assertThat(store.held()).contains(StoreGroup.id(1));
        }
        group.network().nextEpoch();
        // As many nodes as the code can rebuild.
        int[] lost = new int[group.store(0).tolerance()];
        BitSet gone = new BitSet();
        for (int l = 0; l < lost.length; l++) {
          gone.set((victim + l) % 3);
          group.loseNode((victim + l) % 3);
          lost[l] = group.rank((victim + l) % 3);
        }
        boolean survivorsHoldIt = true;
        for (int i = gone.nextClearBit(0); i < 3; i = gone.nextClearBit(i + 1)) {
          survivorsHoldIt &= group.store(i).held().contains(StoreGroup.id(2));
        }
        CheckpointId line = StoreGroup.id(survivorsHoldIt ? 2 : 1);
        group.run((store, i) -> store.rebuild(line, lost));
        assertImages(group, line, sizes, line.version());
        // The job continues: it writes the uncommitted checkpoint again.
        CheckpointId next = StoreGroup.id(survivorsHoldIt ? 3 : 2);
        group.run((store, i) -> store.release(next));
        group.checkpoint(next, sizes, 3);
        assertImages(group, next, sizes, 3);
        assertImages(group, line, sizes, line.version());
      }
    }
    assertThat(steps).isGreaterThan(30);
  }

  @Test
  void anyProcessOrTheReplacementsNodeMayDieAtAnyStepOfRebuild() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = twoBlocks(4);
    int first = 1;
    int steps = 0;
    for (int victim = 0; victim < 4; victim++) {
      boolean more = true;
      for (int k = 0; more; k++) {
        try (StoreGroup group = new StoreGroup(4, this::open)) {
          group.checkpoint(id, sizes, 1);
          group.loseNode(first);
          int[] lost = {group.rank(first)};
          group.network().dieAt(group.rank(victim), k);
          more = died(group.attempt((store, i) -> store.rebuild(id, lost)));
          steps++;
          group.network().nextEpoch();
          for (int i = 0; i < 4; i++) {
            if (i != first) {
              assertThat(group.store(i).held()).containsExactly(id);
            }
          }
          if (victim == first) {
            group.loseNode(first);
          } else {
            group.restart(victim);
          }
          if (group.store(first).held().isEmpty()) {
            group.run((store, i) -> store.rebuild(id, lost));
          }
          assertImages(group, id, sizes, 1);
          if (!more) {
            // As many nodes may be lost again.
            group.loseNode(3);
            group.run((store, i) -> store.rebuild(id, new int[] {group.rank(3)}));
            assertImages(group, id, sizes, 1);
          }
        }
      }
    }
    assertThat(steps).isGreaterThan(100);
  }

  /** A member that helps is lost too, as long as the code can rebuild both. */
  @Test
  void aSurvivorsNodeMayDieAtAnyStepOfRebuild() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = twoBlocks(5);
    int first = 1;
    for (int victim : new int[] {0, 2, 4}) {
      boolean more = true;
      for (int k = 0; more; k++) {
        try (StoreGroup group = new StoreGroup(5, this::open)) {
          assumeThat(group.store(0).tolerance()).isGreaterThan(1);
          group.checkpoint(id, sizes, 1);
          group.loseNode(first);
          int[] lost = {group.rank(first)};
          group.network().dieAt(group.rank(victim), k);
          more = died(group.attempt((store, i) -> store.rebuild(id, lost)));
          group.network().nextEpoch();
          group.loseNode(victim);
          int[] all =
              group.store(first).held().isEmpty()
                  ? new int[] {group.rank(first), group.rank(victim)}
                  : new int[] {group.rank(victim)};
          group.run((store, i) -> store.rebuild(id, all));
          assertImages(group, id, sizes, 1);
        }
      }
    }
  }
}
