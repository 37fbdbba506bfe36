package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;

/**
 * Schedules of failures, delays and reorderings that were never tried, as many as there is time
 * for. What must hold is what {@link Oracle} says.
 */
final class FreshSeedsTest {
  private static final Duration FRESH = Duration.ofSeconds(60);

  @Test
  void freshSeedsEndAsTheyMay() throws InterruptedException {
    Campaign campaign = new Campaign(Seeds.fresh(), Schedule::of);
    // One thread: other modules are tested meanwhile.
    campaign.run(FRESH, 1);
    System.out.println(campaign.summary());
    assertThat(campaign.failures())
        .as(
            "again, with a trace: %s",
            campaign.failures().stream()
                .map(failure -> Simulate.command(failure.schedule().seed()))
                .toList())
        .isEmpty();
    assertThat(campaign.jobs()).isGreaterThan(Scenario.values().length);
  }
}
