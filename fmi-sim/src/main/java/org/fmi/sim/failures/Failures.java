package org.fmi.sim.failures;

import java.util.SplittableRandom;

/** Failures that come to a simulated job by chance; keeps what is lost until all run again. */
public interface Failures {
  /** How many come per second. */
  double rate();

  /**
   * One comes.
   *
   * @return whether the job goes on from memory; false if more is lost by now than groups survive
   */
  boolean strike(SplittableRandom random);

  /** All run again: groups are whole. */
  void healed();

  /** Of two kinds: those that groups survive, and those that only files do. */
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
