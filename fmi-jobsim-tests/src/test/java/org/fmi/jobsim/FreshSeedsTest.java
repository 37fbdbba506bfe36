package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;

/**
 * A minute of schedules of failures, delays and reorderings that were never tried. What must hold
 * is what {@link Oracle} says.
 */
final class FreshSeedsTest {
  private static final Duration ALL_GO_BACK = Duration.ofSeconds(21);
  private static final Duration OTHERS = Duration.ofSeconds(9);
  private static final Duration COLLECTIVES = Duration.ofSeconds(3);

  @Test
  void freshSeedsEndAsTheyMay() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::of), ALL_GO_BACK);
  }

  @Test
  void freshSeedsEndAsTheyMayWithLocalRollback() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofLocal), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayWithFlowRollback() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofFlow), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayWithAsynchronousCheckpoints() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofOverlap), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayWithLocalRollbackToAsynchronousCheckpoints()
      throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofBoth), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayWithAllCollectives() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofCollectives), COLLECTIVES);
  }

  @Test
  void freshSeedsEndAsTheyMayWithoutLostRanks() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofShrink), COLLECTIVES);
  }

  private static void run(Campaign campaign, Duration time) throws InterruptedException {
    campaign.run(time, 1);
    System.out.println(campaign.summary());
    assertThat(campaign.failures())
        .as(
            "again, with a trace: %s",
            campaign.failures().stream()
                .map(failure -> Simulate.command(failure.schedule()))
                .toList())
        .isEmpty();
    assertThat(campaign.jobs()).isPositive();
  }
}
