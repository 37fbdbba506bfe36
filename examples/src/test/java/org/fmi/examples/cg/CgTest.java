package org.fmi.examples.cg;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class CgTest {
  private static void solves(Fmi fmi, int size, int recoveries) {
    String result =
        Repeated.result(
            fmi,
            recoveries,
            () ->
                Cg.run(
                    fmi, "--size", Integer.toString(size), "--digits", "8", "--iterations", "60"));
    if (fmi.world().rank() == 0) {
      String error = result.replaceAll(".* error=(\\S+) .*\n", "$1");
      assertThat(Double.parseDouble(error)).isBetween(0.0, 1e-6);
    }
  }

  @FmiTest(ranks = {1, 2, 3, 4, 7})
  void anyNumberOfRanksFindsTheKnownSolution(Fmi fmi) {
    solves(fmi, 10, 0);
  }

  @FmiTest(ranks = 9)
  void aRankMayHaveOneRow(Fmi fmi) {
    solves(fmi, 3, 0);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 13)
  @KillRank(rank = 0, iteration = 21)
  void itsStateIsComplete(Fmi fmi) {
    solves(fmi, 12, 2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 0)
  void itBeginsAgain(Fmi fmi) {
    solves(fmi, 8, 1);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfItsLoop(Fmi fmi) {
    solves(fmi, 12, 1);
  }

  @FmiTest(ranks = 5, abortsWith = 2)
  void refusesMoreRanksThanRows(Fmi fmi) {
    Cg.run(fmi, "--size", "2");
  }

  @FmiTest(ranks = 2, abortsWith = 1)
  void saysThatItDidNotConverge(Fmi fmi) {
    Cg.run(fmi, "--size", "20", "--iterations", "3");
  }
}
