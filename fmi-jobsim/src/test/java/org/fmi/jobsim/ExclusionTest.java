package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimulationFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each row of {@link Exclusion} is true: beyond its bound the job is lost, below it the job
 * finishes. When the first test fails the row has been mended, and goes.
 */
final class ExclusionTest {
  private static final long HEARTBEAT = Exclusion.HEARTBEAT_NANOS;
  private static final long FOREVER = Long.MAX_VALUE;

  /** When the first checkpoints are committed, in a job of four ranks. */
  private static final long IN_THE_LOOP = 4_000;

  private static final Shape SHAPE = Shape.plain(4, 2, OnNoSpare.ABORT);
  private static final int MOST_RECOVERIES = 20;
  private static final long ITERATION = 5;

  private final Answers answers = new Answers();

  @ParameterizedTest
  @EnumSource
  void beyondTheBoundTheJobIsLost(Exclusion row) {
    JobSimulation job = beyond(row);
    Outcome outcome = run(job);
    if (outcome != null) {
      assertThat(outcome.status()).as("%s%n%s", row, job.story()).isEqualTo(70);
      assertThat(row.fits(outcome.cause())).as("%s%n%s", row, outcome).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void belowTheBoundItFinishes(Exclusion row) {
    JobSimulation job = below(row);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s%n%s", row, job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(answers.of(SHAPE.size()));
  }

  /** Null if it does not end. */
  private static @Nullable Outcome run(JobSimulation job) {
    try {
      return job.run();
    } catch (SimulationFailure e) {
      assertThat(e.getMessage()).containsAnyOf("not finished", "nothing is left to happen");
      return null;
    }
  }

  private static JobSimulation beyond(Exclusion row) {
    return switch (row) {
      case FMIRUN_SILENT -> with(step(Kind.PAUSE_FMIRUN, 0, 2 * HEARTBEAT));
      case DAEMON_SILENT ->
          with(
              step(Kind.PAUSE_DAEMON, 0, 3 * HEARTBEAT),
              new Step(Kind.PAUSE_DAEMON, 1, 0, 0, 0, 3 * HEARTBEAT));
      case CUT_BETWEEN_NODES -> cut(60 * HEARTBEAT);
      case KILLED_AGAIN_AND_AGAIN -> killedOften(Integer.MAX_VALUE);
      case START_WITHOUT_END -> hangs(FOREVER);
      case NO_ROOM -> with(new Step(Kind.FILL_MEMORY, 1, 0, 0, 100, FOREVER));
      case MEMORY_ERROR -> with(new Step(Kind.MEMORY_ERROR, 1, 0, 0, 100, 0));
    };
  }

  private static JobSimulation below(Exclusion row) {
    return switch (row) {
      case FMIRUN_SILENT -> with(step(Kind.PAUSE_FMIRUN, 0, HEARTBEAT * 9 / 10));
      case DAEMON_SILENT ->
          with(
              step(Kind.PAUSE_DAEMON, 0, HEARTBEAT * 9 / 10),
              new Step(Kind.PAUSE_DAEMON, 1, 0, 0, 0, HEARTBEAT * 9 / 10));
      case CUT_BETWEEN_NODES -> cut(Exclusion.CUT_NANOS * 9 / 10);
      case KILLED_AGAIN_AND_AGAIN -> killedOften(MOST_RECOVERIES / 2);
      case START_WITHOUT_END -> hangs(100 * HEARTBEAT);
      case NO_ROOM, MEMORY_ERROR -> with();
    };
  }

  private static Step step(Kind kind, int victim, long nanos) {
    return new Step(kind, victim, 0, 0, IN_THE_LOOP, nanos);
  }

  /** Two nodes do not hear each other, and no spare node is there to go to. */
  private static JobSimulation cut(long nanos) {
    Shape noSpare = Shape.plain(SHAPE.size(), 0, OnNoSpare.ABORT);
    JobSimulation job = new JobSimulation(1, noSpare, SimModel.calm(), Workload::run);
    job.inject(FaultPlan.of(new Step(Kind.PARTITION, 0, 1, 0, IN_THE_LOOP, nanos)));
    return job;
  }

  /** A rank is killed: its replacement lives, and does not join. */
  private static JobSimulation hangs(long nanos) {
    return with(
        new Step(Kind.JOIN_HANGS, 1, 0, 0, IN_THE_LOOP, nanos),
        new Step(Kind.KILL_RANK, 1, 0, 0, 0, 0));
  }

  private static JobSimulation with(Step... steps) {
    JobSimulation job = new JobSimulation(1, SHAPE, SimModel.calm(), Workload::run);
    job.inject(FaultPlan.of(steps));
    return job;
  }

  /** The system of the node that rank 1 is on at first kills it in that iteration. */
  private static JobSimulation killedOften(int times) {
    Shape shape = SHAPE.withMaxRecoveries(MOST_RECOVERIES);
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), Workload::run);
    job.faults().killAt(1, ITERATION, times);
    return job;
  }
}
