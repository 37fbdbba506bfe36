package org.fmi.junit;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.Op;

final class FmiTestTest {
  @FmiTest(ranks = {1, 2, 3})
  void allRanksRunTheMethodTogether(Fmi fmi) {
    int[] sum = {1};
    fmi.world().allReduce(sum, Op.SUM);
    assertThat(sum[0]).isEqualTo(fmi.world().size());
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 55)
  void sameAnswer(Fmi fmi) {
    long[] sum = new long[1];
    fmi.loop(
        100,
        n -> {
          long[] each = {n};
          fmi.world().allReduce(each, Op.SUM);
          sum[0] += each[0];
        },
        sum);
    assertThat(sum[0]).isEqualTo(4 * 99 * 100 / 2);
    assertThat(fmi.epoch()).isEqualTo(1);
  }
}
