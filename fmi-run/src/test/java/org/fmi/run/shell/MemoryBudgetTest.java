package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MemoryBudgetTest {
  private static final long MIB = 1 << 20;

  @Test
  void nodesShareTheMemoryForOutput() {
    for (int nodes = 1; nodes < 5000; nodes++) {
      int window = new MemoryBudget(nodes, nodes).outputWindow();
      assertThat(window).isBetween(10 << 10, 320 << 10);
      assertThat((long) nodes * window).isLessThanOrEqualTo(64 * MIB);
    }
    assertThat(new MemoryBudget(4, 4).outputWindow()).isEqualTo(320 << 10);
  }

  @ParameterizedTest
  @CsvSource({"4, 4, 400", "1000, 1000, 700", "20000, 200, 1100", "100000, 1000, 3600"})
  void theWholeFollowsFromRanksAndNodes(int ranks, int nodes, long mebibytes) {
    long bytes = new MemoryBudget(ranks, nodes).bytes();
    assertThat(bytes / MIB).isBetween(mebibytes * 7 / 10, mebibytes);
  }

  @Test
  void warnsOfLessMemory() {
    MemoryBudget budget = new MemoryBudget(100_000, 1000);
    assertThat(budget.warning(budget.bytes())).isNull();
    assertThat(budget.warning(512 * MIB))
        .contains("100000 ranks on 1000 nodes", "512 MiB", "more memory");
  }
}
