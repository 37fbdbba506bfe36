package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.fmi.Flow;
import org.junit.jupiter.api.Test;

final class FlowPlanTest {
  private static BitSet set(int... ranks) {
    BitSet set = new BitSet();
    for (int rank : ranks) {
      set.set(rank);
    }
    return set;
  }

  @Test
  void aPlaneOfRanksIsCrossedFromTheLostOneOn() {
    // 0 1
    // 2 3
    // 4 5
    // 6 7
    FlowPlan.Inputs neighbours =
        (rank, iteration) ->
            switch (rank) {
              case 0 -> new int[] {1, 2};
              case 1 -> new int[] {0, 3};
              case 2 -> new int[] {0, 3, 4};
              case 3 -> new int[] {1, 2, 5};
              case 4 -> new int[] {2, 5, 6};
              case 5 -> new int[] {3, 4, 7};
              case 6 -> new int[] {4, 7};
              default -> new int[] {5, 6};
            };
    FlowPlan plan = FlowPlan.of(neighbours, 40, 42, set(1));

    assertThat(plan.loading()).isEqualTo(set(0, 1, 2, 3, 5));
    assertThat(plan.takingPart(40)).isEqualTo(plan.loading());
    assertThat(plan.takingPart(41)).isEqualTo(set(0, 1, 3));
    assertThat(plan.computes(1, 40)).isTrue();
    assertThat(plan.computes(1, 41)).isTrue();
    assertThat(plan.computes(3, 40)).isTrue();
    assertThat(plan.computes(3, 41)).isFalse();
    assertThat(plan.computes(5, 40)).isFalse();
    assertThat(plan.takesPart(2, 40)).isTrue();
    assertThat(plan.takesPart(2, 41)).isFalse();
    assertThat(plan.computed()).isEqualTo(4);
    assertThat(plan.computedBy()).hasToString("{0=1, 1=2, 2=0, 3=1, 5=0}");
  }

  @Test
  void nothingIsComputedAtTheCheckpointItself() {
    FlowPlan plan = FlowPlan.of((rank, iteration) -> new int[] {0, 1, 2}, 5, 5, set(2));

    assertThat(plan.loading()).isEqualTo(set(2));
    assertThat(plan.computed()).isZero();
  }

  /** Compares the plan with one derived step by step from the inputs of each state. */
  @Test
  void exactlyTheNeededRanksCompute() {
    SplittableRandom random = new SplittableRandom(29);
    for (int graph = 0; graph < 2000; graph++) {
      int size = 1 + random.nextInt(8);
      int line = random.nextInt(3);
      int front = line + random.nextInt(5);
      int[][][] inputs = new int[front + 1][size][];
      for (int[][] of : inputs) {
        for (int rank = 0; rank < size; rank++) {
          of[rank] = random.ints(random.nextInt(4), 0, size).toArray();
        }
      }
      compare(inputs, some(random, size), line, front);
    }
  }

  /** The same for the most common flows. */
  @Test
  void soItIsInLinesAndGrids() {
    SplittableRandom random = new SplittableRandom(30);
    for (int graph = 0; graph < 300; graph++) {
      int rows = 1 + random.nextInt(4);
      int cols = 1 + random.nextInt(4);
      int size = rows * cols;
      Flow flow = rows == 1 ? Flow.line(cols) : Flow.grid(rows, cols);
      int line = random.nextInt(3);
      int front = line + random.nextInt(5);
      int[][][] inputs = new int[front + 1][size][];
      for (int n = 0; n <= front; n++) {
        for (int rank = 0; rank < size; rank++) {
          inputs[n][rank] = flow.inputs(rank, n);
        }
      }
      compare(inputs, some(random, size), line, front);
    }
  }

  private static BitSet some(SplittableRandom random, int size) {
    BitSet some = new BitSet();
    for (int rank = 0; rank < size; rank++) {
      some.set(rank, random.nextInt(3) == 0);
    }
    return some;
  }

  private static void compare(int[][][] inputs, BitSet lost, int line, int front) {
    int size = inputs[0].length;
    FlowPlan plan = FlowPlan.of((rank, n) -> inputs[(int) n][rank], line, front, lost);
    long computed = 0;
    for (int rank = 0; rank < size; rank++) {
      boolean loads = isNeeded(inputs, lost, rank, line, front);
      assertThat(plan.loading().get(rank)).isEqualTo(loads);
      long own = 0;
      for (int n = line; n < front; n++) {
        boolean computes = isNeeded(inputs, lost, rank, n + 1, front);
        assertThat(plan.computes(rank, n)).isEqualTo(computes);
        boolean takesPart = isNeeded(inputs, lost, rank, n, front);
        assertThat(plan.takesPart(rank, n)).isEqualTo(takesPart);
        assertThat(plan.takingPart(n).get(rank)).isEqualTo(takesPart);
        own += computes ? 1 : 0;
      }
      assertThat(plan.computedBy().get(rank)).isEqualTo(loads ? Long.valueOf(own) : null);
      computed += own;
    }
    assertThat(plan.computed()).isEqualTo(computed);
  }

  /** Whether the state of a rank after {@code of} iterations is needed. */
  private static boolean isNeeded(int[][][] inputs, BitSet lost, int rank, int of, int front) {
    if (of == front) {
      return lost.get(rank);
    }
    for (int reader = 0; reader < inputs[of].length; reader++) {
      boolean reads = reader == rank;
      for (int input : inputs[of][reader]) {
        reads |= input == rank;
      }
      if (reads && isNeeded(inputs, lost, reader, of + 1, front)) {
        return true;
      }
    }
    return false;
  }
}
