package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.node.SharedMemory;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.NodeMemory;
import org.fmi.testkit.contract.StoreGroup;
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
  void aCheckpointIsLostWithItsNodeAndBroughtBack() throws Exception {
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

  /** A creation that was interrupted leaves a file of any size. */
  @Test
  void whatAKilledProcessLeftIsNoCheckpoint() throws Exception {
    try (StoreGroup group = new StoreGroup(1, XorStoreInSharedMemoryTest::open, i -> memory)) {
      group.store(0).close();
      Files.createFile(directory.resolve("ckpt-r1-0"));
      Files.write(directory.resolve("ckpt-r1-1"), new byte[50]);
      Files.write(directory.resolve("ckpt-r1-2"), new byte[5000]);
      group.restart(0);
      assertThat(group.store(0).held()).isEmpty();
      group.checkpoint(StoreGroup.id(1), new long[] {20_000}, 1);
      assertThat(memory.list("")).containsExactly("ckpt-r1-0");
      // A complete one that was cut.
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
