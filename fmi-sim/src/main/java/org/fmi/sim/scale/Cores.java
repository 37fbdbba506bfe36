package org.fmi.sim.scale;

/**
 * The cores of all machines: a task waits until a core of its machine is free, first come, first
 * served. There may be a million machines, so a core is stored as one number.
 */
final class Cores {
  private final int each;

  /** The time at which each core is free; a machine's cores are adjacent. */
  private final double[] freeAt;

  /**
   * Creates free cores.
   *
   * @param each how many each machine has
   */
  Cores(int machines, int each) {
    assert each > 0 : "machines without cores";
    this.each = each;
    this.freeAt = new double[Math.multiplyExact(machines, each)];
  }

  /** Computes for this long from this time on, or as soon as a core is free; returns the end. */
  double compute(int machine, double from, double seconds) {
    int first = machine * each;
    int core = first;
    for (int other = first + 1; other < first + each; other++) {
      core = freeAt[other] < freeAt[core] ? other : core;
    }
    freeAt[core] = Math.max(from, freeAt[core]) + seconds;
    return freeAt[core];
  }
}
