package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is decided when a daemon has ended and its host lives. */
final class LostDaemonsTest extends RunningJob {
  private static final String WHY = "the connection to its daemon broke";

  private Job ofOneNode(OnNoSpare policy) {
    Job job = running(1, policy);
    commit(job, 0, 0);
    on(job, new JobEvent.DaemonLost(0, WHY));
    return job;
  }

  private List<JobCommand.RestartDaemon> restarted() {
    return all(JobCommand.RestartDaemon.class);
  }

  @ParameterizedTest
  @EnumSource(OnNoSpare.class)
  void thatOfTheOnlyNodeIsRestarted(OnNoSpare policy) {
    Job job = ofOneNode(policy);
    assertThat(restarted()).containsExactly(new JobCommand.RestartDaemon(0));
    assertThat(all(JobCommand.KillNode.class)).as("its memory is kept").isEmpty();
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    assertThat(all(JobCommand.Recovering.class)).hasSize(1);
    on(job, new JobEvent.NodeUp(0, MEMORY));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    assertThat(nodeOf(0)).isZero();
    allRun(job, 1);
    assertThat(job.recoveries()).isOne();
  }

  @Test
  void itIsRestartedBeforeThereIsACheckpoint() {
    Job job = new JobController(spec(1, OnNoSpare.ABORT));
    job.begin();
    on(job, new JobEvent.NodeUp(0, MEMORY));
    on(job, new JobEvent.DaemonLost(0, WHY));
    assertThat(restarted()).hasSize(1);
    on(job, new JobEvent.NodeUp(0, MEMORY));
    assertThat(nodeOf(0)).isZero();
    allRun(job, 0);
  }

  /** Nothing makes its own node worse than another. */
  @ParameterizedTest
  @EnumSource(OnNoSpare.class)
  void beforeThereIsACheckpointRanksGoWhereTheyWere(OnNoSpare policy) {
    Job job = new JobController(spec(2, policy));
    job.begin();
    on(job, new JobEvent.NodeUp(0, MEMORY));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(1, MEMORY));
    assertThat(nodeOf(1)).isOne();
  }

  /**
   * A commit may be reported before the last rank has reported that it runs, and the end of a
   * daemon before the commit.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void checkpointsThatNobodyElseHasAreAwaitedFromTheFirstOn(boolean known) {
    Job job = new JobController(spec(2, OnNoSpare.SHARE, 0));
    job.begin();
    on(job, new JobEvent.NodeUp(0, MEMORY));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.DaemonLost(1, WHY));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    join(job, 0);
    for (int r = 0; r < 2; r++) {
      say(job, r, new RankMessage.Connected(0, "tcp"));
    }
    say(job, 0, new RankMessage.Running(0, 0, 0, false));
    if (known) {
      commit(job, 0, 0);
    }
    for (int i = 0; i < 2; i++) {
      on(job, new JobEvent.DaemonLost(1, WHY));
      assertThat(all(JobCommand.Spawn.class)).isEmpty();
      on(job, new JobEvent.NodeUp(1, MEMORY));
      assertThat(nodeOf(1)).isOne();
    }
  }

  /** The group of both could rebuild one; what a spare was rebuilding may be whole, or not. */
  @Test
  void checkpointsThatWereBeingRebuiltAreNoReasonToLeaveOthers() {
    Job job = withTwoSpares();
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(nodeOf(1)).isEqualTo(2);
    on(job, new JobEvent.NodeUp(1, MEMORY));
    join(job, 1);
    on(job, new JobEvent.DaemonLost(2, WHY));
    assertThat(nodeOf(1)).isNotEqualTo(2);
    on(job, new JobEvent.NodeUp(2, MEMORY));
    on(job, new JobEvent.NodeLost(0, "gone"));
    on(job, new JobEvent.FromNode(3, new FromDaemon.RankExited(1, 2, 137, true)));
    assertThat(nodeOf(1)).as("they are certainly there").isOne();
  }

  @Test
  void checkpointsThatWereBeingRebuiltMayBeTheLast() {
    Job job = withTwoSpares();
    on(job, new JobEvent.NodeAdded(node(4)));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(nodeOf(1)).isEqualTo(2);
    join(job, 1);
    on(job, new JobEvent.DaemonLost(2, WHY));
    assertThat(nodeOf(1)).isEqualTo(3);
    on(job, new JobEvent.NodeUp(4, MEMORY));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    on(job, new JobEvent.NodeLost(0, "gone"));
    assertThat(nodeOf(0)).isEqualTo(4);
    on(job, new JobEvent.FromNode(3, new FromDaemon.RankExited(1, 2, 137, true)));
    assertThat(nodeOf(1)).isEqualTo(2);
  }

  @Test
  void thatOfASpareIsNot() {
    Job job = withTwoSpares();
    on(job, new JobEvent.DaemonLost(3, WHY));
    assertThat(restarted()).isEmpty();
    assertThat(all(JobCommand.KillNode.class)).hasSize(1);
  }

  private Job withTwoSpares() {
    Job job = running(2, OnNoSpare.ABORT);
    for (int node : new int[] {2, 3}) {
      on(job, new JobEvent.NodeAdded(node(node)));
      on(job, new JobEvent.NodeUp(node, MEMORY));
    }
    commit(job, 0, 0);
    return job;
  }

  @Test
  void ranksGoToASpareAndTheirCheckpointsAreKept() {
    Job job = withTwoSpares();
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(restarted()).containsExactly(new JobCommand.RestartDaemon(1));
    assertThat(all(JobCommand.KillNode.class)).isEmpty();
    assertThat(nodeOf(1)).isEqualTo(2);
    on(job, new JobEvent.NodeUp(1, MEMORY));
    allRun(job, 1);
    commit(job, 1, 1);
    assertThat(sent(ToDaemon.Forget.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.Forget(1)));
  }

  /** The group of both could rebuild the checkpoints of one. */
  @Test
  void ranksReturnIfAnotherNodeOfTheirGroupIsLost() {
    Job job = withTwoSpares();
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(nodeOf(1)).isEqualTo(2);
    on(job, new JobEvent.NodeLost(0, "gone"));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.FromNode(2, new FromDaemon.RankExited(1, 1, 137, true)));
    assertThat(nodeOf(1)).isOne();
    assertThat(nodeOf(0)).isEqualTo(3);
    allRun(job, 2);
  }

  /** A daemon is back soon, and two ranks on the cores of one would be slow for good. */
  @Test
  void ranksDoNotShareAnotherNodeMeanwhile() {
    Job job = running(2, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(restarted()).hasSize(1);
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(1, MEMORY));
    assertThat(nodeOf(1)).isOne();
    allRun(job, 1);
  }

  @Test
  void checkpointsThatTheirGroupCannotRebuildAreNotGivenUp() {
    Job job = running(3, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeLost(1, "gone"));
    on(job, new JobEvent.DaemonLost(2, WHY));
    assertThat(restarted()).containsExactly(new JobCommand.RestartDaemon(2));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(2, MEMORY));
    assertThat(nodeOf(2)).isEqualTo(2);
    allRun(job, 1);
  }

  /** It has moved from there, and its group can no longer rebuild what it has left. */
  @Test
  void aRankThatMustReturnToItsNodeWaitsForIt() {
    List<JobSpec.Node> nodes =
        List.of(new JobSpec.Node("node0", 2, false), new JobSpec.Node("node1", 2, false), node(2));
    Placement placement =
        new Placement(
            new JobSpec(
                4,
                new JobSpec.Room(nodes, 0, OnNoSpare.ABORT),
                new JobSpec.Grouping(2, 1),
                JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
                List.of()));
    for (int node = 0; node < nodes.size(); node++) {
      assertThat(placement.up(node, MEMORY)).isTrue();
    }
    assertThat(placement.start()).isTrue();
    assertThat(placement.moveTo(0, 2, true, false)).isTrue();
    assertThat(placement.needsDaemon(0)).isTrue();
    assertThat(placement.awaitDaemon(0, true)).containsExactly(1);
    assertThat(placement.lost(1)).containsExactly(2, 3);
    assertThat(placement.returning()).containsExactly(0, 1);
    assertThat(placement.goBack(0)).isFalse();
    for (int rank = 0; rank < 2; rank++) {
      assertThat(placement.nodeOf(rank)).isNegative();
      assertThat(placement.choose(rank, false)).isEqualTo(new Placement.Choice.Later());
    }
    assertThat(placement.up(0, MEMORY)).isTrue();
    for (int rank = 0; rank < 2; rank++) {
      assertThat(placement.choose(rank, false)).isEqualTo(new Placement.Choice.At(0, false));
    }
  }

  @Test
  void anotherNodeServesTooOnceItIsThere() {
    Job job = running(3, OnNoSpare.ABORT);
    commit(job, 0, 0);
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(restarted()).hasSize(1);
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    assertThat(nodeOf(1)).isEqualTo(3);
    allRun(job, 1);
    commit(job, 1, 1);
    assertThat(sent(ToDaemon.Forget.class)).as("it has no daemon").isEmpty();
    on(job, new JobEvent.NodeUp(1, MEMORY));
    commit(job, 1, 2);
    assertThat(sent(ToDaemon.Forget.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.Forget(1)));
  }

  /** What it has left there may be of a version that was taken again without that node. */
  @Test
  void whatIsObsoleteOnTheNodeIsDeletedBeforeARankReturns() {
    Job job = running(3, OnNoSpare.ABORT);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    on(job, new JobEvent.DaemonLost(1, WHY));
    assertThat(nodeOf(1)).isEqualTo(3);
    allRun(job, 1);
    commit(job, 1, 1);
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.NodeLost(3, "gone"));
    assertThat(nodeOf(1)).isOne();
    assertThat(commands)
        .containsSubsequence(
            new JobCommand.ToNode(1, new ToDaemon.Forget(1)),
            all(JobCommand.Spawn.class).getFirst());
  }

  /** The first rank that is looked at may go anywhere once the second one is back. */
  @Test
  void aRankThatIsBackLetsAnotherOneOfItsGroupGoAnywhere() {
    Job job = running(2, OnNoSpare.ABORT);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    on(job, new JobEvent.DaemonLost(0, WHY));
    assertThat(nodeOf(0)).isEqualTo(2);
    on(job, new JobEvent.DaemonLost(1, WHY));
    on(job, new JobEvent.FromNode(2, new FromDaemon.RankExited(0, 1, 137, true)));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    assertThat(nodeOf(1)).isOne();
    assertThat(nodeOf(0)).isEqualTo(2);
    allRun(job, 2);
  }

  @Test
  void afterThreeAttemptsTheNodeIsLost() {
    Job job = ofOneNode(OnNoSpare.ABORT);
    for (int i = 0; i < 2; i++) {
      on(job, new JobEvent.DaemonLost(0, "its daemon ended with status 70"));
      assertThat(restarted()).hasSize(1);
      assertThat(all(JobCommand.Report.class))
          .extracting(JobCommand.Report::notice)
          .as("the node has failed once")
          .noneMatch(Notice.NodeFailed.class::isInstance);
    }
    on(job, new JobEvent.DaemonLost(0, "its daemon ended with status 70"));
    assertThat(restarted()).isEmpty();
    assertThat(all(JobCommand.KillNode.class)).hasSize(1);
    assertThat(all(JobCommand.End.class))
        .extracting(JobCommand.End::cause)
        .containsExactly(EndCause.NO_SPARE);
  }

  @Test
  void afterARecoveryThereAreThreeMore() {
    Job job = running(1, OnNoSpare.SHARE);
    for (int epoch = 1; epoch < 8; epoch++) {
      on(job, new JobEvent.DaemonLost(0, WHY));
      assertThat(restarted()).hasSize(1);
      on(job, new JobEvent.NodeUp(0, MEMORY));
      allRun(job, epoch);
      commit(job, epoch, epoch);
    }
  }
}
