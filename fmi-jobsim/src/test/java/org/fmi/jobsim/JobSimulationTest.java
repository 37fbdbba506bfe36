package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Schedules of failures, delays and reorderings, each from its seed, as many as there is time for.
 * What must hold is what {@link Oracle} says.
 */
final class JobSimulationTest {
  private static final Duration FRESH = Duration.ofSeconds(60);

  /** For how long seeds are run twice. */
  private static final Duration TWICE = Duration.ofSeconds(5);

  private static String told(Result failure) {
    return failure + "\nagain, with a trace: " + Simulate.command(failure.schedule().seed());
  }

  @Test
  void freshSeedsEndAsTheyMay() throws InterruptedException {
    Campaign campaign = new Campaign(Seeds.fresh(), Schedule::of);
    campaign.run(FRESH, Runtime.getRuntime().availableProcessors());
    System.out.println(campaign.summary());
    assertThat(campaign.failures().stream().map(JobSimulationTest::told)).isEmpty();
    assertThat(campaign.jobs()).isGreaterThan(Scenario.values().length);
  }

  @Test
  void aSeedRepeatsItsTrace() {
    Answers answers = new Answers();
    long end = System.nanoTime() + TWICE.toNanos();
    long seed = 0;
    do {
      Schedule schedule = Schedule.of(seed++);
      Result result = schedule.run(answers);
      assertThat(result.verdict().allowed()).as("%s", result).isTrue();
      assertThat(schedule.run(answers).outcome()).as("%s", schedule).isEqualTo(result.outcome());
    } while (System.nanoTime() < end);
  }
}
