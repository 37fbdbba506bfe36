package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.fmi.job.JobSpec;
import org.fmi.job.JobSpec.Node;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.CoreList;
import org.junit.jupiter.api.Test;

final class BindingTest {
  private static JobSpec spec(int size, int ppn, Node... nodes) {
    return new JobSpec(
        size,
        new JobSpec.Room(List.of(nodes), ppn, OnNoSpare.SHARE),
        new JobSpec.Grouping(16, 1),
        JobSpec.Recovery.ofAll(10),
        List.of());
  }

  private static Node node(String name, int slots) {
    return new Node(name, slots, false);
  }

  /** A job on hosts that all have the same cores. */
  private static Binding onHosts(String cores, JobSpec spec) {
    return binding(cores, Integer.MAX_VALUE, spec, true, false);
  }

  private static Binding onOneMachine(String cores, JobSpec spec) {
    return binding(cores, Integer.MAX_VALUE, spec, true, true);
  }

  private static Binding binding(
      String cores, int whole, JobSpec spec, boolean wanted, boolean oneMachine) {
    Binding binding = new Binding(spec, wanted, oneMachine);
    List<int[]> each =
        Arrays.stream(CoreList.parse(cores)).mapToObj(number -> new int[] {number}).toList();
    for (int node = 0; node < spec.nodes().size(); node++) {
      binding.found(node, each, whole);
    }
    return binding;
  }

  private static String cores(Binding.Choice choice) {
    return CoreList.format(choice.share().numbers());
  }

  @Test
  void eachRankHasItsShareOfTheCores() {
    Binding binding = onHosts("0-3,8,10-11", spec(3, 0, node("a", 3)));
    assertThat(binding.choose(0, 0).text()).isEqualTo("rank 0 on cores 0-1");
    assertThat(binding.choose(1, 0).text()).isEqualTo("rank 1 on cores 2-3");
    assertThat(binding.choose(2, 0).text()).isEqualTo("rank 2 on cores 8,10");
  }

  @Test
  void asManyRanksAsCoresHaveOneEach() {
    Binding binding = onHosts("4,6", spec(2, 0, node("a", 2)));
    assertThat(binding.choose(0, 0).text()).isEqualTo("the thread of rank 0 on core 4");
    assertThat(binding.choose(1, 0).share().numbers()).containsExactly(6);
  }

  @Test
  void moreRanksThanCoresAreNotBound() {
    Binding binding = onHosts("0-1", spec(3, 0, node("a", 3)));
    for (int rank = 0; rank < 3; rank++) {
      assertThat(binding.choose(rank, 0).share().numbers()).isEmpty();
      assertThat(binding.choose(rank, 0).text()).isEqualTo("ranks not bound: 3 ranks, 2 cores");
    }
  }

  @Test
  void aQuotaOfFewerCoresThanRanksCounts() {
    JobSpec two = spec(2, 0, node("a", 2));
    assertThat(binding("0-7", 1, two, true, false).choose(0, 0).text())
        .isEqualTo("ranks not bound: 2 ranks, 1 core");
    assertThat(cores(binding("0-7", 2, two, true, false).choose(0, 0))).isEqualTo("0-3");
  }

  @Test
  void nobodyIsBoundIfNotWanted() {
    Binding binding = binding("0-7", 8, spec(2, 0, node("a", 2)), false, true);
    assertThat(binding.choose(0, 0).share().numbers()).isEmpty();
    assertThat(binding.choose(0, 0).text()).isEqualTo("ranks not bound: --bind none");
  }

  @Test
  void hostsHaveTheirOwnCores() {
    Binding binding = onHosts("0-3", spec(3, 0, node("a", 2), node("b", 2)));
    assertThat(cores(binding.choose(0, 0))).isEqualTo("0-1");
    assertThat(cores(binding.choose(1, 0))).isEqualTo("2-3");
    assertThat(cores(binding.choose(2, 1))).isEqualTo("0-3");
  }

  @Test
  void localNodesShareTheCoresOfOneMachine() {
    JobSpec spec = spec(4, 2, node("node0", 2), node("node1", 2));
    Binding binding = onOneMachine("0-3", spec);
    for (int rank = 0; rank < 4; rank++) {
      assertThat(binding.choose(rank, rank / 2).share().numbers()).containsExactly(rank);
    }
    assertThat(onOneMachine("0-2", spec).choose(0, 0).text())
        .isEqualTo("ranks not bound: 4 ranks, 3 cores");
  }

  @Test
  void aReplacementHasTheCoresOfTheOneBefore() {
    Binding binding = onHosts("0-3", spec(2, 0, node("a", 2)));
    binding.choose(0, 0);
    binding.choose(1, 0);
    assertThat(cores(binding.choose(0, 0))).isEqualTo("0-1");
    assertThat(cores(binding.choose(1, 0))).isEqualTo("2-3");
  }

  @Test
  void aReplacementOnAnotherLocalNodeHasThemToo() {
    Binding binding =
        onOneMachine("0-1", spec(2, 1, node("node0", 1), node("node1", 1), node("node2", 1)));
    binding.choose(0, 0);
    binding.choose(1, 1);
    assertThat(binding.choose(0, 2).share().numbers()).containsExactly(0);
    assertThat(binding.choose(1, 2).share().numbers()).containsExactly(1);
  }

  @Test
  void aSpareHasAPlaceForEachRankItTakes() {
    Binding binding =
        onHosts("0-3", spec(4, 2, node("a", 2), node("b", 2), new Node("c", 4, true)));
    for (int rank = 0; rank < 4; rank++) {
      binding.choose(rank, rank / 2);
    }
    assertThat(cores(binding.choose(2, 2))).isEqualTo("0-1");
    assertThat(cores(binding.choose(3, 2))).isEqualTo("2-3");
  }

  @Test
  void whoComesToAFullMachineIsNotBoundUntilARankLeavesIt() {
    Binding binding = onHosts("0-3", spec(4, 0, node("a", 2), node("b", 2), node("c", 1)));
    for (int rank = 0; rank < 4; rank++) {
      binding.choose(rank, rank / 2);
    }
    Binding.Choice shares = binding.choose(0, 1);
    assertThat(shares.share().numbers()).isEmpty();
    assertThat(shares.text()).isEqualTo("rank 0 not bound: other ranks have the cores");
    assertThat(cores(binding.choose(2, 1))).isEqualTo("0-1");
    assertThat(cores(binding.choose(3, 2))).isEqualTo("0-3");
    assertThat(cores(binding.choose(0, 1))).isEqualTo("2-3");
  }
}
