package org.fmi.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;

/** Runs a small job through many schedules of failures, delays and reorderings. */
class ToyJobTest {
  private static final Duration FRESH = Duration.ofSeconds(3);

  private static final List<Kind> KINDS =
      List.of(
          Kind.KILL_RANK,
          Kind.KILL_RANK,
          Kind.CRASH_NODE,
          Kind.POWER_OFF,
          Kind.FREEZE,
          Kind.ISOLATE_NODE,
          Kind.PARTITION,
          Kind.CORRUPT_MEMORY);

  private record Outcome(long hash, long events, int epochs, int injected, long primitives) {}

  private static Outcome run(long seed, int failures) {
    Simulation simulation = new Simulation(seed);
    SplittableRandom random = simulation.random();
    int ranks = 2 + random.nextInt(5);
    int nodes = 2 + random.nextInt(ranks);
    SimCluster cluster = new SimCluster(simulation, SimModel.random(random), nodes, 1 << 20);
    cluster.inject(
        FaultPlan.random(random, failures, KINDS, ranks, nodes, 2_000, kind -> 1_500_000_000L));
    ToyJob job = new ToyJob(cluster, ranks, nodes);
    simulation.run(job::done);
    for (int r = 0; r < ranks; r++) {
      long expected = r;
      for (int round = 0; round < ToyRank.ROUNDS; round++) {
        expected = expected * 31 + round;
      }
      assertThat(job.results()[r]).as("rank %s, seed %s", r, seed).isEqualTo(expected);
    }
    assertThat(cluster.exits()).as("seed %s", seed).allMatch(exit -> exit.status() == 0);
    return new Outcome(
        simulation.traceHash(),
        simulation.events(),
        job.epoch(),
        cluster.injected(),
        cluster.primitives());
  }

  @Test
  void sameSeedSameTrace() {
    for (long seed = 0; seed < 50; seed++) {
      assertThat(run(seed, 4)).as("seed %s", seed).isEqualTo(run(seed, 4));
    }
    assertThat(run(1, 4)).isNotEqualTo(run(2, 4));
  }

  @Test
  void noFailuresNoRecovery() {
    for (long seed = 0; seed < 50; seed++) {
      assertThat(run(seed, 0).epochs()).as("seed %s", seed).isEqualTo(0);
    }
  }

  @Test
  void survivesManySchedules() {
    long first = Seeds.fresh();
    int schedules = 0;
    long events = 0;
    long epochs = 0;
    long injected = 0;
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < FRESH.toNanos()) {
      long seed = first + schedules;
      Outcome outcome = run(seed, (int) (seed % 6));
      schedules++;
      events += outcome.events();
      epochs += outcome.epochs();
      injected += outcome.injected();
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        "seeds from %d: %d schedules, %d failures, %d recoveries, %d events, %.0f schedules/s%n",
        first, schedules, injected, epochs, events, schedules / seconds);
    assertThat(injected).isGreaterThan(schedules / 2);
    assertThat(epochs).isGreaterThan(schedules / 4);
  }
}
