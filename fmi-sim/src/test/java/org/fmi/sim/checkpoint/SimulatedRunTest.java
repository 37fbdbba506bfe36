package org.fmi.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.fmi.sim.failures.Failures;
import org.junit.jupiter.api.Test;

final class SimulatedRunTest {
  private static final double NEVER = Double.POSITIVE_INFINITY;

  @Test
  void withoutFailuresOnlyCheckpointsTakeTime() {
    TwoLevels levels = new TwoLevels(new Level(1, 1, 5, NEVER), null, 9, 0);
    SimulatedRun.Result result = SimulatedRun.of(levels, Failures.ofRates(0, 0), 900, 1);
    assertThat(result.checkpoints()).isEqualTo(99);
    assertThat(result.failures()).isZero();
    assertThat(result.useful()).isEqualTo(900 / 999.0, within(1e-9));
  }

  @Test
  void aSlowerProgramIsWhatFilesCost() {
    // Half of the time something is written, which makes the program slower by a tenth.
    TwoLevels levels =
        new TwoLevels(new Level(0, 0, 5, NEVER), new Level(5, 50, 55, NEVER), 10, 100);
    SimulatedRun.Result result = SimulatedRun.of(levels, Failures.ofRates(0, 0), 100_000, 1);
    assertThat(result.useful()).isEqualTo(0.95, within(0.005));
    assertThat(result.versions()).isBetween(900L, 1100L);
  }

  @Test
  void aSeedIsAlwaysTheSameJob() {
    TwoLevels levels = TwoLevels.best(new Level(5, 5, 10, 1000), new Level(2, 100, 120, 20_000));
    Failures failures = Failures.ofRates(1e-3, 5e-5);
    assertThat(SimulatedRun.of(levels, failures, 1e6, 7))
        .isEqualTo(SimulatedRun.of(levels, failures, 1e6, 7))
        .isNotEqualTo(SimulatedRun.of(levels, failures, 1e6, 8));
  }

  @Test
  void onAverageItLosesWhatTheModelSays() {
    Level memory = new Level(5, 5, 10, 1000);
    TwoLevels one = TwoLevels.best(memory, null);
    double simulated =
        SimulatedJobs.run(one, _ -> Failures.ofRates(1e-3, 0), 1e6, 4, 1, () -> {})
            .useful()
            .getAverage();
    assertThat(simulated).isEqualTo(one.useful(1e6, NEVER), within(0.01));
    TwoLevels two = TwoLevels.best(memory, new Level(2, 100, 120, 20_000));
    simulated =
        SimulatedJobs.run(two, _ -> Failures.ofRates(1e-3, 5e-5), 1e6, 4, 1, () -> {})
            .useful()
            .getAverage();
    assertThat(simulated).isEqualTo(two.useful(1e6, 20_000), within(0.02));
  }

  @Test
  void withoutFilesALossBeyondGroupsCostsAll() {
    TwoLevels levels = TwoLevels.best(new Level(1, 1, 1, 1000), null);
    SimulatedRun.Result result = SimulatedRun.of(levels, Failures.ofRates(1e-3, 1e-2), 1e4, 1);
    assertThat(result.useful()).isLessThan(0.01);
    assertThat(result.fromFiles()).isPositive();
  }

  @Test
  void aFailureGivesUpTheVersionThatIsBeingWritten() {
    TwoLevels levels = new TwoLevels(new Level(1, 1, 1, 100), new Level(0, 1e5, 1, 1e4), 50, 1e5);
    SimulatedRun.Result result = SimulatedRun.of(levels, Failures.ofRates(1e-2, 0), 1e6, 1);
    assertThat(result.failures()).isGreaterThan(1000);
    assertThat(result.versions()).isZero();
  }
}
