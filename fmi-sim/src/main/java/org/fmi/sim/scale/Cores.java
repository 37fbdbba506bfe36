package org.fmi.sim.scale;

/**
 * The cores of all machines: who needs one of a machine waits until one is free, first come, first
 * served. There may be a million machines, so all that is kept of a core is a number.
 */
final class Cores {
  private final int each;

  /** When each is free, those of a machine beside each other. */
  private final double[] freeAt;

  /**
   * All are free from the beginning.
   *
   * @param each how many each machine has
   */
  Cores(int machines, int each) {
    assert each > 0 : "machines without cores";
    this.each = each;
    this.freeAt = new double[Math.multiplyExact(machines, each)];
  }

  /** Computes for so long from this time on, or as soon as a core is free; returns when it ends. */
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
