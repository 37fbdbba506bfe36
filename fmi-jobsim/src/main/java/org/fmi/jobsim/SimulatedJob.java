package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.fmi.Fmi;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimulationFailure;
import org.jspecify.annotations.Nullable;

/**
 * A job for the test of a program: its ranks run on threads of this JVM, one at a time, in an order
 * drawn from the seed. Each rank has a dedicated node; only the requested faults happen. Where
 * nothing does, iterations are repeated and compared, as with {@code fmirun --check}.
 */
public final class SimulatedJob {
  /** The longest distance between checkpoints, in iterations; the seed draws one. */
  private static final long LONGEST_INTERVAL = 8;

  /** The most bytes that a rank may receive outside of loops. */
  private static final long RECORD_LIMIT_BYTES = 64L << 20;

  /** Classes of FMI that run in a rank, and of the JDK. */
  private static final Pattern INSIDE =
      Pattern.compile(
          "java\\.|jdk\\.|org\\.fmi\\.((core|spi|testkit|jobsim|ckpt|logring)\\.|[A-Z])");

  /** The program of each rank. */
  @FunctionalInterface
  public interface Program {
    /**
     * Runs a rank's part. Begins anew in a replacement, and if all ranks are restarted.
     *
     * @param fmi closed when this returns, if the program has not closed it
     */
    void run(Fmi fmi) throws Exception;
  }

  /**
   * A death, once.
   *
   * @param iteration of a loop, that the rank begins; or {@link #AFTER_LOOP}
   */
  public record Kill(int rank, long iteration) {
    /** At the first communication after a loop. */
    public static final long AFTER_LOOP = -1;
  }

  /** The end of a job. */
  public sealed interface Ending {
    /**
     * Decided by the job.
     *
     * @param status as the exit status of {@code fmirun}: 0 if all ranks have completed
     * @param left faults that no rank has reached
     */
    record Ended(int status, String message, List<Kill> left) implements Ending {}

    /** A rank's part has thrown; all others were stopped. */
    record Threw(int rank, Throwable thrown) implements Ending {}

    /**
     * Ranks wait for messages that never arrive, or the simulation itself has failed.
     *
     * @param waits for each rank that runs, what it waits in, and where that was called
     */
    record Stuck(String reason, List<String> waits, Throwable failure) implements Ending {}
  }

  private final List<String> waits = new ArrayList<>();
  private final Program program;
  private final JobSimulation simulation;
  private Ending.@Nullable Threw threw;

  /** A job to be run. */
  public SimulatedJob(long seed, int ranks, List<Kill> kills, Program program) {
    this.program = program;
    long interval = 1 + Math.floorMod(seed, LONGEST_INTERVAL);
    Shape shape =
        Shape.plain(ranks, 0, JobSpec.OnNoSpare.ABORT)
            .withInterval(new CheckpointInterval.Every(interval))
            .withRecordLimit(RECORD_LIMIT_BYTES)
            .withFaults(kills.stream().map(SimulatedJob::fault).toArray(FaultSpec[]::new));
    if (kills.isEmpty()) {
      shape = shape.withCheck(); // a loss would show the same, and repeat iterations by itself
    }
    this.simulation =
        new JobSimulation(seed, shape, SimModel.calm().withEverything(), this::runRank);
    simulation.cluster().simulation().onFailure(() -> findWaits(ranks));
  }

  private static FaultSpec fault(Kill kill) {
    FaultPoint point =
        kill.iteration() == Kill.AFTER_LOOP ? FaultPoint.EPILOGUE : FaultPoint.ITERATION;
    return new FaultSpec(false, kill.rank(), false, point, kill.iteration());
  }

  /** Runs it, once. */
  public Ending run() {
    try {
      JobSimulation.Outcome outcome = simulation.run(() -> {});
      List<Kill> left =
          simulation.faultsLeft().stream().map(f -> new Kill(f.number(), f.iteration())).toList();
      return new Ending.Ended(outcome.status(), outcome.message(), left);
    } catch (SimulationFailure failure) {
      return threw != null ? threw : stuck(failure);
    }
  }

  /** Returns the warnings about ranks that called one collective in different iterations. */
  public List<String> skippedCollectives() {
    return simulation.notices(Notice.Warned.class).stream()
        .filter(n -> n.about().equals(Notice.Warned.ITERATIONS))
        .map(Notice.Warned::what)
        .toList();
  }

  private Ending stuck(SimulationFailure failure) {
    String first = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    String what = failure.getCause() == null ? "the job hangs: " : "the simulation failed: ";
    return new Ending.Stuck(what + first, List.copyOf(waits), failure);
  }

  private long runRank(Fmi fmi, SimProcess process, SimCluster cluster) throws Exception {
    try {
      program.run(fmi);
      fmi.close();
      return 0;
    } catch (Throwable t) {
      if (!process.gone() && threw == null) {
        threw = new Ending.Threw(process.rank(), t);
        throw new AssertionError("rank " + process.rank() + " threw", t); // ends the simulation
      }
      throw t;
    }
  }

  /** For each rank that runs, what it waits in. Adds nothing to the simulation's own report. */
  private String findWaits(int ranks) {
    for (int rank = 0; rank < ranks; rank++) {
      SimProcess process = simulation.cluster().process(rank);
      if (process != null && process.alive()) {
        waits.add("rank " + rank + " " + call(process.stack()));
      }
    }
    return "";
  }

  /** The innermost call of the program, and where it is. */
  private static String call(StackTraceElement[] stack) {
    String method = "";
    for (StackTraceElement frame : stack) {
      String of = frame.getClassName();
      if (!INSIDE.matcher(of).lookingAt()) {
        return method.isEmpty() ? "is at " + frame : "waits in " + method + ", called at " + frame;
      }
      if (of.startsWith("org.fmi.")) {
        method = frame.getMethodName();
      }
    }
    return "has completed its part";
  }
}
