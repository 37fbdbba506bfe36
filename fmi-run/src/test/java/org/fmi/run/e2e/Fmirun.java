package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the packaged {@code fmirun} as a user would, and looks at what it leaves. */
final class Fmirun {
  private static final Path HOME = Path.of("target", "fmi").toAbsolutePath();

  /** Seconds after which a run counts as one that hangs. */
  private static final long LIMIT = Long.getLong("fmi.tests.limit", 120);

  private static final JsonFactory JSON = new JsonFactory();

  private static final Path EXAMPLES =
      Path.of("..", "examples", "target").toAbsolutePath().normalize();

  private final List<String> arguments = new ArrayList<>();
  private final Map<String, String> environment = new TreeMap<>();
  private final Path directory;
  private Path input = Path.of("/dev/null");
  private List<String> prefix = List.of();

  /**
   * A run to be started.
   *
   * @param directory where its output and events go
   */
  Fmirun(Path directory, String... arguments) {
    this.directory = directory;
    this.arguments.addAll(List.of(arguments));
  }

  static String example(String name) {
    return EXAMPLES.resolve(name + ".jar").toString();
  }

  Fmirun env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** A command that runs it. */
  Fmirun within(List<String> command) {
    prefix = command;
    return this;
  }

  /** Its standard input. */
  Fmirun input(Path file) {
    input = file;
    return this;
  }

  /** A run under way, which ends with its test. */
  final class Running implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;
    private final Path events;
    private final Traces traces = new Traces();

    /** The events read so far: a long job's are looked at very often. */
    private final List<Map<String, String>> known = new ArrayList<>();

    /** How many bytes of the file they are. */
    private long knownBytes;

    private Running() throws IOException {
      out = Files.createTempFile(directory, "out", ".txt");
      err = Files.createTempFile(directory, "err", ".txt");
      events = Files.createTempFile(directory, "events", ".jsonl");
      List<String> command = new ArrayList<>(prefix);
      command.add(HOME.resolve("bin/fmirun").toString());
      command.add("--events");
      command.add(events.toString());
      command.addAll(arguments);
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.redirectInput(input.toFile());
      traces.mark(builder.environment());
      builder.environment().putAll(environment);
      process = builder.start();
    }

    Process process() {
      return process;
    }

    /** Process ids of the ranks that run now, and of what stands by, those started first first. */
    List<Long> ranks() {
      return traces.processesByAge("RankMain");
    }

    /** Process ids of the daemons. */
    List<Long> daemons() {
      return traces.processes("DaemonMain");
    }

    /** Process ids of what writes checkpoints to files now. */
    List<Long> helpers() {
      return traces.processes("FlushMain");
    }

    /** What it has written to standard error so far. */
    String err() throws IOException {
      return Files.readString(err);
    }

    /** The events so far. */
    synchronized List<Map<String, String>> events() throws IOException {
      try (RandomAccessFile file = new RandomAccessFile(events.toFile(), "r")) {
        byte[] more = new byte[Math.toIntExact(file.length() - knownBytes)];
        file.seek(knownBytes);
        file.readFully(more);
        String text = new String(more, StandardCharsets.ISO_8859_1); // a byte is a character
        int end = text.lastIndexOf('\n') + 1;
        new String(more, 0, end, StandardCharsets.UTF_8)
            .lines()
            .map(Fmirun::parse)
            .forEach(known::add);
        knownBytes += end;
      }
      return List.copyOf(known);
    }

    /** The same as they are written. */
    String eventText() throws IOException {
      return Files.readString(events);
    }

    /** Waits until an event of this name is there. */
    void awaitEvent(String name, int count) throws IOException, InterruptedException {
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT / 2);
      while (events().stream().filter(e -> name.equals(e.get("event"))).count() < count) {
        if (!process.isAlive() || System.nanoTime() > limit) {
          throw new AssertionError(
              "no " + count + " events " + name + " before the end:\n" + Files.readString(err));
        }
        Thread.sleep(10); // polls a file that another process writes
      }
    }

    Result await() throws IOException, InterruptedException {
      if (!process.waitFor(LIMIT, TimeUnit.SECONDS)) {
        throw new AssertionError(
            "hangs: fmirun "
                + String.join(" ", arguments)
                + "\n"
                + Files.readString(out)
                + Files.readString(err));
      }
      Result result =
          new Result(process.exitValue(), Files.readString(out), Files.readString(err), events());
      result.events().stream()
          .filter(event -> "Submitted".equals(event.get("event")))
          .findFirst()
          .ifPresent(event -> traces.named(Objects.requireNonNull(event.get("job"))));
      assertThat(Files.size(events)).as("the last event is a whole line").isEqualTo(knownBytes);
      traces.assertGone(result.err());
      return result;
    }

    @Override
    public void close() throws IOException {
      traces.kill();
    }
  }

  Running start() throws IOException {
    return new Running();
  }

  Result run() throws IOException, InterruptedException {
    try (Running running = start()) {
      return running.await();
    }
  }

  /** How a run ended. */
  record Result(int status, String out, String err, List<Map<String, String>> events) {

    /** A value of the line {@code result key=value ...}. */
    String value(String key) {
      return out.lines()
          .filter(line -> line.startsWith("result "))
          .flatMap(line -> Stream.of(line.split(" ", -1)))
          .filter(word -> word.startsWith(key + "="))
          .map(word -> word.substring(key.length() + 1))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + key + " in the result:\n" + out + err));
    }

    Result succeeded() {
      assertThat(status).as("status; output:%n%s%n%s", out, err).isZero();
      return this;
    }

    /** Those of a name. */
    List<Map<String, String>> events(String name) {
      return events.stream().filter(e -> name.equals(e.get("event"))).toList();
    }

    long count(String event) {
      return events(event).size();
    }
  }

  private static Map<String, String> parse(String line) {
    try (JsonParser parser = JSON.createParser(line)) {
      Map<String, String> event = new LinkedHashMap<>();
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        event.put(name, parser.getText());
        parser.skipChildren();
      }
      return event;
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON: " + line, e);
    }
  }
}
