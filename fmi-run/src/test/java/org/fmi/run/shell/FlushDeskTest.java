package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.JobCommand;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.ToDaemon;
import org.fmi.run.options.Level2Options;
import org.fmi.spi.CheckpointId;
import org.junit.jupiter.api.Test;

/** A job of one rank that takes a checkpoint each ten seconds. */
final class FlushDeskTest {
  private static final long SECOND = 1_000_000_000;
  private static final ProgramFacts PROGRAM = new ProgramFacts("Main", List.of(), List.of());

  private final List<Notice> notices = new ArrayList<>();
  private long now;
  private long version;
  private int asked;
  private final Deque<Runnable> later = new ArrayDeque<>();

  private FlushDesk desk(long every) {
    Level2Files files =
        new Level2Files(
            new Level2Options(Path.of("/files"), every, 3600, 3600, 2, 1000, 0, null),
            "job1",
            1,
            PROGRAM,
            "job1",
            List.of(),
            List.of());
    return new FlushDesk(files, 1, () -> now, new Asked());
  }

  /** Counts how often rank 0 is to choose the next one. */
  private final class Asked implements FlushDesk.Way {
    @Override
    public void send(int node, ToDaemon message) {}

    @Override
    public void writeNext() {
      asked++;
    }

    @Override
    public void report(List<Notice> told) {
      notices.addAll(told);
    }

    @Override
    public void killRanks() {}

    @Override
    public void later(long millis, Runnable task) {
      assertThat(millis).isEqualTo(1000);
      later.add(task);
    }
  }

  private void checkpoints(FlushDesk desk, int count) {
    for (int i = 0; i < count; i++) {
      now += 10 * SECOND;
      desk.committed(new JobCommand.Committed(0, ++version, SECOND));
    }
  }

  private void ready(FlushDesk desk) {
    List<CheckpointId> needed = List.of(new CheckpointId(version, 0, version, false));
    desk.on(0, new Level2Report.Ready(0, needed, new int[] {0}));
  }

  @Test
  void theFirstIsWrittenAfterAMinute() {
    FlushDesk desk = desk(Level2Options.TUNED);
    checkpoints(desk, 5);
    assertThat(asked).isZero();
    checkpoints(desk, 1);
    assertThat(asked).isOne();
  }

  @Test
  void whenOnesEndWasLateTheNextFollowsAtOnce() {
    FlushDesk desk = desk(Level2Options.TUNED);
    checkpoints(desk, 6);
    ready(desk);
    checkpoints(desk, 10);
    assertThat(asked).as("while one is being written").isOne();
    desk.on(0, new Level2Report.Failed(6, "the disk is full", true));
    assertThat(asked).isEqualTo(2);
    assertThat(notices).last().isInstanceOf(Notice.Level2Failed.class);
    assertThat(desk.summary()).isNotEmpty();
  }

  @Test
  void theEndWaitsLongerForOneThatWaitsForACore() {
    FlushDesk desk = desk(100);
    checkpoints(desk, 1);
    ready(desk);
    boolean[] over = {false};
    desk.finish(EndCause.ALL_ENDED, () -> over[0] = true);
    for (int i = 0; i < 5; i++) {
      desk.on(0, new Level2Report.Starved(version));
      later.remove().run();
      assertThat(over[0]).as("after %s s", i + 1).isFalse();
    }
    later.remove().run();
    assertThat(over[0]).isTrue();
    assertThat(later).isEmpty();
    assertThat(notices).last().isInstanceOf(Notice.Level2Failed.class);
  }

  @Test
  void noneIsAskedForInARecovery() {
    FlushDesk desk = desk(Level2Options.TUNED);
    checkpoints(desk, 6);
    ready(desk);
    checkpoints(desk, 10);
    desk.recovering();
    desk.on(0, new Level2Report.Failed(6, "the disk is full", true));
    assertThat(asked).isOne();
    checkpoints(desk, 1);
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void ranksChooseByThemselvesIfTheUserSaysHowOften() {
    FlushDesk desk = desk(100);
    checkpoints(desk, 100);
    assertThat(asked).isZero();
    assertThat(desk.summary()).isNotEmpty();
  }
}
