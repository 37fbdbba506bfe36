package org.fmi.rules;

import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.IntervalModel;

/**
 * Chooses the iteration of the next checkpoint: after a fixed number of iterations, after as many
 * as fit into a given time, or as often as a model finds best for the failure rate and the measured
 * cost. Given the same numbers on all ranks, it chooses alike on all of them.
 */
public final class IntervalTuner {
  /** The highest growth of an interval over the measured one. */
  private static final int MOST_GROWTH = 8;

  private final CheckpointInterval interval;

  /** The longest interval after checkpoints were skipped, as a multiple of the usual one. */
  private static final int MOST_PATIENCE = 8;

  /** Iterations from one checkpoint to the next. */
  private long iterations;

  /** The interval before checkpoints were skipped. */
  private long usual;

  private long tookNanos;

  public IntervalTuner(CheckpointInterval interval) {
    this.interval = interval;
    beginLoop();
  }

  /** Drops the measurements: iterations of another loop take a different time. */
  public void beginLoop() {
    iterations =
        switch (interval) {
          case CheckpointInterval.Every e -> e.iterations();
          // Nothing is measured before the next iteration.
          case CheckpointInterval.ByTime t -> 1;
          case CheckpointInterval.Mtbf m -> 1;
        };
    usual = iterations;
  }

  public long iterations() {
    return iterations;
  }

  /** The time of the last checkpoint on the slowest rank; 0 if none was measured. */
  public long tookNanos() {
    return tookNanos;
  }

  /**
   * Takes the interval from a restored checkpoint, so that a replacement agrees with the survivors.
   */
  public void restore(long iterationsAtCheckpoint) {
    iterations = iterationsAtCheckpoint;
    usual = iterations;
  }

  /**
   * A checkpoint was skipped: the next one is tried after twice the interval, up to eight times the
   * usual one. An interval that the user has given in iterations stays.
   */
  public void skipped() {
    if (!(interval instanceof CheckpointInterval.Every)) {
      iterations = Math.min(2 * iterations, MOST_PATIENCE * usual);
    }
  }

  /**
   * Adapts to a rollback of all ranks. If ranks roll back again and again to the same checkpoint,
   * iterations take longer than measured, or failures are more frequent than stated. Each time the
   * interval is halved, so that the job makes progress. An interval that the user has given in
   * iterations stays.
   *
   * @param iterationsAtCheckpoint the interval stored in the checkpoint
   * @param times the number of rollbacks to this checkpoint, this one included
   */
  public void rolledBack(long iterationsAtCheckpoint, long times) {
    restore(
        interval instanceof CheckpointInterval.Every
            ? iterationsAtCheckpoint
            : Math.max(1, iterationsAtCheckpoint >> Math.clamp(times - 1, 0, Long.SIZE - 1)));
  }

  /**
   * Takes a checkpoint's cost into account.
   *
   * @param checkpointNanos the longest time that a rank needed for it
   * @param iterationNanos the longest mean time of an iteration since the previous checkpoint; 0 if
   *     there was no iteration
   * @param done the number of iterations since then. A few iterations predict little, as the first
   *     ones may be short.
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
          fit(optimum(m.model(), checkpointNanos * 1e-9, m.seconds()), iterationNanos, done);
    }
  }

  private void fit(double seconds, long iterationNanos, long done) {
    long best = Math.round(seconds / (iterationNanos * 1e-9));
    iterations = Math.clamp(best, 1, MOST_GROWTH * done);
    usual = iterations;
  }

  /**
   * The useful time between checkpoints, in seconds, by a model.
   *
   * @param cost of a checkpoint, in seconds
   * @param mtbf mean time between failures, in seconds
   */
  public static double optimum(IntervalModel model, double cost, double mtbf) {
    return switch (model) {
      case VAIDYA -> optimum(cost, mtbf);
      case YOUNG -> young(cost, mtbf);
      case DALY -> daly(cost, mtbf);
    };
  }

  /**
   * "A first order approximation to the optimum checkpoint interval", Communications of the ACM
   * 17(9), 1974.
   */
  private static double young(double cost, double mtbf) {
    return Math.sqrt(2 * cost * mtbf);
  }

  /**
   * "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
   * Generation Computer Systems 22(3), 2006. Its series ends where a checkpoint costs twice the
   * mean time between failures.
   */
  private static double daly(double cost, double mtbf) {
    if (cost >= 2 * mtbf) {
      return mtbf;
    }
    double ratio = cost / (2 * mtbf);
    return young(cost, mtbf) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - cost;
  }

  /**
   * The interval in seconds that loses the least time (Vaidya, "Impact of Checkpoint Latency on
   * Overhead Ratio of a Checkpointing Scheme", IEEE Trans. Computers 46(8), 1997): the root T of
   * {@code exp((T + C) / M) (1 - T / M) = 1}.
   *
   * @param cost C, the cost of a checkpoint, in seconds
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
   * The share of time, from 0 to 1, that a checkpoint interval loses by the model of {@link
   * #optimum}: the cost of checkpoints, and the work repeated after failures.
   *
   * @param cost the cost of a checkpoint, in seconds
   * @param interval from the end of one checkpoint to the beginning of the next, in seconds
   * @param mtbf mean time between failures, in seconds
   */
  public static double lost(double cost, double interval, double mtbf) {
    // Useful time T takes M (exp((T + C) / M) - 1) on average.
    return 1 - interval / (mtbf * Math.expm1((interval + cost) / mtbf));
  }
}
