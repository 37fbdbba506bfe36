package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Single decisions; the whole protocol is tried over many schedules in {@code FreshSeedsTest}. */
final class JobControllerTest {
  private final List<JobCommand> commands = new ArrayList<>();

  /** The newest process of each rank that {@link #lose} has lost one of. */
  private final Map<Integer, JobCommand.Spawn> spawned = new HashMap<>();

  private JobController job(int size, int ppn, int nodes, OnNoSpare policy, FaultSpec... faults) {
    return job(size, ppn, nodes, policy, Integer.MAX_VALUE, List.of(faults));
  }

  private JobController job(
      int size, int ppn, int nodes, OnNoSpare policy, int maxRecoveries, List<FaultSpec> faults) {
    List<JobSpec.Node> all = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      all.add(new JobSpec.Node("node" + n, ppn, false));
    }
    return new JobController(
        new JobSpec(
            size,
            new JobSpec.Room(all, ppn, policy),
            new JobSpec.Grouping(16, 1),
            JobSpec.Recovery.ofAll(maxRecoveries),
            faults));
  }

  private void on(Job job, JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
  }

  /** Of a daemon; only of the end of a process it matters of which one. */
  private void on(Job job, FromDaemon.OfRank message) {
    on(job, new JobEvent.FromNode(0, message));
  }

  private void say(Job job, int rank, int incarnation, RankMessage message) {
    on(job, new FromDaemon.Relayed(rank, incarnation, message));
  }

  private void startAll(Job job, int size, int nodes) {
    job.begin();
    for (int n = 0; n < nodes; n++) {
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    for (int r = 0; r < size; r++) {
      say(job, r, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    }
    assertThat(commands)
        .anyMatch(c -> c instanceof JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Start _)));
    for (int r = 0; r < size; r++) {
      say(job, r, 0, new RankMessage.Connected(0, "tcp"));
      say(job, r, 0, new RankMessage.Running(0, -1, -1, false));
    }
  }

  private <T extends JobCommand> List<T> all(Class<T> type) {
    return commands.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** What daemons are sent of this kind. */
  private List<JobCommand.ToNode> sent(Class<? extends ToDaemon> type) {
    return all(JobCommand.ToNode.class).stream()
        .filter(command -> type.isInstance(command.message()))
        .toList();
  }

  /** With what all ranks begin an epoch; they are told nothing else. */
  private JobMessage.Start begun() {
    assertThat(all(JobCommand.ToAllNodes.class)).hasSize(1);
    ToDaemon.ForwardAll told =
        (ToDaemon.ForwardAll) all(JobCommand.ToAllNodes.class).getFirst().message();
    return (JobMessage.Start) told.message();
  }

  private JobCommand.End end() {
    assertThat(all(JobCommand.End.class)).as("%s", commands).hasSize(1);
    return all(JobCommand.End.class).getFirst();
  }

  @Test
  void aNodeThatDoesNotComeUpIsFencedBeforeTheEnd() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    job.begin();
    on(job, new JobEvent.NodeLost(1, "its daemon ended"));
    assertThat(end().message()).isEqualTo("cannot start on node1: its daemon ended");
    assertThat(commands.getFirst()).isEqualTo(new JobCommand.KillNode(1, "its daemon ended"));
  }

  @Test
  void aNodeWithoutTheProgramIsNoPlaceForRanks() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.NodeUnfit(1, "app.jar is another one"));
    assertThat(commands)
        .contains(
            new JobCommand.Report(
                new Notice.NodeFailed(0, 1, "node1", "fmirun", "app.jar is another one")),
            new JobCommand.KillNode(1, "app.jar is another one"));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(2, 1L << 30));
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::node)
        .containsExactly(0, 2);
    // One that a running job was given is lost as any other.
    on(job, new JobEvent.NodeAdded(new JobSpec.Node("node3", 1, true)));
    on(job, new JobEvent.NodeUnfit(3, "app.jar is not there"));
    assertThat(all(JobCommand.NotAdded.class))
        .containsExactly(new JobCommand.NotAdded("node3", "app.jar is not there"));
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"false, CANNOT_START", "true, CANNOT_START_ANYWHERE"})
  void theEndSaysWhetherAnotherNodeWouldHaveStarted(boolean general, EndCause cause) {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    job.begin();
    on(job, new JobEvent.NodeLost(1, "no", general));
    assertThat(end()).isEqualTo(new JobCommand.End(70, cause, "cannot start on node1: no"));
  }

  @Test
  void withoutAnotherNodeAJobOfWhichOneLacksTheProgramDoesNotBegin() {
    Job job = job(2, 1, 3, OnNoSpare.WAIT);
    job.begin();
    on(job, new JobEvent.NodeUnfit(2, "app.jar is not there"));
    assertThat(all(JobCommand.End.class)).as("a spare").isEmpty();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.NodeUnfit(1, "app.jar is not there"));
    assertThat(end())
        .isEqualTo(
            new JobCommand.End(
                64, EndCause.UNFIT_NODE, "cannot start on node1: app.jar is not there"));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
  }

  @Test
  void aDeadProcessIsReplacedOnItsNode() {
    Job job = job(4, 2, 2, OnNoSpare.ABORT);
    startAll(job, 4, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(3, 0, 137, true)));
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(new JobMessage.Revoke(1, 3, List.of()))));
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(
            s -> {
              assertThat(s.node()).isEqualTo(1);
              assertThat(s.rank()).isEqualTo(3);
              assertThat(s.incarnation()).isEqualTo(1);
            });
  }

  @Test
  void theOthersHearOfAKilledProcessBeforeItHasExited() {
    Job job = job(4, 2, 2, OnNoSpare.ABORT);
    startAll(job, 4, 2);
    on(job, new FromDaemon.RankDying(3, 0));
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(new JobMessage.Revoke(1, 3, List.of()))));
    // It may still hold memory and files.
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new FromDaemon.RankDying(3, 0));
    assertThat(commands).isEmpty();
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(3, 0, 137, true)));
    assertThat(all(JobCommand.ToAllNodes.class)).isEmpty();
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(s -> assertThat(s.incarnation()).isEqualTo(1));
  }

  private Job jobWithASpareWhoseNode1WillBeLost(int size, int nodes) {
    Job job = job(size, 1, nodes, OnNoSpare.SHARE);
    startAll(job, size, nodes);
    on(job, new JobEvent.NodeLeaving(1, "a drain"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    return job;
  }

  private void commit(Job job, int epoch, long version) {
    commit(job, 0, epoch, version);
  }

  private void commit(Job job, int incarnation, int epoch, long version) {
    say(
        job,
        0,
        incarnation,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(epoch, version, 0, version, 100, 100, 0, 0, 0),
            version,
            true));
  }

  @Test
  void ranksLeaveANodeThatWillBeLostBehindACheckpoint() {
    Job job = jobWithASpareWhoseNode1WillBeLost(2, 3);
    assertThat(notices())
        .contains(
            new Notice.Degraded(
                "node1 is about to be lost: a drain; its ranks move after the next checkpoint"));
    commit(job, 0, 0);
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(new JobMessage.Revoke(1, 1, List.of()))));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(spawn -> assertThat(spawn.node()).isEqualTo(2));
    assertThat(notices()).contains(new Notice.Degraded("rank 1 moves from node1 to node2"));
    // Nothing is there to be lost any more.
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(job.recoveries()).isEqualTo(1);
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void ranksStayWhereNoOtherNodeHasRoomAndTheUserIsToldOnce() {
    Job job = jobWithASpareWhoseNode1WillBeLost(2, 2);
    commit(job, 0, 0);
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    assertThat(notices())
        .contains(
            new Notice.Degraded(
                "the ranks of node1 stay there because no other node has room for them: give the"
                    + " job a spare"));
    commit(job, 0, 1);
    assertThat(notices()).noneMatch(Notice.Degraded.class::isInstance);
    assertThat(job.recoveries()).isZero();
  }

  /** What is on one node alone cannot be brought back on another, however much room that has. */
  @Test
  void ranksStayWhereTheirCheckpointsCouldNotBeBroughtBackElsewhere() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    on(job, new JobEvent.NodeAdded(new JobSpec.Node("more", 2, true)));
    on(job, new JobEvent.NodeUp(1, 1L << 30));
    on(job, new JobEvent.NodeLeaving(0, "a drain"));
    commit(job, 0, 0);
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    assertThat(notices())
        .filteredOn(Notice.Degraded.class::isInstance)
        .singleElement()
        .asString()
        .contains(
            "the ranks of node0 stay there because it holds more members of a checkpoint group")
        .doesNotContain("room");
  }

  @Test
  void aSpareThatWillBeLostTakesNoRanks() {
    Job job = job(2, 1, 4, OnNoSpare.SHARE);
    startAll(job, 2, 4);
    on(job, new JobEvent.NodeLeaving(2, "a drain"));
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(spawn -> assertThat(spawn.node()).isEqualTo(3));
  }

  private void runAgain(Job job, int size, int epoch, int... incarnations) {
    for (int r = 0; r < size; r++) {
      say(job, r, incarnations[r], new RankMessage.Joined(epoch, Position.IN_LOOP, Map.of()));
    }
    for (int r = 0; r < size; r++) {
      say(job, r, incarnations[r], new RankMessage.Connected(epoch, "tcp"));
    }
    for (int r = 0; r < size; r++) {
      say(job, r, incarnations[r], new RankMessage.Running(epoch, 0, 0, r == 1));
    }
  }

  /** Rank 1 has left node1 for the spare, on which it is brought back. */
  private Job jobThatLeavesNode1(int size, int nodes, OnNoSpare policy) {
    Job job = job(size, 1, nodes, policy);
    startAll(job, size, nodes);
    on(job, new JobEvent.NodeLeaving(1, "a drain"));
    commit(job, 0, 0);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::node)
        .containsExactly(size);
    return job;
  }

  @ParameterizedTest
  @EnumSource
  void aNodeThatWillBeLostIsTheLastChoice(OnNoSpare policy) {
    Job job = jobThatLeavesNode1(2, 3, policy);
    runAgain(job, 2, 1, 0, 1);
    on(job, new JobEvent.NodeLost(0, "gone"));
    assertThat(all(JobCommand.End.class)).isEmpty();
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(spawn -> assertThat(spawn.node()).isEqualTo(policy == OnNoSpare.SHARE ? 2 : 1));
  }

  @Test
  void aNodeThatStaysAfterAllIsAnyNode() {
    Job job = jobThatLeavesNode1(2, 3, OnNoSpare.SHARE);
    runAgain(job, 2, 1, 0, 1);
    on(job, new JobEvent.NodeStays(0, "never left"));
    assertThat(commands).isEmpty();
    on(job, new JobEvent.NodeStays(1, "repaired"));
    assertThat(notices()).containsExactly(new Notice.Degraded("node1 takes ranks again: repaired"));
    on(job, new JobEvent.NodeLost(0, "gone"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(1);
  }

  /** It has not been rebuilt elsewhere, and cannot be any more; but it is still where it was. */
  @Test
  void aRankReturnsToItsCheckpointsIfItsGroupCannotRebuildThem() {
    Job job = jobThatLeavesNode1(3, 5, OnNoSpare.ABORT);
    on(job, new JobEvent.NodeLost(0, "gone"));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(3, new ToDaemon.KillRank(1, 1)));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(4);
    on(job, new JobEvent.FromNode(3, new FromDaemon.RankExited(1, 1, 137, true)));
    assertThat(notices())
        .contains(
            new Notice.Degraded(
                "rank 1 returns from node3 to node1, which still has its checkpoints: its group can"
                    + " no longer rebuild them elsewhere"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(1);
    runAgain(job, 3, 1, 1, 2, 0);
    // It is still about to be lost. What it began to rebuild on node3 is of no use any more.
    commit(job, 1, 1, 1);
    assertThat(sent(ToDaemon.Forget.class))
        .containsExactly(new JobCommand.ToNode(3, new ToDaemon.Forget(1)));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 2)));
  }

  @Test
  void whatARankHasLeftIsDeletedOnceItIsOfNoUse() {
    Job job = jobThatLeavesNode1(2, 3, OnNoSpare.ABORT);
    runAgain(job, 2, 1, 0, 1);
    var forget = new JobCommand.ToNode(1, new ToDaemon.Forget(1));
    assertThat(sent(ToDaemon.Forget.class)).containsExactly(forget);
    commit(job, 1, 1);
    assertThat(sent(ToDaemon.Forget.class)).as("it may have had no daemon").containsExactly(forget);
    commit(job, 1, 2);
    assertThat(sent(ToDaemon.Forget.class)).isEmpty();
  }

  private List<Notice> notices() {
    return all(JobCommand.Report.class).stream().map(JobCommand.Report::notice).toList();
  }

  private Job jobWhoseRank1IsSuspected() {
    return jobWhoseRank1IsSuspected(2);
  }

  private Job jobWhoseRank1IsSuspected(int nodes) {
    Job job = job(2, 2 / nodes, nodes, OnNoSpare.ABORT);
    startAll(job, 2, nodes);
    say(job, 0, 0, new RankMessage.Suspect(0, 1, 0, 0, "tcp", "closed"));
    assertThat(notices())
        .contains(new Notice.RankFailed(0, 1, "rank 0 over the overlay", "closed"))
        .noneMatch(Notice.CauseKnown.class::isInstance);
    return job;
  }

  @ParameterizedTest
  @CsvSource({
    "137, true, was killed by signal 9",
    "139, true, was killed by signal 11",
    "3, false, ended by itself with status 3",
    "0, false, 'ended with status 0 but without Fmi.close (did it call System.exit?)'"
  })
  void whatAPeerSawIsCorrectedWhenTheDaemonKnows(int status, boolean signaled, String cause) {
    Job job = jobWhoseRank1IsSuspected();
    on(job, new FromDaemon.RankWasDying(1, 0));
    assertThat(commands).isEmpty();
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, status, signaled)));
    assertThat(notices()).first().isEqualTo(new Notice.CauseKnown(0, 1, cause));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
  }

  /** It could not be reached; that it died of the kill says nothing. */
  @Test
  void theKillThatAFailureLeadsToIsNotItsCause() {
    Job job = jobWhoseRank1IsSuspected(1);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(notices()).noneMatch(Notice.CauseKnown.class::isInstance);
  }

  @Test
  void whatIsSaidOfAnOlderProcessIsNoCauseOfTheNext() {
    Job job = jobWhoseRank1IsSuspected(1);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 137, true)));
    on(job, new FromDaemon.RankWasDying(1, 0));
    say(job, 0, 0, new RankMessage.Suspect(1, 1, 0, 0, "tcp", "closed"));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 1, 137, true)));
    assertThat(notices()).noneMatch(Notice.CauseKnown.class::isInstance);
  }

  @Test
  void theEndOfALifelineIsFollowedByHowTheProcessEnded() {
    Job job = job(4, 2, 2, OnNoSpare.ABORT);
    startAll(job, 4, 2);
    on(job, new FromDaemon.RankDying(3, 0));
    assertThat(notices()).contains(new Notice.RankFailed(0, 3, "daemon", "was killed"));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(3, 0, 1, false)));
    assertThat(notices()).contains(new Notice.CauseKnown(0, 3, "ended by itself with status 1"));
  }

  @Test
  void anInjectedFailureIsCalledOne() {
    FaultSpec fault = new FaultSpec(false, 1, false, FaultPoint.ITERATION, 7);
    String cause = "was killed by signal 9, which was injected";
    Job job = job(2, 1, 2, OnNoSpare.ABORT, fault);
    startAll(job, 2, 2);
    say(job, 1, 0, new RankMessage.AtFault(0));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(notices()).contains(new Notice.RankFailed(0, 1, "daemon", cause));

    job = job(2, 1, 2, OnNoSpare.ABORT, fault);
    startAll(job, 2, 2);
    say(job, 1, 0, new RankMessage.AtFault(0));
    say(job, 0, 0, new RankMessage.Suspect(0, 1, 0, 0, "tcp", "closed"));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(notices()).contains(new Notice.CauseKnown(0, 1, cause));
  }

  @Test
  void firstProcessesAreToldOfWithTheirNodes() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.NodeUp(1, 1L << 30));
    assertThat(notices())
        .contains(new Notice.Spawned(0, 0, "node0"), new Notice.Spawned(1, 1, "node1"));
  }

  @Test
  void whereASurvivorHasStoppedIsTold() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    say(job, 0, 0, new RankMessage.Left(new Notice.Left(0, 0, 2, 33)));
    assertThat(notices()).containsExactly(new Notice.Left(0, 0, 2, 33));
  }

  @Test
  void aNoticeOfARankReachesTheUserAsItIs() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    Notice.ByRank notice = new Notice.LoopDone(0, 1, 2, 33, 4, 5, 6);
    say(job, 1, 0, new RankMessage.Notify(notice));
    assertThat(notices()).containsExactly(notice);
    say(job, 1, 1, new RankMessage.Notify(notice)); // of no process that lives
    assertThat(notices()).isEmpty();
  }

  /** A call of the system that does not end: its daemon gives up, and with it the node. */
  @Test
  void aProcessThatDoesNotDieCostsItsNode() {
    Job job = job(4, 2, 3, OnNoSpare.ABORT);
    startAll(job, 4, 3);
    on(job, new FromDaemon.RankDying(3, 0));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeLost(1, "rank 3 does not die"));
    assertThat(all(JobCommand.KillNode.class))
        .containsExactly(new JobCommand.KillNode(1, "rank 3 does not die"));
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::node, JobCommand.Spawn::rank)
        .containsExactly(tuple(2, 2), tuple(2, 3));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(3, 0, 137, true)));
    assertThat(commands).isEmpty();
  }

  private void committed(Job job, long version, long iteration) {
    say(
        job,
        0,
        0,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(0, version, 0, iteration, 8, 8, 1, 1, 1),
            iteration,
            false));
  }

  private void allStartAgain(Job job) {
    on(job, new JobEvent.NodeLost(0, "gone"));
    on(job, new JobEvent.NodeLost(1, "gone"));
    for (int r = 0; r < 2; r++) {
      say(job, r, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    }
    for (int r = 0; r < 2; r++) {
      say(job, r, 1, new RankMessage.Connected(1, "tcp"));
      say(job, r, 1, new RankMessage.Running(1, -1, -1, false));
    }
  }

  @ParameterizedTest
  @CsvSource({"true, CHECKPOINTS_LOST", "false, UNRECOVERABLE"})
  void aRankSaysWhyTheJobCannotBeRecovered(boolean checkpointsLost, EndCause cause) {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 4);
    say(job, 1, 0, new RankMessage.Unrecoverable(0, checkpointsLost, "what a rank found"));
    assertThat(end()).isEqualTo(new JobCommand.End(70, cause, "what a rank found"));
  }

  /** What the system refuses to one process is its failure, not the job's. */
  @Test
  void aProcessToWhichItsSystemRefusesSomethingIsReplaced() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 4);
    RankMessage refused = new RankMessage.CannotContinue(0, "cannot continue: no files left");
    say(job, 1, 0, new RankMessage.CannotContinue(3, "cannot continue: of another epoch"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    say(job, 1, 0, refused);
    assertThat(sent(ToDaemon.KillRank.class)).hasSize(1);
    assertThat(notices())
        .contains(new Notice.RankFailed(0, 1, "itself", "cannot continue: no files left"));
    // The rest is that of any rank that is lost.
    assertThat(notices()).anyMatch(Notice.RecoveryBegun.class::isInstance);
  }

  @Test
  void aProcessThatOnlyHasToEndNeedsNothing() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 4);
    say(job, 0, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.CannotContinue(0, "cannot continue: no files left"));
    assertThat(commands).isEmpty();
  }

  @Test
  void aProgramOfWhichNothingIsLeftDoesNotBeginAgain() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 4);
    committed(job, 0, 0);
    committed(job, 1, 10);
    allStartAgain(job);
    assertThat(end().status()).isEqualTo(70);
    assertThat(end().message()).contains("lost their checkpoints at once");
  }

  /** What it had done before its first loop was not protected, and costs little. */
  @Test
  void aProgramThatHasJustBegunBeginsAgain() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 4);
    committed(job, 0, 0);
    allStartAgain(job);
    assertThat(all(JobCommand.End.class)).isEmpty();
  }

  @Test
  void partnersOnOneNodeAreToldOf() {
    Job job = job(2, 1, 2, OnNoSpare.SHARE);
    startAll(job, 2, 2);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Report.class))
        .extracting(JobCommand.Report::notice)
        .filteredOn(Notice.Degraded.class::isInstance)
        .extracting(Object::toString)
        .anyMatch(text -> text.contains("ranks 0 and 1 protect each other's checkpoints"));
  }

  @Test
  void aProgramThatCrashesAtOnePlaceIsNotStartedForEver() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    for (int epoch = 0; epoch < 3; epoch++) {
      on(job, new FromDaemon.RankDying(1, epoch));
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, epoch, 128 + 11, true)));
      if (epoch < 2) {
        say(job, 0, 0, new RankMessage.Joined(epoch + 1, Position.IN_LOOP, Map.of()));
        say(job, 1, epoch + 1, new RankMessage.Joined(epoch + 1, Position.FRESH, Map.of()));
      }
    }
    assertThat(end().message()).contains("failed by itself 3 times").contains("signal 11");
  }

  @Test
  void aProgramThatDoesNotUseTheLibraryMayEndAfterALoss() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    job.begin();
    for (int n = 0; n < 3; n++) {
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::rank, JobCommand.Spawn::incarnation)
        .containsExactly(tuple(1, 1));
    on(job, new JobEvent.FromNode(2, new FromDaemon.RankExited(1, 1, 0, false)));
    assertThat(commands).isEmpty();
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isZero();
  }

  @Test
  void aLostNodesRanksGoToTheSpare() {
    Job job = job(4, 2, 3, OnNoSpare.ABORT);
    startAll(job, 4, 3);
    on(job, new JobEvent.NodeLost(0, "no heartbeat"));
    assertThat(all(JobCommand.KillNode.class))
        .singleElement()
        .satisfies(k -> assertThat(k.node()).isZero());
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::node)
        .containsExactly(2, 2);
  }

  @Test
  void rollsBackWhenAllSurvivorsAreInTheLoop() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    say(job, 0, 0, new RankMessage.Joined(1, Position.IN_LOOP, Map.of()));
    say(job, 1, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    assertThat(begun().rollback()).isTrue();
  }

  @Test
  void restartsAllWhenASurvivorIsOutsideOfALoop() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    say(job, 1, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    say(job, 0, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(0, new ToDaemon.KillRank(0, 0)));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(s -> assertThat(s.incarnation()).isEqualTo(1));
    say(job, 0, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    assertThat(begun().rollback()).isFalse();
  }

  /** Nobody decides that all start again: no process is left that could roll back. */
  @Test
  void allRunFromTheStartWhenAllAreLostAtOnce() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    for (int r = 0; r < 2; r++) {
      say(job, r, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    }
    assertThat(begun().rollback()).isFalse();
  }

  /** A new epoch in the middle of it, as a rank has heard of another loss, changes nothing. */
  @Test
  void allRunFromTheStartWhenOneIsLostWhileAllAreStartedAgain() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    say(job, 0, 0, new RankMessage.RestartNeeded(0, "a loop came to no end"));
    assertThat(all(JobCommand.Recovering.class)).hasSize(1);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    say(job, 0, 1, new RankMessage.Suspect(1, 1, 1, 0, "tcp", "its connection ended"));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 1, 137, true)));
    for (int r = 0; r < 2; r++) {
      say(job, r, r + 1, new RankMessage.Joined(2, Position.FRESH, Map.of()));
    }
    assertThat(begun().rollback()).isFalse();
  }

  @Test
  void thoseWhoWriteFilesHearOfCheckpointsAndWhereTheJobBegan() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    say(job, 1, 0, new RankMessage.FilesRead(0, "job0/v5", 1, 20, ""));
    assertThat(all(JobCommand.Restored.class))
        .containsExactly(new JobCommand.Restored("job0/v5", 1, 20));
    committed(job, 6, 30);
    assertThat(all(JobCommand.Committed.class)).containsExactly(new JobCommand.Committed(0, 30, 3));
  }

  @Test
  void aSuspectIsFencedAndStaleOnesAreIgnored() {
    Job job = job(3, 3, 1, OnNoSpare.ABORT);
    startAll(job, 3, 1);
    say(job, 0, 0, new RankMessage.Suspect(0, 2, 0, 0, "tcp", "connection closed"));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(0, new ToDaemon.KillRank(2, 0)));
    assertThat(all(JobCommand.ToAllNodes.class)).hasSize(1);
    say(job, 1, 0, new RankMessage.Suspect(0, 2, 1, 0, "tcp", "connection closed"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    say(job, 1, 0, new RankMessage.Suspect(0, 0, 0, 0, "tcp", "late"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
  }

  /** Who says so has left the epoch, and waits for the next one. */
  @Test
  void aSuspicionOfARankThatIsBeingKilledEndsTheEpochToo() {
    Job job = job(3, 3, 1, OnNoSpare.ABORT);
    startAll(job, 3, 1);
    say(job, 0, 0, new RankMessage.Suspect(0, 2, 0, 0, "tcp", "connection closed"));
    say(job, 1, 0, new RankMessage.Suspect(1, 2, 0, 0, "tcp", "heartbeats late"));
    assertThat(sent(ToDaemon.KillRank.class)).isEmpty();
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(new JobMessage.Revoke(2, 2, List.of()))));
  }

  @Test
  void aRankThatIsKilledWheneverItStartsEndsTheJob() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    int incarnation = 1;
    while (all(JobCommand.End.class).isEmpty()) {
      assertThat(all(JobCommand.Spawn.class)).hasSize(1);
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, incarnation++, 137, true)));
    }
    assertThat(end().status()).isEqualTo(70);
    assertThat(end().message()).contains("rank 1 was started 10 times").contains("memory");
  }

  /** A network that sets up no connections, between hosts that reach each other by another one. */
  @Test
  void whatTheOverlayCannotBeConnectedOverTwiceIsLeftOut() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    for (int epoch = 1; epoch <= 2; epoch++) {
      join(job, epoch);
      say(job, 0, 0, new RankMessage.Suspect(epoch, 1, 0, 0, "rdma", "no answer"));
      List<String> without = epoch == 1 ? List.of() : List.of("rdma");
      assertThat(all(JobCommand.ToAllNodes.class))
          .containsExactly(
              new JobCommand.ToAllNodes(
                  new ToDaemon.ForwardAll(
                      new JobMessage.Revoke(epoch + 1, JobMessage.Revoke.NONE, without))));
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, epoch, 137, true)));
      assertThat(sent(ToDaemon.Forward.class))
          .extracting(c -> ((ToDaemon.Forward) c.message()).message())
          .containsExactly(new JobMessage.Revoke(epoch + 1, JobMessage.Revoke.NONE, without));
    }
  }

  @Test
  void aDeathWhileTheOverlayIsConnectedLeavesNothingOut() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    for (int epoch = 1; epoch <= 4; epoch++) {
      join(job, epoch);
      if (epoch % 2 == 0) {
        say(job, 0, 0, new RankMessage.Connected(epoch, "rdma"));
        say(job, 1, epoch, new RankMessage.Connected(epoch, "rdma"));
      }
      say(job, 0, 0, new RankMessage.Suspect(epoch, 1, 0, 0, "rdma", "connection closed"));
      assertThat(all(JobCommand.ToAllNodes.class))
          .containsExactly(
              new JobCommand.ToAllNodes(
                  new ToDaemon.ForwardAll(
                      new JobMessage.Revoke(epoch + 1, JobMessage.Revoke.NONE, List.of()))));
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, epoch, 137, true)));
    }
  }

  private void join(Job job, int epoch) {
    join(job, epoch, epoch);
  }

  private void join(Job job, int epoch, int incarnation) {
    say(job, 0, 0, new RankMessage.Joined(epoch, Position.IN_LOOP, Map.of()));
    say(job, 1, incarnation, new RankMessage.Joined(epoch, Position.FRESH, Map.of()));
  }

  /** A firewall between two hosts: both live, but one cannot reach the other. */
  @Test
  void aRankThatAnotherCannotReachEndsTheJob() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    int epoch = 0;
    while (all(JobCommand.End.class).isEmpty()) {
      assertThat(epoch).isLessThan(20);
      if (epoch > 0) {
        join(job, epoch);
      }
      say(job, 0, 0, new RankMessage.Suspect(epoch, 1, 0, 0, "tcp", "cannot be reached"));
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, epoch, 137, true)));
      epoch++;
    }
    assertThat(end().status()).isEqualTo(70);
    assertThat(end().message())
        .contains("rank 1 was started 10 times")
        .contains("rank 0 reported: cannot be reached");
  }

  @Test
  void processesKilledToRestartAllAreNotTakenForLost() {
    Job job = job(3, 1, 3, OnNoSpare.ABORT);
    startAll(job, 3, 3);
    int[] incarnations = new int[3];
    for (int epoch = 1; epoch <= 18; epoch++) {
      int lost = 1 + epoch % 2;
      on(
          job,
          new JobEvent.FromNode(
              lost, new FromDaemon.RankExited(lost, incarnations[lost]++, 137, true)));
      say(job, 0, incarnations[0], new RankMessage.Joined(epoch, Position.OUTSIDE, Map.of()));
      for (int r : new int[] {0, 3 - lost}) {
        on(
            job,
            new JobEvent.FromNode(r, new FromDaemon.RankExited(r, incarnations[r]++, 137, true)));
      }
      for (int r = 0; r < 3; r++) {
        say(job, r, incarnations[r], new RankMessage.Joined(epoch, Position.FRESH, Map.of()));
      }
    }
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, incarnations[0]++, 137, true)));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
  }

  @Test
  void aRankKilledAfterItsCloseCannotBeReplacedAndTheStatusTellsIt() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    say(job, 0, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Finished(0));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(commands)
        .anyMatch(
            c ->
                c instanceof JobCommand.Report r
                    && r.notice() instanceof Notice.RankFailed f
                    && f.reason().contains("after Fmi.close"));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isEqualTo(137);
  }

  @Test
  void aProgramThatFailsByItselfIsNotRestartedForEver() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 3, false)));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    say(job, 1, 1, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 1, 3, false)));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    say(job, 1, 2, new RankMessage.Joined(1, Position.FRESH, Map.of()));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 2, 3, false)));
    assertThat(end().status()).isEqualTo(3);
    assertThat(end().message()).contains("3 times");
  }

  private static final String TRACE = "IllegalStateException: no\n\tat Main.main";

  @Test
  void aProgramThatThrowsOutsideOfLoopsIsNotStartedAgain() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    say(job, 1, 0, new RankMessage.Failed(-1, -1, ""));
    say(job, 1, 0, new RankMessage.Failed(-1, -1, TRACE));
    assertThat(all(JobCommand.Report.class))
        .extracting(JobCommand.Report::notice)
        .contains(new Notice.Thrown(0, 1, -1, -1, TRACE));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 1, false)));
    assertThat(end())
        .isEqualTo(
            new JobCommand.End(
                1,
                EndCause.PROGRAM_FAILED,
                "rank 1 threw an exception outside of loops: IllegalStateException: no"));
  }

  /** Whoever words it has an advice for that. */
  @Test
  void aProgramThatLacksMemoryIsToldFromOthers() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    OutOfMemoryError thrown = new OutOfMemoryError("Java heap space");
    say(job, 1, 0, RankMessage.Failed.of(-1, -1, new IllegalStateException("no", thrown)));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 1, false)));
    assertThat(end().cause()).isEqualTo(EndCause.OUT_OF_MEMORY);
  }

  /** Its own status wins, and it may end well: it has not left the job by close. */
  @Test
  void aProgramThatDealsWithItsExceptionHasFailedNevertheless() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    say(job, 1, 0, new RankMessage.Failed(-1, -1, ""));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 0, false)));
    assertThat(end().status()).isEqualTo(1);
    assertThat(end().message())
        .isEqualTo(
            "rank 1 threw an exception outside of loops; it ended with status 0 but without"
                + " Fmi.close (did it call System.exit?)");
  }

  @Test
  void anExceptionAfterCloseIsTold() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    say(job, 0, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Failed(-1, -1, TRACE));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 1, false)));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isEqualTo(1);
    assertThat(end().message()).contains("rank 1").contains("no").contains("after Fmi.close");
  }

  /** All ranks throw in this iteration; they go on if the job does. */
  private void allFailAt(Job job, int size, int epoch, long iteration) {
    for (int r = 0; r < size && all(JobCommand.End.class).isEmpty(); r++) {
      say(job, r, epoch, new RankMessage.Failed(0, iteration, TRACE));
      on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(r, epoch, 1, false)));
    }
    for (int r = 0; r < size && all(JobCommand.End.class).isEmpty(); r++) {
      say(job, r, epoch + 1, new RankMessage.Joined(epoch + 1, Position.FRESH, Map.of()));
    }
  }

  @Test
  void anIncidentThatHitsAllRanksAtOnceIsOneFailureOfEach() {
    Job job = job(4, 4, 1, OnNoSpare.SHARE);
    startAll(job, 4, 1);
    allFailAt(job, 4, 0, 5);
    assertThat(all(JobCommand.End.class)).isEmpty();
    allFailAt(job, 4, 1, 5);
    assertThat(all(JobCommand.End.class)).isEmpty();
    allFailAt(job, 4, 2, 5);
    assertThat(end().message())
        .startsWith(
            "rank 0 threw an exception in iteration 5 of loop 0: IllegalStateException: no; it ")
        .contains("failed by itself 3 times");
  }

  @Test
  void aRankThatFailsElsewhereOrGetsOnBeginsAnew() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    allFailAt(job, 2, 0, 5);
    allFailAt(job, 2, 1, 5);
    allFailAt(job, 2, 2, 7);
    allFailAt(job, 2, 3, 7);
    for (int r = 0; r < 2; r++) {
      say(job, r, 4, new RankMessage.Running(4, 0, 0, false));
    }
    say(
        job,
        0,
        4,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(4, 1, 0, 8, 0, 0, 0, 0, 0), 8, false));
    allFailAt(job, 2, 4, 7);
    allFailAt(job, 2, 5, 7);
    assertThat(all(JobCommand.End.class)).isEmpty();
    allFailAt(job, 2, 6, 7);
    assertThat(end().message()).contains("failed by itself 3 times");
  }

  @Test
  void aProgramThatFailsBeforeInitEndsAtOnce() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 2, false)));
    assertThat(end().status()).isEqualTo(2);
  }

  @Test
  void programsThatDoNotUseTheLibraryMayRun() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 0, false)));
    assertThat(all(JobCommand.End.class)).isEmpty();
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isZero();
  }

  @Test
  void aRankThatWaitsForOneThatNeverJoinsIsTold() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 0, false)));
    say(job, 0, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    assertThat(end().status()).isEqualTo(70);
  }

  @Test
  void waitsForANodeIfTold() {
    Job job = job(2, 1, 2, OnNoSpare.WAIT);
    startAll(job, 2, 2);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class)).containsExactly(new JobCommand.Launch(1));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    on(job, new JobEvent.NodeUp(1, 1L << 30));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
  }

  @Test
  void waitsForEachNodeThatIsLostMeanwhile() {
    Job job = job(3, 1, 4, OnNoSpare.WAIT);
    startAll(job, 3, 4);
    on(job, new JobEvent.NodeLost(3, "a spare is lost"));
    assertThat(all(JobCommand.Launch.class)).isEmpty();
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Launch.class))
        .containsExactly(new JobCommand.Launch(1), new JobCommand.Launch(3));
    on(job, new JobEvent.NodeLost(2, "gone too"));
    assertThat(all(JobCommand.Launch.class)).containsExactly(new JobCommand.Launch(2));
    on(job, new JobEvent.NodeUp(2, 1L << 30));
    on(job, new JobEvent.NodeUp(3, 1L << 30));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
  }

  @Test
  void sharesIfTold() {
    Job job = job(2, 1, 2, OnNoSpare.SHARE);
    startAll(job, 2, 2);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(0);
  }

  @Test
  void endsWithoutASpareIfTold() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(end().status()).isEqualTo(70);
  }

  @Test
  void oneRecoveryMoreThanAllowedEndsTheJob() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT, 1, List.of());
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    join(job, 1);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 1, 137, true)));
    assertThat(all(JobCommand.Spawn.class)).isEmpty();
    assertThat(end().status()).isEqualTo(70);
    assertThat(end().message())
        .contains("rank 1")
        .endsWith("; recovery 2 would exceed the limit of 1");
    assertThat(end().cause()).isEqualTo(EndCause.TOO_MANY_RECOVERIES);
  }

  /** Moves on purpose are no failures, and a table says what all have died of. */
  @Test
  void failuresWithoutProgressEndTheJob() {
    Job job =
        new JobController(
            new JobSpec(
                2,
                new JobSpec.Room(
                    List.of(
                        new JobSpec.Node("node0", 1, false),
                        new JobSpec.Node("node1", 1, false),
                        new JobSpec.Node("node2", 1, true)),
                    1,
                    OnNoSpare.ABORT),
                new JobSpec.Grouping(16, 1),
                new JobSpec.Recovery(Integer.MAX_VALUE, 1, RecoveryPolicy.global()),
                List.of()));
    startAll(job, 2, 3);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    runAgain(job, 2, 1, 0, 1);
    on(job, new JobEvent.NodeLeaving(1, "a drain"));
    commit(job, 1, 0);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 1, 137, true)));
    runAgain(job, 2, 2, 0, 2);
    on(job, new FromDaemon.RankDying(1, 2));
    on(job, new JobEvent.FromNode(2, new FromDaemon.RankExited(1, 2, 139, true)));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    runAgain(job, 2, 3, 0, 3);
    on(job, new JobEvent.NodeLost(0, "its daemon ended"));
    assertThat(end())
        .isEqualTo(
            new JobCommand.End(
                70,
                EndCause.NO_PROGRESS,
                """
                2 failures in a row without progress between them:
                  rank 1 on node2: was killed by signal 11
                  rank 0 on node0: node0 lost: its daemon ended\
                """));
  }

  /** One after the other, as a group can rebuild the checkpoints of one. */
  @Test
  void ranksLeaveNodesThatAreLostInAMomentAtACheckpointOfTheirOwn() {
    Job job = job(3, 1, 5, OnNoSpare.ABORT);
    startAll(job, 3, 5);
    on(job, new JobEvent.NodeLeaving(1, "terminated", true));
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Hold(0, 1))));
    on(job, new JobEvent.NodeLeaving(0, "terminated", true));
    assertThat(all(JobCommand.ToAllNodes.class)).isEmpty();
    commit(job, 0, 0);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    runAgain(job, 3, 1, 1, 0, 0);
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Hold(1, 2))));
    commit(job, 1, 1, 1);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    runAgain(job, 3, 2, 1, 1, 0);
    assertThat(all(JobCommand.ToAllNodes.class)).as("they have left").isEmpty();
  }

  @Test
  void noCheckpointIsTakenForRanksThatCannotLeave() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.NodeLeaving(1, "terminated", true));
    assertThat(all(JobCommand.ToAllNodes.class)).isEmpty();
  }

  private void takesLong(Job job, int rank, int incarnation, long seconds) {
    on(job, new FromDaemon.RankLate(rank, incarnation, 1000 * seconds));
  }

  /** On another node, as what it waits for may hang on this one alone. */
  @Test
  void aProcessThatDoesNotJoinIsReplacedOnceAllOthersWait() {
    Job job = job(3, 1, 4, OnNoSpare.ABORT);
    startAll(job, 3, 4);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    say(job, 0, 0, new RankMessage.Joined(1, Position.IN_LOOP, Map.of()));
    takesLong(job, 1, 1, 100);
    assertThat(commands).as("nobody knows what is usual").isEmpty();
    on(job, new FromDaemon.RankStarted(0, 0, 20_000));
    takesLong(job, 1, 1, 79);
    assertThat(commands).as("it is not that slow").isEmpty();
    takesLong(job, 1, 1, 80);
    assertThat(commands).as("another one has not joined either").isEmpty();
    say(job, 2, 0, new RankMessage.Joined(1, Position.IN_LOOP, Map.of()));
    takesLong(job, 1, 1, 85);
    assertThat(notices())
        .containsExactly(
            new Notice.RankFailed(
                1, 1, "daemon", "has not joined after 85 s, and all other ranks wait"));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 1)));
    takesLong(job, 1, 1, 90);
    assertThat(commands).as("it is dying").isEmpty();
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankNotStarted(1, 1, "hangs")));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(3);
    assertThat(job.recoveries()).isEqualTo(1);
  }

  /** A node with two ranks, for one. */
  @Test
  void processesThatDoNotJoinAreReplacedTogether() {
    Job job = job(4, 2, 3, OnNoSpare.ABORT);
    startAll(job, 4, 3);
    on(job, new FromDaemon.RankStarted(0, 0, 1000));
    for (int r = 2; r < 4; r++) {
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(r, 0, 137, true)));
    }
    for (int r = 0; r < 2; r++) {
      say(job, r, 0, new RankMessage.Joined(1, Position.IN_LOOP, Map.of()));
    }
    takesLong(job, 2, 1, 60);
    assertThat(commands).isEmpty();
    takesLong(job, 3, 1, 60);
    assertThat(sent(ToDaemon.KillRank.class)).hasSize(2);
  }

  @Test
  void aUserHasARankReplaced() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.RankKicked(1));
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    assertThat(notices()).contains(new Notice.RankFailed(0, 1, "user", "was killed by a user"));
    on(job, new JobEvent.RankKicked(1));
    assertThat(commands).as("it is dying").isEmpty();
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(1);
    assertThat(job.recoveries()).isEqualTo(1);
  }

  /** Its node stays, with the ranks and the memory that it has. */
  @Test
  void aRankThatCannotBeStartedMoves() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankNotStarted(1, 1, "no more processes")));
    assertThat(all(JobCommand.KillNode.class)).isEmpty();
    assertThat(notices())
        .contains(
            new Notice.RankFailed(1, 1, "daemon", "cannot be started on node1: no more processes"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(2);
    assertThat(job.recoveries()).isEqualTo(1);
  }

  @Test
  void aRankThatCannotBeStartedAnywhereIsTriedAgainAsOftenAsAnyOther() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    for (int incarnation = 1; incarnation < 10; incarnation++) {
      on(job, new JobEvent.FromNode(1, new FromDaemon.RankNotStarted(1, incarnation, "full")));
      assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    }
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankNotStarted(1, 10, "full")));
    assertThat(end().cause()).isEqualTo(EndCause.NEVER_RAN);
    assertThat(end().message())
        .isEqualTo(
            "rank 1 was started 10 times and lost each time before all ranks ran (most recently"
                + " full): is there enough memory, and may it have more processes?");
  }

  @Test
  void abortEndsTheJobWithItsStatus() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    say(job, 1, 0, new RankMessage.Abort(5));
    assertThat(end().status()).isEqualTo(5);
    assertThat(end().message()).isEqualTo("rank 1 called abort(5)");
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(commands).as("it has ended").isEmpty();
  }

  @Test
  void releasesWhenAllHaveFinishedAndGivesTheFirstBadStatus() {
    Job job = job(2, 2, 1, OnNoSpare.SHARE);
    startAll(job, 2, 1);
    say(job, 0, 0, new RankMessage.Finished(0));
    assertThat(commands).isEmpty();
    say(job, 1, 0, new RankMessage.Finished(0));
    assertThat(all(JobCommand.ToAllNodes.class))
        .containsExactly(
            new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Release())));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 4, false)));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isEqualTo(4);
  }

  @Test
  void anInjectedFailureHappensOnce() {
    FaultSpec fault = new FaultSpec(false, 1, false, FaultPoint.ITERATION, 5);
    Job job = job(2, 2, 1, OnNoSpare.SHARE, fault);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    assertThat(all(JobCommand.Spawn.class).get(0).assignment().faults()).isEmpty();
    assertThat(all(JobCommand.Spawn.class).get(1).assignment().faults()).hasSize(1);
    say(job, 1, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    say(job, 1, 0, new RankMessage.AtFault(0));
    assertThat(sent(ToDaemon.KillRank.class)).hasSize(1);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(all(JobCommand.Spawn.class).getFirst().assignment().faults()).isEmpty();
  }

  /** The reasons that are told at the end, by what was to be killed. */
  private String missed(long iterations, FaultSpec fault) {
    Job job = job(2, 2, 2, OnNoSpare.SHARE, fault);
    startAll(job, 2, 1);
    on(job, new JobEvent.NodeUp(1, 1L << 30));
    if (iterations >= 0) {
      committed(job, 0, 0);
      committed(job, 1, iterations);
    }
    say(job, 0, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Finished(0));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 0, false)));
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isZero();
    return all(JobCommand.Report.class).stream()
        .map(JobCommand.Report::notice)
        .filter(Notice.KillMissed.class::isInstance)
        .map(n -> ((Notice.KillMissed) n).kill() + " " + ((Notice.KillMissed) n).reason())
        .collect(Collectors.joining(" and "));
  }

  @Test
  void aFailureThatWasNotInjectedIsToldAtTheEnd() {
    assertThat(missed(200, new FaultSpec(false, 1, false, FaultPoint.ITERATION, 300)))
        .isEqualTo("rank1@300 the longest loop had 200 iterations, counted from 0");
    assertThat(missed(200, new FaultSpec(false, 1, false, FaultPoint.ENCODE, 55)))
        .isEqualTo("rank1@55:encode no checkpoint was taken at that iteration");
    assertThat(missed(200, new FaultSpec(false, 1, false, FaultPoint.AGREE, 55)))
        .isEqualTo(
            "rank1@55:agree no asynchronous checkpoint was taken at that iteration, and no"
                + " agreement had that number");
    assertThat(missed(-1, new FaultSpec(false, 0, false, FaultPoint.TASK, 5)))
        .isEqualTo("rank0@5:task no rank began that task");
    assertThat(missed(200, new FaultSpec(true, 1, false, FaultPoint.ITERATION, 55)))
        .isEqualTo("node1@55 no rank reached that iteration, or no rank of node1 did");
    assertThat(missed(200, new FaultSpec(false, 0, true, FaultPoint.REBUILD, -1)))
        .startsWith("daemon0@rebuild no recovery had to rebuild a checkpoint of that iteration");
    assertThat(missed(-1, new FaultSpec(false, 0, false, FaultPoint.ITERATION, 5)))
        .isEqualTo("rank0@5 the program has no loop");
    assertThat(missed(-1, new FaultSpec(false, 0, false, FaultPoint.PROLOGUE, -1)))
        .isEqualTo("rank0@prologue no rank reached that place");
  }

  // ---- a rank that does not get to run where it is

  /**
   * Its process is lost so often, each time before all ranks run; it was lost once while it ran.
   */
  private void lose(Job job, int rank, int times) {
    for (int i = 0; i < times; i++) {
      JobCommand.Spawn before = newest(rank);
      on(
          job,
          new JobEvent.FromNode(
              before.node(), new FromDaemon.RankExited(rank, before.incarnation(), 137, true)));
      remember();
    }
  }

  private void remember() {
    all(JobCommand.Spawn.class).forEach(s -> spawned.put(s.rank(), s));
  }

  private JobCommand.Spawn newest(int rank) {
    return spawned.getOrDefault(
        rank, new JobCommand.Spawn(rank, new Assignment(rank, 0, new int[] {}, 1, List.of())));
  }

  private List<String> degraded() {
    return all(JobCommand.Report.class).stream()
        .map(JobCommand.Report::notice)
        .filter(Notice.Degraded.class::isInstance)
        .map(n -> ((Notice.Degraded) n).what())
        .toList();
  }

  @Test
  void aRankLostTwiceOnANodeBeforeAllRunStartsOnAnotherOne() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    lose(job, 1, 2);
    assertThat(newest(1).node()).isEqualTo(1);
    lose(job, 1, 1);
    assertThat(newest(1).node()).isEqualTo(2);
    assertThat(newest(1).incarnation()).isEqualTo(3);
    assertThat(degraded())
        .containsExactly(
            "rank 1 was lost repeatedly on node1 before all ranks ran: it now starts on node2");
  }

  /** The start of the job is no exception: there is nothing yet that a rank could leave behind. */
  @Test
  void soItDoesBeforeTheJobHasRun() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    job.begin();
    for (int n = 0; n < 3; n++) {
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    lose(job, 1, 2);
    assertThat(newest(1).node()).isEqualTo(2);
  }

  @Test
  void aRankThatRanInBetweenStaysOnItsNode() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    for (int epoch = 1; epoch < 3; epoch++) {
      lose(job, 1, 2);
      runOn(job, epoch, -1);
      assertThat(newest(1).node()).isEqualTo(1);
    }
    lose(job, 1, 1);
    assertThat(newest(1).node()).as("three times without progress").isEqualTo(2);
  }

  private void runOn(Job job, int epoch, int iteration) {
    join(job, epoch, newest(1).incarnation());
    say(job, 0, 0, new RankMessage.Running(epoch, -1, iteration, false));
    say(job, 1, newest(1).incarnation(), new RankMessage.Running(epoch, -1, iteration, false));
  }

  @Test
  void aRankWhoseJobMakesProgressStaysOnItsNode() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    for (int epoch = 1; epoch < 6; epoch++) {
      commit(job, epoch - 1, epoch);
      lose(job, 1, 1);
      runOn(job, epoch, epoch);
      assertThat(newest(1).node()).isEqualTo(1);
    }
  }

  /** Two members of a group without their checkpoints are more than its code brings back. */
  @Test
  void aRankStaysWhileAnotherOneOfItsGroupIsWithoutItsCheckpoints() {
    Job job = job(3, 1, 6, OnNoSpare.ABORT);
    startAll(job, 3, 6);
    on(job, new JobEvent.NodeLost(0, "gone"));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    lose(job, 1, 5);
    assertThat(newest(1).node()).isEqualTo(1);
  }

  @Test
  void aRankWhoseCheckpointsNobodyProtectsStaysWithThem() {
    Job job = job(2, 2, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 137, true)));
    remember();
    lose(job, 1, 5);
    assertThat(newest(1).node()).isZero();
  }

  /** Its checkpoints are there, and it may run this time. */
  @Test
  void aRankReturnsToWhatItHasLeftBeforeTheJobEnds() {
    Job job = job(2, 1, 3, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    lose(job, 1, 3);
    assertThat(newest(1).node()).isEqualTo(2);
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(1);
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(end().cause()).isEqualTo(EndCause.NO_SPARE);
  }

  @Test
  void aNodeThatWasLostHoldsNothingOldAnyMore() {
    Job job = job(2, 1, 4, OnNoSpare.WAIT);
    startAll(job, 2, 4);
    lose(job, 1, 3);
    on(job, new JobEvent.NodeLost(1, "gone"));
    on(job, new JobEvent.NodeLost(3, "gone"));
    on(job, new JobEvent.NodeLost(2, "gone"));
    assertThat(all(JobCommand.Launch.class)).hasSize(3);
    on(job, new JobEvent.NodeUp(1, 1L << 30));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(1);
  }

  @Test
  void aNodeWithMemoryForTheCheckpointsIsPreferred() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    job.begin();
    for (int n = 0; n < 4; n++) {
      on(job, new JobEvent.NodeUp(n, n == 2 ? 15 : 16));
    }
    for (int r = 0; r < 2; r++) {
      say(job, r, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    }
    committed(job, 1, 10); // of 8 bytes, kept twice
    on(job, new JobEvent.NodeLost(1, "gone"));
    assertThat(all(JobCommand.Spawn.class)).extracting(JobCommand.Spawn::node).containsExactly(3);
  }

  // ---- nodes that do not start

  @Test
  void aNodeThatIsNotLaunchedIsReplacedByASpare() {
    Job job = job(4, 2, 4, OnNoSpare.ABORT);
    job.begin();
    on(job, new JobEvent.NodeUp(0, 1L << 30));
    on(job, new JobEvent.NodeUp(3, 1L << 30));
    on(job, new JobEvent.NodeLost(1, "no route"));
    assertThat(all(JobCommand.KillNode.class))
        .containsExactly(new JobCommand.KillNode(1, "no route"));
    assertThat(degraded())
        .containsExactly(
            "rank 2 starts on node3 instead of node1", "rank 3 starts on node3 instead of node1");
    assertThat(all(JobCommand.Report.class))
        .contains(new JobCommand.Report(new Notice.Started(4, 2, 1, 1)));
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::rank, JobCommand.Spawn::node)
        .containsExactly(tuple(0, 0), tuple(1, 0), tuple(2, 3), tuple(3, 3));
    assertThat(all(JobCommand.Spawn.class).getLast().assignment().group()).containsExactly(1, 3);
  }

  /** The groups are formed of the nodes that the ranks start on. */
  @Test
  void theRanksOfANodeThatIsNotLaunchedMayGoToSeveral() {
    List<JobSpec.Node> nodes = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      nodes.add(new JobSpec.Node("node" + n, n < 2 ? 2 : 1, n >= 2));
    }
    Job job =
        new JobController(
            new JobSpec(
                4,
                new JobSpec.Room(nodes, 0, OnNoSpare.ABORT),
                new JobSpec.Grouping(4, 1),
                JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
                List.of()));
    job.begin();
    on(job, new JobEvent.NodeLost(0, "no route"));
    assertThat(all(JobCommand.End.class)).isEmpty();
    for (int n = 1; n < 4; n++) {
      assertThat(all(JobCommand.Spawn.class)).isEmpty();
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::node)
        .containsExactly(2, 3, 1, 1);
    assertThat(all(JobCommand.Spawn.class).getFirst().assignment().group()).containsExactly(0, 2);
  }

  // ---- after the release

  @Test
  void aRankThatIsSilentAfterItsCloseIsKilledAndTheOthersEnd() {
    Job job = job(2, 1, 2, OnNoSpare.ABORT);
    startAll(job, 2, 2);
    say(job, 0, 0, new RankMessage.Finished(0));
    say(job, 1, 0, new RankMessage.Finished(0));
    on(job, new FromDaemon.RankSilent(1, 0));
    assertThat(all(JobCommand.End.class)).isEmpty();
    assertThat(sent(ToDaemon.KillRank.class))
        .containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    assertThat(commands).isEmpty();
    on(job, new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 0, false)));
    assertThat(end().status()).isEqualTo(137);
  }

  // ---- standbys

  @Test
  void standbysAreAskedForAtTheFirstCheckpointOfAnEpoch() {
    Job job = job(4, 2, 4, OnNoSpare.ABORT);
    startAll(job, 4, 3);
    assertThat(sent(ToDaemon.Standbys.class)).isEmpty();
    committed(job, 0, 0);
    assertThat(sent(ToDaemon.Standbys.class))
        .containsExactly(
            new JobCommand.ToNode(0, new ToDaemon.Standbys(1, 2)),
            new JobCommand.ToNode(1, new ToDaemon.Standbys(1, 2)),
            new JobCommand.ToNode(2, new ToDaemon.Standbys(2, 2)));
    committed(job, 1, 10);
    assertThat(sent(ToDaemon.Standbys.class)).isEmpty();
    on(job, new JobEvent.NodeUp(3, 1L << 30));
    assertThat(sent(ToDaemon.Standbys.class))
        .containsExactly(new JobCommand.ToNode(3, new ToDaemon.Standbys(2, 2)));
  }

  @Test
  void notUntilTheFirstCheckpointAfterARecovery() {
    Job job = job(2, 1, 4, OnNoSpare.ABORT);
    startAll(job, 2, 3);
    committed(job, 0, 0);
    on(job, new JobEvent.FromNode(1, new FromDaemon.RankExited(1, 0, 137, true)));
    on(job, new JobEvent.NodeUp(3, 1L << 30));
    assertThat(sent(ToDaemon.Standbys.class)).isEmpty();
    say(
        job,
        0,
        0,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(1, 2, 0, 20, 8, 8, 1, 1, 1), 20, false));
    assertThat(sent(ToDaemon.Standbys.class)).hasSize(4);
  }
}
