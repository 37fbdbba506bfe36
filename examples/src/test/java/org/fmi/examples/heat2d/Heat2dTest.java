package org.fmi.examples.heat2d;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class Heat2dTest {
  /** Runs it; it compares its result with the serial program's. */
  private static void computesTheSame(Fmi fmi, int size, int recoveries) {
    String result =
        Heat2d.run(fmi, "--size", Integer.toString(size), "--iterations", "21", "--phases", "2");
    if (fmi.world().rank() == 0) {
      assertThat(result)
          .matches(
              "result checksum=[0-9a-f]{8} residual=0x\\S+ check=ok recoveries="
                  + recoveries
                  + "\n");
    }
  }

  @FmiTest(ranks = {1, 2, 3, 4, 5, 6, 7, 9, 12})
  void anyNumberOfRanksComputesWhatTheSerialProgramDoes(Fmi fmi) {
    computesTheSame(fmi, 41, 0);
  }

  @FmiTest(ranks = 9)
  void blocksMayBeFewPointsWide(Fmi fmi) {
    computesTheSame(fmi, 10, 0);
  }

  @FmiTest(ranks = 1)
  void aPlateMayBeOnePoint(Fmi fmi) {
    computesTheSame(fmi, 1, 0);
  }

  @FmiTest(ranks = 6)
  @KillRank(rank = 4, iteration = 14)
  void itsStateIsComplete(Fmi fmi) {
    computesTheSame(fmi, 31, 1);
  }

  @FmiTest(ranks = 6)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfALoop(Fmi fmi) {
    computesTheSame(fmi, 31, 1);
  }

  @FmiTest(ranks = 5, abortsWith = 2)
  void refusesMoreRanksThanPoints(Fmi fmi) {
    Heat2d.run(fmi, "--size", "2");
  }
}
