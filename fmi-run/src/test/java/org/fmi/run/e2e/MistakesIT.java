package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.fmi.run.docs.Markdown;
import org.fmi.testkit.turns.Turn;
import org.fmi.testkit.turns.Variants;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Makes every mistake of {@code docs/mistakes.md} in a real job, and expects of it what the table
 * says. Rows that are run alike share one job.
 */
@Execution(ExecutionMode.CONCURRENT)
final class MistakesIT {
  private static final Path HOME = Path.of("target", "fmi").toAbsolutePath();
  private static final Path CLASSES = Path.of("target", "test-classes").toAbsolutePath();

  /** A row's seconds are those of a machine that has nothing else to do. */
  private static final int PATIENCE = Integer.getInteger("fmi.tests.patience", 12);

  private static final Pattern SIGNAL = Pattern.compile("kill -([A-Z]+)");
  private static final Pattern SMALL_MEMORY = Pattern.compile("/dev/shm of (\\d+m)");

  private static final int MOST_TEXT = 1 << 20;

  /** How a job ended. */
  private record Ending(int status, String text) {}

  @TempDir private static Path directory;

  @BeforeAll
  static void files() throws IOException {
    Manifest plain = new Manifest();
    plain.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    try (JarOutputStream _ =
        new JarOutputStream(Files.newOutputStream(directory.resolve("no-main.jar")), plain)) {
      // It holds nothing.
    }
    byte[] newer =
        Files.readAllBytes(CLASSES.resolve(Mistakes.class.getName().replace('.', '/') + ".class"));
    newer[7]++; // the class file's major version
    Path file =
        directory.resolve("newer").resolve(Mistakes.class.getName().replace('.', '/') + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, newer);
  }

  /** Of every fourth job; a wide build makes those that are left out here. */
  @Tag(Variants.TAG)
  @TestFactory
  Stream<DynamicTest> mistakes() {
    List<List<String>> rows = table("what is wrong");
    List<String> jobs = rows.stream().map(MistakesIT::job).distinct().toList();
    Turn turn = new Turn();
    return tests(
        rows.stream()
            .filter(row -> turn.isMade(jobs.indexOf(job(row)) % 4 == 1, job(row)))
            .toList());
  }

  /** They need 12 GiB of memory. */
  @Wide
  @TestFactory
  Stream<DynamicTest> whatIsLarge() {
    return tests(table("what is large"));
  }

  private static List<List<String>> table(String first) {
    return Markdown.of("docs/mistakes.md").table(first, "fmirun", "status", "words", "seconds");
  }

  /** What is run for a row. */
  private static String job(List<String> row) {
    return row.get(1);
  }

  private static Stream<DynamicTest> tests(List<List<String>> rows) {
    Map<String, Integer> seconds = new HashMap<>();
    rows.forEach(row -> seconds.merge(job(row), Integer.parseInt(row.get(4)), Math::max));
    Map<String, FutureTask<Ending>> jobs = new HashMap<>();
    seconds.forEach((how, limit) -> jobs.put(how, new FutureTask<>(() -> run(how, limit))));
    return rows.stream()
        .map(
            row ->
                dynamicTest(
                    row.get(0),
                    () -> {
                      FutureTask<Ending> job = Objects.requireNonNull(jobs.get(job(row)));
                      job.run(); // does nothing if another row has done it
                      check(row, job.get());
                    }));
  }

  private static void check(List<String> row, Ending ending) {
    assertThat(ending.status())
        .as("%s%n%s", row, ending.text())
        .isEqualTo(Integer.parseInt(row.get(2)));
    assertThat(ending.text()).as("%s", row).contains(Markdown.code(row.get(3)));
  }

  private static Ending run(String how, int seconds) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
    Matcher memory = SMALL_MEMORY.matcher(how);
    if (memory.find()) {
      String mount = "mount -t tmpfs -o size=" + memory.group(1) + " none /dev/shm && exec \"$@\"";
      command.addAll(List.of("unshare", "-m", "--map-root-user", "sh", "-c", mount, "sh"));
    }
    command.add(HOME.resolve("bin/fmirun").toString());
    command.addAll(words(Markdown.code(how).getFirst()));
    Path out = Files.createTempFile(directory, "out", "");
    Traces traces = new Traces();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    traces.mark(builder.environment());
    builder.environment().merge("FMI_JVM_OPTIONS", "-Xmx64m", (all, heap) -> all + " " + heap);
    Process process = builder.start();
    try {
      Matcher signal = SIGNAL.matcher(how);
      if (signal.find()) {
        awaitLine(out, "ready", process);
        Traces.signal(signal.group(1), process.pid());
      }
      boolean ended = process.waitFor(seconds * (long) PATIENCE, TimeUnit.SECONDS);
      String text = text(out);
      assertThat(ended).as("%s does not end:%n%s", how, text).isTrue();
      traces.assertGone(text);
      return new Ending(process.exitValue(), text);
    } finally {
      traces.kill();
    }
  }

  /** The end of it, if it is long. */
  private static String text(Path out) throws IOException {
    long bytes = Files.size(out);
    try (InputStream in = Files.newInputStream(out)) {
      in.skipNBytes(Math.max(0, bytes - MOST_TEXT));
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          + "\n"
          + bytes
          + " bytes of output";
    }
  }

  /** The words of a command line, with the program's place filled in. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (String word : line.split(" ")) {
      if (word.equals("Mistakes")) {
        words.addAll(List.of("-cp", CLASSES.toString(), Mistakes.class.getName()));
      } else {
        words.add(word);
      }
    }
    return words;
  }

  private static void awaitLine(Path file, String line, Process process)
      throws IOException, InterruptedException {
    while (process.isAlive() && !Files.readString(file).contains(line)) {
      Thread.sleep(10); // polls what another process writes
    }
  }
}
