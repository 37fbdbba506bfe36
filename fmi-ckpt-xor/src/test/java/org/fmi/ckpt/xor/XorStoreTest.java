package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.fmi.Comm;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnrecoverableException;
import org.fmi.testkit.contract.CheckpointStoreContract;
import org.fmi.testkit.contract.StoreGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, and what is particular to XOR: one loss a group, and where each byte lies. */
class XorStoreTest extends CheckpointStoreContract {
  @Override
  protected CheckpointStore open(int rank, int[] group, Comm system, NodeMemory memory)
      throws IOException {
    return new XorStore(rank, group, system, memory);
  }

  private static PieceLayout layout(long[] sizes, int index) {
    return new PieceLayout(sizes.length, sizes[index], Arrays.stream(sizes).max().orElseThrow());
  }

  /** The only piece of a member, as far as it is used. */
  private static byte[] piece(StoreGroup group, long[] sizes, int index) {
    MemorySegment piece = group.map(index).pieces().getLast();
    MemorySegment used = piece.asSlice(0, layout(sizes, index).totalBytes());
    byte[] bytes = used.toArray(ValueLayout.JAVA_BYTE);
    // What lies between the header and the image is never looked at.
    int header = CheckpointHeader.bytes(sizes.length);
    Arrays.fill(bytes, header, (int) PieceLayout.headerBytes(sizes.length), (byte) 0);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  void parityIsTheSumOfTheChunksItCovers(int members) throws Exception {
    long seed = 4711L + members;
    long[] sizes = randomSizes(new Random(seed), members);
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, seed);
      for (int holder = 0; holder < members; holder++) {
        PieceLayout layout = layout(sizes, holder);
        int chunk = (int) layout.chunkBytes();
        byte[] expected = new byte[chunk];
        for (int i = 0; i < members; i++) {
          if (i != holder) {
            int which = (holder - i - 1 + members) % members;
            byte[] padded =
                Arrays.copyOf(StoreGroup.content(sizes[i], seed, i), chunk * (members - 1));
            for (int b = 0; b < chunk; b++) {
              expected[b] ^= padded[which * chunk + b];
            }
          }
        }
        byte[] parity =
            group
                .map(holder)
                .pieces()
                .getFirst()
                .asSlice(layout.blockAt(members - 1, 0), chunk)
                .toArray(ValueLayout.JAVA_BYTE);
        assertThat(parity).as("member %d of %d", holder, members).isEqualTo(expected);
      }
    }
  }

  @Test
  void lostRanksMustBeOfTheGroup() throws Exception {
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      assertThatThrownBy(() -> group.store(0).rebuild(StoreGroup.id(1), new int[] {2}))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void generationsTakeTurnsInTheSamePieces() throws Exception {
    Random random = new Random(99);
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      long[] sizes = {800_000, 500_000, 900_000};
      int[] creations = new int[3];
      for (int version = 1; version <= 8; version++) {
        group.checkpoint(StoreGroup.id(version), sizes, version);
        for (CheckpointStore store : group.stores()) {
          store.release(StoreGroup.id(version - 1));
          assertThat(store.held()).containsExactly(StoreGroup.id(version));
        }
        assertImages(group, StoreGroup.id(version), sizes, version);
        if (version == 2) {
          for (int i = 0; i < 3; i++) {
            assertThat(group.map(i).list("ckpt-r" + group.rank(i) + "-")).hasSize(2);
            creations[i] = group.map(i).creations();
          }
        }
        // Smaller ones fit as well.
        sizes = Arrays.stream(sizes).map(s -> Math.max(0, s - random.nextInt(1000))).toArray();
      }
      for (int i = 0; i < 3; i++) {
        assertThat(group.map(i).creations()).isEqualTo(creations[i]);
      }
    }
  }

  @Test
  void forecastsWhatTwoGenerationsTake() throws Exception {
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      CheckpointStore store = group.store(0);
      assertThat(store.forecastBytes()).isZero();
      long[] sizes = {800_000, 800_000};
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      long forecast = store.forecastBytes();
      assertThat(forecast).isEqualTo(2 * store.memoryBytes());
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      assertThat(store.memoryBytes()).isEqualTo(forecast);
      assertThat(store.forecastBytes()).isEqualTo(forecast);
      group.stores().forEach(each -> each.release(StoreGroup.id(1)));
      group.checkpoint(StoreGroup.id(3), sizes, 3);
      assertThat(store.forecastBytes()).isEqualTo(forecast);
      // Larger ones take the place of what is free.
      group.stores().forEach(each -> each.release(StoreGroup.id(2)));
      long[] larger = {1_600_000, 1_600_000};
      group.checkpoint(StoreGroup.id(4), larger, 4);
      group.stores().forEach(each -> each.release(StoreGroup.id(3)));
      group.checkpoint(StoreGroup.id(5), larger, 5);
      assertThat(store.memoryBytes()).isEqualTo(store.forecastBytes()).isGreaterThan(forecast);
    }
  }

  /** Which knows how large the parity will be only from what it was given back. */
  @Test
  void aNewNodeNeedsNoMoreMemoryThanTheLostOne() throws Exception {
    long[] sizes = {700_000, 650_001, 20};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.loseNode(1);
      int[] lost = {group.rank(1)};
      group.run((store, i) -> store.rebuild(StoreGroup.id(1), lost));
      group.map(1).limit(2 * layout(sizes, 1).totalBytes());
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      assertImages(group, StoreGroup.id(2), sizes, 2);
      // A process that dies before its second checkpoint leaves but one.
      for (CheckpointStore store : group.stores()) {
        store.release(StoreGroup.id(1));
      }
      group.restart(1);
      group.checkpoint(StoreGroup.id(3), sizes, 3);
      assertImages(group, StoreGroup.id(3), sizes, 3);
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
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {700_000, 650_001, 20};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(id, sizes, 8);
      for (long at : offsets(region, layout(sizes, 1))) {
        flipBit(group.map(1).pieces().getFirst(), at);
        assertThat(group.store(1).intact(id)).as("%s, offset %d", region, at).isFalse();
        group.store(1).release(id);
        assertThat(group.store(1).held()).isEmpty();
        group.run((store, i) -> store.rebuild(id, new int[] {group.rank(1)}));
        assertImages(group, id, sizes, 8);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsRebuiltFromSpoiltParts(Region region) throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {700_000, 650_001, 20};
    for (int spoilt = 0; spoilt < 2; spoilt++) {
      for (long at : offsets(region, layout(sizes, spoilt))) {
        try (StoreGroup group = new StoreGroup(3, this::open)) {
          group.checkpoint(id, sizes, 8);
          group.loseNode(2);
          flipBit(group.map(spoilt).pieces().getFirst(), at);
          assertAllThrow(
              group.attempt((store, i) -> store.rebuild(id, new int[] {group.rank(2)})),
              UnrecoverableException.class,
              String.valueOf(group.rank(spoilt)));
          assertThat(group.store(2).held()).isEmpty();
          assertThat(group.store(spoilt).held()).isEmpty();
          assertThat(group.store(1 - spoilt).held()).containsExactly(id);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  void whatIsBroughtBackIsWhatWasLost(int members) throws Exception {
    Random seeds = new Random(members);
    CheckpointId id = StoreGroup.id(7);
    for (int round = 0; round < 4; round++) {
      long seed = seeds.nextLong();
      long[] sizes = randomSizes(new Random(seed), members);
      try (StoreGroup group = new StoreGroup(members, this::open)) {
        group.checkpoint(id, sizes, seed);
        byte[][] before = new byte[members][];
        for (int i = 0; i < members; i++) {
          before[i] = piece(group, sizes, i);
        }
        for (int lost = 0; lost < members; lost++) {
          group.loseNode(lost);
          assertThat(group.store(lost).held()).isEmpty();
          int[] lostRank = {group.rank(lost)};
          group.run((store, i) -> store.rebuild(id, lostRank));
          assertThat(group.store(lost).held()).containsExactly(id);
          assertThat(piece(group, sizes, lost))
              .as(
                  "piece of member %d of %d, sizes %s, seed %d",
                  lost, members, Arrays.toString(sizes), seed)
              .isEqualTo(before[lost]);
        }
        assertImages(group, id, sizes, seed);
      }
    }
  }

  @Test
  void twoLostAreUnrecoverableOnAllMembers() throws Exception {
    CheckpointId id = StoreGroup.id(12);
    long[] sizes = {100, 200, 300, 400};
    try (StoreGroup group = new StoreGroup(4, this::open)) {
      assertThat(group.store(0).tolerance()).isEqualTo(1);
      group.checkpoint(id, sizes, 1);
      group.loseNode(1);
      group.loseNode(3);
      int[] both = {group.rank(1), group.rank(3)};
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, both)),
          UnrecoverableException.class,
          "checkpoint 12 (loop 0, iteration 120)",
          "[4, 10]",
          "group of 4 ranks [1, 4, 7, 10] brings back one");
      // The same when the caller knows of one only.
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, new int[] {both[0]})),
          UnrecoverableException.class,
          "[4, 10]");
    }
  }

  @Test
  void aSurvivorsNodeThatDiesDuringRebuildMakesTwoLost() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(id, new long[] {1000, 2000, 3000}, 1);
      group.loseNode(0);
      group.network().dieAt(group.rank(1), 5);
      assertThat(died(group.attempt((store, i) -> store.rebuild(id, new int[] {1})))).isTrue();
      group.network().nextEpoch();
      group.loseNode(1);
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, new int[] {1, 4})),
          UnrecoverableException.class,
          "[1, 4]");
    }
  }
}
