package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.control.Notice;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.ToDaemon;
import org.fmi.run.options.Level2Options;
import org.fmi.run.status.Answer;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job of one rank that stops at a checkpoint, on whose files all goes well. */
final class CheckpointDeskTest {
  private static final long VERSION = 7;
  private static final CheckpointId BEGAN = new CheckpointId(5, 0, 10, false);
  private static final ProgramFacts PROGRAM = new ProgramFacts("Main", List.of(), List.of());

  private final List<JobEvent> asked = new ArrayList<>();
  private final List<String> stopped = new ArrayList<>();
  private final List<String> said = new ArrayList<>();

  /**
   * Stops the job.
   *
   * @param began where it began from files; null if anew
   * @param iteration where it stops
   */
  private void stopAt(@Nullable CheckpointId began, long iteration) {
    List<Generation> origins =
        began == null
            ? List.of()
            : List.of(
                new Generation(
                    Path.of("/files"),
                    new Manifest("job0", 1, began, List.of(), PROGRAM, "job0", null, List.of())));
    Level2Files files =
        new Level2Files(
            new Level2Options(Path.of("/files"), 100, 3600, 3600, 2, 1000, 0, null),
            "job1",
            1,
            PROGRAM,
            "job1",
            origins,
            List.of());
    FlushDesk flushes = new FlushDesk(files, 1, () -> 0, new NoWay());
    CheckpointDesk desk =
        new CheckpointDesk(
            asked::add, flushes, files, (status, message) -> stopped.add(status + " " + message));
    if (began != null) {
      String generation = origins.getFirst().manifest().name();
      desk.restored(new JobCommand.Restored(generation, began.loop(), began.iteration()));
    }
    new StopSoon(desk, said::add).ask("signal USR1");
    assertThat(asked).containsExactly(new JobEvent.CheckpointAsked(0, true));
    desk.taken(new JobCommand.Checkpointed(0, VERSION, 0, iteration));
    List<CheckpointId> needed = List.of(new CheckpointId(VERSION, 0, iteration, false));
    flushes.on(0, new Level2Report.Ready(0, needed, new int[] {0}));
    flushes.on(0, new Level2Report.Written(VERSION, "n0", 100, 7, new int[] {0}));
    assertThat(stopped).isEmpty();
    flushes.on(0, new Level2Report.Published(VERSION));
  }

  /** Where nothing is sent to, and nothing comes later. */
  private static final class NoWay implements FlushDesk.Way {
    @Override
    public void send(int node, ToDaemon message) {}

    @Override
    public void writeNext() {}

    @Override
    public void report(List<Notice> notices) {}

    @Override
    public void killRanks() {}

    @Override
    public void later(long millis, Runnable task) {}
  }

  @Test
  void aJobThatStopsOnFilesSaysHowToGoOn() {
    stopAt(null, 10);
    assertThat(stopped).singleElement().asString().startsWith("75 stopped at checkpoint 7");
    assertThat(stopped.getFirst()).endsWith("--restart-from job1/v7");
    assertThat(said)
        .containsExactly(
            "signal USR1; the job stops after writing its next checkpoint to files",
            "checkpoint 7 (iteration 10 of loop 0), in files: job1/v7");
  }

  @Test
  void oneThatHasComeFurtherThanWhereItBeganCanGoOn() {
    stopAt(BEGAN, 11);
    assertThat(stopped).singleElement().asString().startsWith("75 ");
  }

  /** Or a script would start it again forever. */
  @Test
  void oneThatStopsWhereItBeganHasFailed() {
    stopAt(BEGAN, 10);
    assertThat(stopped)
        .singleElement()
        .asString()
        .startsWith("70 stopped at checkpoint 7")
        .contains("job0/v5", "more time");
  }

  @Test
  void oneWithoutFilesGoesOn() {
    FlushDesk flushes = new FlushDesk(null, 1, () -> 0, new NoWay());
    CheckpointDesk desk = new CheckpointDesk(asked::add, flushes, null, (_, _) -> stopped.add(""));
    new StopSoon(desk, said::add).ask("signal USR1");
    assertThat(said).singleElement().asString().contains("continues").contains("--l2-dir");
    assertThat(asked).isEmpty();
    assertThat(stopped).isEmpty();
  }

  /** Takes what is said to the user, and how it ends. */
  private record Heard(List<String> said) implements Answer {
    @Override
    public boolean part(byte[] bytes) {
      if (bytes.length > 0) {
        said.add(new String(bytes, StandardCharsets.UTF_8).strip());
      }
      return true;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void end() {
      said.add("end");
    }

    @Override
    public void refuse(String reason) {
      said.add("refused: " + reason);
    }
  }

  @Test
  void aJobThatFollowsAnotherOneServesItsRequests() {
    CheckpointDesk last = withoutFiles();
    CheckpointDesk next = withoutFiles();
    next.hold();
    last.ask(new Heard(said), false);
    next.follow(last);
    last.end();
    assertThat(said).isEmpty();
    assertThat(asked).as("of the last job").hasSize(1);
    next.proceed();
    assertThat(asked).hasSize(2);
    next.taken(new JobCommand.Checkpointed(0, VERSION, 0, 10));
    next.end();
    assertThat(said).containsExactly("checkpoint 7 (iteration 10 of loop 0)", "end");
  }

  private CheckpointDesk withoutFiles() {
    return new CheckpointDesk(
        asked::add,
        new FlushDesk(null, 1, () -> 0, new NoWay()),
        null,
        (status, message) -> stopped.add(status + " " + message));
  }
}
