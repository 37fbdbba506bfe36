package org.fmi.sim.failures;

import java.util.SplittableRandom;

/** Random failures of a simulated job, with the losses since all ranks ran last. */
public interface Failures {
  /** Returns the failures per second. */
  double rate();

  /**
   * Draws a failure.
   *
   * @return whether the job restarts from memory; false if more is lost by now than groups survive
   */
  boolean strike(SplittableRandom random);

  /** Notes that all ranks run again: groups are whole. */
  void healed();

  /** Returns failures of two kinds: survived by groups, and survived by files alone. */
  static Failures ofRates(double memory, double files) {
    return new Failures() {
      @Override
      public double rate() {
        return memory + files;
      }

      @Override
      public boolean strike(SplittableRandom random) {
        return random.nextDouble() * rate() >= files;
      }

      @Override
      public void healed() {}
    };
  }
}
