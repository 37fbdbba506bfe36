package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.junit.jupiter.api.Test;

/** Six ranks on three nodes, two of which are started, or killed, per event. */
final class AllProcessesTest {
  private static final int RANKS = 6;
  private static final int USED = 3;

  private final List<JobCommand.Spawn> spawned = new ArrayList<>();
  private final List<Integer> killed = new ArrayList<>();
  private final List<JobCommand> commands = new ArrayList<>();
  private JobController job = job(0, OnNoSpare.ABORT);

  private static JobController job(int spares, OnNoSpare policy) {
    List<JobSpec.Node> nodes =
        IntStream.range(0, USED + spares)
            .mapToObj(n -> new JobSpec.Node("node" + n, 2, n >= USED))
            .toList();
    JobSpec spec =
        new JobSpec(
            RANKS,
            new JobSpec.Room(nodes, 2, policy),
            new JobSpec.Grouping(16, 1),
            JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
            List.of());
    JobController job = new JobController(spec, 2);
    job.begin();
    return job;
  }

  private void on(JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
    for (JobCommand command : commands) {
      if (command instanceof JobCommand.Spawn spawn) {
        spawned.add(spawn);
      } else if (command instanceof JobCommand.ToNode(int _, ToDaemon.KillRank kill)) {
        killed.add(kill.rank());
      }
    }
  }

  private void say(int rank, int incarnation, RankMessage message) {
    on(new JobEvent.FromNode(0, new FromDaemon.Relayed(rank, incarnation, message)));
  }

  /** All of these nodes come up; with the last one that has ranks the first of them are started. */
  private void up(int nodes) {
    for (int n = nodes - 1; n >= 0; n--) {
      on(new JobEvent.NodeUp(n, 1L << 30));
    }
  }

  private boolean goesOn() {
    return commands.contains(new JobCommand.Continue());
  }

  private void goOnToTheEnd() {
    while (goesOn()) {
      on(new JobEvent.Continued());
    }
  }

  private boolean hasStarted() {
    return commands.stream()
        .anyMatch(c -> c instanceof JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Start _)));
  }

  private void eachWasStartedOnceOn(int... nodes) {
    assertThat(spawned)
        .extracting(JobCommand.Spawn::rank, JobCommand.Spawn::incarnation, JobCommand.Spawn::node)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, RANKS).mapToObj(r -> tuple(r, 0, nodes[r])).toList());
  }

  @Test
  void areStartedInParts() {
    up(USED);
    assertThat(spawned).hasSize(2);
    on(new JobEvent.Continued());
    assertThat(spawned).hasSize(4);
    assertThat(goesOn()).isTrue();
    on(new JobEvent.Continued());
    assertThat(goesOn()).isFalse();
    eachWasStartedOnceOn(0, 0, 1, 1, 2, 2);
    on(new JobEvent.Continued());
    assertThat(commands).isEmpty();
  }

  @Test
  void thoseOfANodeThatIsLostMeanwhileAreStartedOnASpareAtOnce() {
    job = job(1, OnNoSpare.ABORT);
    up(USED + 1);
    on(new JobEvent.NodeLost(2, "its connection ended"));
    assertThat(goesOn()).isFalse();
    on(new JobEvent.Continued());
    goOnToTheEnd();
    eachWasStartedOnceOn(0, 0, 1, 1, 3, 3);
  }

  /** The process that was started there is started again, and no other. */
  @Test
  void theSpareMayBeLostMeanwhileToo() {
    job = job(2, OnNoSpare.ABORT);
    up(USED + 2);
    on(new JobEvent.NodeLost(2, "its connection ended"));
    on(new JobEvent.NodeLost(3, "its connection ended"));
    on(new JobEvent.Continued());
    goOnToTheEnd();
    assertThat(spawned)
        .extracting(JobCommand.Spawn::rank, JobCommand.Spawn::incarnation, JobCommand.Spawn::node)
        .containsExactly(
            tuple(0, 0, 0),
            tuple(1, 0, 0),
            tuple(4, 0, 3),
            tuple(5, 0, 4),
            tuple(4, 1, 4),
            tuple(2, 0, 1),
            tuple(3, 0, 1));
  }

  @Test
  void thoseWithoutANodeAreStartedWhenTheyHaveOne() {
    job = job(0, OnNoSpare.WAIT);
    up(USED);
    on(new JobEvent.NodeLost(1, "its connection ended"));
    on(new JobEvent.Continued());
    goOnToTheEnd();
    assertThat(spawned).extracting(JobCommand.Spawn::rank).containsExactly(0, 1, 4, 5);
    on(new JobEvent.NodeUp(1, 1L << 30));
    eachWasStartedOnceOn(0, 0, 1, 1, 2, 2);
  }

  /** It comes back before it is the turn of its ranks. */
  @Test
  void noneIsStartedTwice() {
    job = job(0, OnNoSpare.WAIT);
    up(USED);
    on(new JobEvent.NodeLost(2, "its connection ended"));
    on(new JobEvent.NodeUp(2, 1L << 30));
    on(new JobEvent.Continued());
    goOnToTheEnd();
    eachWasStartedOnceOn(0, 0, 1, 1, 2, 2);
  }

  @Test
  void noneIsStartedAfterTheEnd() {
    up(USED);
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 3, false)));
    assertThat(commands).hasAtLeastOneElementOfType(JobCommand.End.class);
    on(new JobEvent.Continued());
    assertThat(commands).isEmpty();
  }

  private void run() {
    up(USED);
    goOnToTheEnd();
    for (int r = 0; r < RANKS; r++) {
      say(r, 0, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    }
    for (int r = 0; r < RANKS; r++) {
      say(r, 0, new RankMessage.Running(0, 0, -1, false));
    }
  }

  @Test
  void areKilledInPartsToRestartAll() {
    run();
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    say(3, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()));
    assertThat(killed).containsExactly(1);
    on(
        new JobEvent.FromNode(
            2, new FromDaemon.RankExited(4, 0, 137, true))); // by itself, before its turn
    on(new JobEvent.Continued());
    assertThat(killed).containsExactly(1, 2, 3);
    on(new JobEvent.Continued());
    assertThat(killed).containsExactly(1, 2, 3, 5);
    assertThat(goesOn()).isFalse();
  }

  /** Ranks that have joined as they are may not begin: it will be their turn. */
  @Test
  void noneBeginsBeforeAllHaveHadTheirTurn() {
    run();
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    say(3, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()));
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(1, 0, 137, true)));
    for (int r = 0; r < RANKS; r++) {
      Position at = r < 2 ? Position.REPLAYING : Position.IN_LOOP;
      say(r, r < 2 ? 1 : 0, new RankMessage.Joined(1, at, Map.of()));
      assertThat(hasStarted()).isFalse();
    }
    on(new JobEvent.Continued());
    on(new JobEvent.Continued());
    assertThat(hasStarted()).isFalse();
    assertThat(killed).containsExactly(1, 2, 3, 4, 5);
    for (int r = 2; r < RANKS; r++) {
      assertThat(hasStarted()).isFalse();
      on(new JobEvent.FromNode(r / 2, new FromDaemon.RankExited(r, 0, 137, true)));
      say(r, 1, new RankMessage.Joined(1, Position.REPLAYING, Map.of()));
    }
    assertThat(hasStarted()).isTrue();
  }

  /** All that are left have been started anew, and have joined, when it is their turn. */
  @Test
  void allBeginWhenTheLastTurnFindsNothingToDo() {
    run();
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    say(3, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()));
    for (int r = 1; r < RANKS; r++) {
      on(new JobEvent.FromNode(r / 2, new FromDaemon.RankExited(r, 0, 137, true)));
    }
    for (int r = 0; r < RANKS; r++) {
      say(r, 1, new RankMessage.Joined(1, Position.REPLAYING, Map.of()));
      assertThat(hasStarted()).isFalse();
    }
    on(new JobEvent.Continued());
    assertThat(hasStarted()).isFalse();
    on(new JobEvent.Continued());
    assertThat(hasStarted()).isTrue();
    assertThat(killed).containsExactly(1);
  }

  /** A failure meanwhile begins one more epoch; what was to be killed is killed all the same. */
  @Test
  void anEpochThatBeginsMeanwhileSparesNone() {
    run();
    on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
    say(3, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()));
    say(4, 0, new RankMessage.Suspect(1, 5, 0, 0, "tcp", "its connection ended"));
    assertThat(killed).containsExactly(1, 5);
    on(new JobEvent.Continued());
    on(new JobEvent.Continued());
    assertThat(killed).containsExactly(1, 5, 2, 3, 4);
  }
}
