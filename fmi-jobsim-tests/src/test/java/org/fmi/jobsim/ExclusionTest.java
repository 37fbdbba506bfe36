package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each row of {@link Exclusion} is true: beyond its bound the job is lost, below it the job
 * finishes. When the first test fails the row has been mended, and goes.
 */
final class ExclusionTest {

  /** When the first checkpoints are committed, in a job of four ranks. */
  private static final long IN_THE_LOOP = 4_000;

  private static final Shape SHAPE = Shape.plain(4, 2, OnNoSpare.ABORT);
  private static final int MOST_WITHOUT_PROGRESS = 5;
  private static final long GRACE = SimCluster.GRACE_MILLIS * 1_000_000L;
  private static final long ITERATION = 5;

  private static final Shape WITHOUT_SPARE = Shape.plain(4, 0, OnNoSpare.ABORT);

  /** When the first checkpoints are committed, in a job of two ranks on one node. */
  private static final long EARLIER = 500;

  private static final Shape ON_ONE_NODE = Shape.plain(2, 1, OnNoSpare.ABORT).withRanksPerNode(2);

  private final Answers answers = new Answers();

  /**
   * A job, and faults for it.
   *
   * @param planned how many the plan has
   */
  private record Case(JobSimulation job, int planned) {}

  @ParameterizedTest
  @EnumSource
  void beyondTheBoundTheJobIsLost(Exclusion row) {
    for (Case beyond : beyond(row)) {
      JobSimulation job = beyond.job;
      if (row.finishes()) {
        assertThat(job.run().status()).as("%s%n%s", row, job.story()).isZero();
        assertThat(job.needed()).as("%s%n%s", row, job.story()).contains(row);
      } else {
        Outcome outcome = job.run();
        assertThat(outcome.status()).as("%s%n%s", row, job.story()).isEqualTo(70);
        assertThat(row.fits(outcome.cause())).as("%s%n%s", row, outcome).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void belowTheBoundItFinishes(Exclusion row) {
    for (Case below : below(row)) {
      JobSimulation job = below.job;
      Outcome outcome = job.run();
      assertThat(outcome.status()).as("%s%n%s", row, job.story()).isZero();
      assertThat(outcome.answer()).isEqualTo(answers.of(SHAPE.size()));
      assertThat(job.injected()).isEqualTo(below.planned);
      assertThat(job.faultsLeft()).as("%s%n%s", row, job.story()).isEmpty();
      assertThat(job.needed().contains(row) && row.finishes())
          .as("%s%n%s", row, job.story())
          .isFalse();
    }
  }

  private static List<Case> beyond(Exclusion row) {
    return switch (row) {
      case FMIRUN_SILENT -> List.of(with(step(Kind.PAUSE_FMIRUN, 0, 2 * GRACE)));
      case DAEMON_SILENT ->
          List.of(
              with(step(Kind.PAUSE_DAEMON, 0, 2 * GRACE), at(Kind.PAUSE_DAEMON, 1, 0, 2 * GRACE)));
      case ACCUSED ->
          List.of(
              with(ON_ONE_NODE, accused(Kind.FALSE_SUSPICION, EARLIER)),
              with(ON_ONE_NODE, accused(Kind.BREAK_CONNECTION, EARLIER)));
      case KILLED_AGAIN_AND_AGAIN -> List.of(killedOften(WITHOUT_SPARE, Integer.MAX_VALUE));
    };
  }

  private static List<Case> below(Exclusion row) {
    return switch (row) {
      case FMIRUN_SILENT -> List.of(with(step(Kind.PAUSE_FMIRUN, 0, GRACE)));
      case DAEMON_SILENT ->
          List.of(with(step(Kind.PAUSE_DAEMON, 0, GRACE), at(Kind.PAUSE_DAEMON, 1, 0, GRACE)));
      case ACCUSED ->
          List.of(
              with(accused(Kind.FALSE_SUSPICION, IN_THE_LOOP)),
              with(accused(Kind.BREAK_CONNECTION, IN_THE_LOOP)));
      case KILLED_AGAIN_AND_AGAIN ->
          List.of(
              killedOften(WITHOUT_SPARE, MOST_WITHOUT_PROGRESS),
              killedOften(SHAPE, Integer.MAX_VALUE));
    };
  }

  private static Step step(Kind kind, int victim, long nanos) {
    return at(kind, victim, IN_THE_LOOP, nanos);
  }

  private static Step at(Kind kind, int victim, long primitives, long nanos) {
    return new Step(kind, victim, 0, 0, primitives, nanos);
  }

  /** A rank is accused by its neighbor, though it lives. */
  private static Step accused(Kind kind, long primitives) {
    return new Step(kind, 0, 1, 0, primitives, 0);
  }

  private static Case with(Step... steps) {
    return with(SHAPE, steps);
  }

  private static Case with(Shape shape, Step... steps) {
    return with(1, shape, steps);
  }

  private static Case with(long seed, Shape shape, Step... steps) {
    JobSimulation job = calm(seed, shape);
    job.inject(FaultPlan.of(steps));
    return new Case(job, steps.length);
  }

  private static JobSimulation calm(long seed, Shape shape) {
    return new JobSimulation(seed, shape, SimModel.calm(), Workload::run);
  }

  /** The system of the node that rank 1 is on at first kills it in that iteration. */
  private static Case killedOften(Shape shape, int times) {
    JobSimulation job = calm(1, shape.withMostWithoutProgress(MOST_WITHOUT_PROGRESS));
    job.faults().killAt(1, ITERATION, times);
    return new Case(job, 0);
  }
}
