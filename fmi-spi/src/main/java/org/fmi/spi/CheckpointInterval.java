package org.fmi.spi;

import org.fmi.codec.Tag;

/** The interval between checkpoints. */
public sealed interface CheckpointInterval {
  /**
   * Every {@code iterations} iterations.
   *
   * @param iterations at least 1
   */
  @Tag(1)
  record Every(long iterations) implements CheckpointInterval {
    public Every {
      if (iterations < 1) {
        throw new IllegalArgumentException(
            "a checkpoint interval is at least 1 iteration, not " + iterations);
      }
    }
  }

  /**
   * A checkpoint per period of time. A rank with asynchronous checkpoints begins each when its own
   * clock says so. Other ranks count iterations: the number that, by recent measurements, fits the
   * period.
   *
   * @param seconds more than 0
   */
  @Tag(3)
  record ByTime(double seconds) implements CheckpointInterval {
    public ByTime {
      if (!(seconds > 0)) {
        throw new IllegalArgumentException(
            "the time between two checkpoints is more than 0 s, not " + seconds);
      }
    }
  }

  /**
   * Tuned by a model from the mean time between failures and the measured cost of a checkpoint.
   *
   * @param seconds more than 0
   */
  @Tag(2)
  record Mtbf(double seconds, IntervalModel model) implements CheckpointInterval {
    /** Tunes by Vaidya's model. */
    public Mtbf(double seconds) {
      this(seconds, IntervalModel.VAIDYA);
    }

    public Mtbf {
      if (!(seconds > 0)) {
        throw new IllegalArgumentException(
            "the mean time between failures is more than 0 s, not " + seconds);
      }
    }
  }
}
