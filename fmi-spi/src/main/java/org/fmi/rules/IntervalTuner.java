package org.fmi.rules;

import org.fmi.spi.CheckpointInterval;

/**
 * Says at which iteration the next checkpoint is due: after a fixed number, after as many as fit
 * into a given time, or as often as Vaidya's model finds best for the failure rate and the measured
 * cost. Fed with numbers that all ranks have agreed on, it says the same on all of them.
 */
public final class IntervalTuner {
  /** The next interval is at most this many times as long as what was measured. */
  private static final int MOST_GROWTH = 8;

  private final CheckpointInterval interval;

  /** Iterations from one checkpoint to the next. */
  private long iterations;

  private long tookNanos;

  public IntervalTuner(CheckpointInterval interval) {
    this.interval = interval;
    beginLoop();
  }

  /** Forgets what was measured: the iterations of another loop take another time. */
  public void beginLoop() {
    iterations =
        switch (interval) {
          case CheckpointInterval.Every e -> e.iterations();
          // Nothing is measured yet: the next iteration will tell.
          case CheckpointInterval.ByTime t -> 1;
          case CheckpointInterval.Mtbf m -> 1;
        };
  }

  public long iterations() {
    return iterations;
  }

  /** What the last checkpoint took on the slowest rank; 0 if none was measured. */
  public long tookNanos() {
    return tookNanos;
  }

  /**
   * Takes over what a restored checkpoint says, so that a replacement agrees with the survivors.
   */
  public void restore(long iterationsAtCheckpoint) {
    iterations = iterationsAtCheckpoint;
  }

  /**
   * All have gone back to a checkpoint. Where that happens again and again before the next one,
   * iterations have become longer than they were when they were measured, or failures come sooner
   * than was said: half as many are done each time, so that the job gets on. An interval that the
   * user has given in iterations stays.
   *
   * @param iterationsAtCheckpoint what the checkpoint says
   * @param times how often they have gone back to it, this time included
   */
  public void goneBack(long iterationsAtCheckpoint, long times) {
    restore(
        interval instanceof CheckpointInterval.Every
            ? iterationsAtCheckpoint
            : Math.max(1, iterationsAtCheckpoint >> Math.clamp(times - 1, 0, Long.SIZE - 1)));
  }

  /**
   * Takes a checkpoint's cost into account.
   *
   * @param checkpointNanos the longest time a rank needed for it
   * @param iterationNanos the longest mean time of an iteration since the one before; 0 if none was
   *     done
   * @param done the iterations since then. Few of them tell little of those to come: the first may
   *     be short ones.
   */
  public void measured(long checkpointNanos, long iterationNanos, long done) {
    tookNanos = checkpointNanos;
    if (iterationNanos <= 0) {
      return;
    }
    switch (interval) {
      case CheckpointInterval.Every _ -> {}
      case CheckpointInterval.ByTime t -> fit(t.seconds(), iterationNanos, done);
      case CheckpointInterval.Mtbf m ->
          fit(optimum(checkpointNanos * 1e-9, m.seconds()), iterationNanos, done);
    }
  }

  private void fit(double seconds, long iterationNanos, long done) {
    long best = Math.round(seconds / (iterationNanos * 1e-9));
    iterations = Math.clamp(best, 1, MOST_GROWTH * done);
  }

  /**
   * The time between checkpoints that loses least, in seconds (Vaidya, "Impact of Checkpoint
   * Latency on Overhead Ratio of a Checkpointing Scheme", IEEE Trans. Computers 46(8), 1997): the
   * root T of {@code exp((T + C) / M) (1 - T / M) = 1}.
   *
   * @param cost C, of a checkpoint, in seconds
   * @param mtbf M, in seconds
   */
  public static double optimum(double cost, double mtbf) {
    // f(0) = exp(C/M) - 1 >= 0 and f(M) = -1 < 0, with one root between: f falls from its maximum
    // at the left end.
    double low = 0;
    double high = mtbf;
    for (int i = 0; i < 200 && high - low > 1e-12 * mtbf; i++) {
      double t = (low + high) / 2;
      if (Math.exp((t + cost) / mtbf) * (1 - t / mtbf) > 1) {
        low = t;
      } else {
        high = t;
      }
    }
    return low;
  }

  /**
   * The share of the time that checkpoints at an interval lose, from 0 to 1, by the model of {@link
   * #optimum}: what they cost, and what is computed again after failures.
   *
   * @param cost of a checkpoint, in seconds
   * @param interval from the end of one to the beginning of the next, in seconds
   * @param mtbf mean time between failures, in seconds
   */
  public static double lost(double cost, double interval, double mtbf) {
    // Useful time T takes M (exp((T + C) / M) - 1) on average.
    return 1 - interval / (mtbf * Math.expm1((interval + cost) / mtbf));
  }
}
