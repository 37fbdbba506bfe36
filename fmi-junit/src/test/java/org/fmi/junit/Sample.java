package org.fmi.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@link FmiTestTest} runs: most of them must fail. */
@Tag("sample")
final class Sample {
  /** The values that {@link #records} has seen, in all its runs. */
  static final List<Integer> SEEN = new CopyOnWriteArrayList<>();

  /** Computes a sum over all ranks, in a loop. */
  static long sum(Fmi fmi, int iterations) {
    long[] sum = new long[1];
    fmi.loop(
        iterations,
        n -> {
          long[] each = {n + sum[0] % 7};
          fmi.world().allReduce(each, Op.SUM);
          sum[0] += each[0];
        },
        sum);
    return sum[0];
  }

  /** Computes the same sum without ranks. */
  static long sumOf(int ranks, int iterations) {
    long sum = 0;
    for (int n = 0; n < iterations; n++) {
      sum += ranks * (n + sum % 7);
    }
    return sum;
  }

  @FmiTest(ranks = {1, 2, 3})
  void runsOnOneToThree(Fmi fmi) {
    assertEquals(sumOf(fmi.world().size(), 3), sum(fmi, 3));
  }

  @FmiTest(ranks = 2)
  void closes(Fmi fmi) {
    try (fmi) {
      fmi.world().barrier();
    }
  }

  /** All ranks return, with a wrong sum. */
  @FmiTest(ranks = 2)
  void skipsACollective(Fmi fmi) {
    long[] sum = new long[1];
    fmi.loop(
        12,
        n -> {
          if (n != 5 || fmi.world().rank() != 1) {
            long[] each = {n};
            fmi.world().bcast(each, 0);
            sum[0] += each[0];
          }
        },
        sum);
  }

  @Seed(7)
  @FmiTest(ranks = 3)
  void assertsWrongly(Fmi fmi) {
    fmi.world().barrier();
    assertEquals(fmi.world().rank() == 2 ? 5 : 3, fmi.world().size());
  }

  @FmiTest(ranks = 2)
  void throwsOnOneRank(Fmi fmi) {
    if (fmi.world().rank() == 1) {
      throw new IllegalArgumentException("no such plate");
    }
    fmi.world().barrier();
  }

  @FmiTest(ranks = 2)
  void throwsInALoop(Fmi fmi) {
    fmi.loop(
        3,
        n -> {
          throw new IOException("no file");
        });
  }

  @FmiTest(ranks = 2)
  void assumesWhatIsNotSo(Fmi fmi) {
    assumeTrue(fmi.world().size() > 2);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 1, iteration = 10)
  void endsTooEarlyToBeKilled(Fmi fmi) {
    sum(fmi, 10);
  }

  @FmiTest(ranks = 2)
  @KillRank(rank = 0, iteration = KillRank.AFTER_LOOP)
  void doesNothingAfterItsLoop(Fmi fmi) {
    sum(fmi, 2);
  }

  @FmiTest(ranks = 2)
  @KillRank(rank = 1, iteration = 4)
  void hasIncompleteState(Fmi fmi) {
    long[] forgotten = new long[1];
    fmi.loop(9, n -> forgotten[0] += n);
    assertEquals(36, forgotten[0]);
  }

  @FmiTest(ranks = {1, 2})
  void addsUpWhatIsNoState(Fmi fmi) {
    long[] forgotten = new long[1];
    fmi.loop(9, n -> forgotten[0] += n);
    fmi.world().barrier();
  }

  @FmiTest(ranks = 3)
  void waitsForAMissingMessage(Fmi fmi) {
    Comm world = fmi.world();
    if (world.rank() < 2) {
      world.recv(new int[1], 1 - world.rank(), 1);
    }
  }

  @FmiTest(ranks = 2)
  void aborts(Fmi fmi) {
    if (fmi.world().rank() == 1) {
      fmi.world().abort(3);
    }
    fmi.world().barrier();
  }

  @FmiTest(ranks = 1, abortsWith = 2)
  void abortsOtherwise(Fmi fmi) {
    fmi.world().abort(3);
  }

  @FmiTest(ranks = 3, abortsWith = 2)
  void abortsAsExpected(Fmi fmi) {
    if (fmi.world().rank() == 1) {
      fmi.world().abort(2);
    }
    fmi.world().barrier();
  }

  @FmiTest(ranks = 2, abortsWith = 2)
  void doesNotAbort(Fmi fmi) {
    fmi.world().barrier();
  }

  @FmiTest(ranks = 1)
  void callsInit(Fmi fmi) {
    try (Fmi another = Fmi.init()) {
      another.world().barrier();
    }
  }

  @Seed(11)
  @FmiTest(ranks = 5)
  void records(Fmi fmi) {
    int[] from = new int[1];
    for (int i = 0; i < 10; i++) {
      if (fmi.world().rank() == 0) {
        for (int r = 1; r < fmi.world().size(); r++) {
          SEEN.add(fmi.world().recv(from, Comm.ANY_SOURCE, i).source());
        }
      } else {
        fmi.world().send(from, 0, i);
      }
    }
  }

  @FmiTest(ranks = 2)
  void hasOtherParameters(TestInfo info, Fmi fmi, @TempDir Path directory) {
    assertThat(info.getDisplayName()).isEqualTo("ranks = 2");
    assertThat(directory).exists();
    fmi.world().barrier();
  }

  // ---- misuse

  @FmiTest(ranks = 0)
  void hasNoRanks(Fmi fmi) {}

  @FmiTest(ranks = {})
  void hasNoNumber(Fmi fmi) {}

  @FmiTest(ranks = 2)
  void hasNoFmi() {}

  @FmiTest(ranks = {3, 2})
  @KillRank(rank = 2, iteration = 1)
  void killsNoRank(Fmi fmi) {}

  @FmiTest(ranks = 2)
  @KillRank(rank = 1, iteration = 1)
  @KillRank(rank = 1, iteration = -2)
  void killsNever(Fmi fmi) {}

  @Test
  @KillRank(rank = 0, iteration = 1)
  void isNoFmiTest() {}

  @Test
  @KillRank(rank = 0, iteration = 1)
  @KillRank(rank = 0, iteration = 2)
  void isKilledTwice() {}

  @RepeatedTest(1)
  @Seed(1)
  void isRepeated() {}

  @Test
  @FmiTest(ranks = 1)
  void isTwoTests(Fmi fmi) {}

  @FmiTest(ranks = 1)
  void hasTooManyParameters(Fmi fmi, String unknown) {}
}
