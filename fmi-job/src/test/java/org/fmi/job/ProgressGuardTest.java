package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failures are too many in a row. */
final class ProgressGuardTest {
  private static final int MOST = 3;

  private final ProgressGuard guard = new ProgressGuard(MOST);

  private boolean ends() {
    return guard.failed(1, "node1", "was killed") != null;
  }

  private void failAsOftenAsAllowed() {
    for (int i = 0; i < MOST; i++) {
      assertThat(ends()).isFalse();
    }
  }

  @Test
  void itEndsWithATableOfFailures() {
    assertThat(guard.failed(2, "node0", "was lost")).isNull();
    assertThat(guard.failed(1, "node1", "was killed")).isNull();
    guard.diedOf(2, "nothing: it is not the newest");
    guard.diedOf(1, "was killed by signal 9");
    assertThat(guard.failed(1, "node1", "was silent")).isNull();
    assertThat(guard.failed(3, "node3", "gone"))
        .isEqualTo(
            new JobCommand.End(
                70,
                EndCause.NO_PROGRESS,
                """
                4 failures in a row without progress between them:
                  rank 2 on node0: was lost
                  rank 1 on node1: was killed by signal 9
                  rank 1 on node1: was silent
                  rank 3 on node3: gone\
                """));
  }

  @Test
  void aCheckpointIsProgress() {
    failAsOftenAsAllowed();
    guard.committed(new Place(0, 10));
    failAsOftenAsAllowed();
    assertThat(ends()).isTrue();
  }

  /** The newest failure has ended that run, and the recovery from it has to prove itself. */
  @Test
  void itIsProgressToComeFurtherThanEver() {
    guard.committed(new Place(0, 10));
    failAsOftenAsAllowed();
    guard.stopped(new Place(0, 12));
    for (int i = 1; i < MOST; i++) {
      assertThat(ends()).isFalse();
      guard.stopped(new Place(0, 12));
      guard.stopped(new Place(0, 11));
    }
    assertThat(ends()).isTrue();
  }

  @Test
  void noneIsTooManyIfTheUserSaysSo() {
    ProgressGuard any = new ProgressGuard(0);
    for (int i = 0; i < 1000; i++) {
      assertThat(any.failed(1, "node1", "was killed")).isNull();
    }
  }

  /** Compared with a count of its own, over all that can happen. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void itCountsWhatIsInARow(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int job = 0; job < 200; job++) {
      ProgressGuard one = new ProgressGuard(MOST);
      long furthest = -1;
      int inARow = 0;
      boolean ended = false;
      while (!ended) {
        long iteration = random.nextLong(20);
        Place place = new Place(0, iteration);
        switch (random.nextInt(4)) {
          case 0 -> {
            one.committed(place);
            inARow = 0;
          }
          case 1 -> {
            one.stopped(place);
            inARow = iteration > furthest ? Math.min(1, inARow) : inARow;
          }
          default -> {
            ended = one.failed(0, "node0", "died") != null;
            inARow++;
            assertThat(ended).isEqualTo(inARow > MOST);
            iteration = -1;
          }
        }
        furthest = Math.max(furthest, iteration);
      }
    }
  }
}
