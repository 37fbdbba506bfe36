package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.junit.jupiter.api.Test;

/** What is decided when a user gives a running job more nodes. */
final class AddedNodesTest extends RunningJob {
  @Test
  void anAddedNodeIsStartedAndIsASpareThen() {
    Job job = running(2, OnNoSpare.ABORT);
    on(job, new JobEvent.NodeAdded(node(2)));
    assertThat(commands)
        .containsExactly(
            new JobCommand.Report(new Notice.NodeAdded(2, "node2", 1)),
            new JobCommand.AddNode(2, "node2", 1),
            new JobCommand.Launch(2));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    assertThat(all(JobCommand.Added.class)).containsExactly(new JobCommand.Added("node2"));
    commit(job, 0, 0);
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(nodeOf(1)).isEqualTo(2);
  }

  @Test
  void aLossWaitsForANodeThatIsBeingAdded() {
    Job job = running(2, OnNoSpare.ABORT);
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.End.class)).isEmpty();
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(2, MEMORY));
    assertThat(nodeOf(1)).isEqualTo(2);
  }

  @Test
  void anAddedNodeThatDoesNotComeUpChangesNothing() {
    Job job = running(2, OnNoSpare.SHARE);
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeLost(2, "no such host"));
    assertThat(commands)
        .contains(
            new JobCommand.Report(new Notice.NodeFailed(0, 2, "node2", "fmirun", "no such host")),
            new JobCommand.NotAdded("node2", "no such host"));
    assertThat(job.recoveries()).isZero();
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(nodeOf(1)).isZero();
  }

  @Test
  void aRankThatWaitsGetsTheAddedNode() {
    Job job = running(2, OnNoSpare.WAIT);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).containsExactly(new JobCommand.Launch(1));
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    assertThat(nodeOf(1)).isEqualTo(2);
  }

  /** Rank 2 shares the node of rank 0 or 1, and so one of them moves. */
  @Test
  void aRankBeyondTheSlotsOfItsNodeMovesBehindACheckpoint() {
    Job job = running(3, OnNoSpare.SHARE);
    on(job, new JobEvent.NodeLost(2, "gone"));
    int shared = nodeOf(2);
    allRun(job, 1);
    commit(job, 1, 0);
    assertThat(sent(ToDaemon.KillRank.class)).as("there is no room").isEmpty();
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    assertThat(sent(ToDaemon.KillRank.class)).as("not before a checkpoint").isEmpty();
    commit(job, 1, 1);
    assertThat(sent(ToDaemon.KillRank.class))
        .singleElement()
        .satisfies(kill -> assertThat(kill.node()).isEqualTo(shared));
    ToDaemon.KillRank moved = killed();
    on(
        job,
        new JobEvent.FromNode(
            shared, new FromDaemon.RankExited(moved.rank(), moved.incarnation(), 137, true)));
    assertThat(nodeOf(moved.rank())).isEqualTo(3);
    assertThat(commands)
        .contains(
            new JobCommand.Report(
                new Notice.Degraded(
                    "rank " + moved.rank() + " moves from node" + shared + " to node3")));
    allRun(job, 2);
    commit(job, 2, 2);
    assertThat(sent(ToDaemon.KillRank.class)).as("each has a slot").isEmpty();
    assertThat(job.recoveries()).isEqualTo(2);
  }

  @Test
  void aLostNodeIsStartedAgainUnderItsNumber() {
    Job job = running(2, OnNoSpare.SHARE);
    on(job, new JobEvent.NodeLost(1, "gone"));
    on(job, new JobEvent.NodeAdded(node(1)));
    assertThat(commands).containsExactly(new JobCommand.Launch(1));
    on(job, new JobEvent.NodeAdded(node(1)));
    assertThat(commands).as("once is enough").isEmpty();
    allRun(job, 1);
    on(job, new JobEvent.NodeUp(1, MEMORY));
    assertThat(all(JobCommand.Added.class)).as("nobody waits for it").isEmpty();
    commit(job, 1, 0);
    ToDaemon.KillRank moved = killed();
    on(
        job,
        new JobEvent.FromNode(
            0, new FromDaemon.RankExited(moved.rank(), moved.incarnation(), 137, true)));
    assertThat(nodeOf(moved.rank())).isEqualTo(1);
  }

  /** The wish of the user is no reason to give up its memory, which may be back in a moment. */
  @Test
  void aNodeThatMayReturnIsStartedAgainOnceItIsLost() {
    Job job = running(2, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.DaemonLost(1, "gone"));
    on(job, new JobEvent.NodeAdded(node(1)));
    assertThat(commands).as("its daemon is being started again").isEmpty();
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).containsExactly(new JobCommand.Launch(1));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).as("the wish was granted").isEmpty();
  }

  @Test
  void aSilentNodeIsStartedAgainUnlessItReturns() {
    Job job = running(2, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeAdded(node(1)));
    on(job, new JobEvent.NodeHeard(1));
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).as("it had returned").isEmpty();
    on(job, new JobEvent.NodeAdded(node(1)));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeAdded(node(1)));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).containsExactly(new JobCommand.Launch(1));
  }

  @Test
  void whatBecomesOfAnAddedNodeIsAnsweredOnce() {
    Job job = running(2, OnNoSpare.SHARE);
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    assertThat(all(JobCommand.Added.class)).hasSize(1);
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(all(JobCommand.NotAdded.class)).isEmpty();
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeLost(3, "no such host"));
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    assertThat(all(JobCommand.Added.class)).isEmpty();
  }

  /** Its checkpoints would be lost, as nobody else has them. */
  @Test
  void aRankThatNobodyProtectsStaysBeyondTheSlots() {
    List<JobSpec.Node> nodes =
        List.of(new JobSpec.Node("node0", 1, false), new JobSpec.Node("node1", 1, false));
    Job job =
        new JobController(
            new JobSpec(
                2,
                new JobSpec.Room(nodes, 0, OnNoSpare.SHARE),
                new JobSpec.Grouping(16, 0),
                JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
                List.of()));
    job.begin();
    on(job, new JobEvent.NodeUp(0, MEMORY));
    on(job, new JobEvent.NodeUp(1, MEMORY));
    allRun(job, 0);
    on(job, new JobEvent.NodeLost(1, "gone"));
    allRun(job, 1);
    on(job, new JobEvent.NodeAdded(node(2)));
    on(job, new JobEvent.NodeUp(2, MEMORY));
    commit(job, 1, 0);
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
  }
}
