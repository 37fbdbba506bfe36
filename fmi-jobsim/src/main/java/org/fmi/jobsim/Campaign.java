package org.fmi.jobsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.jobsim.Schedule.Scenario;

/** Runs the jobs of many seeds, one after the other, on several threads for a given time. */
final class Campaign {
  /** The first failures are enough; what follows is most likely the same. */
  private static final int MOST_FAILURES = 3;

  private final LongFunction<Schedule> schedules;
  private final Answers answers = new Answers();
  private final AtomicLong next;
  private final long first;

  private final List<Result> failures = new ArrayList<>();

  /** Outcomes of the jobs, and by scenario: jobs, faults, recoveries. */
  private final Map<String, Long> ends = new TreeMap<>();

  private final Reached reached = new Reached();

  /** The number of jobs that needed each exclusion for something other than their end. */
  private final Map<Exclusion, Long> needed = new EnumMap<>(Exclusion.class);

  private long longestOutage;

  private final Map<Scenario, long[]> tally = new EnumMap<>(Scenario.class);

  /** The jobs of this seed and those that follow it. */
  Campaign(long first, LongFunction<Schedule> schedules) {
    this.first = first;
    this.next = new AtomicLong(first);
    this.schedules = schedules;
  }

  /** Runs until the time is over or too much has failed; what has begun is finished. */
  void run(Duration time, int threads) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      running.add(Thread.ofPlatform().name("campaign-" + i).start(() -> work(end)));
    }
    for (Thread each : running) {
      each.join();
    }
  }

  private void work(long end) {
    while (System.nanoTime() < end && !hasFailed(MOST_FAILURES)) {
      add(schedules.apply(next.getAndIncrement()).run(answers));
    }
  }

  private synchronized boolean hasFailed(int times) {
    return failures.size() >= times;
  }

  private synchronized void add(Result result) {
    if (!result.verdict().allowed()) {
      failures.add(result);
    } else {
      ends.merge(result.verdict().text(), 1L, Long::sum);
    }
    longestOutage = Math.max(longestOutage, result.job().longestOutage());
    reached.add(result.job().reached());
    result.job().needed().forEach(row -> needed.merge(row, 1L, Long::sum));
    long[] sums = tally.computeIfAbsent(result.schedule().scenario(), s -> new long[3]);
    sums[0]++;
    sums[1] += result.job().injected();
    Outcome outcome = result.outcome();
    sums[2] += outcome == null ? 0 : outcome.recoveries();
  }

  /** Returns the failures that were found first. */
  synchronized List<Result> failures() {
    return List.copyOf(failures);
  }

  /** Returns the number of jobs. */
  synchronized long jobs() {
    return tally.values().stream().mapToLong(sums -> sums[0]).sum();
  }

  /** Returns a summary for users. */
  synchronized String summary() {
    StringBuilder text = new StringBuilder();
    text.append("seeds ").append(first).append(" to ").append(first + jobs() - 1);
    tally.forEach(
        (scenario, sums) ->
            text.append(
                "%n  %-10s %6d jobs, %6d faults, %6d recoveries"
                    .formatted(scenario, sums[0], sums[1], sums[2])));
    ends.forEach((how, jobs) -> text.append("%n  %6d %s".formatted(jobs, how)));
    needed.forEach((row, jobs) -> text.append("%n  %6d needed %s".formatted(jobs, row.name())));
    text.append("%n  all ran again %d ms after each fault".formatted(longestOutage / 1_000_000));
    return text.append(reached.summary()).toString();
  }
}
