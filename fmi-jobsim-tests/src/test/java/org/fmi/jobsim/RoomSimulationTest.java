package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes whose memory has no room, and systems that refuse it to a process. */
final class RoomSimulationTest {
  private static final int RANKS = 4;
  private static final long FOREVER = Long.MAX_VALUE;
  private static final long IN_THE_LOOP = 4_000;
  private static final long BEFORE_THE_LOOP = 0;

  /** When the spare nodes are up, too. */
  private static final long ALL_UP = 3_000;

  private static final int MILLIS_OF_A_KIND = 500;

  private static final Shape SHAPE = Shape.plain(RANKS, 2, OnNoSpare.ABORT);

  private final Answers answers = new Answers();

  /** What rolls back, and how checkpoints are taken. */
  enum How {
    GLOBAL,
    LOCAL,
    FLOW,
    OVERLAPPED,
    LOCAL_OVERLAPPED;

    private Shape of(Shape shape) {
      return switch (this) {
        case GLOBAL -> shape;
        case LOCAL -> shape.withLocalRollback(1 << 20);
        case FLOW -> shape.withFlowRollback(2);
        case OVERLAPPED -> shape.withOverlap();
        case LOCAL_OVERLAPPED -> shape.withOverlap().withLocalRollback(1 << 20);
      };
    }

    private Schedule of(long seed) {
      return switch (this) {
        case GLOBAL -> Schedule.of(seed);
        case LOCAL -> Schedule.ofLocal(seed);
        case FLOW -> Schedule.ofFlow(seed);
        case OVERLAPPED -> Schedule.ofOverlap(seed);
        case LOCAL_OVERLAPPED -> Schedule.ofBoth(seed);
      };
    }

    /** The first schedule from a seed on with faults of memory. */
    private Schedule from(long seed) {
      long with = seed;
      while (of(with).scenario() != Scenario.MEMORY) {
        with++;
      }
      return of(with);
    }
  }

  private static JobSimulation job(Shape shape, Step... steps) {
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), Workload::run);
    job.inject(FaultPlan.of(steps));
    return job;
  }

  private static Step fill(int node, long primitives) {
    return new Step(Kind.FILL_MEMORY, node, 0, 0, primitives, FOREVER);
  }

  private void assertFinishes(JobSimulation job) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s%n%s", outcome, job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(RANKS));
  }

  private static List<Notice.CheckpointSkipped> skipped(JobSimulation job) {
    return job.notices(Notice.CheckpointSkipped.class);
  }

  @ParameterizedTest
  @EnumSource
  void withoutRoomFromTheStartAJobRunsUnprotected(How how) {
    JobSimulation job = job(how.of(SHAPE), fill(1, BEFORE_THE_LOOP));
    assertFinishes(job);
    assertThat(skipped(job)).as(job.story()).isNotEmpty();
    Notice.CheckpointSkipped first = skipped(job).getFirst();
    assertThat(first.rank()).isEqualTo(1);
    assertThat(first.node()).isEqualTo(1);
    assertThat(first.inARow()).isEqualTo(1);
    assertThat(first.lastLoop()).as("there is none yet").isEqualTo(-1);
    assertThat(first.reason()).contains("bytes wanted").contains("free");
    assertThat(job.notices(Notice.CheckpointCommitted.class)).as(job.story()).isEmpty();
  }

  /** Then all processes start again, as nothing was saved. */
  @ParameterizedTest
  @EnumSource
  void aFailureOfAnUnprotectedJobStartsItAgain(How how) {
    FaultSpec late = new FaultSpec(false, 2, false, FaultPoint.ITERATION, 6);
    JobSimulation job = job(how.of(SHAPE).withFaults(late), fill(1, BEFORE_THE_LOOP));
    assertFinishes(job);
    assertThat(job.faultsLeft()).isEmpty();
    assertThat(job.notices(Notice.RecoveryBegun.class))
        .as(job.story())
        .anyMatch(Notice.RecoveryBegun::restartAll);
  }

  @ParameterizedTest
  @EnumSource
  void theLastCheckpointStaysWhereLaterOnesFindNoRoom(How how) {
    int injected = 0;
    for (long iteration = 1; iteration < 9; iteration++) {
      FaultSpec late = new FaultSpec(false, 2, false, FaultPoint.ITERATION, iteration);
      JobSimulation job = job(how.of(SHAPE).withFaults(late), fill(1, IN_THE_LOOP));
      assertFinishes(job);
      injected += job.faultsLeft().isEmpty() ? 1 : 0;
    }
    assertThat(injected).isPositive();
  }

  @Test
  void checkpointsAreTakenAgainOnceThereIsRoom() {
    Shape shape = SHAPE.withInterval(new CheckpointInterval.Every(1));
    boolean both = false;
    for (long nanos = 5_000_000; !both && nanos < 7_000_000; nanos += 50_000) {
      JobSimulation job = job(shape, new Step(Kind.FILL_MEMORY, 1, 0, 0, BEFORE_THE_LOOP, nanos));
      assertFinishes(job);
      both = !skipped(job).isEmpty() && !job.notices(Notice.CheckpointCommitted.class).isEmpty();
    }
    assertThat(both).isTrue();
  }

  /** One group has completed the first checkpoint after skipped ones, the other one has not. */
  @ParameterizedTest
  @EnumSource
  void aDeathInTheFirstCheckpointThatFindsRoomStartsTheJobAgain(How how) {
    Shape shape = how.of(SHAPE.withGroupSize(2).withInterval(new CheckpointInterval.Every(1)));
    int died = 0;
    for (long nanos = 5_000_000; nanos < 7_000_000; nanos += 50_000) {
      for (int rank = 0; rank < RANKS; rank++) {
        for (FaultPoint point : List.of(FaultPoint.ENCODE, FaultPoint.COMMIT)) {
          FaultSpec inIt = new FaultSpec(false, rank, false, point, 1);
          JobSimulation job =
              job(
                  shape.withFaults(inIt),
                  new Step(Kind.FILL_MEMORY, 1, 0, 0, BEFORE_THE_LOOP, nanos));
          assertFinishes(job);
          boolean first =
              !skipped(job).isEmpty()
                  && job.notices(Notice.RecoveryBegun.class).stream()
                      .anyMatch(Notice.RecoveryBegun::restartAll);
          died += first && job.faultsLeft().isEmpty() ? 1 : 0;
        }
      }
    }
    assertThat(died).isPositive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestsAreAnswered(boolean overlapped) {
    Shape shape = overlapped ? SHAPE.withOverlap() : SHAPE;
    JobSimulation job = job(shape, fill(1, BEFORE_THE_LOOP));
    job.askers().allow(5);
    assertFinishes(job); // its end checks that none is left without an answer
    assertThat(job.askers().taken()).as(job.story()).isZero();
  }

  @Test
  void aReplacementWithoutRoomMovesToAnotherNode() {
    FaultSpec nodeLost = new FaultSpec(true, 1, false, FaultPoint.ITERATION, 5);
    JobSimulation job = job(SHAPE.withFaults(nodeLost), fill(RANKS, ALL_UP));
    assertFinishes(job);
    assertThat(job.notices(Notice.Respawned.class).stream().map(Notice.Respawned::node))
        .as(job.story())
        .contains(RANKS)
        .endsWith(RANKS + 1);
    assertThat(job.notices(Notice.RankFailed.class))
        .as(job.story())
        .anyMatch(n -> n.by().equals("itself") && n.reason().contains("no room"));
  }

  @Test
  void aReplacementThatFindsRoomNowhereEndsTheJobWithTheReason() {
    FaultSpec nodeLost = new FaultSpec(true, 1, false, FaultPoint.ITERATION, 5);
    JobSimulation job =
        job(Shape.plain(RANKS, 1, OnNoSpare.ABORT).withFaults(nodeLost), fill(RANKS, ALL_UP));
    Outcome outcome = job.run();
    assertThat(outcome.cause()).as(job.story()).isEqualTo(EndCause.NEVER_RAN);
    assertThat(outcome.message()).contains("no room").doesNotContain("reach its host");
    assertThat(job.judge(outcome, answers.of(RANKS)).allowed()).isTrue();
  }

  @Test
  void anErrorOfTheSystemCostsOneProcess() {
    for (long primitives : new long[] {0, 100, 1_000, IN_THE_LOOP}) {
      JobSimulation job = job(SHAPE, new Step(Kind.MEMORY_ERROR, 1, 0, 0, primitives, 0));
      assertFinishes(job);
      assertThat(job.notices(Notice.RankFailed.class))
          .as(job.story())
          .filteredOn(n -> n.by().equals("itself"))
          .allMatch(n -> n.reason().contains("input/output error"))
          .hasSize(1);
    }
  }

  /** Full and failing memory at all times, beside deaths of processes. */
  @ParameterizedTest
  @EnumSource
  void jobsSurviveItAtAllTimes(How how) {
    Seeds.forMillis(
        MILLIS_OF_A_KIND,
        seed -> {
          Schedule schedule = how.from(31 * seed);
          FinishedJob.assertAllowed(schedule.judge(schedule.prepare(), answers));
        });
  }
}
