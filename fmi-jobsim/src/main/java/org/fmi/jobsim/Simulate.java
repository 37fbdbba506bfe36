package org.fmi.jobsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.testkit.support.Seeds;
import org.jspecify.annotations.Nullable;

/** The command {@code dev/simulate}. */
public final class Simulate {
  private static final String USAGE =
      """
      usage: dev/simulate [--seconds S]            fresh seeds for S seconds (60), on all cores
             dev/simulate --seed N [--seconds S]   the seeds from N on
             dev/simulate --seed N --once          one seed, twice: its traces must be the same
             dev/simulate --seed N --trace         one seed, with all that happens in it
             dev/simulate --local ...              jobs of which only failed ranks go back
             dev/simulate --flow ...               jobs that say which ranks they read from
             dev/simulate --overlap ...            jobs that go on while checkpoints are taken
             dev/simulate --local --overlap ...    both: only failed ranks go back, to such ones
             dev/simulate --collectives ...        jobs of collective calls, of all these kinds
             dev/simulate --shrink ...             jobs that continue without lost ranks
             dev/simulate --thresholds T ...       collectives with other thresholds: NAME=number,...
      Exit status: 0 if all jobs ended as they may, 1 if not, 64 for wrong usage.\
      """;

  /** The property that thresholds are read from when the first job begins. */
  private static final String THRESHOLDS = "fmi.thresholds";

  private long seconds = 60;
  private long seed = -1;
  private boolean once;
  private boolean trace;

  private boolean local;
  private boolean flow;
  private boolean overlap;
  private boolean collectives;
  private boolean shrink;

  private Simulate() {}

  /** Runs and exits. */
  public static void main(String[] args) throws InterruptedException {
    if (List.of(args).equals(List.of("--help"))) {
      System.out.println(USAGE);
      return;
    }
    Simulate simulate = new Simulate();
    String wrong = simulate.parse(List.of(args));
    if (wrong != null) {
      System.err.println("simulate: " + wrong);
      System.err.println(USAGE);
      System.exit(64);
    }
    System.exit(simulate.run() ? 0 : 1);
  }

  /** Null, or what is wrong. */
  private @Nullable String parse(List<String> args) {
    List<String> left = new ArrayList<>(args);
    while (!left.isEmpty()) {
      String arg = left.removeFirst();
      switch (arg) {
        case "--once" -> once = true;
        case "--trace" -> trace = true;
        case "--local" -> local = true;
        case "--flow" -> flow = true;
        case "--overlap" -> overlap = true;
        case "--collectives" -> collectives = true;
        case "--shrink" -> shrink = true;
        case "--thresholds" -> {
          if (left.isEmpty()) {
            return arg + " needs NAME=number,NAME=number";
          }
          System.setProperty(THRESHOLDS, left.removeFirst());
          try {
            Class.forName("org.fmi.core.coll.Thresholds");
          } catch (ExceptionInInitializerError e) {
            return Objects.requireNonNull(e.getCause()).getMessage();
          } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
          }
        }
        case "--seed", "--seconds" -> {
          long value = left.isEmpty() ? -1 : number(left.removeFirst());
          if (value < 0) {
            return arg + " needs a number from 0 on";
          }
          if (arg.equals("--seed")) {
            seed = value;
          } else {
            seconds = value;
          }
        }
        default -> {
          return "there is no " + arg;
        }
      }
    }
    if (flow && (local || overlap)) {
      return "--flow stands alone";
    }
    if (collectives && (flow || local || overlap)) {
      return "--collectives stands alone";
    }
    if (shrink && (collectives || flow || local || overlap)) {
      return "--shrink stands alone";
    }
    return seed < 0 && (once || trace) ? "--once and --trace need --seed" : null;
  }

  /** The job of a seed. */
  private LongFunction<Schedule> kind() {
    if (shrink) {
      return Schedule::ofShrink;
    }
    if (collectives) {
      return Schedule::ofCollectives;
    }
    if (flow) {
      return Schedule::ofFlow;
    }
    if (local) {
      return overlap ? Schedule::ofBoth : Schedule::ofLocal;
    }
    return overlap ? Schedule::ofOverlap : Schedule::of;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private boolean run() throws InterruptedException {
    if (once || trace) {
      return runOne();
    }
    long first = seed >= 0 ? seed : Seeds.fresh();
    Campaign campaign = new Campaign(first, kind());
    campaign.run(Duration.ofSeconds(seconds), Runtime.getRuntime().availableProcessors());
    System.out.println(campaign.summary());
    for (Result failure : campaign.failures()) {
      System.out.println(failure);
      System.out.println("again, with a trace: " + command(failure.schedule()));
    }
    return campaign.failures().isEmpty();
  }

  private boolean runOne() {
    Schedule schedule = kind().apply(seed);
    Answers answers = new Answers();
    JobSimulation job = schedule.prepare();
    if (trace) {
      job.traceTo(System.out::println);
    }
    Result result = schedule.judge(job, answers);
    Result again = schedule.run(answers);
    boolean same = String.valueOf(result.outcome()).equals(String.valueOf(again.outcome()));
    System.out.println(schedule);
    System.out.println(job.story());
    System.out.println(result.outcome());
    System.out.println("seed " + seed + ": " + result.verdict().text());
    if (!same) {
      System.out.println("seed " + seed + " run again gives another trace: " + again.outcome());
    }
    return same && result.verdict().allowed();
  }

  /** Returns the command that repeats a job. */
  static String command(Schedule schedule) {
    String thresholds = System.getProperty(THRESHOLDS);
    String with = thresholds == null ? "" : " --thresholds " + thresholds;
    return "dev/simulate --seed " + schedule.seed() + schedule.shape().option() + with + " --trace";
  }
}
