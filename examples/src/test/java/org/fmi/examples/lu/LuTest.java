package org.fmi.examples.lu;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class LuTest {
  /** What one rank finds in a cube of size 6. */
  private static final String RESULT =
      "result residual=0x1.f27772aaaaaadp-27 error=0x1.218274bp-23 sum=8c4d7cc491a51035 ";

  private static String solves(Fmi fmi, int size, int recoveries) {
    return Repeated.result(
        fmi,
        recoveries,
        () -> Lu.run(fmi, "--size", Integer.toString(size), "--iterations", "24", "--digits", "4"));
  }

  @FmiTest(ranks = {1, 2, 3, 4, 6})
  void anyNumberOfRanksFindsTheSameSolution(Fmi fmi) {
    String result = solves(fmi, 6, 0);
    if (fmi.world().rank() == 0) {
      assertThat(result).startsWith(RESULT);
    }
  }

  @FmiTest(ranks = 9)
  void aRankMayHaveOneColumn(Fmi fmi) {
    solves(fmi, 3, 0);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 9)
  @KillRank(rank = 0, iteration = 15)
  void itsStateIsComplete(Fmi fmi) {
    solves(fmi, 6, 2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 0)
  void itBeginsAgain(Fmi fmi) {
    solves(fmi, 5, 1);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 3, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfItsLoop(Fmi fmi) {
    solves(fmi, 5, 1);
  }

  @FmiTest(ranks = 5, abortsWith = 2)
  void refusesMoreRanksThanColumns(Fmi fmi) {
    Lu.run(fmi, "--size", "2");
  }

  @FmiTest(ranks = 2, abortsWith = 1)
  void saysThatItDidNotConverge(Fmi fmi) {
    Lu.run(fmi, "--size", "8", "--iterations", "3");
  }
}
