package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that reach fmirun and not each other; processes that are accused and live. */
final class LinksSimulationTest {
  private static final long HEARTBEAT = Exclusion.HEARTBEAT_NANOS;
  private static final long FOR_LONG = 100 * HEARTBEAT;
  private static final int RANKS = 4;

  /** When ranks are being connected, and when the first checkpoints are committed. */
  private static final long BEFORE_ALL_RUN = 100;

  private static final long IN_THE_LOOP = 4_000;

  private final Answers answers = new Answers();

  private static Shape shape(int ranks, int spares, OnNoSpare policy) {
    return Shape.plain(ranks, spares, policy);
  }

  private static JobSimulation job(Shape shape, Step... steps) {
    JobSimulation job = new JobSimulation(4, shape, SimModel.calm(), Workload::run);
    job.inject(FaultPlan.of(steps));
    return job;
  }

  private static Step cut(Kind kind, int node, int other, long primitives, long nanos) {
    return new Step(kind, node, other, 0, primitives, nanos);
  }

  private void assertFinished(JobSimulation job, Shape shape, int recoveries) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(shape));
    assertThat(outcome.recoveries()).as(job.story()).isBetween(1, recoveries);
  }

  /** Returns the new nodes of ranks that did not stay on the node with their number. */
  private static List<Integer> moves(JobSimulation job) {
    return job.notices(Notice.Respawned.class).stream()
        .filter(n -> n.node() != n.rank())
        .map(Notice.Respawned::node)
        .toList();
  }

  private static void assertNothingKilled(JobSimulation job) {
    assertThat(job.notices(Notice.Respawned.class)).as(job.story()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {BEFORE_ALL_RUN, IN_THE_LOOP})
  void aNodeThatIsCutFromAnotherAndFromTheSpareIsLeft(long when) {
    Shape shape = shape(RANKS, 1, OnNoSpare.ABORT);
    JobSimulation job =
        job(
            shape,
            cut(Kind.PARTITION, 0, 1, when, FOR_LONG),
            cut(Kind.PARTITION, 0, RANKS, 0, FOR_LONG));
    assertFinished(job, shape, 2);
    assertThat(moves(job)).as(job.story()).containsExactly(RANKS);
    assertThat(job.notices(Notice.Respawned.class)).anyMatch(n -> n.rank() == 0 && n.node() != 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {BEFORE_ALL_RUN, IN_THE_LOOP})
  void twoNodesThatNeverHearEachOther(long when) {
    Shape shape = shape(6, 1, OnNoSpare.ABORT);
    JobSimulation job = job(shape, cut(Kind.PARTITION, 0, 3, when, FOR_LONG));
    assertFinished(job, shape, 2);
    assertThat(moves(job)).as(job.story()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneDirection(boolean other) {
    Shape shape = shape(RANKS, 1, OnNoSpare.ABORT);
    int from = other ? 1 : 2;
    JobSimulation job = job(shape, cut(Kind.ONE_WAY, from, 3 - from, IN_THE_LOOP, FOR_LONG));
    assertFinished(job, shape, 2);
    assertThat(moves(job)).as(job.story()).hasSize(1);
  }

  @Test
  void withoutAFreeNodeBothEndsShareOne() {
    Shape shape = shape(RANKS, 0, OnNoSpare.SHARE);
    JobSimulation job = job(shape, cut(Kind.PARTITION, 0, 1, IN_THE_LOOP, FOR_LONG));
    assertFinished(job, shape, 2);
    assertThat(moves(job)).as(job.story()).hasSize(1);
  }

  @Test
  void withoutAFreeNodeTheJobWaitsForTheLink() {
    Shape shape = shape(RANKS, 0, OnNoSpare.WAIT);
    JobSimulation job = job(shape, cut(Kind.PARTITION, 0, 1, IN_THE_LOOP, FOR_LONG));
    assertFinished(job, shape, 2);
    assertNothingKilled(job);
  }

  @Test
  void withoutAFreeNodeTheJobEndsAndNamesTheLink() {
    Shape shape = shape(RANKS, 0, OnNoSpare.ABORT);
    JobSimulation job = job(shape, cut(Kind.PARTITION, 0, 1, IN_THE_LOOP, FOR_LONG));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(70);
    assertThat(outcome.cause()).isEqualTo(EndCause.LINKS_BROKEN);
    assertThat(outcome.message()).contains("node0 and node1 cannot hear each other");
    assertThat(job.judge(outcome, 0).allowed()).isTrue();
  }

  @Test
  void aLinkThatWorksAgainSoonEndsNoJob() {
    Shape shape = shape(RANKS, 0, OnNoSpare.ABORT);
    JobSimulation job = job(shape, cut(Kind.PARTITION, 0, 1, IN_THE_LOOP, 4 * HEARTBEAT));
    assertFinished(job, shape, 2);
    assertNothingKilled(job);
  }

  /** It lives, and all hear each other: nothing is killed. */
  @ParameterizedTest
  @EnumSource(names = {"FALSE_SUSPICION", "BREAK_CONNECTION"})
  void aProcessThatIsAccusedWithoutACauseContinues(Kind kind) {
    Shape shape = shape(RANKS, 0, OnNoSpare.ABORT);
    JobSimulation job = job(shape, cut(kind, 1, 2, IN_THE_LOOP, 0));
    assertFinished(job, shape, 1);
    assertNothingKilled(job);
    assertThat(job.notices(Notice.FalsePositive.class)).as(job.story()).isNotEmpty();
  }
}
