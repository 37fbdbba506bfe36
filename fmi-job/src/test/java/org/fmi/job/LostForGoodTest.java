package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.job.JobSpec.OnNoSpare;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that waits for lost nodes ends once that is of no use. */
final class LostForGoodTest extends RunningJob {
  private static final String WHY = "gone";

  private Job losing(long version) {
    Job job = running(3, OnNoSpare.WAIT);
    commit(job, 0, version);
    on(job, new JobEvent.NodeLost(0, WHY));
    assertThat(all(JobCommand.End.class)).as("its group rebuilds what one has lost").isEmpty();
    return job;
  }

  @Test
  void twoOfAGroupThatRebuildsOneEndTheJob() {
    Job job = losing(1);
    on(job, new JobEvent.NodeLost(1, WHY));
    assertThat(all(JobCommand.End.class))
        .singleElement()
        .satisfies(end -> assertThat(end.cause()).isEqualTo(EndCause.CHECKPOINTS_LOST))
        .satisfies(end -> assertThat(end.message()).startsWith("ranks [0, 1] of one checkpoint"));
  }

  @Test
  void aProgramThatHasOnlyBegunWaitsAndStartsOver() {
    Job job = losing(0);
    on(job, new JobEvent.NodeLost(1, WHY));
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  /** The memory of the second one is kept. */
  @Test
  void theMemoryOfANodeWithoutADaemonCounts() {
    Job job = losing(1);
    on(job, new JobEvent.DaemonLost(1, WHY));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void itDoesNotOnceThatNodeIsLost() {
    Job job = losing(1);
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(all(JobCommand.End.class)).isEmpty();
    on(job, new JobEvent.NodeLost(1, WHY));
    assertThat(all(JobCommand.End.class))
        .extracting(JobCommand.End::cause)
        .containsExactly(EndCause.CHECKPOINTS_LOST);
  }

  /** What was rebuilt may be whole, whether or not the rank has said so. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theFirstOneMayHaveBeenRebuilt(boolean allRun) {
    Job job = losing(1);
    on(job, new JobEvent.NodeUp(0, MEMORY));
    assertThat(nodeOf(0)).isZero();
    if (allRun) {
      allRun(job, 1);
    } else {
      join(job, 1);
    }
    on(job, new JobEvent.NodeLost(1, WHY));
    assertThat(all(JobCommand.End.class)).isEmpty();
  }
}
