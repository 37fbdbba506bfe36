package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.IntervalModel;
import org.junit.jupiter.api.Test;

final class IntervalTunerTest {

  @Test
  void theOptimumSolvesVaidyasEquation() {
    for (double mtbf : new double[] {10, 600, 86_400}) {
      for (double cost : new double[] {1e-4, 0.01, 1, 30}) {
        double t = IntervalTuner.optimum(cost, mtbf);
        assertThat(t).isPositive().isLessThan(mtbf);
        assertThat(Math.exp((t + cost) / mtbf) * (1 - t / mtbf)).isCloseTo(1, within(1e-6));
      }
    }
  }

  @Test
  void forSmallCostItIsYoungsSquareRoot() {
    assertThat(IntervalTuner.optimum(1, 1e6)).isCloseTo(Math.sqrt(2 * 1 * 1e6), within(2.0));
  }

  /**
   * A checkpoint that takes 10 s, a failure per hour. Young: sqrt(2 10 3600) = sqrt(72000) =
   * 268.328. Daly: with 10 / 7200 = 1/720, whose root is 0.0372678, 268.328 (1 + 0.0372678 / 3 + 1
   * / 6480) - 10 = 268.328 * 1.0125769 - 10 = 261.703.
   */
  @Test
  void knownNumbersOfTheModels() {
    assertThat(IntervalTuner.optimum(IntervalModel.YOUNG, 10, 3600))
        .isCloseTo(268.328, within(0.001));
    assertThat(IntervalTuner.optimum(IntervalModel.VAIDYA, 10, 3600))
        .isCloseTo(261.7, within(0.05));
    assertThat(IntervalTuner.optimum(IntervalModel.DALY, 10, 3600))
        .isCloseTo(261.703, within(0.001));
  }

  /** The series goes on to the mean time between failures, which Daly takes from there on. */
  @Test
  void aCheckpointThatCostsMoreThanFailuresLeaveTime() {
    double almost = IntervalTuner.optimum(IntervalModel.DALY, 1_999.999, 1_000);
    assertThat(almost).isCloseTo(2_000 * (1 + 1 / 3.0 + 1 / 9.0) - 2_000, within(0.01));
    assertThat(IntervalTuner.optimum(IntervalModel.DALY, 2_000, 1_000)).isEqualTo(1_000);
    assertThat(IntervalTuner.optimum(IntervalModel.DALY, 1e9, 1_000)).isEqualTo(1_000);
  }

  /** sqrt(2 * 0.01 * 3600) s = 8.4853 s of 1 ms each; Daly's 8.4853 * 1.000393 - 0.01 = 8.4786. */
  @Test
  void tunesByTheModelThatIsGiven() {
    for (IntervalModel model : IntervalModel.values()) {
      IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Mtbf(3600, model));
      tuner.measured(10_000_000, 1_000_000, 10_000);
      assertThat(tuner.iterations())
          .as("%s", model)
          .isEqualTo(model == IntervalModel.YOUNG ? 8_485 : 8_479);
    }
  }

  /** Young and Daly: at the optimum, to first order, sqrt(2 C / M) of the time. */
  @Test
  void theOptimumLosesLeast() {
    for (double mtbf : new double[] {600, 18_000, 1e6}) {
      for (double cost : new double[] {0.01, 1, 10}) {
        double t = IntervalTuner.optimum(cost, mtbf);
        double lost = IntervalTuner.lost(cost, t, mtbf);
        assertThat(lost).isCloseTo(Math.sqrt(2 * cost / mtbf), within(0.15 * lost));
        assertThat(IntervalTuner.lost(cost, 0.8 * t, mtbf)).isGreaterThan(lost);
        assertThat(IntervalTuner.lost(cost, 1.2 * t, mtbf)).isGreaterThan(lost);
      }
    }
  }

  @Test
  void aFixedIntervalStays() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Every(7));
    tuner.measured(1_000_000_000, 1, 7);
    assertThat(tuner.iterations()).isEqualTo(7);
  }

  @Test
  void waitsLongerAfterSkippedCheckpoints() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.ByTime(30));
    tuner.skipped();
    assertThat(tuner.iterations()).isEqualTo(2);
    tuner.measured(10_000_000, 100_000_000, 1_000);
    for (long times : new long[] {2, 4, 8, 8}) {
      tuner.skipped();
      assertThat(tuner.iterations()).isEqualTo(times * 300);
    }
    tuner.measured(10_000_000, 100_000_000, 1_000);
    assertThat(tuner.iterations()).isEqualTo(300);
    IntervalTuner given = new IntervalTuner(new CheckpointInterval.Every(7));
    given.skipped();
    assertThat(given.iterations()).isEqualTo(7);
  }

  @Test
  void countsTheIterationsThatFitIntoTheTime() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.ByTime(30));
    assertThat(tuner.iterations()).isEqualTo(1);
    tuner.measured(10_000_000, 100_000_000, 1);
    assertThat(tuner.iterations()).as("few of them tell little").isEqualTo(8);
    tuner.measured(10_000_000, 100_000_000, 1_000);
    assertThat(tuner.iterations()).isEqualTo(300);
    tuner.measured(9_000_000_000L, 40_000_000_000L, 300);
    assertThat(tuner.iterations()).as("whatever it costs").isEqualTo(1);
  }

  @Test
  void repeatedRollbacksShortenTheInterval() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Mtbf(3600));
    tuner.rolledBack(1_000, 1);
    assertThat(tuner.iterations()).as("as it is to be expected").isEqualTo(1_000);
    tuner.rolledBack(1_000, 2);
    assertThat(tuner.iterations()).isEqualTo(500);
    tuner.rolledBack(1_000, 4);
    assertThat(tuner.iterations()).isEqualTo(125);
    tuner.rolledBack(1_000, 100);
    assertThat(tuner.iterations()).isEqualTo(1);
    IntervalTuner byTime = new IntervalTuner(new CheckpointInterval.ByTime(30));
    byTime.rolledBack(1_000, 3);
    assertThat(byTime.iterations()).isEqualTo(250);
    IntervalTuner fixed = new IntervalTuner(new CheckpointInterval.Every(7));
    fixed.rolledBack(7, 3);
    assertThat(fixed.iterations()).as("the user says so").isEqualTo(7);
  }

  @Test
  void itFollowsTheMeasuredCost() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Mtbf(3600));
    assertThat(tuner.iterations()).isEqualTo(1);
    tuner.measured(10_000_000, 0, 0);
    assertThat(tuner.iterations()).as("nothing known of iterations yet").isEqualTo(1);
    tuner.measured(10_000_000, 1_000_000, 10_000);
    long cheap = tuner.iterations();
    assertThat(cheap).isCloseTo(8485, within(20L)); // sqrt(2 * 0.01 * 3600) s of 1 ms each
    tuner.measured(40_000_000, 1_000_000, cheap);
    assertThat(tuner.iterations()).isCloseTo(2 * cheap, within(50L));
  }

  @Test
  void fewIterationsTellLittle() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Mtbf(3600));
    tuner.measured(10_000_000, 1_000, 1);
    assertThat(tuner.iterations()).isEqualTo(8);
    tuner.measured(10_000_000, 1_000, 8);
    assertThat(tuner.iterations()).isEqualTo(64);
  }

  @Test
  void anotherLoopIsMeasuredAnew() {
    IntervalTuner tuner = new IntervalTuner(new CheckpointInterval.Mtbf(3600));
    tuner.measured(10_000_000, 1_000_000, 10_000);
    tuner.beginLoop();
    assertThat(tuner.iterations()).isEqualTo(1);
  }
}
