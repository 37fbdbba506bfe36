package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;

/** Four ranks, one per node, of which rank 0 accuses rank 1, and perhaps a spare node. */
final class ExaminationTest {
  private static final int RANKS = 4;
  private static final int SPARE = RANKS;

  private final List<JobCommand> commands = new ArrayList<>();
  private final int[] incarnations = new int[RANKS];
  private Job job = job(1, OnNoSpare.ABORT);
  private int nodes;
  private int epoch;

  private Job job(int spares, OnNoSpare policy) {
    return job(spares, policy, 0);
  }

  /** A job that ends after more failures in a row than this; after no number of them if 0. */
  private Job job(int spares, OnNoSpare policy, int mostWithoutProgress) {
    nodes = RANKS + spares;
    List<JobSpec.Node> all = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      all.add(new JobSpec.Node("node" + n, 1, false));
    }
    return new JobController(
        new JobSpec(
            RANKS,
            new JobSpec.Room(all, 1, policy),
            new JobSpec.Grouping(16, 1),
            new JobSpec.Recovery(Integer.MAX_VALUE, mostWithoutProgress, RecoveryPolicy.global()),
            List.of()));
  }

  private void on(JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
  }

  private void say(int rank, RankMessage message) {
    on(new JobEvent.FromNode(0, new FromDaemon.Relayed(rank, incarnations[rank], message)));
  }

  private void start() {
    job.begin();
    for (int n = 0; n < nodes; n++) {
      on(new JobEvent.NodeUp(n, 1L << 30));
    }
    join(Position.FRESH);
    run();
  }

  private void join(Position position) {
    for (int r = 0; r < RANKS; r++) {
      say(r, new RankMessage.Joined(epoch, position, Map.of()));
    }
  }

  private void run() {
    for (int r = 0; r < RANKS; r++) {
      say(r, new RankMessage.Connected(epoch, "tcp"));
      say(r, new RankMessage.Running(epoch, 0, 1, false));
    }
  }

  private void accuse() {
    say(0, new RankMessage.Suspect(epoch, 1, 0, 0, "tcp", "silent for 5 s"));
    assertThat(kills()).isEmpty();
    assertThat(commands)
        .contains(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(
                    new JobMessage.Revoke(++epoch, JobMessage.Revoke.NONE, List.of()))));
  }

  private <T extends JobCommand> List<T> all(Class<T> type) {
    return commands.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private List<Notice> notices() {
    return all(JobCommand.Report.class).stream().map(JobCommand.Report::notice).toList();
  }

  private List<JobCommand.ToNode> kills() {
    return all(JobCommand.ToNode.class).stream()
        .filter(c -> c.message() instanceof ToDaemon.KillRank)
        .toList();
  }

  private boolean starts() {
    return commands.stream()
        .anyMatch(c -> c instanceof JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Start _)));
  }

  private int round() {
    return all(JobCommand.AwaitExamination.class).getLast().round();
  }

  /** Lets the time pass until daemons are asked; returns the number of the examination. */
  private int ask(int heard) {
    on(new JobEvent.ExaminationOver(heard));
    assertThat(all(JobCommand.Examine.class))
        .extracting(JobCommand.Examine::node)
        .doesNotHaveDuplicates();
    return round();
  }

  private void answer(int round, Map<Integer, List<Integer>> unreached) {
    for (int n = 0; n < nodes; n++) {
      on(new JobEvent.Examined(n, round, unreached.getOrDefault(n, List.of())));
    }
  }

  private void exit(int rank, int node) {
    on(
        new JobEvent.FromNode(
            node, new FromDaemon.RankExited(rank, incarnations[rank]++, 137, true)));
  }

  @Test
  void aProcessThatLivesAndIsReachedContinues() {
    start();
    accuse();
    int round = ask(round());
    join(Position.IN_LOOP);
    assertThat(starts()).as("before the judgement").isFalse();
    answer(round, Map.of());
    assertThat(kills()).isEmpty();
    assertThat(notices())
        .contains(
            new Notice.FalsePositive(
                1, 1, "rank 0", "its process lives, and all nodes hear each other"));
    assertThat(starts()).isTrue();
  }

  @Test
  void aProcessThatIsAccusedAgainBeforeACheckpointIsKilled() {
    start();
    accuse();
    answer(ask(round()), Map.of());
    join(Position.IN_LOOP);
    accuse();
    answer(ask(round()), Map.of());
    assertThat(kills()).containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    exit(1, 1);
    assertSpawned(1, 1);
  }

  /** Otherwise a link that only ranks use would never move a rank, nor end the job. */
  @Test
  void eachKillOfAnAccusedProcessIsAFailureWithoutProgress() {
    job = job(0, OnNoSpare.ABORT, 2);
    start();
    for (int i = 0; i < 3; i++) {
      accuse();
      answer(ask(round()), Map.of());
      join(Position.IN_LOOP);
      run();
      accuse();
      answer(ask(round()), Map.of());
      if (i < 2) {
        exit(1, 1);
        join(Position.IN_LOOP);
        run();
      }
    }
    assertThat(all(JobCommand.End.class))
        .extracting(JobCommand.End::cause)
        .containsExactly(EndCause.NO_PROGRESS);
  }

  /** Whether its daemon or another rank notices first. */
  @Test
  void anAccusedProcessThatHasDiedHasFailedWithoutProgress() {
    job = job(0, OnNoSpare.ABORT, 2);
    start();
    for (int i = 0; i < 3; i++) {
      accuse();
      if (i == 1) {
        on(new JobEvent.FromNode(1, new FromDaemon.RankDying(1, incarnations[1])));
      }
      exit(1, 1);
      if (i < 2) {
        join(Position.IN_LOOP);
        run();
      }
    }
    assertThat(all(JobCommand.End.class))
        .extracting(JobCommand.End::message)
        .containsExactly(
            """
            3 failures in a row without progress between them:
              rank 1 on node1: was killed by signal 9
              rank 1 on node1: was killed by signal 9
              rank 1 on node1: was killed by signal 9\
            """);
  }

  private void assertSpawned(int rank, int node) {
    assertThat(all(JobCommand.Spawn.class))
        .extracting(JobCommand.Spawn::rank, JobCommand.Spawn::node)
        .containsExactly(tuple(rank, node));
  }

  /** All daemons answer except that of node 1, which they cannot reach. */
  private void allAnswerBut1(int round) {
    for (int n = 0; n < nodes; n++) {
      if (n != 1) {
        on(new JobEvent.Examined(n, round, List.of(1)));
      }
    }
  }

  @Test
  void aCheckpointInBetweenClearsIt() {
    start();
    accuse();
    answer(ask(round()), Map.of());
    join(Position.IN_LOOP);
    run();
    say(
        0,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(epoch, 1, 0, 9, 8, 8, 1, 1, 1), 9, false));
    accuse();
    answer(ask(round()), Map.of());
    assertThat(kills()).isEmpty();
  }

  @Test
  void noDaemonIsAskedForAProcessThatHasDied() {
    start();
    accuse();
    int heard = round();
    exit(1, 1);
    assertThat(notices())
        .contains(new Notice.CauseKnown(0, 1, "was killed by signal 9"))
        .noneMatch(Notice.RankFailed.class::isInstance);
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
    on(new JobEvent.ExaminationOver(heard));
    assertThat(commands).isEmpty();
    join(Position.IN_LOOP);
    assertThat(starts()).isTrue();
  }

  /** Its system still clears its memory. */
  @Test
  void aProcessThatIsDyingIsNotJudged() {
    start();
    accuse();
    int heard = round();
    on(new JobEvent.FromNode(1, new FromDaemon.RankDying(1, 0)));
    on(new JobEvent.ExaminationOver(heard));
    assertThat(commands).isEmpty();
    exit(1, 1);
    assertThat(notices()).contains(new Notice.CauseKnown(0, 1, "was killed by signal 9"));
    assertThat(all(JobCommand.Spawn.class)).hasSize(1);
  }

  @Test
  void theAccusersRankMovesIfItsNodeIsTheSickOne() {
    start();
    accuse();
    answer(ask(round()), Map.of(0, List.of(1, SPARE), 1, List.of(0)));
    assertThat(kills()).containsExactly(new JobCommand.ToNode(0, new ToDaemon.KillRank(0, 0)));
    assertThat(notices())
        .contains(
            new Notice.FalsePositive(
                1, 1, "rank 0", "its process lives, but node0 and node1 cannot hear each other"));
    exit(0, 0);
    assertSpawned(0, SPARE);
    assertThat(notices())
        .contains(
            new Notice.Degraded(
                "node0 and node1 cannot hear each other: rank 0 moves to node" + SPARE));
    join(Position.IN_LOOP);
    assertThat(starts()).isTrue();
  }

  @Test
  void aLossInTheMeantimeEndsTheExaminationOfItsRank() {
    start();
    accuse();
    int round = ask(round());
    allAnswerBut1(round);
    on(new JobEvent.NodeLost(1, "silent"));
    assertThat(kills()).isEmpty();
    assertSpawned(1, SPARE);
  }

  @Test
  void aSilentDaemonIsNotWaitedForAndNotJudged() {
    start();
    accuse();
    int round = ask(round());
    allAnswerBut1(round);
    on(new JobEvent.ExaminationOver(round));
    assertThat(kills()).isEmpty();
    assertThat(all(JobCommand.AwaitExamination.class)).isEmpty();
    assertThat(notices()).noneMatch(Notice.FalsePositive.class::isInstance);
  }

  @Test
  void withoutARemedyTheLinkIsExaminedAgainAndTheJobEndsThen() {
    job = job(0, OnNoSpare.ABORT);
    start();
    accuse();
    int round = ask(round());
    int rounds = 0;
    while (true) {
      answer(round, Map.of(0, List.of(1)));
      if (!all(JobCommand.End.class).isEmpty()) {
        break;
      }
      assertThat(rounds++).isLessThan(10);
      round = ask(round);
    }
    assertThat(rounds).isPositive();
    assertThat(all(JobCommand.End.class))
        .containsExactly(
            new JobCommand.End(
                70,
                EndCause.LINKS_BROKEN,
                "node0 and node1 cannot hear each other, and no free node hears all others"));
  }

  /** Together with a rank that has just left a drained node, the accused one would be too many. */
  @Test
  void aRankReturnsToItsCheckpointsSoThatAnotherMayMove() {
    start();
    on(new JobEvent.NodeLeaving(2, "announced"));
    say(
        0,
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(epoch, 1, 0, 9, 8, 8, 1, 1, 1), 9, false));
    epoch++;
    exit(2, 2);
    assertSpawned(2, SPARE);
    on(new JobEvent.NodeStays(2, "revoked"));
    join(Position.IN_LOOP);
    for (int r = 0; r < RANKS; r++) {
      say(r, new RankMessage.Connected(epoch, "tcp"));
    }
    accuse();
    Map<Integer, List<Integer>> unreached = Map.of(1, List.of(0, 2, 3, SPARE));
    answer(ask(round()), unreached);
    assertThat(kills()).containsExactly(new JobCommand.ToNode(SPARE, new ToDaemon.KillRank(2, 1)));
    int again = round();
    exit(2, SPARE);
    assertSpawned(2, 2);
    answer(ask(again), unreached);
    assertThat(kills()).containsExactly(new JobCommand.ToNode(1, new ToDaemon.KillRank(1, 0)));
    exit(1, 1);
    assertSpawned(1, SPARE);
    join(Position.IN_LOOP);
    assertThat(starts()).isTrue();
  }

  @Test
  void whoMayWaitDoesSoUntilTheLinkWorks() {
    job = job(0, OnNoSpare.WAIT);
    start();
    accuse();
    int round = ask(round());
    join(Position.IN_LOOP);
    for (int i = 0; i < 50; i++) {
      answer(round, Map.of(0, List.of(1)));
      assertThat(all(JobCommand.End.class)).isEmpty();
      round = ask(round);
    }
    answer(round, Map.of());
    assertThat(starts()).isTrue();
    assertThat(notices())
        .contains(new Notice.Degraded("all nodes with ranks hear each other again"))
        .noneMatch(Notice.FalsePositive.class::isInstance);
  }

  /** What is left unanswered is asked again too. */
  @Test
  void aSilentDaemonAndABrokenLinkAreExaminedAgain() {
    job = job(0, OnNoSpare.WAIT);
    start();
    accuse();
    int round = ask(round());
    for (int n = 0; n < nodes - 1; n++) {
      on(new JobEvent.Examined(n, round, n == 0 ? List.of(1) : List.of()));
    }
    on(new JobEvent.ExaminationOver(round));
    assertThat(ask(round())).isGreaterThan(round);
  }

  @Test
  void whoMayShareMovesBeyondTheSlots() {
    job = job(0, OnNoSpare.SHARE);
    start();
    accuse();
    answer(ask(round()), Map.of(0, List.of(1)));
    assertThat(kills()).hasSize(1);
    int rank = ((ToDaemon.KillRank) kills().getFirst().message()).rank();
    exit(rank, rank);
    assertThat(all(JobCommand.Spawn.class))
        .singleElement()
        .satisfies(spawn -> assertThat(spawn.node()).isNotEqualTo(rank));
  }

  @Test
  void inLargeJobsFewMeasureAndAllAnswer() {
    List<JobSpec.Node> all = new ArrayList<>();
    for (int n = 0; n < 200; n++) {
      all.add(new JobSpec.Node("node" + n, 1, n >= 100));
    }
    job =
        new JobController(
            new JobSpec(
                100,
                new JobSpec.Room(all, 1, OnNoSpare.ABORT),
                new JobSpec.Grouping(16, 1),
                JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
                List.of()));
    job.begin();
    for (int n = 0; n < 200; n++) {
      on(new JobEvent.NodeUp(n, 1L << 30));
    }
    for (int r = 0; r < 100; r++) {
      on(
          new JobEvent.FromNode(
              r,
              new FromDaemon.Relayed(r, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()))));
    }
    accuse();
    on(new JobEvent.ExaminationOver(round()));
    assertThat(all(JobCommand.Examine.class)).hasSize(200);
    assertThat(all(JobCommand.Examine.class))
        .filteredOn(c -> !c.others().isEmpty())
        .hasSize(2 + 16)
        .extracting(JobCommand.Examine::node)
        .contains(0, 1);
  }
}
