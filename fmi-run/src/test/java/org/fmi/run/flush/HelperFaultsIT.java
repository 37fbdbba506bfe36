package org.fmi.run.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.run.Installation;
import org.fmi.run.e2e.Strace;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.PinnedImage;
import org.fmi.testkit.turns.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The process that writes checkpoints to files, as it is, where system calls fail or are its last:
 * strace sees to that. Before each call that changes something on files it is killed once.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class HelperFaultsIT {
  /** All of which a commit is made; a virtual machine itself makes none of them. */
  private static final List<String> CALLS =
      List.of("mkdir", "pwrite64", "fsync", "rename", "unlink", "rmdir");

  private static final MovingTarget REAL = new MovingTarget(new PosixTarget(), () -> {});
  private static final Path HOME = Path.of("target", "fmi").toAbsolutePath();
  private static final String JOB = "job";
  private static final int IMAGE_BYTES = 300_000;

  @TempDir private Path directory;

  @BeforeAll
  static void straceTraces() throws IOException, InterruptedException {
    Strace.require();
  }

  /**
   * How a helper ended.
   *
   * @param result null if it was killed
   * @param calls that strace has seen, a line each
   */
  private record Ended(@Nullable FlushResult result, List<String> calls) {
    private long count(String call) {
      return calls.stream().filter(line -> line.contains(" " + call + "(")).count();
    }
  }

  /** Runs a helper for a task. */
  private Ended run(FlushTask task, String... options) throws Exception {
    return run(List.of(), task, options);
  }

  /**
   * The same.
   *
   * @param first the command that is to start it
   */
  private Ended run(List<String> first, FlushTask task, String... options) throws Exception {
    Path log = Files.createTempFile(directory, "strace", ".txt");
    List<String> command = new ArrayList<>(first);
    command.addAll(List.of("strace", "-f", "-qq", "-y", "-o"));
    command.add(log.toString());
    command.add("-e");
    command.add("trace=" + String.join(",", CALLS));
    command.addAll(List.of(options));
    command.addAll(helper());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(Files.createTempFile(directory, "err", ".txt").toFile());
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    try (OutputStream to = process.getOutputStream()) {
      FlushCodec.write(to, task);
    }
    FlushResult result = FlushCodec.readResult(process.getInputStream(), () -> {});
    boolean killed = process.waitFor() != 0;
    return new Ended(killed ? null : result, Files.readAllLines(log));
  }

  /** As a daemon starts it: from the package, with the AOT cache of it. */
  private static List<String> helper() throws IOException {
    try (Stream<Path> files = Files.list(HOME.resolve("lib"))) {
      String daemonJars =
          files
              .map(Path::toString)
              .filter(file -> file.endsWith(".jar"))
              .sorted()
              .collect(Collectors.joining(File.pathSeparator));
      return new Installation(HOME).flushCommand(daemonJars, HOME + "/lib/aot");
    }
  }

  /** A fresh directory, in which a version counts. */
  private Path begin(String name) throws IOException {
    Path root = Files.createDirectories(directory.resolve(name));
    FlushTask.Write write = write(root, 4);
    assertThat(FlushMain.result(publish(write, FlushMain.result(write, REAL), 9), REAL))
        .isEqualTo(new FlushResult.Published());
    return root;
  }

  private FlushTask.Write write(Path root, long version) throws IOException {
    byte[] bytes = new byte[IMAGE_BYTES];
    new SplittableRandom(version).nextBytes(bytes);
    PinnedImage image = FlushMainTest.piece(bytes, directory, "l2-piece-" + version, version);
    return new FlushTask.Write(
        root.toString(),
        JOB,
        1,
        0,
        0,
        version,
        -1,
        0,
        directory.toString(),
        List.of(new FlushTask.OfRank(0, List.of(image))));
  }

  private static FlushTask.Publish publish(
      FlushTask.Write task, @Nullable FlushResult written, int keep) {
    if (!(written instanceof FlushResult.Written m)) {
      throw new AssertionError("not written: " + written);
    }
    Manifest manifest =
        new Manifest(
            JOB,
            1,
            new CheckpointId(task.version(), 0, 50, false),
            List.of(),
            new ProgramFacts("Main", List.of(), List.of()),
            JOB,
            null,
            List.of(new FileFacts(m.name(), m.bytes(), m.digest(), List.of(0))));
    return new FlushTask.Publish(task.directory(), JOB, task.version(), -1, manifest.text(), keep);
  }

  /** What counts; all of it must be whole. */
  private static List<String> versions(Path root) throws IOException {
    Catalog catalog = Catalog.of(root);
    assertThat(catalog.unusable()).isEmpty();
    List<String> names = new ArrayList<>();
    for (Generation each : catalog.generations()) {
      each.verify();
      names.add(each.manifest().name());
    }
    return names;
  }

  private static List<Path> regular(Path root, String pattern) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(path -> path.getFileName().toString().matches(pattern)).toList();
    }
  }

  /** One task in which it is killed, and what may count then. */
  private interface Killed {
    void before(String call, int number) throws Exception;
  }

  private void writeKilled(String call, int number) throws Exception {
    Path root = begin("write-" + call + number);
    Ended ended = run(write(root, 5), kill(call, number));
    assertThat(ended.result()).as("%s %d: %s", call, number, ended.calls()).isNull();
    assertThat(versions(root)).containsExactly("job/v4");
    // What was left behind is in nobody's way.
    FlushTask.Write again = write(root, 6);
    assertThat(FlushMain.result(publish(again, FlushMain.result(again, REAL), 1), REAL))
        .isEqualTo(new FlushResult.Published());
    assertThat(versions(root)).containsExactly("job/v6");
    assertThat(regular(root, "v\\d+")).hasSize(1);
  }

  private void publishKilled(String call, int number) throws Exception {
    Path root = begin("publish-" + call + number);
    FlushTask.Write write = write(root, 5);
    FlushTask.Publish publish = publish(write, FlushMain.result(write, REAL), 1);
    Ended ended = run(publish, kill(call, number));
    assertThat(ended.result()).as("%s %d: %s", call, number, ended.calls()).isNull();
    assertThat(versions(root))
        .isIn(List.of("job/v4"), List.of("job/v4", "job/v5"), List.of("job/v5"));
    // The job may have another node do it.
    assertThat(FlushMain.result(publish, REAL)).isEqualTo(new FlushResult.Published());
    assertThat(versions(root)).containsExactly("job/v5");
    assertThat(regular(root, "v\\d+")).hasSize(1);
  }

  private static String[] kill(String call, int number) {
    return new String[] {"-e", "inject=" + call + ":signal=KILL:when=" + number};
  }

  /** Kills it before each call of an undisturbed run, or every few. */
  private static int killBefore(Ended undisturbed, int step, Killed killed) throws Exception {
    int cases = 0;
    for (String call : CALLS) {
      long count = undisturbed.count(call);
      for (int number = 1; number <= count; number++) {
        if (cases++ % step == 0) {
          killed.before(call, number);
        }
      }
    }
    return cases;
  }

  private void killedAnywhere(int step) throws Exception {
    Path root = begin("undisturbed");
    FlushTask.Write write = write(root, 5);
    Ended written = run(write);
    Ended published = run(publish(write, written.result(), 1));
    assertThat(published.result()).isEqualTo(new FlushResult.Published());
    assertThat(versions(root)).containsExactly("job/v5");
    // Two directories, the file in two pieces, its name, and all of it forced.
    assertThat(killBefore(written, step, this::writeKilled)).isGreaterThanOrEqualTo(9);
    // The manifest, its name, all forced; then the older version goes.
    assertThat(killBefore(published, step, this::publishKilled)).isGreaterThanOrEqualTo(9);
  }

  @Test
  void killedNowAndThenItLeavesWholeVersions() throws Exception {
    killedAnywhere(5);
  }

  @Test
  @Wide
  void killedBeforeAnyCallItLeavesWholeVersions() throws Exception {
    killedAnywhere(1);
  }

  @ParameterizedTest
  @CsvSource({
    "pwrite64:error=ENOSPC:when=1, true, No space left on device",
    "pwrite64:error=EDQUOT:when=2, true, Disk quota exceeded",
    "fsync:error=ENOSPC:when=1, true, No space left on device",
    "pwrite64:error=EIO:when=1, false, Input/output error",
    "mkdir:error=EROFS:when=2, false, Read-only file system",
    "mkdir:error=EACCES:when=2, false, permission denied",
    "rename:error=EIO:when=1, false, Input/output error",
  })
  void whatFailsIsToldAndLeavesNothingBehind(String inject, boolean full, String reason)
      throws Exception {
    Path root = begin("fails");
    Ended ended = run(write(root, 5), "-e", "inject=" + inject);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed -> {
              assertThat(failed.full()).as(failed.reason()).isEqualTo(full);
              assertThat(failed.reason()).contains(root.toString()).contains(": " + reason);
            });
    assertThat(regular(root, ".*\\.tmp-.*")).isEmpty();
    assertThat(versions(root)).containsExactly("job/v4");
  }

  /** A limit lets the first part of a write through, as a file system may that is nearly full. */
  @Test
  void whatIsWrittenInPartLeavesNothingBehind() throws Exception {
    Path root = begin("short");
    int limit = IMAGE_BYTES / 2 + 7;
    Ended ended = run(List.of("prlimit", "--fsize=" + limit), write(root, 5));
    assertThat(ended.calls()).anyMatch(line -> line.endsWith(" = " + limit));
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed -> assertThat(failed.reason()).contains(root.toString(), "File too large"));
    assertThat(regular(root, ".*\\.tmp-.*")).isEmpty();
    assertThat(versions(root)).containsExactly("job/v4");
  }

  @Test
  void aFileThatWasNotForcedIsNeverForcedAgain() throws Exception {
    Path root = begin("forced");
    FlushTask.Write task = write(root, 5);
    Ended ended = run(task, "-e", "inject=fsync:error=EIO:when=1..2");
    assertThat(FlushMain.result(publish(task, ended.result(), 9), REAL))
        .isEqualTo(new FlushResult.Published());
    assertThat(versions(root)).containsExactly("job/v4", "job/v5");
    List<String> forced = forced(ended);
    assertThat(forced).hasSize(3).doesNotHaveDuplicates();
    assertThat(regular(root, ".*\\.tmp-.*")).isEmpty();

    Ended never = run(write(root, 6), "-e", "inject=fsync:error=EIO");
    assertThat(never.result())
        .isInstanceOfSatisfying(
            FlushResult.Failed.class,
            failed ->
                assertThat(failed.reason())
                    .endsWith(": Input/output error while forcing it to storage"));
    assertThat(forced(never)).hasSize(3).doesNotHaveDuplicates();
    assertThat(regular(root, ".*\\.tmp-.*")).isEmpty();
    assertThat(versions(root)).containsExactly("job/v4", "job/v5");
  }

  /** The files, not the directories, that were forced. */
  private static List<String> forced(Ended ended) {
    Pattern pattern = Pattern.compile(" fsync\\(\\d+<([^>]*\\.tmp-[^>]*)>");
    return ended.calls().stream()
        .map(pattern::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1))
        .toList();
  }
}
