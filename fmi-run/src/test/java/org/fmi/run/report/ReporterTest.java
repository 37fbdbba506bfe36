package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec;
import org.fmi.run.options.RunOptions.Verbosity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** A file of events that does not respond: a pipe that nobody reads. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class ReporterTest {
  /** More than a pipe takes, 64 KiB. */
  private static final int EVENTS = 20_000;

  @TempDir private Path directory;

  private final List<String> said = new CopyOnWriteArrayList<>();
  private final BlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();

  private Path pipe() throws Exception {
    Path pipe = directory.resolve("events");
    Process made = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
    assertThat(made.waitFor()).isZero();
    return pipe;
  }

  /** Open for both, so that neither end waits for the other. */
  private static FileChannel both(Path pipe) throws Exception {
    return FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private Reporter reporter(Path file) throws IOException {
    JobSpec.Room room =
        new JobSpec.Room(List.of(new JobSpec.Node("a", 1, false)), 0, JobSpec.OnNoSpare.SHARE);
    JobSpec spec =
        new JobSpec(1, room, new JobSpec.Grouping(16, 1), JobSpec.Recovery.ofAll(1000), List.of());
    return new Reporter(said::add, Verbosity.QUIET, spec, new EventLog(file), lines::add);
  }

  private static Notice event(int number) {
    return new Notice.Submitted("job", "program " + number);
  }

  @Test
  void aFileThatHangsSilencesNothingElse() throws Exception {
    Path pipe = pipe();
    try (FileChannel _ = both(pipe)) {
      Reporter reporter = reporter(pipe);
      for (int i = 0; i < EVENTS; i++) {
        reporter.report(List.of(event(i)));
      }
      reporter.lines(List.of("after all events"));
      for (int i = 0; i < EVENTS; i++) {
        assertThat(lines.poll(30, TimeUnit.SECONDS))
            .as("event " + i + " for fmi events")
            .isNotNull();
      }
      reporter.close(100);
      assertThat(said).hasSize(2);
      assertThat(said.getFirst()).isEqualTo("after all events");
      assertThat(said.getLast()).matches("fmirun: --events: \\d+ events are missing .*");
    }
  }

  @Test
  void dropsAndCountsEventsThatFindNoRoom() throws Exception {
    Path pipe = pipe();
    try (FileChannel reader = both(pipe)) {
      byte[] line = new byte[1000];
      EventWriter writer = new EventWriter(new EventLog(pipe), 10_000, said::add);
      // The pipe takes up to 65 lines, the queue 10.
      IntStream.range(0, 200).forEach(_ -> writer.write(line));
      assertThat(said).hasSize(1);
      assertThat(said.getFirst()).contains("further ones are dropped");
      assertThat(reader.read(ByteBuffer.allocate(1 << 16))).isPositive();
      writer.close(20_000);
      assertThat(said).hasSize(2);
      assertThat(said.getLast()).contains("events are missing");
    }
  }

  @Test
  void allEventsAreWrittenToAFileThatResponds() throws Exception {
    Path file = directory.resolve("file");
    Reporter reporter = reporter(file);
    for (int i = 0; i < EVENTS; i++) {
      reporter.report(List.of(event(i)));
    }
    reporter.close(20_000);
    assertThat(Files.readAllLines(file)).hasSize(EVENTS);
    assertThat(said).isEmpty();
  }
}
