package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.fmi.Comm;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnrecoverableException;
import org.fmi.testkit.contract.CheckpointStoreContract;
import org.fmi.testkit.contract.StoreGroup;
import org.fmi.testkit.contract.StoreGroup.Task;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, and tests of this store's tolerance and layout. */
abstract class XorStoreSuite extends CheckpointStoreContract {
  /** So small that images of some blocks are quickly written and compared. */
  private static final int BLOCK_BYTES = 8 << 10;

  private final int losses;

  /**
   * @param losses the number of lost members that a group can rebuild
   */
  XorStoreSuite(int losses) {
    this.losses = losses;
  }

  @Override
  protected CheckpointStore open(int rank, int[] group, Comm system, NodeMemory memory)
      throws IOException {
    return new XorStore(rank, group, losses, BLOCK_BYTES, system, memory);
  }

  @Override
  protected int blockBytes() {
    return BLOCK_BYTES;
  }

  private int losses(int members) {
    return Math.min(losses, members - 1);
  }

  private PieceLayout layout(long[] sizes, int index) {
    return new PieceLayout(
        sizes.length,
        losses(sizes.length),
        sizes[index],
        Arrays.stream(sizes).max().orElseThrow(),
        BLOCK_BYTES);
  }

  /** The used parts of a member's only piece. */
  private byte[] piece(StoreGroup group, long[] sizes, int index) {
    return used(group.map(index).pieces().getLast(), layout(sizes, index));
  }

  /**
   * The parts of a piece that belong to a checkpoint: header and image at its beginning, the code
   * at its end.
   */
  static byte[] used(MemorySegment piece, PieceLayout layout) {
    int front = (int) (layout.imageAt() + layout.storedImageBytes());
    int code = (int) layout.totalBytes() - front;
    byte[] bytes = Arrays.copyOf(piece.toArray(ValueLayout.JAVA_BYTE), front + code);
    long end = piece.byteSize() / PieceLayout.ALIGNMENT * PieceLayout.ALIGNMENT;
    MemorySegment.copy(piece, ValueLayout.JAVA_BYTE, end - code, bytes, front, code);
    // The gap between the header and the image is never read.
    int header = CheckpointHeader.bytes(layout.members(), layout.losses());
    Arrays.fill(bytes, header, (int) layout.imageAt(), (byte) 0);
    // Nor is the padding of the rows of checksums.
    for (long block = 0; block < layout.blocks(); block++) {
      int table = (int) (layout.crcAt(0, block, end) - end) + bytes.length;
      int checksums = Integer.BYTES * layout.chunks();
      int whole = Math.ceilDiv(checksums, PieceLayout.ALIGNMENT) * PieceLayout.ALIGNMENT;
      Arrays.fill(bytes, table + checksums, table + whole, (byte) 0);
    }
    return bytes;
  }

  /** A block of a member's image with the zeros that are not stored. */
  private static byte[] block(PieceLayout layout, byte[] image, int chunk, long block) {
    int from = (int) (layout.blockAt(chunk, block, 0) - layout.imageAt());
    int bytes = layout.blockBytes(block);
    byte[] padded = Arrays.copyOf(image, Math.max(image.length, from + bytes));
    return Arrays.copyOfRange(padded, from, from + bytes);
  }

  private static byte[] times(int factor) {
    byte[] products = new byte[256];
    for (int b = 0; b < products.length; b++) {
      products[b] = (byte) Field.times(factor, b);
    }
    return products;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  void parityIsTheSumOfTheChunksItCovers(int members) throws Exception {
    long seed = 4711L + members;
    long[] sizes = randomSizes(new Random(seed), members);
    Stripes stripes = new Stripes(members, losses(members));
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, seed);
      for (int stripe = 0; stripe < members; stripe++) {
        for (int sum = 0; sum < stripes.losses(); sum++) {
          int holder = stripes.member(stripe, sum);
          PieceLayout layout = layout(sizes, holder);
          MemorySegment piece = group.map(holder).pieces().getFirst();
          for (long block = 0; block < layout.blocks(); block++) {
            byte[] expected = new byte[layout.blockBytes(block)];
            for (int place = stripes.losses(); place < members; place++) {
              int i = stripes.member(stripe, place);
              byte[] image = StoreGroup.content(sizes[i], seed, i);
              byte[] data = block(layout(sizes, i), image, stripes.chunk(place), block);
              byte[] times = times(Field.powerOfTwo(sum * (members - 1 - place)));
              for (int b = 0; b < data.length; b++) {
                expected[b] ^= times[Byte.toUnsignedInt(data[b])];
              }
            }
            long at = layout.blockAt(stripes.chunk(sum), block, piece.byteSize());
            MemorySegment parity = piece.asSlice(at, expected.length);
            assertThat(parity.mismatch(MemorySegment.ofArray(expected)))
                .as("sum %d of stripe %d of %d, block %d", sum, stripe, members, block)
                .isEqualTo(-1);
          }
        }
      }
    }
  }

  /** Each set of lost nodes, and a damaged image, which counts as lost. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void whatRanksHaveLeftIsReadFromTheOtherNodes(int members) throws Exception {
    long[] sizes = randomSizes(new Random(members), members);
    try (StoreGroup group = new StoreGroup(members, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      for (int lost = 0; lost <= losses(members); lost++) {
        for (int first = 0; first < members; first++) {
          assertIsRead(group, sizes, first, lost);
        }
      }
      MemorySegment damaged = group.map(0).pieces().getLast();
      long at = layout(sizes, 0).imageAt();
      if (sizes[0] > 0) {
        damaged.set(ValueLayout.JAVA_BYTE, at, (byte) ~damaged.get(ValueLayout.JAVA_BYTE, at));
        try (NodePieces pieces = new NodePieces(group.map(0), BLOCK_BYTES)) {
          assertThat(pieces.intact()).hasSize(1);
        }
      }
    }
  }

  private void assertIsRead(StoreGroup group, long[] sizes, int first, int lost)
      throws IOException {
    NodePieces[] nodes = new NodePieces[group.size()];
    byte[] header = null;
    for (int i = 0; i < nodes.length; i++) {
      if (Math.floorMod(i - first, nodes.length) >= lost) {
        nodes[i] = new NodePieces(group.map(i), BLOCK_BYTES);
        assertThat(nodes[i].intact()).hasSize(2);
        header = nodes[i].header(group.rank(i), StoreGroup.id(2));
      }
    }
    GroupImages images =
        new GroupImages(
            Objects.requireNonNull(header),
            group.ranks(),
            losses(nodes.length),
            BLOCK_BYTES,
            (rank, chunk, row) -> {
              NodePieces of = nodes[Arrays.binarySearch(group.ranks(), rank)];
              return of == null ? null : of.block(rank, StoreGroup.id(2), chunk, row);
            });
    for (int i = 0; i < nodes.length; i++) {
      byte[] image = new byte[(int) sizes[i]];
      images.read(group.rank(i), 0, MemorySegment.ofArray(image));
      assertThat(image).isEqualTo(StoreGroup.content(sizes[i], 2, i));
    }
    for (NodePieces each : nodes) {
      if (each != null) {
        each.close();
      }
    }
  }

  @Test
  void otherCheckpointsThanThoseNeededAreDeleted() throws Exception {
    try (StoreGroup group = new StoreGroup(2, this::open)) {
      long[] sizes = {1000, 2000};
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      try (NodePieces pieces = new NodePieces(group.map(0), BLOCK_BYTES)) {
        int rank = group.rank(0);
        pieces.keep(List.of(StoreGroup.id(2)));
        assertThat(pieces.header(rank, StoreGroup.id(1))).isNull();
        assertThat(pieces.block(rank, StoreGroup.id(2), 0, 0)).isNotNull();
        assertThat(pieces.block(rank, StoreGroup.id(2), 9, 0)).as("no such block").isNull();
        assertThat(group.map(0).list(NodeMemory.prefix(rank))).hasSize(1);
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
        // Smaller images fit as well.
        sizes = Arrays.stream(sizes).map(s -> Math.max(0, s - random.nextInt(1000))).toArray();
      }
      for (int i = 0; i < 3; i++) {
        assertThat(group.map(i).creations()).isEqualTo(creations[i]);
      }
    }
  }

  /**
   * Images grow and shrink, as with asynchronous checkpoints, which contain messages: not each
   * growth may allocate.
   */
  @Test
  void imagesThatGrowGetNewPiecesTwice() throws Exception {
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      int[] creations = new int[3];
      for (int version = 1; version <= 12; version++) {
        long[] sizes = {800_000 + 2_000 * version, 500_000, 700_000};
        group.checkpoint(StoreGroup.id(version), sizes, version);
        for (CheckpointStore store : group.stores()) {
          store.release(StoreGroup.id(version - 1));
        }
        assertImages(group, StoreGroup.id(version), sizes, version);
        for (int i = 0; i < 3; i++) {
          assertThat(group.map(i).list("ckpt-r" + group.rank(i) + "-"))
              .hasSize(Math.min(version, 2));
          if (version == 3) {
            creations[i] = group.map(i).creations();
          }
        }
        assertThat(group.store(0).memoryBytes())
            .isLessThanOrEqualTo(group.store(0).forecastBytes());
      }
      for (int i = 0; i < 3; i++) {
        assertThat(group.map(i).creations()).as("of rank %d", i).isEqualTo(creations[i]);
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
      // Larger images replace the free piece.
      group.stores().forEach(each -> each.release(StoreGroup.id(2)));
      long[] larger = {1_600_000, 1_600_000};
      group.checkpoint(StoreGroup.id(4), larger, 4);
      group.stores().forEach(each -> each.release(StoreGroup.id(3)));
      group.checkpoint(StoreGroup.id(5), larger, 5);
      assertThat(store.memoryBytes()).isEqualTo(store.forecastBytes()).isGreaterThan(forecast);
    }
  }

  /** A new process knows the parity's size only from the rebuilt image. */
  @Test
  void aReplacementNodeNeedsNoMoreMemory() throws Exception {
    long[] sizes = {700_000, 650_001, 20};
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(StoreGroup.id(1), sizes, 1);
      group.loseNode(1);
      int[] lost = {group.rank(1)};
      group.run((store, i) -> store.rebuild(StoreGroup.id(1), lost));
      group.map(1).limit(2 * layout(sizes, 1).totalBytes());
      group.checkpoint(StoreGroup.id(2), sizes, 2);
      assertImages(group, StoreGroup.id(2), sizes, 2);
      // A process that dies before its second checkpoint leaves only one.
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

  /** Offsets worth damaging. */
  private static long[] offsets(Region region, PieceLayout layout, MemorySegment piece) {
    long bytes = piece.byteSize();
    long last = layout.blocks() - 1;
    int chunk = layout.chunks() - 1;
    long parity = layout.blockAt(layout.imageChunks(), 0, bytes);
    long parityEnd = layout.blockAt(chunk, last, bytes) + layout.blockBytes(last);
    long table = layout.crcAt(0, 0, bytes);
    long tableEnd = layout.crcAt(chunk, last, bytes) + Integer.BYTES;
    return switch (region) {
      case HEADER -> new long[] {0, 8, 16, 24, 32, 40, 48, 56, 60, 64, 68, 72, 80, 88, 96};
      case IMAGE ->
          new long[] {
            layout.imageAt(),
            layout.imageAt() + layout.imageBytes() / 2,
            layout.imageAt() + layout.imageBytes() - 1
          };
      case PARITY -> new long[] {parity, parityEnd - 1};
      case TABLE -> new long[] {table, table + 5, tableEnd - 1};
    };
  }

  private static void flipBit(MemorySegment piece, long at) {
    piece.set(ValueLayout.JAVA_BYTE, at, (byte) (piece.get(ValueLayout.JAVA_BYTE, at) ^ 4));
  }

  @ParameterizedTest
  @EnumSource
  void aSpoiltByteIsNoticedAndRepaired(Region region) throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = threeImages();
    try (StoreGroup group = new StoreGroup(3, this::open)) {
      group.checkpoint(id, sizes, 8);
      MemorySegment piece = group.map(1).pieces().getFirst();
      for (long at : offsets(region, layout(sizes, 1), piece)) {
        flipBit(group.map(1).pieces().getFirst(), at);
        assertThat(group.store(1).intact(id)).as("%s, offset %d", region, at).isFalse();
        group.store(1).release(id);
        assertThat(group.store(1).held()).isEmpty();
        group.run((store, i) -> store.rebuild(id, new int[] {group.rank(1)}));
        assertImages(group, id, sizes, 8);
      }
    }
  }

  /**
   * A member that detects damage drops the checkpoint, which then counts as lost: that may be one
   * loss too many.
   */
  @ParameterizedTest
  @EnumSource
  void nothingIsRebuiltFromSpoiltParts(Region region) throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = threeImages();
    for (int spoilt = 0; spoilt < 2; spoilt++) {
      long[] all;
      try (StoreGroup group = new StoreGroup(3, this::open)) {
        group.checkpoint(id, sizes, 8);
        all = offsets(region, layout(sizes, spoilt), group.map(spoilt).pieces().getFirst());
      }
      for (long at : all) {
        try (StoreGroup group = new StoreGroup(3, this::open)) {
          group.checkpoint(id, sizes, 8);
          group.loseNode(2);
          flipBit(group.map(spoilt).pieces().getFirst(), at);
          Task rebuild = (store, i) -> store.rebuild(id, new int[] {group.rank(2)});
          @Nullable Throwable[] thrown = group.attempt(rebuild);
          if (group.store(0).tolerance() == 1) {
            assertAllThrow(
                thrown, UnrecoverableException.class, String.valueOf(group.rank(spoilt)));
            assertThat(group.store(2).held()).isEmpty();
            assertThat(group.store(spoilt).held()).isEmpty();
            assertThat(group.store(1 - spoilt).held()).containsExactly(id);
          } else {
            bringBackAgain(group, id, spoilt, thrown[0] != null);
            assertImages(group, id, sizes, 8);
          }
        }
      }
    }
  }

  /**
   * Repeats the next step of a recovery.
   *
   * @param refused whether the damage was detected, rather than not read
   */
  private static void bringBackAgain(StoreGroup group, CheckpointId id, int spoilt, boolean refused)
      throws Exception {
    assertThat(group.store(spoilt).held().isEmpty()).isEqualTo(refused);
    if (refused) {
      group.run((store, i) -> store.rebuild(id, new int[] {group.rank(spoilt), group.rank(2)}));
    } else if (!group.store(spoilt).intact(id)) {
      group.store(spoilt).release(id);
      group.run((store, i) -> store.rebuild(id, new int[] {group.rank(spoilt)}));
    }
    for (CheckpointStore store : group.stores()) {
      assertThat(store.intact(id)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8})
  void rebuildsTheLostImage(int members) throws Exception {
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
        for (int first = 0; first < members; first++) {
          int[] lost = new int[1 + round % losses(members)];
          for (int l = 0; l < lost.length; l++) {
            group.loseNode((first + l * l) % members);
            lost[l] = group.rank((first + l * l) % members);
          }
          group.run((store, i) -> store.rebuild(id, lost));
          for (int i = 0; i < members; i++) {
            assertThat(group.store(i).held()).containsExactly(id);
            assertThat(Arrays.equals(piece(group, sizes, i), before[i]))
                .as(
                    "piece of member %d of %d, lost %s, sizes %s, seed %d",
                    i, members, Arrays.toString(lost), Arrays.toString(sizes), seed)
                .isTrue();
          }
        }
        assertImages(group, id, sizes, seed);
      }
    }
  }

  @Test
  void oneTooManyIsUnrecoverableOnAllMembers() throws Exception {
    CheckpointId id = StoreGroup.id(12);
    long[] sizes = {100, 200, 300, 400, 500};
    try (StoreGroup group = new StoreGroup(5, this::open)) {
      assertThat(group.store(0).tolerance()).isEqualTo(losses);
      group.checkpoint(id, sizes, 1);
      int[] lost = new int[losses + 1];
      for (int l = 0; l <= losses; l++) {
        group.loseNode(l + 1);
        lost[l] = group.rank(l + 1);
      }
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, lost)),
          UnrecoverableException.class,
          "checkpoint 12 (loop 0, iteration 120)",
          Arrays.toString(lost),
          "group of 5 ranks [1, 4, 7, 10, 13] rebuilds " + losses);
      // The same if the caller knows of only one loss.
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, new int[] {lost[0]})),
          UnrecoverableException.class,
          Arrays.toString(lost));
    }
  }

  @Test
  void aSurvivorsNodeThatDiesDuringRebuildIsOneMoreLoss() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {1000, 2000, 3000, 4000, 5000};
    try (StoreGroup group = new StoreGroup(5, this::open)) {
      group.checkpoint(id, sizes, 1);
      int[] lost = new int[losses];
      for (int l = 0; l < losses; l++) {
        group.loseNode(l);
        lost[l] = group.rank(l);
      }
      group.network().dieAt(group.rank(losses), 5);
      assertThat(died(group.attempt((store, i) -> store.rebuild(id, lost)))).isTrue();
      group.network().nextEpoch();
      group.loseNode(losses);
      int[] all = Arrays.copyOf(lost, losses + 1);
      all[losses] = group.rank(losses);
      assertAllThrow(
          group.attempt((store, i) -> store.rebuild(id, all)),
          UnrecoverableException.class,
          Arrays.toString(all));
    }
  }
}
