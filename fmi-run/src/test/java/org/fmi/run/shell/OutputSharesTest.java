package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OutputSharesTest {
  @Test
  void fewNodesGetTheMost() {
    assertThat(new OutputShares().of(0, 4)).isEqualTo(320 << 10);
  }

  /** Whatever number of them begins, and is added one by one. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 205, 3000, 20_000})
  void thereIsAnEnd(int first) {
    OutputShares shares = new OutputShares();
    long sum = 0;
    for (int node = 0; node < first + 5000; node++) {
      int share = shares.of(node, Math.max(first, node + 1));
      assertThat(share).isBetween(10 << 10, 320 << 10);
      assertThat(share).as("of a node that is started again").isEqualTo(shares.of(node, 1));
      if (node < first) {
        assertThat(share).isEqualTo(OutputShares.equal(first));
      }
      sum += share;
    }
    assertThat(sum).isLessThanOrEqualTo((64 << 20) + (first + 5000L) * (10 << 10));
  }
}
