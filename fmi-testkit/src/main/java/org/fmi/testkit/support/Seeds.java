package org.fmi.testkit.support;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Seeds that are new in each run of a test, as many as time allows. A failure names its seed;
 * {@code -Dfmi.seed=SEED} tries only that seed.
 */
public final class Seeds {
  /** The test of one seed. */
  public interface Body {
    void run(long seed) throws Exception;
  }

  /** The bound of seeds, short enough to be typed. */
  private static final long ALL = 1_000_000_000L;

  private Seeds() {}

  /** A seed that was most likely never tried. */
  public static long fresh() {
    return ThreadLocalRandom.current().nextLong(ALL);
  }

  /**
   * Runs the body with one seed after the other, at least once, until the time is over.
   *
   * @throws AssertionError if the body throws
   */
  public static void forMillis(long millis, Body body) {
    Long given = Long.getLong("fmi.seed");
    long begin = System.nanoTime();
    do {
      long seed = given != null ? given : fresh();
      try {
        body.run(seed);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("-Dfmi.seed=" + seed + ": " + e.getMessage(), e);
      }
    } while (given == null && System.nanoTime() - begin < millis * 1_000_000);
  }
}
