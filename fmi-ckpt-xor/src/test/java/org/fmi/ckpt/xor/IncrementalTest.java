package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.testkit.contract.StoreGroup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that change in part: images and codes equal the ones of full checkpoints. */
final class IncrementalTest {
  private static final int BLOCK = 1 << 10;

  /** The unit of comparison. */
  private static final int PART = 64;

  private static StoreGroup group(int members, int losses) throws IOException {
    return new StoreGroup(
        members, (rank, all, comm, memory) -> new XorStore(rank, all, losses, BLOCK, comm, memory));
  }

  private static CheckpointId before(CheckpointId id) {
    return StoreGroup.id(id.version() - 1);
  }

  /**
   * Takes a checkpoint as a rank does: writes the missing images, and announces the rest to the
   * store.
   */
  private static void take(CheckpointStore store, CheckpointId id, byte[] image)
      throws IOException {
    for (CheckpointId held : store.held()) {
      if (!held.equals(before(id))) {
        store.release(held);
      }
    }
    MemorySegment memory = store.begin(id, image.length);
    boolean compare = store.holdsCoded();
    MemorySegment state = MemorySegment.ofArray(image);
    for (int from = 0; from < image.length; from += PART) {
      int to = Math.min(from + PART, image.length);
      if (compare && MemorySegment.mismatch(state, from, to, memory, from, to) < 0) {
        store.unchanged(from, to);
      } else {
        MemorySegment.copy(state, from, memory, from, to - from);
      }
    }
    store.protect(id);
  }

  private static void take(StoreGroup group, CheckpointId id, byte[][] images)
      throws InterruptedException {
    group.run((store, i) -> take(store, id, images[i]));
  }

  private static MemorySegment piece(StoreGroup group, int index, CheckpointId id) {
    int losses = group.store(index).tolerance();
    for (MemorySegment piece : group.map(index).pieces()) {
      CheckpointHeader header = CheckpointHeader.read(piece, group.ranks(), losses);
      if (header != null && header.id().equals(id)) {
        return piece;
      }
    }
    throw new AssertionError("no piece of " + id);
  }

  /** Asserts that a group holds bit by bit what it would hold after its first checkpoint. */
  private static void assertAsIfAllWereNew(StoreGroup group, CheckpointId id, byte[][] images)
      throws Exception {
    int losses = group.store(0).tolerance();
    long largest = Arrays.stream(images).mapToLong(image -> image.length).max().orElseThrow();
    try (StoreGroup other = group(images.length, losses)) {
      take(other, id, images);
      for (int i = 0; i < images.length; i++) {
        PieceLayout layout =
            new PieceLayout(images.length, losses, images[i].length, largest, BLOCK);
        assertThat(XorStoreSuite.used(piece(group, i, id), layout))
            .as("piece of member %d, version %d", i, id.version())
            .isEqualTo(XorStoreSuite.used(piece(other, i, id), layout));
      }
    }
  }

  private static byte[][] images(Random random, int members, int bytes) {
    byte[][] images = new byte[members][bytes];
    for (byte[] image : images) {
      random.nextBytes(image);
    }
    return images;
  }

  /** Changes some bytes, a range, everything or nothing, and the size. */
  private static byte[] changed(Random random, byte[] image) {
    byte[] next = image.clone();
    switch (random.nextInt(6)) {
      case 0 -> {}
      case 1 -> random.nextBytes(next);
      case 2 -> {
        next = Arrays.copyOf(image, Math.max(0, image.length + random.nextInt(3000) - 1500));
      }
      case 3 -> {
        next = Arrays.copyOf(image, Math.max(0, image.length + random.nextInt(20) - 10));
      }
      case 4 -> {
        int from = random.nextInt(next.length + 1);
        int to = Math.min(next.length, from + random.nextInt(5 * BLOCK));
        for (int i = from; i < to; i++) {
          next[i]++;
        }
      }
      default -> {
        for (int i = random.nextInt(3); i > 0 && next.length > 0; i--) {
          next[random.nextInt(next.length)]++;
        }
      }
    }
    return next;
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "2, 1", "4, 1", "4, 2", "5, 2", "4, 3", "7, 3"})
  void imagesAndCodesAreThoseOfWholeCheckpoints(int members, int losses) throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[][] images = images(random, members, 20 * BLOCK);
    long coded = 0;
    long all = 0;
    try (StoreGroup group = group(members, losses)) {
      for (int version = 1; version <= 40; version++) {
        CheckpointId id = StoreGroup.id(version);
        take(group, id, images);
        assertAsIfAllWereNew(group, id, images);
        for (int i = 0; i < members; i++) {
          coded += group.store(i).codedBytes();
          all += images[i].length;
        }
        if (random.nextInt(12) == 0) {
          group.restart(random.nextInt(members));
        }
        if (random.nextInt(12) == 0 && losses > 0) {
          int lost = random.nextInt(members);
          group.loseNode(lost);
          group.run((store, i) -> store.rebuild(id, new int[] {group.rank(lost)}));
        }
        boolean some = random.nextBoolean();
        for (int i = 0; i < members; i++) {
          images[i] = some && random.nextInt(members) > 0 ? images[i] : changed(random, images[i]);
        }
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
    assertThat(coded).as("seed %d", seed).isLessThan(all);
  }

  @Test
  void aChangeOnOneMemberIsCodedOnAll() throws Exception {
    int row = 2 * BLOCK; // of three members, tolerating one loss
    byte[][] images = images(new Random(5), 3, 10 * row + 7);
    try (StoreGroup group = group(3, 1)) {
      for (int version = 1; version <= 2; version++) {
        take(group, StoreGroup.id(version), images);
        assertThat(group.store(0).codedBytes()).isEqualTo(images[0].length);
      }
      // Only the row in which images end, which is not a full one.
      take(group, StoreGroup.id(3), images);
      assertThat(group.store(1).codedBytes()).isEqualTo(7);
      images[2][4 * row]++;
      take(group, StoreGroup.id(4), images);
      assertThat(group.store(1).codedBytes()).isEqualTo(row + 7);
      // The piece that holds the state before the last change.
      take(group, StoreGroup.id(5), images);
      assertThat(group.store(1).codedBytes()).isEqualTo(row + 7);
      take(group, StoreGroup.id(6), images);
      assertThat(group.store(1).codedBytes()).isEqualTo(7);
      assertAsIfAllWereNew(group, StoreGroup.id(6), images);
    }
  }

  /** More rows than marks: some rows share a mark. */
  @Test
  void manyRowsAreMarkedTogether() throws Exception {
    int row = 64;
    int rows = 5 * GroupExchange.MARKS / 2;
    byte[][] images = images(new Random(6), 2, rows * row);
    try (StoreGroup group =
        new StoreGroup(2, (r, all, comm, memory) -> new XorStore(r, all, 1, row, comm, memory))) {
      for (int version = 1; version <= 3; version++) {
        images[0][rows / 2 * row] = (byte) version;
        take(group, StoreGroup.id(version), images);
      }
      assertThat(group.store(0).codedBytes()).isEqualTo(3L * row);
      CheckpointId id = StoreGroup.id(3);
      group.loseNode(0);
      group.run((store, i) -> store.rebuild(id, new int[] {group.rank(0)}));
      assertThat(group.store(0).image(id).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(images[0]);
    }
  }

  /** Data left by another process, damaged or rebuilt counts as changed. */
  @Test
  void theNextOnesAfterARecoveryAreWhole() throws Exception {
    byte[][] images = images(new Random(7), 3, 20 * BLOCK);
    try (StoreGroup group = group(3, 1)) {
      for (int version = 1; version <= 3; version++) {
        take(group, StoreGroup.id(version), images);
      }
      assertThat(group.store(0).codedBytes()).isLessThan(images[0].length);
      group.restart(2);
      for (int version = 4; version <= 5; version++) {
        take(group, StoreGroup.id(version), images);
        assertThat(group.store(0).codedBytes()).isEqualTo(images[0].length);
      }
      take(group, StoreGroup.id(6), images);
      assertThat(group.store(0).codedBytes()).isLessThan(images[0].length);
      assertThat(group.store(1).intact(StoreGroup.id(6))).isTrue();
      take(group, StoreGroup.id(7), images);
      assertThat(group.store(0).codedBytes()).isEqualTo(images[0].length);
    }
  }

  /** The content is from an abandoned attempt, and the code is not. */
  @Test
  void anAbandonedAttemptIsNoBase() throws Exception {
    byte[][] images = images(new Random(8), 3, 20 * BLOCK);
    try (StoreGroup group = group(3, 1)) {
      for (int version = 1; version <= 3; version++) {
        take(group, StoreGroup.id(version), images);
      }
      images[1][5 * BLOCK]++;
      CheckpointId id = StoreGroup.id(4);
      group.run(
          (store, i) -> {
            store.release(StoreGroup.id(2));
            MemorySegment.copy(
                images[i], 0, store.begin(id, images[i].length), ValueLayout.JAVA_BYTE, 0, 9000);
          });
      take(group, id, images);
      assertThat(group.store(0).codedBytes()).isEqualTo(images[0].length);
      assertAsIfAllWereNew(group, id, images);
    }
  }

  @Test
  void partsAreAnnouncedInOrder() throws Exception {
    byte[][] images = images(new Random(9), 2, 4 * BLOCK);
    try (StoreGroup group = group(2, 1)) {
      take(group, StoreGroup.id(1), images);
      take(group, StoreGroup.id(2), images);
      CheckpointStore store = group.store(0);
      store.release(StoreGroup.id(1));
      MemorySegment _ = store.begin(StoreGroup.id(3), 4 * BLOCK);
      store.unchanged(0, 100);
      assertThatThrownBy(() -> store.unchanged(99, 200))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from 99 to 200, after what was so to 100");
    }
  }

  /** The previous checkpoint can be rebuilt, and the next ones are right. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aNodeMayDieAtAnyStep(int losses) throws Exception {
    int steps = 0;
    boolean more = true;
    for (int k = 0; more; k++) {
      int victim = k % 3;
      byte[][] images = images(new Random(k), 3, 9 * BLOCK);
      try (StoreGroup group = group(3, losses)) {
        for (int version = 1; version <= 3; version++) {
          take(group, StoreGroup.id(version), images);
        }
        byte[][] third = images.clone();
        images[(k + 1) % 3] = changed(new Random(k), images[(k + 1) % 3]);
        group.network().dieAt(group.rank(victim), k);
        @Nullable Throwable[] thrown =
            group.attempt((store, i) -> take(store, StoreGroup.id(4), images[i]));
        more = Arrays.stream(thrown).anyMatch(t -> t != null);
        steps++;
        group.network().nextEpoch();
        int[] lost = new int[losses];
        for (int l = 0; l < losses; l++) {
          group.loseNode((victim + l) % 3);
          lost[l] = group.rank((victim + l) % 3);
        }
        boolean survivorsHoldIt = true;
        for (int i = losses; i < 3; i++) {
          CheckpointStore survivor = group.store((victim + i) % 3);
          assertThat(survivor.held()).contains(StoreGroup.id(3));
          survivorsHoldIt &= survivor.held().contains(StoreGroup.id(4));
        }
        CheckpointId line = StoreGroup.id(survivorsHoldIt ? 4 : 3);
        byte[][] there = survivorsHoldIt ? images : third;
        group.run((store, i) -> store.rebuild(line, lost));
        assertAsIfAllWereNew(group, line, there);
        for (int version = 1; version <= 3; version++) {
          CheckpointId next = StoreGroup.id(line.version() + version);
          take(group, next, images);
          assertAsIfAllWereNew(group, next, images);
        }
      }
    }
    assertThat(steps).isGreaterThan(20);
  }
}
