package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.fmi.Comm;
import org.fmi.node.SharedMemory;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.ImageContent;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.PinnedImage;
import org.fmi.testkit.contract.StoreGroup;
import org.fmi.testkit.support.ArrayContent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checkpoints in real shared memory survive their processes. */
class XorStoreInSharedMemoryTest {
  private Path directory = Path.of("/dev/shm");
  private SharedMemory memory = new SharedMemory(directory);

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "fmi-test-");
    memory = new SharedMemory(directory);
  }

  @AfterEach
  void removeDirectory() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void rebuildsACheckpointAfterTheLossOfItsNode() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    long[] sizes = {900_000, 100_000, 333_333};
    try (StoreGroup group =
        new StoreGroup(3, XorStoreInSharedMemoryTest::open, this::nodeDirectory)) {
      group.checkpoint(id, sizes, 77);
      for (int i = 0; i < 3; i++) {
        group.restart(i);
        assertThat(group.store(i).held()).containsExactly(id);
      }
      group.loseNode(2);
      assertThat(group.store(2).held()).isEmpty();
      group.run((store, i) -> store.rebuild(id, new int[] {group.rank(2)}));
      for (int i = 0; i < 3; i++) {
        assertThat(group.store(i).image(id).toArray(ValueLayout.JAVA_BYTE))
            .isEqualTo(StoreGroup.content(sizes[i], 77, i));
      }
    }
  }

  /** A pinned image stays readable as long as its name exists; then its memory is reused. */
  @Test
  void aPinnedImageStaysAsItWasUntilItsNameIsDeleted() throws Exception {
    long[] sizes = {900_000, 100_001, 333_333};
    try (StoreGroup group =
        new StoreGroup(3, XorStoreInSharedMemoryTest::open, this::nodeDirectory)) {
      CheckpointId first = StoreGroup.id(1);
      group.checkpoint(first, sizes, 1);
      PinnedImage pinned = Objects.requireNonNull(group.store(1).pin(first, "l2-v1-"));
      assertIsImage(pinned, StoreGroup.content(sizes[1], 1, 1));
      for (int version = 2; version < 6; version++) {
        group.checkpoint(StoreGroup.id(version), sizes, version);
        CheckpointId before = StoreGroup.id(version - 1);
        group.run((store, i) -> store.release(before));
        assertIsImage(pinned, StoreGroup.content(sizes[1], 1, 1));
      }
      assertThat(files("ckpt-r")).isEqualTo(7);
      group.restart(1);
      assertThat(group.store(1).held()).containsExactly(StoreGroup.id(5));
      group.checkpoint(StoreGroup.id(6), sizes, 6);
      assertIsImage(pinned, StoreGroup.content(sizes[1], 1, 1));

      Files.delete(file(pinned.piece()));
      group.run((store, i) -> store.release(StoreGroup.id(5)));
      for (int version = 7; version < 12; version++) {
        group.checkpoint(StoreGroup.id(version), sizes, version);
        CheckpointId before = StoreGroup.id(version - 1);
        group.run((store, i) -> store.release(before));
      }
      assertThat(files("ckpt-r")).isEqualTo(7);
      assertThat(files("l2-")).isZero();
    }
  }

  /** Checksums of blocks that arrived whole are trusted, not computed again. */
  @Test
  void imagesReadKeepTheirChecksums() throws Exception {
    int block = PieceLayout.BLOCK_BYTES;
    try (StoreGroup group = new StoreGroup(1, XorStoreInSharedMemoryTest::open, i -> memory)) {
      CheckpointStore store = group.store(0);
      long version = 0;
      for (int bytes : new int[] {1, block, 3 * block, 2 * block + 4097, 6 * block - 1}) {
        for (int most : new int[] {Integer.MAX_VALUE, block, block - 1}) {
          byte[] image = StoreGroup.content(bytes, version, 0);
          CheckpointId id = StoreGroup.id(++version);
          store.fill(id, bytes, () -> new ArrayContent(image, most, ""));
          store.protect(id);
          assertThat(store.intact(id)).isTrue();
          assertIsImage(Objects.requireNonNull(store.pin(id, "l2-" + id.version())), image);
          store.release(id);
        }
      }
    }
  }

  /** An image in an array, whose reader is killed after some bytes. */
  private record KilledAfter(ArrayContent content, int[] left) implements ImageContent {
    @Override
    public int read(ByteBuffer to) throws IOException {
      if (left[0] <= 0) {
        throw new AssertionError("killed");
      }
      int count = content.read(to);
      left[0] -= count;
      return count;
    }

    @Override
    public int sum() {
      return content.sum();
    }

    @Override
    public void close() {}
  }

  @Test
  void aProcessThatIsKilledWhileItReadsLeavesNoCheckpoint() throws Exception {
    int bytes = 3 * PieceLayout.BLOCK_BYTES + 5;
    try (StoreGroup group = new StoreGroup(1, XorStoreInSharedMemoryTest::open, i -> memory)) {
      group.checkpoint(StoreGroup.id(1), new long[] {1000}, 1);
      CheckpointId id = StoreGroup.id(2);
      byte[] image = StoreGroup.content(bytes, 2, 0);
      for (int after : new int[] {0, PieceLayout.BLOCK_BYTES, bytes - 1000}) {
        assertThatThrownBy(
                () ->
                    group
                        .store(0)
                        .fill(
                            id,
                            bytes,
                            () ->
                                new KilledAfter(
                                    new ArrayContent(image, 999, ""), new int[] {after})))
            .hasMessage("killed");
        group.restart(0);
        assertThat(group.store(0).held()).containsExactly(StoreGroup.id(1));
      }
      CheckpointStore store = group.store(0);
      store.fill(id, bytes, () -> new ArrayContent(image, 999, ""));
      store.protect(id);
      group.restart(0);
      assertThat(group.store(0).held()).containsExactly(StoreGroup.id(1), id);
      assertThat(group.store(0).image(id).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(image);
      assertThat(files("ckpt-r")).as("what was left is used or gone").isEqualTo(2);
    }
  }

  /** Reads the image block by block, as the helper does. */
  private void assertIsImage(PinnedImage pinned, byte[] content) throws IOException {
    byte[] piece = Files.readAllBytes(file(pinned.piece()));
    byte[] image =
        Arrays.copyOfRange(piece, (int) pinned.at(), (int) (pinned.at() + pinned.bytes()));
    assertThat(image).isEqualTo(content);
    int at = (int) pinned.at();
    CRC32C crc = new CRC32C();
    for (int i = 0; i < pinned.lengths().length; i++) {
      crc.reset();
      crc.update(piece, at, pinned.lengths()[i]);
      assertThat(pinned.sums()[i]).isEqualTo((int) crc.getValue());
      at += pinned.lengths()[i];
    }
    assertThat(at - pinned.at()).isBetween(pinned.bytes(), pinned.bytes() + 64);
  }

  private Path file(String name) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(each -> each.endsWith(name)).findFirst().orElseThrow();
    }
  }

  private long files(String prefix) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(each -> each.getFileName().toString().startsWith(prefix)).count();
    }
  }

  /** A creation that was interrupted leaves a file of any size. */
  @Test
  void aKilledProcessLeavesNoCheckpoint() throws Exception {
    try (StoreGroup group = new StoreGroup(1, XorStoreInSharedMemoryTest::open, i -> memory)) {
      group.store(0).close();
      Files.createFile(directory.resolve("ckpt-r1-0"));
      Files.write(directory.resolve("ckpt-r1-1"), new byte[50]);
      Files.write(directory.resolve("ckpt-r1-2"), new byte[5000]);
      group.restart(0);
      assertThat(group.store(0).held()).isEmpty();
      group.checkpoint(StoreGroup.id(1), new long[] {20_000}, 1);
      assertThat(memory.list("")).containsExactly("ckpt-r1-0");
      // A complete piece, truncated.
      Path file = directory.resolve("ckpt-r1-0");
      byte[] content = Files.readAllBytes(file);
      group.store(0).close();
      Files.write(file, Arrays.copyOf(content, 10_000));
      group.restart(0);
      assertThat(group.store(0).held()).isEmpty();
    }
  }

  private static CheckpointStore open(int rank, int[] group, Comm system, NodeMemory memory)
      throws IOException {
    return new XorStore(rank, group, 1, system, memory);
  }

  private SharedMemory nodeDirectory(int i) {
    try {
      return new SharedMemory(Files.createTempDirectory(directory, "node" + i + "-"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
