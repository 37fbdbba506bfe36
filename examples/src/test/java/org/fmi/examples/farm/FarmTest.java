package org.fmi.examples.farm;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class FarmTest {
  /** There are 168 primes below 1000, regardless of the worker that finds them. */
  private static void finds(Fmi fmi, int recoveries) {
    String result =
        Repeated.result(
            fmi,
            recoveries,
            () -> Farm.run(fmi, "--rounds", "20", "--tasks", "5", "--width", "10"));
    if (fmi.world().rank() == 0) {
      assertThat(result).startsWith("result primes=168 sum=0x1.");
    }
  }

  @FmiTest(ranks = {1, 2, 3, 4})
  void anyNumberOfRanksFindsTheSame(Fmi fmi) {
    finds(fmi, 0);
  }

  @FmiTest(ranks = 9)
  void aWorkerMayGetNoTask(Fmi fmi) {
    finds(fmi, 0);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 2, iteration = 7)
  @KillRank(rank = 3, iteration = 15)
  void aWorkerMayDie(Fmi fmi) {
    finds(fmi, 2);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 0, iteration = 11)
  void theMasterMayDie(Fmi fmi) {
    finds(fmi, 1);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 0)
  void itBeginsAgain(Fmi fmi) {
    finds(fmi, 1);
  }

  @FmiTest(ranks = 2, abortsWith = 2)
  void refusesMoreNumbersThanTheSieveHolds(Fmi fmi) {
    Farm.run(fmi, "--rounds", "1000", "--tasks", "1000", "--width", "1001");
  }
}
