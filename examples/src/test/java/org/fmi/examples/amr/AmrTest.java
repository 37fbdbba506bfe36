package org.fmi.examples.amr;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class AmrTest {
  private static String computes(Fmi fmi, int side, int recoveries) {
    return Repeated.result(
        fmi,
        recoveries,
        () -> Amr.run(fmi, "--side", Integer.toString(side), "--iterations", "60", "--adapt", "4"));
  }

  @FmiTest(ranks = {1, 2, 3, 4, 7})
  void anyNumberOfRanksComputesWhatOneDoes(Fmi fmi) {
    computes(fmi, 6, 0);
  }

  @FmiTest(ranks = 6)
  void aRankMayHaveNoBlock(Fmi fmi) {
    computes(fmi, 2, 0);
  }

  @FmiTest(ranks = 4)
  void blocksAreRefinedAndMove(Fmi fmi) {
    String result = computes(fmi, 6, 0);
    if (fmi.world().rank() == 0) {
      int coarsest = 6 * 6 * Block.cells(0) * Block.cells(0);
      assertThat(number(result, "cells")).isGreaterThan(2 * coarsest);
      assertThat(number(result, "moves")).isGreaterThan(10);
    }
  }

  private static int number(String result, String name) {
    return Integer.parseInt(result.replaceAll(".* " + name + "=(\\d+) .*\n", "$1"));
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 23)
  @KillRank(rank = 0, iteration = 48)
  void itsStateIsComplete(Fmi fmi) {
    computes(fmi, 6, 2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 0)
  void itBeginsAgain(Fmi fmi) {
    computes(fmi, 4, 1);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 3, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfItsLoop(Fmi fmi) {
    computes(fmi, 6, 1);
  }
}
