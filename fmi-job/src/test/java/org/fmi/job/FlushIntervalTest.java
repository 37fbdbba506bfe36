package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class FlushIntervalTest {
  private static final double SECOND = 1e9;

  private final FlushInterval interval = new FlushInterval(18_000);

  private double now;
  private long iteration;

  /** The program runs for so many iterations of this length, and takes a checkpoint. */
  private void run(long iterations, double seconds, double cost) {
    iteration += iterations;
    now += iterations * seconds * SECOND + cost * SECOND;
    commit(0, iteration, cost);
  }

  private void commit(long loop, long iteration, double cost) {
    interval.committed(
        new JobCommand.Committed(loop, iteration, (long) (cost * SECOND)), (long) now);
  }

  private void begin() {
    interval.begun((long) now);
  }

  private void end() {
    interval.ended(true, (long) now);
  }

  private boolean isDue() {
    return interval.isDue((long) now);
  }

  @Test
  void theFirstIsTheFirstCheckpointAfterAMinute() {
    run(1, 1, 0.1);
    int checkpoints = 0;
    while (!isDue()) {
      run(10, 0.5, 0.1);
      checkpoints++;
    }
    // The next one is the first one beyond.
    assertThat(5.1 * checkpoints).isLessThan(60);
    assertThat(5.1 * (checkpoints + 1)).isGreaterThanOrEqualTo(60);
    assertThat(isDue()).as("it was asked for").isFalse();
  }

  /** Young: sqrt(2 * 10 s * 18,000 s) = 600 s; Vaidya's is a little shorter. */
  @Test
  void theIntervalFollowsFromHowMuchSlowerIterationsAre() {
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0);
    }
    begin();
    // 20 iterations take 1.5 s each.
    run(10, 1.5, 0);
    run(10, 1.5, 0);
    end();
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0);
    }
    assertThat(interval.onFiles().cost()).isCloseTo(10, within(1e-6));
    assertThat(10.0 * interval.multiple()).isCloseTo(600, within(20.0));
    int checkpoints = 22; // since that which was written
    while (!isDue()) {
      run(10, 1, 0);
      checkpoints++;
    }
    // By time: two of them have taken half as long again.
    assertThat(checkpoints + 1).isEqualTo((int) interval.multiple() - 1);
  }

  @Test
  void partsOfThePeriodAroundItCount() {
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0.5);
    }
    // It ends in the middle of a period, in which only half of the iterations are slower.
    begin();
    iteration += 10;
    now += 5 * 1.2 * SECOND;
    end();
    now += 5 * 1.0 * SECOND + 0.5 * SECOND;
    commit(0, iteration, 0.5);
    assertThat(interval.onFiles().cost()).isCloseTo(1, within(1e-6));
  }

  /** Nothing is slower, and each takes 50 s: four fifths of the time is the most. */
  @Test
  void aSlowTargetIsNotAlwaysWrittenTo() {
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0);
    }
    begin();
    for (int i = 0; i < 5; i++) {
      run(10, 1, 0);
    }
    end();
    assertThat(interval.onFiles().cost()).isZero();
    assertThat(interval.multiple()).isEqualTo(7); // 70 s, the first multiple of 10 s over 62.5 s
  }

  @Test
  void anotherLoopIsMeasuredAnew() {
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0);
    }
    now += SECOND;
    commit(1, 0, 0);
    begin();
    now += 100 * SECOND;
    end();
    // Ten times as slow as those of the loop before.
    commit(1, 10, 0);
    assertThat(interval.onFiles().cost()).isZero();
  }

  @Test
  void aRecoveryIsNoIteration() {
    for (int i = 0; i < 20; i++) {
      run(10, 1, 0);
    }
    begin();
    run(10, 1, 0);
    interval.recovering();
    now += 100 * SECOND;
    run(10, 1, 0);
    end();
    run(10, 1, 0);
    assertThat(interval.onFiles().cost()).isZero();
  }

  @Test
  void bothLevelsAreToldByTheModel() {
    begin();
    for (int i = 0; i < 121; i++) {
      run(10, 1, 1);
      if (i % 60 == 0) {
        begin();
        end();
      }
    }
    FlushInterval.Account memory = interval.inMemory();
    assertThat(memory.count()).isEqualTo(121);
    assertThat(memory.cost()).isCloseTo(1, within(1e-6));
    assertThat(memory.every().orElseThrow()).isCloseTo(11, within(1e-6));
    // To first order 1/11 + 11/2/3600, of which the first is the larger part here.
    assertThat(memory.lost(3600).orElseThrow()).isCloseTo(0.0923, within(5e-4));
    assertThat(interval.onFiles().count()).isEqualTo(3);
    assertThat(interval.onFiles().every()).isPresent();
  }

  /** What could not be written is not one of those that come every so often. */
  @Test
  void onlyWhatCountsIsCounted() {
    for (int i = 0; i < 3; i++) {
      run(10, 1, 1);
      begin();
      interval.ended(false, (long) now);
    }
    assertThat(interval.onFiles().count()).isZero();
    assertThat(interval.onFiles().every()).isEmpty();
    assertThat(interval.failed()).isEqualTo(3);
    for (int i = 0; i < 2; i++) {
      run(10, 1, 1);
      begin();
      end();
    }
    assertThat(interval.onFiles().count()).isEqualTo(2);
    assertThat(interval.onFiles().every().orElseThrow()).isCloseTo(11, within(1e-6));
    assertThat(interval.failed()).isEqualTo(3);
  }

  @Test
  void nothingIsKnownOfWhatHasNotHappened() {
    assertThat(isDue()).isFalse();
    assertThat(interval.inMemory().every()).isEmpty();
    assertThat(interval.onFiles().lost(3600)).isEmpty();
  }
}
