package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.junit.jupiter.api.Test;

/** What is decided while the daemon of a node is not heard. */
final class SilentNodesTest extends RunningJob {
  private Job withSpare(OnNoSpare policy) {
    Job job = running(3, policy);
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    commit(job, 0, 0);
    return job;
  }

  private void recovers(Job job, int epoch) {
    for (int r = 0; r < 3; r++) {
      say(job, r, new RankMessage.Joined(epoch, RankMessage.Position.IN_LOOP, Map.of()));
    }
    for (int r = 0; r < 3; r++) {
      say(job, r, new RankMessage.Connected(epoch, "tcp"));
      say(job, r, new RankMessage.Running(epoch, 0, 0, r == 1));
    }
  }

  @Test
  void itsRanksAreReplacedWhereThereIsAPlace() {
    Job job = withSpare(OnNoSpare.ABORT);
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(nodeOf(1)).isEqualTo(3);
    assertThat(all(JobCommand.KillNode.class)).as("its memory is kept").isEmpty();
    assertThat(sent(ToDaemon.KillRank.class))
        .as("before anything else, once it is heard")
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    recovers(job, 1);
    on(job, new JobEvent.NodeHeard(1));
    // What it says of its last process is no news.
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(commands).isEmpty();
    // It is a spare now, for others.
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(nodeOf(2)).isEqualTo(1);
  }

  @Test
  void withoutAPlaceAllWaitAndNothingIsLostIfItReturns() {
    Job job = running(3, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    assertThat(all(JobCommand.Recovering.class)).isEmpty();
    on(job, new JobEvent.NodeHeard(1));
    assertThat(commands)
        .containsExactly(new JobCommand.Report(new Notice.NodeHeard(0, 1, "node1")));
    assertThat(job.recoveries()).isZero();
  }

  @Test
  void whoAccusesItsRanksGetsAnEpochAndNobodyIsKilled() {
    Job job = running(3, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    say(job, 0, new RankMessage.Suspect(0, 1, 0, 0, "tcp", "silent"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    assertThat(all(JobCommand.ToAllNodes.class))
        .extracting(JobCommand.ToAllNodes::message)
        .contains(
            new ToDaemon.ForwardAll(new JobMessage.Revoke(1, JobMessage.Revoke.NONE, List.of())));
    on(job, new JobEvent.NodeHeard(1));
    recovers(job, 1);
    assertThat(job.recoveries()).isOne();
  }

  @Test
  void itIsLostAfterTheGrace() {
    Job job = running(3, OnNoSpare.SHARE);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeLost(1, "its daemon was silent"));
    assertThat(all(JobCommand.KillNode.class)).hasSize(1);
    assertThat(nodeOf(1)).isIn(0, 2);
    on(job, new JobEvent.NodeHeard(1));
    assertThat(commands).isEmpty();
  }

  @Test
  void ifMostAreSilentNobodyIsReplaced() {
    Job job = withSpare(OnNoSpare.ABORT);
    for (int node : new int[] {0, 1, 2}) {
      on(job, new JobEvent.NodeSilent(node, false));
      assertThat(all(JobCommand.Spawn.class)).isEmpty();
    }
    for (int node : new int[] {0, 1, 2}) {
      on(job, new JobEvent.NodeHeard(node));
    }
    assertThat(job.recoveries()).isZero();
  }

  @Test
  void twoOfAGroupAreNotReplacedAtOnce() {
    Job job = withSpare(OnNoSpare.ABORT);
    on(job, new JobEvent.NodeAdded(node(4)));
    on(job, new JobEvent.NodeUp(4, MEMORY));
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeSilent(2, true));
    assertThat(all(JobCommand.Spawn.class)).as("the other is being rebuilt").isEmpty();
    on(job, new JobEvent.NodeHeard(2));
    recovers(job, 1);
    assertThat(nodeOf(1)).isEqualTo(3);
    assertThat(nodeOf(2)).isEqualTo(2);
  }

  @Test
  void asManyAsTheGroupCanRebuildAreReplacedAtOnce() {
    Job job = running(4, OnNoSpare.ABORT, 2);
    for (int node : new int[] {4, 5, 6}) {
      on(job, new JobEvent.NodeAdded(node(node)));
      on(job, new JobEvent.NodeUp(node, MEMORY));
    }
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeSilent(2, true));
    assertThat(nodeOf(1)).isEqualTo(4);
    assertThat(nodeOf(2)).isEqualTo(5);
    on(job, new JobEvent.NodeSilent(3, true));
    assertThat(all(JobCommand.Spawn.class)).as("a third would be too many").isEmpty();
  }

  /** As when a node and the spare beside it are cut off by one switch. */
  @Test
  void aReplacementOnANodeThatFallsSilentIsReplacedAtOnce() {
    Job job = withSpare(OnNoSpare.ABORT);
    on(job, new JobEvent.NodeAdded(node(4)));
    on(job, new JobEvent.NodeUp(4, MEMORY));
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(nodeOf(1)).isEqualTo(3);
    on(job, new JobEvent.NodeSilent(3, true));
    assertThat(nodeOf(1)).as("it had nothing to wait for").isEqualTo(4);
    assertThat(sent(ToDaemon.KillRank.class))
        .contains(new JobCommand.ToNode(3, new ToDaemon.KillRank(1, 1)));
    recovers(job, 1);
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void itsCheckpointsAreUsedIfOthersAreLostMeanwhile() {
    Job job = withSpare(OnNoSpare.ABORT);
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(nodeOf(1)).isEqualTo(3);
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(all(JobCommand.End.class)).as("the silent node may return").isEmpty();
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(3, new ToDaemon.KillRank(1, 1)));
    on(job, new JobEvent.FromNode(3, new FromDaemon.RankExited(1, 1, 137, true)));
    assertThat(nodeOf(1)).isEqualTo(1);
    assertThat(nodeOf(2)).isEqualTo(3);
    on(job, new JobEvent.NodeHeard(1));
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void ranksThatWaitAreReplacedOnceThereIsAPlace() {
    Job job = running(3, OnNoSpare.ABORT);
    commit(job, 0, 0);
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeAdded(node(3)));
    on(job, new JobEvent.NodeUp(3, MEMORY));
    assertThat(nodeOf(1)).isEqualTo(3);
  }
}
