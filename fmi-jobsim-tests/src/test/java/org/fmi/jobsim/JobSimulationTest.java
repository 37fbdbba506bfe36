package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.fmi.jobsim.Schedule.Result;
import org.junit.jupiter.api.Test;

/**
 * Schedules of failures, delays and reorderings, each from its seed, as many as there is time for.
 * What must hold is what {@link Oracle} says.
 */
final class JobSimulationTest {
  /** For how long seeds are run twice. */
  private static final Duration TWICE = Duration.ofSeconds(2);

  @Test
  void aSeedRepeatsItsTrace() {
    Answers answers = new Answers();
    long end = System.nanoTime() + TWICE.toNanos();
    long seed = 0;
    do {
      Schedule schedule = Schedule.of(seed++);
      Result result = schedule.run(answers);
      FinishedJob.assertAllowed(result);
      assertThat(schedule.run(answers).outcome()).as("%s", schedule).isEqualTo(result.outcome());
    } while (System.nanoTime() < end);
  }
}
