package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.job.EndCause;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.testkit.SimFaults;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;

/** The oracle believes no job that says why it has ended. */
final class OracleTest {
  private static final Shape SHAPE = Shape.plain(4, 1, OnNoSpare.ABORT);
  private static final long ITERATIONS = 6;
  private static final long ANSWER = ITERATIONS * (ITERATIONS - 1) / 2;

  /** Something that happens to rank 1, in the middle or after {@code Fmi.close}. */
  private interface Blow {
    void on(SimFaults faults, int rank);
  }

  private static Program program(boolean atEnd, Blow blow) {
    return (fmi, process, cluster) -> {
      long[] sum = new long[1];
      fmi.loop(
          ITERATIONS,
          n -> {
            fmi.world().barrier();
            if (!atEnd && n == 3 && fmi.epoch() == 0 && process.rank() == 1) {
              blow.on(cluster.faults(), 1);
              process.compute(1);
            }
            sum[0] += n;
          },
          sum);
      if (atEnd) {
        fmi.close();
        if (process.rank() == 1) {
          blow.on(cluster.faults(), 1);
          process.compute(1);
        }
      }
      return sum[0];
    };
  }

  private static JobSimulation job(boolean atEnd, Blow blow) {
    return new JobSimulation(1, SHAPE, SimModel.calm(), program(atEnd, blow));
  }

  private static Outcome tooLate() {
    return new Outcome(70, EndCause.LOST_WHILE_ENDING, "rank 1 was lost", 0, 0, 0);
  }

  private static Outcome killedLate() {
    return new Outcome(128 + 9, EndCause.ALL_ENDED, "rank 1 was killed", 0, 0, 0);
  }

  private static void assertNotBelieved(JobSimulation job) {
    assertThat(job.judge(tooLate(), ANSWER).allowed()).as(job.story()).isFalse();
    assertThat(job.judge(killedLate(), ANSWER).allowed()).as(job.story()).isFalse();
  }

  @Test
  void nothingWasLostAfterTheEndOfAJobThatFinished() {
    JobSimulation job = job(true, (faults, rank) -> {});
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(job.judge(outcome, ANSWER).allowed()).isTrue();
    assertNotBelieved(job);
  }

  @Test
  void earlierLossesAreNoReason() {
    for (Blow blow : new Blow[] {SimFaults::crash, (faults, rank) -> faults.crashNode(rank, 0)}) {
      JobSimulation job = job(false, blow);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as(job.story()).isZero();
      assertThat(job.judge(outcome, ANSWER).allowed()).isTrue();
      assertNotBelieved(job);
    }
  }

  @Test
  void aNodeIsLostAfterTheEnd() {
    JobSimulation job = job(true, (faults, rank) -> faults.crashNode(rank, 0));
    Outcome outcome = job.run();
    assertThat(outcome.cause()).as(job.story()).isEqualTo(EndCause.LOST_WHILE_ENDING);
    assertThat(job.judge(outcome, ANSWER).allowed()).as(job.story()).isTrue();
  }

  @Test
  void aProcessIsKilledAfterTheEnd() {
    JobSimulation job = job(true, SimFaults::crash);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(128 + 9);
    assertThat(job.judge(outcome, ANSWER).allowed()).as(job.story()).isTrue();
  }

  @Test
  void aProcessStandsStillAfterTheEnd() {
    JobSimulation job = job(true, (faults, rank) -> faults.freeze(rank, 60_000_000_000L));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(128 + 9);
    assertThat(job.judge(outcome, ANSWER).allowed()).as(job.story()).isTrue();
  }
}
