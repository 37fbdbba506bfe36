package org.fmi.job;

import java.util.OptionalDouble;
import org.fmi.rules.IntervalTuner;

/**
 * Measures what checkpoints cost, in memory and on files, and says how often they are written to
 * files: as often as Vaidya's model finds best for the failures that only files survive. Pure: gets
 * the time, of one monotonic clock in nanoseconds, with each call.
 *
 * <p>The program goes on while files are written. What that costs is how much slower its iterations
 * are meanwhile, compared with those while nothing is written.
 */
public final class FlushInterval {
  /** Nothing is written before: a job that is over by then has lost little. */
  private static final long FIRST_NANOS = 60_000_000_000L;

  /** The most of the time in which files are being written: there are slower days. */
  private static final double MOST_BUSY = 0.8;

  /** How much of the mean the last value is. */
  private static final double WEIGHT = 0.25;

  private static final long NONE = -1;

  private final double mtbfSeconds;

  // ---- in memory

  private long firstNanos = NONE;
  private long lastNanos = NONE;
  private long loop;
  private long iteration;
  private long checkpoints;
  private double checkpointNanos;

  /** From one checkpoint to the next; 0 if that is not known. */
  private double periodNanos;

  /** What an iteration takes while nothing is written; 0 if that is not known. */
  private double iterationNanos;

  // ---- on files

  /** When the last writing began; {@link #NONE} before the first. */
  private long begunNanos = NONE;

  /** When the first and the last of those that count began. */
  private long firstCountedNanos = NONE;

  private long lastCountedNanos = NONE;
  private boolean writing;

  /** When it was asked for last. */
  private long askedNanos = NONE;

  /** How long something was being written since the last checkpoint. */
  private long writingNanos;

  private long writingSince;

  /** How long the last took. */
  private double flushNanos;

  /** How many have begun. */
  private long flushes;

  private long written;
  private long failed;

  /** How much slower iterations were in all. */
  private double slowedNanos;

  /**
   * @param mtbfSeconds mean time between failures that only files survive
   */
  public FlushInterval(double mtbfSeconds) {
    this.mtbfSeconds = mtbfSeconds;
  }

  /** All go back. */
  public void recovering() {
    lastNanos = NONE;
  }

  /** One is being written to files from now on. */
  public void begun(long nanos) {
    endWriting(nanos);
    writing = true;
    writingSince = nanos;
    begunNanos = nanos;
    flushes++;
  }

  /**
   * It is written no longer.
   *
   * @param counts whether it counts
   */
  public void ended(boolean counts, long nanos) {
    if (counts) {
      flushNanos = nanos - begunNanos;
      firstCountedNanos = firstCountedNanos == NONE ? begunNanos : firstCountedNanos;
      lastCountedNanos = begunNanos;
      written++;
    } else {
      failed++;
    }
    endWriting(nanos);
  }

  private void endWriting(long nanos) {
    if (writing) {
      writingNanos += nanos - writingSince;
      writing = false;
    }
  }

  /** One is committed in memory. */
  public void committed(JobCommand.Committed c, long nanos) {
    checkpoints++;
    checkpointNanos += c.nanos();
    firstNanos = firstNanos == NONE ? nanos : firstNanos;
    if (writing) {
      writingNanos += nanos - writingSince;
      writingSince = nanos;
    }
    if (c.loop() != loop) {
      // Its iterations take another time.
      periodNanos = 0;
      iterationNanos = 0;
    }
    long done = c.iteration() - iteration;
    if (lastNanos != NONE && c.loop() == loop && done > 0) {
      double period = nanos - lastNanos;
      periodNanos = mean(periodNanos, period);
      double computing = Math.max(0, period - c.nanos());
      if (writingNanos == 0) {
        iterationNanos = mean(iterationNanos, computing / done);
      } else if (iterationNanos > 0) {
        slowedNanos += computing - done * iterationNanos;
      }
    }
    writingNanos = 0;
    lastNanos = nanos;
    loop = c.loop();
    iteration = c.iteration();
  }

  private static double mean(double before, double last) {
    return before == 0 ? last : before + WEIGHT * (last - before);
  }

  // ---- when

  /**
   * Whether the checkpoint after the last one is to be written; true once for each. The time
   * between two is a multiple of that between checkpoints.
   */
  public boolean isDue(long nanos) {
    if (writing || lastNanos == NONE || periodNanos == 0) {
      return false;
    }
    boolean due =
        begunNanos == NONE
            ? nanos + periodNanos - firstNanos >= FIRST_NANOS
            : nanos + periodNanos - begunNanos >= (multiple() - 0.5) * periodNanos;
    // What was asked for begins a moment after the next checkpoint.
    boolean asked = askedNanos != NONE && nanos - askedNanos < 2 * periodNanos;
    if (due && !asked) {
      askedNanos = nanos;
      return true;
    }
    return false;
  }

  /** How many checkpoints there are from one that is written to the next. */
  long multiple() {
    double best = IntervalTuner.optimum(cost() / 1e9, mtbfSeconds) * 1e9;
    return (long)
        Math.max(
            1,
            Math.max(
                Math.rint(best / periodNanos), Math.ceil(flushNanos / MOST_BUSY / periodNanos)));
  }

  /** What writing one costs, in nanoseconds. */
  private double cost() {
    return flushes == 0 ? 0 : Math.max(0, slowedNanos / flushes);
  }

  // ---- what it comes to

  /**
   * What a kind of checkpoints comes to.
   *
   * @param count how many there were
   * @param every the mean time between two, in seconds; empty if there were not two
   * @param cost what one costs, in seconds
   */
  public record Account(long count, OptionalDouble every, double cost) {
    /**
     * The share of the time that is lost, from 0 to 1: to checkpoints, and to what is computed
     * again after failures. Empty if that is not known.
     *
     * @param mtbfSeconds mean time between those failures
     */
    public OptionalDouble lost(double mtbfSeconds) {
      if (every.isEmpty() || every.getAsDouble() <= cost) {
        return OptionalDouble.empty();
      }
      return OptionalDouble.of(IntervalTuner.lost(cost, every.getAsDouble() - cost, mtbfSeconds));
    }
  }

  /** In memory. */
  public Account inMemory() {
    return new Account(
        checkpoints,
        between(checkpoints, firstNanos, lastNanos),
        checkpoints == 0 ? 0 : checkpointNanos / checkpoints / 1e9);
  }

  /** On files; only what counts is counted. */
  public Account onFiles() {
    return new Account(
        written, between(written, firstCountedNanos, lastCountedNanos), cost() / 1e9);
  }

  /** How many were to be written to files, and are not there. */
  public long failed() {
    return failed;
  }

  private static OptionalDouble between(long count, long first, long last) {
    return count < 2 || last <= first
        ? OptionalDouble.empty()
        : OptionalDouble.of((last - first) / 1e9 / (count - 1));
  }
}
