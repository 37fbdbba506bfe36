package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import org.fmi.rules.FlowScope.Progress;
import org.junit.jupiter.api.Test;

final class FlowScopeTest {
  /** Each rank reads from its predecessor. */
  private static final FlowPlan.Inputs CHAIN =
      (rank, _) -> rank == 0 ? new int[0] : new int[] {rank - 1};

  private static final Progress AT_6 = new Progress(6, false);

  private static FlowScope decide(int limit, Progress... progress) {
    return FlowScope.of(CHAIN, 5, List.of(progress), limit);
  }

  private static String whyAll(int limit, Progress... progress) {
    return decide(limit, progress) instanceof FlowScope.All all ? all.why() : "not all";
  }

  @Test
  void allContinueWithTheirCurrentOrPreviousState() {
    FlowScope scope = decide(2, new Progress(7, true), Progress.LOST, AT_6, AT_6);
    assertThat(scope).isInstanceOf(FlowScope.Some.class);
    FlowScope.Some some = (FlowScope.Some) scope;
    assertThat(some.front()).isEqualTo(6);
    assertThat(some.lost()).isEqualTo(BitSet.valueOf(new long[] {0b10}));
    assertThat(some.plan().loading()).isEqualTo(BitSet.valueOf(new long[] {0b11}));
  }

  @Test
  void aRankThatIsAheadHasDroppedTheState() {
    assertThat(whyAll(2, AT_6, new Progress(8, true), Progress.LOST))
        .isEqualTo(
            "rank 1 has computed 8 iterations and another rank 6, and a rank stores only its last"
                + " two states");
    assertThat(whyAll(2, AT_6, new Progress(7, false), Progress.LOST))
        .startsWith("rank 1 has computed 7 iterations");
  }

  @Test
  void ifNoRankHasItsStateAllRollBack() {
    assertThat(whyAll(2, Progress.LOST, Progress.LOST)).isEqualTo("no rank has kept its state");
  }

  @Test
  void noMoreThanTheLimitComputeAgain() {
    assertThat(whyAll(1, AT_6, Progress.LOST, AT_6))
        .isEqualTo("2 ranks would have to recompute, and --flow-limit allows 1");
    assertThat(whyAll(1, AT_6, Progress.LOST)).isEqualTo("the lost data depends on every rank");
  }
}
