package org.fmi.run.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.FullException;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.NodeFile;
import org.fmi.ckpt.files.NodeFileEntry;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.PinnedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlushMainTest {
  private static final MovingTarget REAL = new MovingTarget(new PosixTarget(), () -> {});
  private static final int AT = 4096;
  private static final int BLOCK = 256 << 10;

  @TempDir Path directory;

  /** A piece with an image whose blocks are no multiples of those of a file. */
  private PinnedImage piece(byte[] content, String name) throws IOException {
    return piece(content, directory, name, 5);
  }

  static PinnedImage piece(byte[] content, Path directory, String name, long version)
      throws IOException {
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
    return new PinnedImage(
        new CheckpointId(version, 0, 50, false),
        name,
        AT,
        content.length,
        Arrays.copyOf(lengths, count),
        Arrays.copyOf(sums, count));
  }

  private FlushTask task(PinnedImage image) throws IOException {
    Path files = Files.createDirectories(directory.resolve("files"));
    return new FlushTask.Write(
        files.toString(),
        "job",
        1,
        0,
        0,
        5,
        -1,
        0,
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
  void oneTaskIsDoneAfterTheOther() throws IOException {
    PinnedImage image = piece(new byte[1000], "l2-piece");
    ByteArrayOutputStream tasks = new ByteArrayOutputStream();
    for (long version = 5; version < 8; version++) {
      FlushCodec.write(tasks, task(image, version, -1));
    }
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    FlushMain.serve(new ByteArrayInputStream(tasks.toByteArray()), answers);

    InputStream from = new ByteArrayInputStream(answers.toByteArray());
    AtomicInteger moved = new AtomicInteger();
    for (int version = 5; version < 8; version++) {
      moved.set(0);
      assertThat(FlushCodec.readResult(from, moved::incrementAndGet))
          .isInstanceOf(FlushResult.Written.class);
      assertThat(moved.get()).isPositive();
      assertThat(directory.resolve("files/job/v000000000" + version)).isNotEmptyDirectory();
    }
    assertThat(FlushCodec.readResult(from, moved::incrementAndGet)).isNull();
  }

  /** So a process that has not begun is told from one that hangs where it writes. */
  @Test
  void itReportsThatItHasBegunBeforeItTouchesAFile() throws IOException {
    FlushTask task = task(piece(new byte[1000], "l2-piece"));
    Files.delete(directory.resolve("files"));
    ByteArrayOutputStream tasks = new ByteArrayOutputStream();
    FlushCodec.write(tasks, task);
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    FlushMain.serve(new ByteArrayInputStream(tasks.toByteArray()), answers);
    AtomicInteger moved = new AtomicInteger();
    assertThat(
            FlushCodec.readResult(
                new ByteArrayInputStream(answers.toByteArray()), moved::incrementAndGet))
        .isInstanceOf(FlushResult.Failed.class);
    assertThat(moved.get()).isOne();
  }

  @Test
  void memoryThatHasChangedIsNotWritten() throws IOException {
    byte[] content = new byte[600_000];
    PinnedImage image = piece(content, "l2-piece");
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

  /** A target with room for so many files at a time. */
  private static final class Small extends MovingTarget {
    private final Path root;
    private final int files;

    Small(Path root, int files) {
      super(REAL, () -> {});
      this.root = root;
      this.files = files;
    }

    @Override
    public Output create(Path file) throws IOException {
      try (Stream<Path> all = Files.walk(root)) {
        if (all.filter(Files::isRegularFile).count() >= files) {
          throw new FullException(file, "No space left on device");
        }
      }
      return super.create(file);
    }
  }

  private FlushTask.Write task(PinnedImage image, long version, long oldest) throws IOException {
    FlushTask.Write m = (FlushTask.Write) task(image);
    return new FlushTask.Write(
        m.directory(),
        m.job(),
        m.size(),
        m.node(),
        m.epoch(),
        version,
        oldest,
        0,
        m.pieces(),
        m.ranks());
  }

  private FlushTask.Publish publish(FlushTask.Write task, FlushResult written) {
    FlushResult.Written m = (FlushResult.Written) written;
    Manifest manifest =
        new Manifest(
            task.job(),
            1,
            new CheckpointId(task.version(), 0, 50, false),
            List.of(),
            new ProgramFacts("Main", List.of(), List.of()),
            task.job(),
            null,
            List.of(new FileFacts(m.name(), m.bytes(), m.digest(), List.of(0))));
    return new FlushTask.Publish(
        task.directory(), task.job(), task.version(), task.oldest(), manifest.text(), 9);
  }

  private void commit(PinnedImage image, long version, long oldest, MovingTarget target)
      throws IOException {
    FlushTask.Write write = task(image, version, oldest);
    FlushResult written = FlushMain.result(write, target);
    assertThat(FlushMain.result(publish(write, written), target))
        .isEqualTo(new FlushResult.Published());
  }

  private List<String> versions() throws IOException {
    return Catalog.of(directory.resolve("files")).generations().stream()
        .map(each -> each.manifest().name())
        .toList();
  }

  @Test
  void whereThereIsNoRoomTheOldestGenerationGoes() throws IOException {
    Files.createDirectories(directory.resolve("files"));
    MovingTarget target = new Small(directory.resolve("files"), 4);
    for (long version = 5; version < 10; version++) {
      PinnedImage image = piece(new byte[100], directory, "l2-piece", version);
      commit(image, version, version < 7 ? -1 : version - 2, target);
    }
    assertThat(versions()).containsExactly("job/v8", "job/v9");
    // The only one would not be named.
    PinnedImage image = piece(new byte[100], directory, "l2-piece", 10);
    assertThat(FlushMain.result(task(image, 10, -1), target))
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed -> {
              assertThat(failed.full()).isTrue();
              assertThat(failed.reason()).endsWith(": No space left on device");
            });
    assertThat(versions()).containsExactly("job/v8", "job/v9");
    // For the manifest, too.
    MovingTarget smaller = new Small(directory.resolve("files"), 5);
    commit(image, 10, 8, smaller);
    assertThat(versions()).containsExactly("job/v9", "job/v10");
  }

  @Test
  void aDirectoryThatIsGoneIsNamed() throws IOException {
    FlushTask task = task(piece(new byte[100], "l2-piece"));
    Files.delete(directory.resolve("files"));
    assertThat(FlushMain.result(task, REAL))
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed ->
                assertThat(failed.reason())
                    .isEqualTo(
                        directory
                            + "/files/job: does not exist; "
                            + directory
                            + "/files existed when the job started: is it still mounted?"));
  }
}
