package org.fmi.run.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.fmi.ckpt.files.NodeFile;
import org.fmi.ckpt.files.NodeFileEntry;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.control.Pinned;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlushMainTest {
  private static final PosixTarget REAL = new PosixTarget();
  private static final int AT = 4096;
  private static final int BLOCK = 256 << 10;

  @TempDir Path directory;

  /** A piece with an image whose blocks are no multiples of those of a file. */
  private Pinned.Image piece(byte[] content, String name) throws IOException {
    int stored = (content.length + 63) / 64 * 64;
    int chunk = (stored / 2 + 63) / 64 * 64;
    byte[] piece = new byte[AT + stored + 100];
    System.arraycopy(content, 0, piece, AT, content.length);
    Files.write(directory.resolve(name), piece);
    int[] lengths = new int[8];
    int[] sums = new int[8];
    int count = 0;
    CRC32C crc = new CRC32C();
    for (int begin = 0; begin < stored; begin += chunk) {
      int end = Math.min(stored, begin + chunk);
      for (int at = begin; at < end; at += BLOCK) {
        lengths[count] = Math.min(BLOCK, end - at);
        crc.reset();
        crc.update(piece, AT + at, lengths[count]);
        sums[count++] = (int) crc.getValue();
      }
    }
    return new Pinned.Image(
        5,
        0,
        50,
        false,
        name,
        AT,
        content.length,
        Arrays.copyOf(lengths, count),
        Arrays.copyOf(sums, count));
  }

  private FlushTask task(Pinned.Image image) throws IOException {
    Path files = Files.createDirectories(directory.resolve("files"));
    return new FlushTask.Write(
        files.toString(),
        "job",
        1,
        0,
        0,
        5,
        directory.toString(),
        List.of(new FlushTask.OfRank(0, List.of(image))));
  }

  @Test
  void whatARankKeepsIsInTheFile() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int bytes : new int[] {1, 63, 64, 4096, BLOCK, BLOCK + 1, 1_000_001}) {
      byte[] content = new byte[bytes];
      random.nextBytes(content);
      FlushResult result = FlushMain.result(task(piece(content, "l2-piece")), REAL);
      assertThat(result).isInstanceOf(FlushResult.Written.class);
      Path path = directory.resolve("files/job/v0000000005/n0000-e0.fmi");
      try (NodeFile file = NodeFile.open(path)) {
        assertThat(file.facts().digest()).isEqualTo(((FlushResult.Written) result).digest());
        NodeFileEntry entry = file.entries().getFirst();
        ByteBuffer got = ByteBuffer.allocate((int) entry.bytes());
        file.read(entry, (at, block) -> got.put(block));
        assertThat(got.array()).isEqualTo(content);
      }
    }
  }

  @Test
  void memoryThatHasChangedIsNotWritten() throws IOException {
    byte[] content = new byte[600_000];
    Pinned.Image image = piece(content, "l2-piece");
    Path piece = directory.resolve("l2-piece");
    byte[] changed = Files.readAllBytes(piece);
    changed[AT + 599_999] ^= 1;
    Files.write(piece, changed);
    assertThat(FlushMain.result(task(image), REAL))
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed ->
                assertThat(failed.reason()).contains("the image of rank 0 has changed in memory"));
    try (var files = Files.walk(directory.resolve("files"))) {
      assertThat(files.filter(Files::isRegularFile)).isEmpty();
    }
  }

  @Test
  void aDirectoryThatIsGoneIsNamed() throws IOException {
    FlushTask task = task(piece(new byte[100], "l2-piece"));
    Files.delete(directory.resolve("files"));
    assertThat(FlushMain.result(task, REAL))
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed -> assertThat(failed.reason()).contains(directory.resolve("files").toString()));
  }
}
