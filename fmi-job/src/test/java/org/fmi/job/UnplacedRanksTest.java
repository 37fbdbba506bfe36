package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.job.JobSpec.OnNoSpare;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is decided when ranks have no node, and more nodes can be asked for. */
final class UnplacedRanksTest {
  private static final long MEMORY = 1L << 30;

  private final List<Integer> spawned = new ArrayList<>();
  private Placement placement = new Placement(spec(1, 1, OnNoSpare.SHARE));
  private Outbox out = new Outbox(placement);
  private UnplacedRanks homeless =
      new UnplacedRanks(spec(1, 1, OnNoSpare.SHARE), placement, out, r -> {});

  private static JobSpec spec(int nodes, int ranksPerNode, OnNoSpare policy) {
    List<JobSpec.Node> all = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      all.add(new JobSpec.Node("node" + n, ranksPerNode, false));
    }
    return new JobSpec(
        nodes * ranksPerNode,
        new JobSpec.Room(all, 0, policy, true),
        new JobSpec.Grouping(16, 1),
        JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
        List.of());
  }

  private void running(int nodes, int ranksPerNode, OnNoSpare policy) {
    JobSpec spec = spec(nodes, ranksPerNode, policy);
    placement = new Placement(spec);
    out = new Outbox(placement);
    homeless = new UnplacedRanks(spec, placement, out, spawned::add);
    for (int n = 0; n < nodes; n++) {
      placement.up(n, MEMORY);
    }
    assertThat(placement.start()).isTrue();
  }

  private void lose(int node) {
    List<Integer> ranks = placement.lost(node);
    homeless.lost(node);
    ranks.forEach(homeless::add);
  }

  private void up(int node) {
    placement.up(node, MEMORY);
    homeless.up(node);
  }

  private JobSpec.Node granted(int number) {
    int slots = placement.mostSlots();
    return new JobSpec.Node("node" + number, slots, true);
  }

  /** How it ends, if it does; the commands for it, without what the user is told. */
  private @Nullable JobCommand place(JobCommand... expected) {
    JobCommand end =
        homeless.place(() -> new JobCommand.Shrink(spec(1, 1, OnNoSpare.SHRINK), 1), _ -> null);
    assertThat(out.take().stream().filter(c -> !(c instanceof JobCommand.Report)))
        .containsExactly(expected);
    return end;
  }

  @Test
  void asManyNodesAreAskedForAsRanksNeed() {
    running(4, 2, OnNoSpare.SHARE);
    lose(1);
    lose(2);
    assertThat(place(new JobCommand.RequestNode(2), new JobCommand.RequestNode(2))).isNull();
    place(); // nobody asks twice
    homeless.granted(granted(4));
    assertThat(out.take()).contains(new JobCommand.Launch(4));
    place(); // it may take some of them
    assertThat(spawned).isEmpty();
    up(4);
    place(); // the other one is still asked for
    assertThat(spawned).containsExactly(2, 3);
    homeless.granted(granted(5));
    up(5);
    out.take();
    place();
    assertThat(spawned).containsExactly(2, 3, 4, 5);
  }

  @ParameterizedTest
  @EnumSource(OnNoSpare.class)
  void afterARefusalTheUsersPolicyCounts(OnNoSpare policy) {
    running(2, 1, policy);
    lose(1);
    place(new JobCommand.RequestNode(1));
    homeless.refused("none is free");
    out.take();
    switch (policy) {
      case SHARE -> {
        assertThat(place()).isNull();
        assertThat(placement.nodeOf(1)).isZero();
      }
      case WAIT -> assertThat(place(new JobCommand.Launch(1))).isNull();
      case SHRINK -> assertThat(place()).isInstanceOf(JobCommand.Shrink.class);
      case ABORT ->
          assertThat(place()).isNotNull().extracting("cause").isEqualTo(EndCause.NO_SPARE);
    }
  }

  @Test
  void theNextLossAsksAgain() {
    running(3, 1, OnNoSpare.SHARE);
    lose(1);
    place(new JobCommand.RequestNode(1));
    homeless.refused("none is free");
    out.take();
    place();
    lose(2);
    place(new JobCommand.RequestNode(1));
  }

  @Test
  void aRequestIsWithdrawnWhenANodeIsFoundOtherwise() {
    running(2, 1, OnNoSpare.SHARE);
    lose(1);
    place(new JobCommand.RequestNode(1));
    int added = Arrivals.take(granted(2), placement, out);
    out.take();
    up(added);
    place(new JobCommand.WithdrawRequests());
    assertThat(spawned).containsExactly(1);
  }

  /** Where FMI is not installed, the next node may be no better. */
  @Test
  void aGrantedNodeThatCannotBeStartedIsARefusal() {
    running(2, 1, OnNoSpare.SHARE);
    lose(1);
    place(new JobCommand.RequestNode(1));
    homeless.granted(granted(2));
    out.take();
    lose(2);
    assertThat(place()).isNull();
    assertThat(placement.nodeOf(1)).isZero();
  }

  @Test
  void aLentNodeDoesNotComeBack() {
    running(2, 1, OnNoSpare.WAIT);
    lose(1);
    place(new JobCommand.RequestNode(1));
    homeless.granted(granted(2));
    up(2);
    out.take();
    place();
    lose(2);
    place(new JobCommand.RequestNode(1));
    homeless.refused("none is free");
    out.take();
    place(new JobCommand.Launch(1));
  }
}
