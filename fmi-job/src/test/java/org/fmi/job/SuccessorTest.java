package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.JobSpec.Node;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.FromDaemon;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a job shrinks, and what follows it. */
final class SuccessorTest {
  private final List<JobCommand> commands = new ArrayList<>();

  private static FaultSpec kill(boolean node, int number) {
    return new FaultSpec(node, number, false, FaultPoint.ITERATION, 40);
  }

  /** Two ranks per node; the last node may have room for more. */
  private JobController job(
      int size, int spares, int maxRecoveries, RecoveryPolicy policy, FaultSpec... faults) {
    List<Node> nodes = new ArrayList<>();
    int used = (size + 1) / 2;
    for (int n = 0; n < used + spares; n++) {
      nodes.add(new Node("node" + n, 2, n >= used, "rack" + n));
    }
    JobController job =
        new JobController(
            new JobSpec(
                size,
                new JobSpec.Room(nodes, 2, OnNoSpare.SHRINK),
                new JobSpec.Grouping(16, 1),
                new JobSpec.Recovery(maxRecoveries, 0, policy),
                List.of(faults)));
    job.begin();
    for (int n = 0; n < nodes.size(); n++) {
      on(job, new JobEvent.NodeUp(n, 1L << 30));
    }
    return job;
  }

  private void on(Job job, JobEvent event) {
    commands.clear();
    commands.addAll(job.on(event));
  }

  private void allRun(Job job, int size) {
    for (int r = 0; r < size; r++) {
      say(job, r, new RankMessage.Joined(0, Position.FRESH, Map.of()));
    }
    for (int r = 0; r < size; r++) {
      say(job, r, new RankMessage.Connected(0, "tcp"));
      say(job, r, new RankMessage.Running(0, 0, 0, false));
    }
  }

  private void say(Job job, int rank, RankMessage message) {
    on(job, new JobEvent.FromNode(0, new FromDaemon.Relayed(rank, 0, message)));
  }

  private JobCommand.@Nullable Shrink lose(Job job, int node) {
    on(job, new JobEvent.NodeLost(node, "no power"));
    return commands.getLast() instanceof JobCommand.Shrink shrink ? shrink : null;
  }

  private JobCommand.Shrink shrinks(Job job, int node) {
    JobCommand.Shrink shrink = lose(job, node);
    if (shrink == null) {
      throw new AssertionError(commands);
    }
    return shrink;
  }

  @Test
  void theRanksOfTheLostNodeAreGone() {
    Job job = job(6, 0, 10, RecoveryPolicy.global(), kill(true, 2), kill(false, 3), kill(false, 4));
    allRun(job, 6);
    JobCommand.Shrink shrink = shrinks(job, 1);
    assertThat(shrink.lost()).isEqualTo(2);
    JobSpec next = shrink.next();
    assertThat(next.size()).isEqualTo(4);
    assertThat(next.nodes())
        .containsExactly(
            new Node("node0", 2, false, "rack0"), new Node("node2", 2, false, "rack2"));
    assertThat(next.placement()).containsExactly(0, 0, 1, 1);
    assertThat(next.room().onNoSpare()).isEqualTo(OnNoSpare.SHRINK);
    assertThat(next.recovery().earlier()).as("one was needed").isEqualTo(1);
    assertThat(next.faults()).as("of nodes and ranks that are there").hasSize(2);
    assertThat(next.faults()).containsExactly(kill(true, 1), kill(false, 3));
    assertThat(commands)
        .filteredOn(
            c -> c instanceof JobCommand.Report(Notice.KillMissed m) && m.kill().contains("rank4"))
        .hasSize(1);
    on(job, new JobEvent.NodeLost(0, "no power, either"));
    assertThat(commands).as("it has ended").isEmpty();
  }

  @Test
  void aSpareIsUsedFirst() {
    Job job = job(4, 1, 10, RecoveryPolicy.global());
    allRun(job, 4);
    assertThat(lose(job, 1)).isNull();
    assertThat(lose(job, 2)).isNotNull();
  }

  @Test
  void freeSlotsAreUsed() {
    Job job = job(5, 0, 10, RecoveryPolicy.global());
    allRun(job, 5);
    JobCommand.Shrink shrink = shrinks(job, 0);
    assertThat(shrink.lost()).as("one has found a slot").isOne();
    assertThat(shrink.next().placement()).containsExactly(0, 0, 1, 1);
  }

  @Test
  void aNodeThatIsLostWhileTheRanksJoinShrinksItToo() {
    Job job = job(4, 0, 10, RecoveryPolicy.global());
    assertThat(lose(job, 1)).isNotNull();
  }

  @Test
  void theLastNodeEndsIt() {
    Job job = job(2, 0, 10, RecoveryPolicy.global());
    allRun(job, 2);
    assertThat(lose(job, 0)).isNull();
    assertThat(commands.getLast()).extracting("cause").isEqualTo(EndCause.NO_NODE);
  }

  @Test
  void noMoreRecoveriesThanTheUserAllows() {
    Job job = job(4, 0, 0, RecoveryPolicy.global());
    allRun(job, 4);
    assertThat(lose(job, 1)).isNull();
    assertThat(commands.getLast()).extracting("cause").isEqualTo(EndCause.TOO_MANY_RECOVERIES);
  }

  @Test
  void theLimitHoldsForAllJobsTogether() {
    Job first = job(6, 0, 1, RecoveryPolicy.global());
    allRun(first, 6);
    Job second = new JobController(shrinks(first, 1).next());
    second.begin();
    on(second, new JobEvent.NodeUp(0, 1L << 30));
    on(second, new JobEvent.NodeUp(1, 1L << 30));
    allRun(second, 4);
    assertThat(lose(second, 1)).isNull();
    assertThat(commands.getLast())
        .asInstanceOf(InstanceOfAssertFactories.type(JobCommand.End.class))
        .extracting(JobCommand.End::message)
        .asString()
        .contains("recovery 2 would exceed the limit of 1");
  }

  @Test
  void theNextJobServesRequestsForCheckpoints() {
    Job job = job(4, 0, 10, RecoveryPolicy.global());
    allRun(job, 4);
    on(job, new JobEvent.CheckpointAsked(7, false));
    shrinks(job, 1);
    assertThat(commands).noneMatch(JobCommand.NotCheckpointed.class::isInstance);
  }

  @Test
  void aFlowFitsTheRanksThatAreLeft() {
    Job job = job(6, 0, 10, new RecoveryPolicy.Flow(5, null, true));
    allRun(job, 6);
    JobCommand.Shrink shrink = shrinks(job, 1);
    assertThat(shrink.next().recovery().policy()).isEqualTo(new RecoveryPolicy.Flow(3, null, true));
  }
}
