package org.fmi.sim.checkpoint;

import org.fmi.rules.IntervalTuner;

/**
 * Checkpoints of one level: what they cost, and what they lose, by Vaidya's model ("On Checkpoint
 * Latency", 1995). All times in seconds.
 *
 * @param cost by how much a checkpoint delays the program
 * @param latency from its beginning until it counts
 * @param restart from a failure until the program continues where the checkpoint was taken
 * @param mtbf mean time between the failures that this level survives
 */
public record Level(double cost, double latency, double restart, double mtbf) {
  /**
   * Models checkpoints in memory, as the FMI paper does (§V-B): a copy, the exchange within the
   * group, and the code's arithmetic; a restart gathers what was lost as well.
   *
   * @param bytes of state on a node
   * @param members of a group
   * @param losses that the group survives; 0: no exchange, and nothing to gather
   */
  public static Level inMemory(
      Machine machine, double bytes, int members, int losses, double mtbf) {
    double exchanged = exchanged(bytes, members, losses);
    double code = exchanged / machine.networkRate() + exchanged / machine.memoryRate();
    double cost = bytes / machine.memoryRate() + code;
    double gathered = losses == 0 ? 0 : bytes / machine.networkRate();
    return new Level(cost, cost, machine.restartSeconds() + cost + gathered, mtbf);
  }

  private static double exchanged(double bytes, int members, int losses) {
    return losses == 0 ? 0 : bytes * (members - 1) / (members - losses);
  }

  /**
   * Models checkpoints on files, which are written while the program continues.
   *
   * @param bytes of state on all nodes
   */
  public static Level onFiles(Machine machine, double bytes, double mtbf) {
    double latency = bytes / machine.filesRate();
    return new Level(
        latency * machine.filesCost(), latency, machine.restartSeconds() + latency, mtbf);
  }

  /** With other failures that come at a rate, after each of which a restart begins anew. */
  public Level interruptedBy(double rate) {
    return rate == 0 ? this : new Level(cost, latency, Math.expm1(rate * restart) / rate, mtbf);
  }

  /** The useful time between checkpoints that loses least. */
  public double interval() {
    return Double.isInfinite(mtbf) ? mtbf : IntervalTuner.optimum(cost, mtbf);
  }

  /** The share of the time that is useful with this time between checkpoints, from 0 to 1. */
  public double useful(double interval) {
    if (Double.isInfinite(mtbf)) {
      return interval / (interval + cost);
    }
    // What it takes grows by exp((L - C + R) / M) with latency and restart.
    return (1 - IntervalTuner.lost(cost, interval, mtbf))
        * Math.exp(-(latency - cost + restart) / mtbf);
  }
}
