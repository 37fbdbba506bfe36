package org.fmi.sim.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class GroupingTest {
  private static FailureKind kind(int nodes) {
    return new FailureKind("together", nodes, 1);
  }

  @Test
  void aGroupSurvivesAsManyAdjacentNodesAsItMayLose() {
    Grouping grouping = new Grouping(64, 16, 2);
    assertThat(grouping.leastMembers()).isEqualTo(16);
    assertThat(grouping.survived(kind(1))).isEqualTo(1);
    assertThat(grouping.survived(kind(2))).isEqualTo(1);
    assertThat(grouping.survived(kind(4))).isZero();
    assertThat(grouping.survived(kind(FailureKind.ALL))).isZero();
  }

  /** Six nodes that lie across two groups cost each of them three. */
  @Test
  void whereNodesFailMayDecide() {
    Grouping grouping = new Grouping(36, 9, 3);
    assertThat(grouping.survived(kind(6))).isEqualTo(2 / 6.0);
  }

  @Test
  void groupsOfLargeMachinesAreFormedAsThoseOfSmallOnes() {
    Grouping grouping = new Grouping(100_000, 16, 1);
    assertThat(grouping.groupOf(4096)).isNotEqualTo(grouping.groupOf(4095));
    assertThat(grouping.groupOf(4097)).isEqualTo(grouping.groupOf(4096));
    assertThat(grouping.groupOf(99_999)).isEqualTo(99_984);
    assertThat(grouping.survived(kind(2))).isZero();
  }

  @Test
  void lossesAddUpUntilAllRunAgain() {
    NodeFailures failures =
        new NodeFailures(FailureMix.single().withNodeMtbf(1000), new Grouping(2, 2, 1));
    SplittableRandom random = new SplittableRandom(1);
    assertThat(failures.strike(random)).isTrue();
    boolean both = true;
    for (int i = 0; i < 20; i++) {
      both &= failures.strike(random);
    }
    assertThat(both).isFalse();
    failures.healed();
    assertThat(failures.strike(random)).isTrue();
  }

  /** FMI paper, Table I. */
  @Test
  void theMixOfTsubameFailsAsOftenAsTsubame() {
    FailureMix mix = FailureMix.tsubame2();
    double perYear = 365 * 86400.0;
    assertThat(mix.rate(1408) * perYear)
        .isEqualTo(554.10 + 12.61 + 21.02 + 4.20 + 5.61, within(1e-9));
    assertThat(1 / mix.kinds().getFirst().rate(1408) / 86400).isEqualTo(0.658, within(1e-3));
    assertThat(1 / mix.withJobMtbf(3600, 128).rate(128)).isEqualTo(3600, within(1e-6));
    assertThat(1 / mix.withNodeMtbf(1e7).kinds().getFirst().rate(10)).isEqualTo(1e6, within(1e-3));
  }
}
