package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Schedules of failures, delays and reorderings that were never tried, as many as there is time
 * for. What must hold is what {@link Oracle} says.
 */
final class FreshSeedsTest {
  /** It has a tenth of the weight of others. */
  private static final String NICE = "10";

  /** Where that stands in what the system says of a thread (proc_pid_stat(5)). */
  private static final int NICE_BEHIND_NAME = 16;

  private static final Duration ALL_GO_BACK = Duration.ofSeconds(42);
  private static final Duration OTHERS = Duration.ofSeconds(18);
  private static final Duration COLLECTIVES = Duration.ofSeconds(6);

  /** Other modules are tested meanwhile. Threads have the niceness of those that start them. */
  @BeforeAll
  static void giveWay() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("renice", "-n", NICE, "-p"));
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      threads.map(thread -> thread.getFileName().toString()).forEach(command::add);
    }
    Process renice =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    int _ = renice.waitFor(); // not 0 if one of them has ended
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    String[] behindName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    assertThat(behindName[NICE_BEHIND_NAME]).isEqualTo(NICE);
  }

  @Test
  void freshSeedsEndAsTheyMay() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::of), ALL_GO_BACK);
  }

  @Test
  void freshSeedsEndAsTheyMayIfOnlyFailedRanksGoBack() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofLocal), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayIfOnlyThoseComputeAgainThatMust() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofFlow), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayIfNobodyWaitsForCheckpoints() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofOverlap), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayIfOnlyFailedRanksGoBackToSuchCheckpoints()
      throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofBoth), OTHERS);
  }

  @Test
  void freshSeedsEndAsTheyMayWithAllCollectives() throws InterruptedException {
    run(new Campaign(Seeds.fresh(), Schedule::ofCollectives), COLLECTIVES);
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
