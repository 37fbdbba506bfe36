package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MemoryBudgetTest {
  private static final long MIB = 1 << 20;

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
