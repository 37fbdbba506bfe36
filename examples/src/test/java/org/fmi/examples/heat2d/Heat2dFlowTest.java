package org.fmi.examples.heat2d;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class Heat2dFlowTest {
  /** Runs it; it compares its result with the serial program's. */
  private static void computesTheSame(Fmi fmi, int recoveries, String... more) {
    String[] args = new String[6 + more.length];
    System.arraycopy(
        new String[] {"--size", "31", "--iterations", "21", "--phases", "2"}, 0, args, 0, 6);
    System.arraycopy(more, 0, args, 6, more.length);
    String result = Heat2dFlow.run(fmi, args);
    if (fmi.world().rank() == 0) {
      assertThat(result)
          .matches(
              "result checksum=[0-9a-f]{8} residual=0x\\S+ check=ok recoveries="
                  + recoveries
                  + "\n");
    }
  }

  @FmiTest(ranks = {1, 2, 6})
  void computesWhatTheSerialProgramDoes(Fmi fmi) {
    computesTheSame(fmi, 0);
  }

  @FmiTest(ranks = 6)
  @KillRank(rank = 4, iteration = 14)
  void itsStateIsComplete(Fmi fmi) {
    computesTheSame(fmi, 1, "--grid-ranks", "3x2");
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfALoop(Fmi fmi) {
    computesTheSame(fmi, 1);
  }

  @FmiTest(ranks = 4, abortsWith = 2)
  void refusesRowsAndColumnsOfOtherRanks(Fmi fmi) {
    Heat2dFlow.run(fmi, "--grid-ranks", "3x2");
  }
}
