package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Agreement;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of jobs that replace no rank. Rank r is on node r, where nothing else is said. */
final class LossesTest {
  private static final RecoveryPolicy SHRINK = new RecoveryPolicy.Shrink();
  private static final RecoveryPolicy END = new RecoveryPolicy.End(false, false);

  private final List<JobCommand> commands = new ArrayList<>();
  private int perNode = 1;

  private void on(Job job, JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
  }

  private void said(Job job, int rank, RankMessage message) {
    on(job, new JobEvent.FromNode(rank / perNode, new FromDaemon.Relayed(rank, 0, message)));
  }

  private void exits(Job job, int rank, int status, boolean signaled) {
    on(job, new JobEvent.FromNode(rank, new FromDaemon.RankExited(rank, 0, status, signaled)));
  }

  private void suspects(Job job, int by, int rank, boolean silence) {
    said(job, by, new RankMessage.Suspect(0, rank, 0, 0, "tcp", silence, "no sign of life"));
  }

  private void agrees(Job job, int rank, int call, Agreement kind) {
    said(job, rank, new RankMessage.Agrees(0, call, kind, new long[] {0b1111}, 1 << rank, rank));
  }

  /** A job with spares, so that a rank could be replaced. */
  private Job joining(int size, RecoveryPolicy policy) {
    List<JobSpec.Node> nodes = new ArrayList<>();
    for (int n = 0; n < size / perNode + 1; n++) {
      nodes.add(new JobSpec.Node("node" + n, perNode, n == size / perNode));
    }
    Job job =
        new JobController(
            new JobSpec(
                size,
                new JobSpec.Room(nodes, 0, OnNoSpare.SHARE),
                new JobSpec.Grouping(16, 1),
                new JobSpec.Recovery(Integer.MAX_VALUE, 0, policy),
                List.of()));
    job.begin();
    for (int n = 0; n < nodes.size(); n++) {
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    return job;
  }

  private Job connecting(int size, RecoveryPolicy policy) {
    Job job = joining(size, policy);
    for (int r = 0; r < size; r++) {
      said(job, r, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    }
    assertThat(told()).hasOnlyElementsOfType(JobMessage.Start.class);
    return job;
  }

  private Job running(int size, RecoveryPolicy policy) {
    Job job = connecting(size, policy);
    for (int r = 0; r < size; r++) {
      runs(job, r);
    }
    return job;
  }

  private void runs(Job job, int rank) {
    said(job, rank, new RankMessage.Connected(0, "tcp"));
    said(job, rank, new RankMessage.Running(0, -1, -1, false));
  }

  private void finish(Job job, int... ranks) {
    for (int r : ranks) {
      said(job, r, new RankMessage.Finished(0));
    }
  }

  /** What all ranks are told. */
  private List<JobMessage> told() {
    return commands.stream()
        .filter(JobCommand.ToAllNodes.class::isInstance)
        .map(c -> ((ToDaemon.ForwardAll) ((JobCommand.ToAllNodes) c).message()).message())
        .toList();
  }

  private List<ToDaemon> sent() {
    return commands.stream()
        .filter(JobCommand.ToNode.class::isInstance)
        .map(c -> ((JobCommand.ToNode) c).message())
        .toList();
  }

  private List<Notice> notices() {
    return commands.stream()
        .filter(JobCommand.Report.class::isInstance)
        .map(c -> ((JobCommand.Report) c).notice())
        .toList();
  }

  private <T extends JobCommand> List<T> all(Class<T> type) {
    return commands.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private JobCommand.End end() {
    assertThat(all(JobCommand.End.class)).as("%s", commands).hasSize(1);
    return all(JobCommand.End.class).getFirst();
  }

  private void assertDead(long seq, int rank, String by, String reason) {
    assertThat(told()).containsExactly(new JobMessage.Dead(seq, rank, by, reason));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  private static ToDaemon kill(int rank) {
    return new ToDaemon.KillRank(rank, 0);
  }

  private static ToDaemon agreed(int rank, long flags, long seq, int id) {
    return new ToDaemon.Forward(rank, 0, new JobMessage.Agreed(0, 0, flags, seq, id));
  }

  // ---- deaths

  @Test
  void deathsAreOneSequenceAndBeginNoEpoch() {
    Job job = running(4, SHRINK);
    exits(job, 2, 137, true);
    assertDead(1, 2, "daemon", "was killed by signal 9");
    assertThat(notices())
        .containsExactly(
            new Notice.RankFailed(0, 2, "daemon", "was killed by signal 9"),
            new Notice.Died(1, 2, 3, "daemon", "was killed by signal 9"));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankDying(0, 0)));
    assertDead(2, 0, "daemon", "was killed");
    assertThat(sent()).containsExactly(kill(0));
    exits(job, 0, 137, true);
    assertThat(told()).isEmpty();
    assertThat(notices()).containsExactly(new Notice.CauseKnown(0, 0, "was killed by signal 9"));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankSilent(1, 0)));
    assertDead(3, 1, "daemon", "was silent for too long");
    assertThat(sent()).containsExactly(kill(1));
    assertThat(job.recoveries()).isZero();
  }

  @Test
  void aBrokenConnectionKillsAndIsHeardOnce() {
    Job job = running(4, SHRINK);
    suspects(job, 0, 3, false);
    assertDead(1, 3, "rank 0 over the overlay", "no sign of life");
    assertThat(sent()).containsExactly(kill(3));
    suspects(job, 1, 3, false);
    assertThat(told()).isEmpty();
    suspects(job, 3, 0, false); // what the dead say does not count
    assertThat(commands).isEmpty();
    on(job, new JobEvent.RankKicked(1));
    assertDead(2, 1, "user", "was killed by a user");
    said(job, 2, new RankMessage.CannotContinue(0, "has no memory"));
    assertDead(3, 2, "itself", "has no memory");
  }

  @Test
  void aLostNodeIsTheDeathOfItsRanks() {
    Job job = running(3, SHRINK);
    on(job, new JobEvent.NodeLost(1, "its daemon ended"));
    assertDead(1, 1, "fmirun", "node1 lost: its daemon ended");
    on(job, new JobEvent.NodeLost(3, "a spare"));
    assertThat(told()).isEmpty();
  }

  @Test
  void ranksOfANodeThatIsSilentAloneAreDead() {
    Job job = running(3, SHRINK);
    on(job, new JobEvent.NodeSilent(1, true));
    assertDead(1, 1, "fmirun", "node1 is silent");
    assertThat(sent()).containsExactly(kill(1)); // before it may continue
    on(job, new JobEvent.NodeHeard(1));
    assertThat(told()).isEmpty();
    on(job, new JobEvent.NodeSilent(1, true));
    on(job, new JobEvent.NodeLost(1, "too long"));
    assertThat(told()).isEmpty();
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void whereMostNodesAreSilentAllWait() {
    Job job = running(3, SHRINK);
    on(job, new JobEvent.NodeSilent(1, false));
    on(job, new JobEvent.NodeSilent(2, false));
    assertThat(told()).isEmpty();
    suspects(job, 0, 1, false);
    assertThat(told()).isEmpty();
    on(job, new JobEvent.NodeHeard(1));
    on(job, new JobEvent.NodeLost(2, "silent for 30 s"));
    assertDead(1, 2, "fmirun", "node2 lost: silent for 30 s");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoeverIsAccusedIsExaminedOnceItsNodeIsHeard(boolean accusedBefore) {
    Job job = running(3, SHRINK);
    if (accusedBefore) {
      suspects(job, 0, 1, true);
    }
    int round = accusedBefore ? all(JobCommand.AwaitExamination.class).getFirst().round() : 0;
    on(job, new JobEvent.NodeSilent(1, false));
    on(job, new JobEvent.NodeSilent(2, false));
    if (!accusedBefore) {
      suspects(job, 0, 1, true);
      round = all(JobCommand.AwaitExamination.class).getFirst().round();
    }
    allAnswer(job, round);
    assertThat(told()).isEmpty();
    round = all(JobCommand.AwaitExamination.class).getFirst().round();
    on(job, new JobEvent.NodeHeard(1));
    assertThat(told()).isEmpty();
    allAnswer(job, round);
    assertThat(told()).containsExactly(new JobMessage.Alive(1));
  }

  @Test
  void beforeStartALostProcessIsReplaced() {
    Job job = joining(2, SHRINK);
    exits(job, 1, 137, true);
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    assertThat(told()).isEmpty();
  }

  // ---- the start and the end

  @Test
  void theLivingDoNotWaitForTheDeadToConnect() {
    Job job = connecting(3, SHRINK);
    runs(job, 0);
    runs(job, 1);
    exits(job, 2, 137, true);
    assertThat(told())
        .containsExactly(new JobMessage.Dead(1, 2, "daemon", "was killed by signal 9"));
    assertThat(notices()).contains(new Notice.AllRunning(0, -1, -1, 0));
    finish(job, 0);
    assertThat(told()).isEmpty();
    finish(job, 1);
    assertThat(told()).containsExactly(new JobMessage.Release());
  }

  @Test
  void theStatusIsThatOfTheLiving() {
    Job job = running(3, SHRINK);
    exits(job, 1, 3, false);
    finish(job, 2);
    exits(job, 0, 137, true); // the only one that was waited for
    assertThat(told())
        .containsExactly(
            new JobMessage.Dead(2, 0, "daemon", "was killed by signal 9"),
            new JobMessage.Release());
    exits(job, 2, 0, false);
    assertThat(end()).isEqualTo(new JobCommand.End(0, EndCause.ALL_ENDED, ""));
  }

  @Test
  void afterTheReleaseOnlyAKilledProcessIsDead() {
    Job job = running(3, SHRINK);
    finish(job, 0, 1, 2);
    exits(job, 0, 4, false);
    exits(job, 1, 137, true);
    assertThat(told()).isEmpty();
    assertThat(notices())
        .contains(new Notice.RankFailed(0, 1, "daemon", "was killed by signal 9 after Fmi.close"));
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(end().status()).isEqualTo(4);
    assertThat(end().cause()).isEqualTo(EndCause.ALL_ENDED);
  }

  @Test
  void theFirstLossGivesTheStatusIfAllAreLost() {
    Job job = running(2, SHRINK);
    suspects(job, 0, 1, false);
    exits(job, 0, 1, false);
    assertThat(all(JobCommand.End.class)).as("the status of rank 1 is not known").isEmpty();
    exits(job, 1, 139, true); // it was the cause, not the kill
    assertThat(end().status()).isEqualTo(139);
    assertThat(end().message()).startsWith("all ranks are lost; the first loss: rank 1 ");
  }

  @Test
  void allMayDieBeforeAnyRuns() {
    Job job = connecting(2, SHRINK);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankDying(0, 0)));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankDying(1, 0)));
    assertThat(all(JobCommand.End.class)).isEmpty();
    exits(job, 0, 137, true);
    assertThat(end().status()).isEqualTo(137);
  }

  @Test
  void ofAllRanksOnLostNodesTheStatusIs70() {
    Job job = running(2, SHRINK);
    on(job, new JobEvent.NodeLost(0, "gone"));
    on(job, new JobEvent.NodeLost(1, "gone too"));
    assertThat(end())
        .isEqualTo(
            new JobCommand.End(
                70, EndCause.ALL_LOST, "all ranks are lost; the first loss: node0 lost: gone"));
  }

  // ---- silence

  /** Has all daemons that are asked answer that they reach all others. */
  private void allAnswer(Job job, int round) {
    on(job, new JobEvent.ExaminationOver(round));
    for (JobCommand.Examine each : all(JobCommand.Examine.class)) {
      on(job, new JobEvent.Examined(each.node(), each.round(), List.of()));
    }
  }

  private void examined(Job job, int... unreachedByNode0) {
    int round = all(JobCommand.AwaitExamination.class).getFirst().round();
    on(job, new JobEvent.ExaminationOver(round));
    List<JobCommand.Examine> asked = all(JobCommand.Examine.class);
    List<JobCommand> last = List.of();
    for (JobCommand.Examine each : asked) {
      List<Integer> unreached = new ArrayList<>();
      for (int other : unreachedByNode0) {
        if (each.node() == 0) {
          unreached.add(other);
        }
      }
      on(job, new JobEvent.Examined(each.node(), each.round(), unreached));
      last = List.copyOf(commands);
    }
    assertThat(last).isNotEmpty();
  }

  @Test
  void aSilentProcessThatLivesIsTakenBack() {
    Job job = running(3, SHRINK);
    suspects(job, 0, 1, true);
    assertThat(told()).isEmpty();
    assertThat(sent()).isEmpty();
    examined(job);
    assertThat(told()).containsExactly(new JobMessage.Alive(1));
    assertThat(notices()).hasOnlyElementsOfType(Notice.FalsePositive.class);
    // At once again: something within it has failed.
    suspects(job, 2, 1, true);
    examined(job);
    assertDead(1, 1, "fmirun", "was silent again");
  }

  @Test
  void anAcquittalIsForgotten() {
    Job job = running(3, SHRINK);
    suspects(job, 0, 1, true);
    examined(job);
    JobCommand.AwaitExamination forgets = all(JobCommand.AwaitExamination.class).getFirst();
    on(job, new JobEvent.ExaminationOver(forgets.round()));
    suspects(job, 2, 1, true);
    examined(job);
    assertThat(told()).containsExactly(new JobMessage.Alive(1));
  }

  @Test
  void aDeathMeanwhileEndsTheExamination() {
    Job job = running(3, SHRINK);
    suspects(job, 0, 1, true);
    int round = all(JobCommand.AwaitExamination.class).getFirst().round();
    exits(job, 1, 137, true);
    assertDead(1, 1, "daemon", "was killed by signal 9");
    on(job, new JobEvent.ExaminationOver(round));
    assertThat(commands).isEmpty();
  }

  @Test
  void theNodeThatMostDoNotHearLosesItsRanks() {
    Job job = running(3, SHRINK);
    suspects(job, 1, 0, true);
    examined(job, 1, 2);
    assertDead(1, 0, "fmirun", "is lost because node0 and node1 cannot hear each other");
  }

  // ---- agreements

  @Test
  void agreementsWaitForTheLiving() {
    Job job = running(4, SHRINK);
    agrees(job, 0, 0, Agreement.SHRINK);
    agrees(job, 1, 0, Agreement.SHRINK);
    agrees(job, 3, 0, Agreement.SHRINK);
    assertThat(sent()).isEmpty();
    exits(job, 2, 137, true);
    assertThat(commands.indexOf(new JobCommand.ToNode(0, agreed(0, 0, 1, 3))))
        .as("after the death that it follows from")
        .isGreaterThan(
            commands.indexOf(
                new JobCommand.ToAllNodes(
                    new ToDaemon.ForwardAll(
                        new JobMessage.Dead(1, 2, "daemon", "was killed by signal 9")))));
    assertThat(sent()).containsExactly(agreed(0, 0, 1, 3), agreed(1, 0, 1, 3), agreed(3, 0, 1, 3));
  }

  @Test
  void ranksOfALostNodeReceiveNoAgreement() {
    perNode = 2;
    Job job = running(4, SHRINK);
    for (int r : new int[] {0, 1, 3}) {
      agrees(job, r, 0, Agreement.SHRINK);
    }
    on(job, new JobEvent.NodeLost(1, "closed by the peer"));
    assertThat(sent())
        .as("rank 3 has asked, and is on no node any more")
        .containsExactly(agreed(0, 0, 1, 3), agreed(1, 0, 1, 3));
  }

  @Test
  void differentCallsEndTheJob() {
    Job job = running(4, SHRINK);
    agrees(job, 0, 0, Agreement.SHRINK);
    agrees(job, 1, 0, Agreement.AGREE);
    assertThat(end().status()).isEqualTo(1);
    assertThat(end().message()).startsWith("rank 1 calls agree while rank 0 calls shrink");
  }

  @Test
  void aRevocationIsPassedOn() {
    Job job = running(2, SHRINK);
    said(job, 1, new RankMessage.Revokes(0, new long[] {0b11}));
    assertThat(sent())
        .containsExactly(
            new ToDaemon.Forward(0, 0, new JobMessage.Revoked(0)),
            new ToDaemon.Forward(1, 0, new JobMessage.Revoked(0)));
  }

  // ---- what there is not

  @Test
  void noCheckpointIsTaken() {
    Job job = running(2, SHRINK);
    on(job, new JobEvent.CheckpointAsked(7, false));
    assertThat(all(JobCommand.NotCheckpointed.class))
        .containsExactly(
            new JobCommand.NotCheckpointed(
                7, "the ranks of this job take no checkpoints, as lost ranks are not replaced"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ranksStayOnANodeThatIsAboutToBeLost(boolean soon) {
    Job job = running(2, SHRINK);
    on(job, new JobEvent.NodeLeaving(1, "a drain", soon));
    assertThat(told()).isEmpty();
    assertThat(sent()).isEmpty();
    assertThat(notices())
        .containsExactly(
            new Notice.Degraded(
                "node1 is about to be lost: a drain; its ranks stay until they end or are lost with"
                    + " it, because lost ranks are not replaced"));
  }

  // ---- the end at the first loss

  @Test
  void theFirstLossEndsTheJobWithItsStatus() {
    Job job = running(2, END);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankDying(1, 0)));
    assertThat(told()).isEmpty();
    assertThat(all(JobCommand.End.class)).as("the cause is not known").isEmpty();
    exits(job, 1, 137, true);
    assertThat(end())
        .isEqualTo(new JobCommand.End(137, EndCause.LOSS_ENDS, "rank 1 was killed by signal 9"));
  }

  @Test
  void aFailedProgramEndsTheJobWithItsOwnStatus() {
    Job job = running(2, END);
    exits(job, 0, 5, false);
    assertThat(end().status()).isEqualTo(5);
    assertThat(end().cause()).isEqualTo(EndCause.PROGRAM_FAILED);
  }

  @Test
  void aProcessThatEndsTooEarlyFailsTheJob() {
    Job job = running(2, END);
    exits(job, 0, 0, false);
    assertThat(end().status()).isEqualTo(1);
  }

  @Test
  void aSilentProcessEndsTheJobOnceItIsKilled() {
    Job job = running(2, END);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankSilent(1, 0)));
    assertThat(sent()).containsExactly(kill(1));
    exits(job, 1, 137, true);
    assertThat(end().message()).isEqualTo("rank 1 was silent for too long");
    assertThat(end().status()).isEqualTo(137);
  }

  @Test
  void aLostNodeEndsTheJobWith70() {
    Job job = running(2, END);
    on(job, new JobEvent.NodeSilent(1, true));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    assertThat(all(JobCommand.End.class)).isEmpty();
    on(job, new JobEvent.NodeLost(2, "an unused spare"));
    assertThat(all(JobCommand.End.class)).isEmpty();
    on(job, new JobEvent.NodeLost(1, "silent for 30 s"));
    assertThat(end())
        .isEqualTo(new JobCommand.End(70, EndCause.LOSS_ENDS, "node1 lost: silent for 30 s"));
  }

  @Test
  void whatIsAccusedIsKilledBeforeTheJobEnds() {
    Job job = running(2, END);
    suspects(job, 0, 1, false); // on another node: examined first
    assertThat(all(JobCommand.End.class)).isEmpty();
    exits(job, 1, 137, true);
    assertThat(end().status()).isEqualTo(137);
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
  }
}
