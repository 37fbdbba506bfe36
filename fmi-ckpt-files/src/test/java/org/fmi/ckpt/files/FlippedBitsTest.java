package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointSource;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FileVersion;
import org.fmi.spi.Level2Plan;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whichever bit of whichever file flips, a read returns the written data, or the older generation
 * if the newer one is damaged.
 */
final class FlippedBitsTest {
  private static final int FLIPS = 1_000;
  private static final int EPOCH = 4;
  private static final int CHUNK_BYTES = 256 << 10;
  private static final List<Long> VERSIONS = List.of(9L, 5L);

  @TempDir private Path root;

  private final Map<String, byte[]> images = new HashMap<>();

  @BeforeEach
  void write() throws IOException {
    for (long version : VERSIONS) {
      List<FileFacts> files = new ArrayList<>();
      for (int node = 0; node < 2; node++) {
        NodeFileHead head = new NodeFileHead(Samples.JOB, Samples.SIZE, node, EPOCH, version);
        files.add(
            new NodeFileWriter(new PosixTarget(), CHUNK_BYTES)
                .write(root, head, images(version, node == 0 ? new int[] {0, 2} : new int[] {1})));
      }
      new Publication(new PosixTarget(), root).publish(Samples.manifest(version, files));
    }
  }

  /** Small images, as they are read a thousand times. */
  private List<NodeFileWriter.Image> images(long version, int[] ranks) {
    List<NodeFileWriter.Image> written = new ArrayList<>();
    for (int rank : ranks) {
      for (CheckpointId id : List.of(Samples.ended(), Samples.line(version))) {
        byte[] bytes = new byte[5_000 + 1_001 * rank];
        new SplittableRandom(31 * id.version() + rank).nextBytes(bytes);
        images.put(rank + ":" + id, bytes);
        written.add(new NodeFileWriter.Image(rank, id, bytes.length, () -> Samples.content(bytes)));
      }
    }
    return written;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void flip(Path path, long bit) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(bit >> 3);
      int old = file.read();
      file.seek(bit >> 3);
      file.write(old ^ 1 << (bit & 7));
    }
  }

  /**
   * A bit of the first two pages, which hold headers, of the last page, which holds checksums, or
   * of any page.
   */
  private static long bit(SplittableRandom random, long bytes) {
    long bits = 8 * bytes;
    return switch (random.nextInt(3)) {
      case 0 -> random.nextLong(Math.min(bits, 8 * 8192));
      case 1 -> bits - 1 - random.nextLong(Math.min(bits, 8 * 200));
      default -> random.nextLong(bits);
    };
  }

  @Test
  void readsTheWrittenDataOrRefuses() throws IOException {
    List<Path> files = files();
    assertThat(files).as("of two versions: two nodes' files and a manifest").hasSize(6);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < FLIPS; i++) {
      Path file = files.get(i % files.size());
      long bit = bit(random, Files.size(file));
      flip(file, bit);
      boolean ofNewest = file.toString().contains(Names.version(9));
      String what = "bit " + bit + " of " + file;
      assertThat(versionThatANewJobTakes()).as(what).isEqualTo(ofNewest ? 5 : 9);
      if (!file.endsWith(Names.MANIFEST)) {
        int rank = file.endsWith(Names.nodeFile(0, EPOCH)) ? 2 : 1;
        long version = versionThatARunningJobTakes(rank);
        // The image of the file's other rank may be damaged.
        assertThat(version).as(what).isIn(ofNewest ? List.of(5L, 9L) : List.of(9L));
      }
      flip(file, bit);
    }
    assertThat(versionThatANewJobTakes()).isEqualTo(9);
  }

  /** The newest readable version; checks that it is as written. */
  private long versionThatANewJobTakes() throws IOException {
    for (long version : VERSIONS) {
      Generation generation = Catalog.of(root).find(Samples.JOB + "/v" + version);
      if (generation != null && isRead(generation)) {
        return version;
      }
    }
    return fail("no generation can be read");
  }

  private boolean isRead(Generation generation) throws IOException {
    try {
      for (FileFacts facts : generation.manifest().files()) {
        for (int rank : facts.ranks()) {
          for (CheckpointId id : generation.manifest().needed()) {
            try (NodeFile file = generation.open(facts)) {
              NodeFileEntry entry = file.find(rank, id);
              byte[] read = Samples.read(file.content(entry), entry.bytes());
              assertIsImage(rank, id, MemorySegment.ofArray(read));
            }
          }
        }
      }
      return true;
    } catch (UnusableException refused) {
      return false;
    }
  }

  private long versionThatARunningJobTakes(int rank) {
    CheckpointSource source =
        FileSource.of(
            RankConfigs.rank(rank, Samples.SIZE)
                .jobId(Samples.JOB)
                .level2(
                    new Level2Plan(10, root.resolve(Samples.JOB).toString(), List.of(), List.of()))
                .build(),
            Diagnostics.NONE);
    for (FileVersion version : source.offers(false)) {
      if (isRead(source, version, rank)) {
        return version.recoveryLine().version();
      }
    }
    return fail("no version can be read");
  }

  private boolean isRead(CheckpointSource source, FileVersion version, int rank) {
    try {
      for (CheckpointId id : version.needed()) {
        assertIsImage(rank, id, MemorySegment.ofArray(Samples.read(source, version, id)));
      }
      return true;
    } catch (UnusableException refused) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertIsImage(int rank, CheckpointId id, MemorySegment read) {
    MemorySegment expected =
        MemorySegment.ofArray(Objects.requireNonNull(images.get(rank + ":" + id)));
    assertThat(read.byteSize()).isEqualTo(expected.byteSize());
    assertThat(read.mismatch(expected)).as("rank %d, %s", rank, id).isNegative();
  }
}
