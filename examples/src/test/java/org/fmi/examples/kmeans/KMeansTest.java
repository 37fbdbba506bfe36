package org.fmi.examples.kmeans;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Fmi;
import org.fmi.examples.Repeated;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class KMeansTest {
  /** With 1000 points, whatever the number of ranks. */
  private static final String EXPECTED =
      "result iterations=25 checksum=e0593456 check=ok recoveries=";

  private static String divides(Fmi fmi, int points, int recoveries) {
    return Repeated.result(
        fmi,
        recoveries,
        () ->
            KMeans.run(
                fmi,
                "--points",
                Integer.toString(points),
                "--dimensions",
                "3",
                "--clusters",
                "7",
                "--iterations",
                "100"));
  }

  private static void finds(Fmi fmi, String result, int recoveries) {
    if (fmi.world().rank() == 0) {
      assertThat(result).isEqualTo(EXPECTED + recoveries + "\n");
    }
  }

  @FmiTest(ranks = {1, 2, 3, 5, 8})
  void anyNumberOfRanksFindsTheSame(Fmi fmi) {
    finds(fmi, divides(fmi, 1000, 0), 0);
  }

  @FmiTest(ranks = 9)
  void aRankMayHaveNoPoint(Fmi fmi) {
    divides(fmi, 7, 0);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 3, iteration = 9)
  @KillRank(rank = 0, iteration = 11)
  void itsStateIsComplete(Fmi fmi) {
    finds(fmi, divides(fmi, 1000, 2), 2);
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 1, iteration = 1)
  void itBeginsAgain(Fmi fmi) {
    finds(fmi, divides(fmi, 1000, 1), 1);
  }

  @FmiTest(ranks = 2, abortsWith = 2)
  void refusesMoreClustersThanPoints(Fmi fmi) {
    KMeans.run(fmi, "--points", "3", "--clusters", "4");
  }
}
