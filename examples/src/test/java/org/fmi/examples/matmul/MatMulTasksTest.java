package org.fmi.examples.matmul;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class MatMulTasksTest {
  private static void multiplies(Fmi fmi, int recoveries) {
    String result =
        Repeated.result(
            fmi, recoveries, () -> MatMulTasks.run(fmi, "--size", "50", "--block", "8"));
    if (fmi.world().rank() == 0) {
      assertThat(result).startsWith("result product=").contains(" check=ok ");
    }
  }

  @FmiTest(ranks = {1, 2, 3})
  void anyNumberOfRanks(Fmi fmi) {
    multiplies(fmi, 0);
  }

  @FmiTest(ranks = {1, 3})
  void aPlainLoopComputesTheSame(Fmi fmi) {
    String tasks = MatMulTasks.run(fmi, "--size", "50", "--block", "8");
    assertThat(MatMulTasks.run(fmi, "--size", "50", "--block", "8", "--plain")).isEqualTo(tasks);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 2)
  void aWorkerMayDie(Fmi fmi) {
    multiplies(fmi, 1);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 0, iteration = 1)
  void theHeadMayDie(Fmi fmi) {
    multiplies(fmi, 1);
  }

  @FmiTest(ranks = 1, abortsWith = 2)
  void aMatrixOfNoSize(Fmi fmi) {
    MatMulTasks.run(fmi, "--size", "0");
  }
}
