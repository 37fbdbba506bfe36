package org.fmi.sim.papers;

import java.util.ArrayList;
import java.util.List;
import org.fmi.sim.checkpoint.Level;
import org.fmi.sim.checkpoint.Machine;
import org.fmi.sim.checkpoint.SimulatedJobs;
import org.fmi.sim.checkpoint.TwoLevels;
import org.fmi.sim.failures.Failures;

/**
 * FMI paper, §VI-C: how likely a job is to run for a day without a failure that ends it (Fig. 16),
 * and which share of the time is useful with checkpoints on two levels (Fig. 17), on machines that
 * fail more often.
 *
 * @param memoryRate failures per second that groups survive
 * @param filesRate failures per second that they do not
 */
public record Resilience(double memoryRate, double filesRate) {
  /** Of LLNL's cluster Coastal, as the paper gives them. */
  public static final Resilience COASTAL = new Resilience(2.13e-6, 4.27e-7);

  /** With so many times the failures. */
  public Resilience times(double memory, double files) {
    return new Resilience(memoryRate * memory, filesRate * files);
  }

  /** Fig. 16: that no failure ends the job in so many seconds. */
  public double runs(double seconds, boolean withGroups) {
    return Math.exp(-(withGroups ? filesRate : memoryRate + filesRate) * seconds);
  }

  /**
   * A machine of Fig. 17. What the paper does not say is a choice: the nodes, and what writing
   * costs the program.
   *
   * @param groupSize members of a checkpoint group
   */
  public record Site(Machine machine, int nodes, int groupSize) {
    /** The checkpoints of a job with so much state per node, and files slower by a factor. */
    TwoLevels levels(double nodeBytes, double slowerFiles, Resilience rates) {
      Machine slower =
          new Machine(
              machine.memoryRate(),
              machine.networkRate(),
              machine.filesRate() / slowerFiles,
              machine.filesCost(),
              machine.restartSeconds());
      return TwoLevels.best(
          memory(nodeBytes, 1 / rates.memoryRate),
          Level.onFiles(slower, nodeBytes * nodes, 1 / rates.filesRate));
    }

    /**
     * As the paper's model has it (§V-B): its parity is passed round the group, s + s/(n-1) bytes.
     */
    private Level memory(double bytes, double mtbf) {
      double passed = bytes + bytes / (groupSize - 1);
      double cost = 2 * bytes / machine.memoryRate() + passed / machine.networkRate();
      double restart = machine.restartSeconds() + cost + bytes / machine.networkRate();
      return new Level(cost, cost, restart, mtbf);
    }
  }

  /**
   * A point of Fig. 17.
   *
   * @param bytes of state per node
   * @param filesFactor how much more often failures come that groups do not survive
   * @param factor how much more often the others come, and how much longer files take
   * @param model the useful share by the model
   * @param simulated the same by simulation, its mean
   */
  public record Point(
      double bytes, double filesFactor, double factor, double model, double simulated) {}

  /**
   * One curve of Fig. 17.
   *
   * @param done is told after each run, of as many as there are seeds for each factor
   */
  public List<Point> efficiency(
      Site site,
      double bytes,
      boolean bothLevels,
      List<Double> factors,
      int seeds,
      long seed,
      Runnable done) {
    List<Point> points = new ArrayList<>();
    for (double factor : factors) {
      Resilience rates = times(factor, bothLevels ? factor : 1);
      TwoLevels levels = site.levels(bytes, factor, rates);
      // Long enough for some failures of the second level.
      double work = 20 / rates.filesRate;
      SimulatedJobs jobs =
          SimulatedJobs.run(
              levels,
              _ -> Failures.ofRates(rates.memoryRate, rates.filesRate),
              work,
              seeds,
              seed,
              done);
      points.add(
          new Point(
              bytes,
              bothLevels ? factor : 1,
              factor,
              levels.useful(work, 1 / rates.filesRate),
              jobs.useful().getAverage()));
    }
    return points;
  }
}
