package org.fmi.examples.samplesort;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class SampleSortTest {
  private static void sorts(Fmi fmi, int keys, int recoveries) {
    Repeated.result(
        fmi,
        recoveries,
        () -> SampleSort.run(fmi, "--rounds", "15", "--keys", Integer.toString(keys)));
  }

  @FmiTest(ranks = {1, 2, 3, 4, 7})
  void anyNumberOfRanksSorts(Fmi fmi) {
    sorts(fmi, 300, 0);
  }

  @FmiTest(ranks = 5)
  void aRankMayDrawOneKey(Fmi fmi) {
    sorts(fmi, 1, 0);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 6)
  @KillRank(rank = 0, iteration = 12)
  void itsStateIsComplete(Fmi fmi) {
    sorts(fmi, 200, 2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 0)
  void itBeginsAgain(Fmi fmi) {
    sorts(fmi, 200, 1);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 3, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfItsLoop(Fmi fmi) {
    sorts(fmi, 200, 1);
  }

  @FmiTest(ranks = 2, abortsWith = 2)
  void refusesMoreKeysThanAnArrayHolds(Fmi fmi) {
    SampleSort.run(fmi, "--rounds", "1000", "--keys", "1000000");
  }
}
