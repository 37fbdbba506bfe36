package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.junit.jupiter.api.Test;

/**
 * How much the decision maker does for an event, counted in looks at a node or rank, which does not
 * depend on the machine.
 */
final class CostOfDecisionsTest {
  private static final int FEW = 64;
  private static final int MANY = 4096;

  /** A job with as many ranks per node, eight nodes to a rack, and two spares. */
  private static final class Run {
    private final int size;
    private final int ppn;
    private final AccessCounter looks = new AccessCounter();
    private final JobController job;
    private long events;
    private long total;
    private long most;
    private int mostCommands;

    Run(int size) {
      this(size, 1);
    }

    Run(int size, int ppn) {
      this.size = size;
      this.ppn = ppn;
      List<JobSpec.Node> all = new ArrayList<>();
      for (int n = 0; n < size / ppn + 2; n++) {
        all.add(new JobSpec.Node("node" + n, ppn, n >= size / ppn, "rack" + n / 8));
      }
      JobSpec spec =
          new JobSpec(
              size,
              new JobSpec.Room(all, ppn, JobSpec.OnNoSpare.SHARE),
              new JobSpec.Grouping(16, 1),
              JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
              List.of());
      job = new JobController(spec, looks);
      job.begin();
      looks.take();
    }

    List<JobCommand> on(JobEvent event) {
      List<JobCommand> commands = job.on(event);
      long looked = looks.take();
      events++;
      total += looked;
      most = Math.max(most, looked);
      mostCommands = Math.max(mostCommands, commands.size());
      return commands;
    }

    /** The same, with all that follows from it. */
    void onAll(JobEvent event) {
      JobEvent next = event;
      while (on(next).contains(new JobCommand.Continue())) {
        next = new JobEvent.Continued();
      }
    }

    void nodesUp() {
      for (int n = 0; n < size / ppn + 2; n++) {
        onAll(new JobEvent.NodeUp(n, 1L << 30));
      }
    }

    /** All ranks come up in an epoch; those that were there before are in their loop. */
    void run(int epoch, int replaced) {
      for (int r = 0; r < size; r++) {
        Position at =
            epoch == 0 ? Position.FRESH : r == replaced ? Position.REPLAYING : Position.IN_LOOP;
        List<JobCommand> commands = say(r, replaced, new RankMessage.Joined(epoch, at, Map.of()));
        assertThat(commands.stream().anyMatch(Run::starts)).isEqualTo(r == size - 1);
      }
      for (int r = 0; r < size; r++) {
        say(r, replaced, new RankMessage.Connected(epoch, "tcp"));
      }
      for (int r = 0; r < size; r++) {
        say(r, replaced, new RankMessage.Running(epoch, 0, epoch == 0 ? -1 : 10, false));
      }
    }

    private static boolean starts(JobCommand command) {
      return command instanceof JobCommand.ToAllNodes(ToDaemon.ForwardAll(JobMessage.Start _));
    }

    private List<JobCommand> say(int rank, int replaced, RankMessage message) {
      return on(
          new JobEvent.FromNode(
              0, new FromDaemon.Relayed(rank, rank == replaced ? 1 : 0, message)));
    }

    void checkpoints(int count) {
      for (int version = 0; version < count; version++) {
        RankMessage done =
            new RankMessage.CheckpointDone(
                new Notice.CheckpointCommitted(0, version, 0, 10L + version, 1024, 1024, 0, 0, 0),
                10L + version,
                false);
        say(0, -1, done);
      }
    }

    /** The loss of a node, of which all ranks say that they have heard. */
    void lose(int node) {
      on(new JobEvent.NodeLost(node, "its connection ended"));
      for (int r = 0; r < size; r++) {
        if (r != node) {
          say(r, -1, new RankMessage.Suspect(0, node, 1, 0, "tcp", "its connection ended"));
        }
      }
    }

    /** All are to be killed, as one is not in a loop. */
    void restartAll() {
      on(new JobEvent.FromNode(0, new FromDaemon.RankExited(0, 0, 137, true)));
      onAll(
          new JobEvent.FromNode(
              0,
              new FromDaemon.Relayed(1, 0, new RankMessage.Joined(1, Position.OUTSIDE, Map.of()))));
    }

    double perEvent() {
      return (double) total / events;
    }
  }

  private static Run whole(int size) {
    Run run = new Run(size);
    run.nodesUp();
    run.run(0, -1);
    run.checkpoints(size);
    run.lose(size / 2);
    run.run(1, size / 2);
    return run;
  }

  @Test
  void growsAtMostWithTheLogarithmOfTheNodes() {
    Run few = whole(FEW);
    Run many = whole(MANY);
    double doublings = Math.log(MANY) / Math.log(FEW);
    assertThat(many.perEvent()).isPositive().isLessThanOrEqualTo(doublings * few.perEvent());
  }

  /** There are events that all nodes have to be told of; none looks at all for each of all. */
  @Test
  void noEventLooksAtEachNodeMoreThanAFewTimes() {
    assertThat(whole(FEW).most).isGreaterThan(FEW).isLessThan(20 * FEW);
    assertThat(whole(MANY).most).isGreaterThan(MANY).isLessThan(20 * MANY);
  }

  /**
   * However many processes are to be started or killed, one event has no more commands than can be
   * carried out between two heartbeats: a spawn, and a notice, for each of as many ranks.
   */
  @Test
  void noEventHasACommandForEachOfVeryManyRanks() {
    int bound = 2 * JobController.RANKS_AT_ONCE + 10;
    for (int size : new int[] {MANY, 4 * MANY}) {
      Run run = new Run(size, MANY / FEW);
      run.nodesUp();
      run.run(0, -1);
      assertThat(run.mostCommands).isGreaterThan(JobController.RANKS_AT_ONCE);
      run.restartAll();
      assertThat(run.mostCommands).isLessThanOrEqualTo(bound);
    }
  }

  /** Nodes come up one by one, and each time it is asked whether all are there. */
  @Test
  void aNodeThatComesUpIsNotComparedWithAllOthers() {
    for (int size : new int[] {FEW, MANY}) {
      Run run = new Run(size);
      run.nodesUp();
      assertThat(run.total).isLessThan(40L * size);
    }
  }
}
