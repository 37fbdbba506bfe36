package org.fmi.job;

import java.util.OptionalDouble;
import org.fmi.rules.IntervalTuner;

/**
 * Measures the cost of checkpoints, in memory and in files, and decides how often they are written
 * to files: as often as Vaidya's model finds best for failures that only files survive. Pure: each
 * call takes the time, in nanoseconds of one monotonic clock.
 *
 * <p>The program continues while files are written. The cost is the slowdown of its iterations in
 * the meantime, compared with iterations while nothing is written.
 */
public final class FlushInterval {
  /** Nothing is written before: a job that is over by then loses little. */
  private static final long FIRST_NANOS = 60_000_000_000L;

  /** Maximum share of the time spent writing files, as a reserve for slower days. */
  private static final double MOST_BUSY = 0.8;

  /** Weight of the last value in the mean. */
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

  /** Time from one checkpoint to the next; 0 if unknown. */
  private double periodNanos;

  /** Time of an iteration while nothing is written; 0 if unknown. */
  private double iterationNanos;

  // ---- in files

  /** Start of the last write; {@link #NONE} before the first. */
  private long begunNanos = NONE;

  /** Start of the first and of the last published write. */
  private long firstCountedNanos = NONE;

  private long lastCountedNanos = NONE;
  private boolean writing;

  /** Time of the last request. */
  private long askedNanos = NONE;

  /** Time spent writing since the last checkpoint. */
  private long writingNanos;

  private long writingSince;

  /** Duration of the last write. */
  private double flushNanos;

  /** Number of writes begun. */
  private long flushes;

  private long written;
  private long failed;

  /** Total slowdown of iterations. */
  private double slowedNanos;

  /**
   * @param mtbfSeconds mean time between failures that only files survive
   */
  public FlushInterval(double mtbfSeconds) {
    this.mtbfSeconds = mtbfSeconds;
  }

  /** Notes a rollback of all ranks. */
  public void recovering() {
    lastNanos = NONE;
  }

  /** Notes the start of a write to files. */
  public void begun(long nanos) {
    endWriting(nanos);
    writing = true;
    writingSince = nanos;
    begunNanos = nanos;
    flushes++;
  }

  /**
   * Notes the end of a write.
   *
   * @param counts whether it is published
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

  /** Notes a checkpoint committed in memory. */
  public void committed(JobCommand.Committed c, long nanos) {
    checkpoints++;
    checkpointNanos += c.nanos();
    firstNanos = firstNanos == NONE ? nanos : firstNanos;
    if (writing) {
      writingNanos += nanos - writingSince;
      writingSince = nanos;
    }
    if (c.loop() != loop) {
      // Its iterations take a different time.
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

  // ---- schedule

  /**
   * Whether the checkpoint after the last one is to be written; true once for each. The time
   * between two writes is a multiple of the checkpoint interval.
   */
  public boolean isDue(long nanos) {
    if (writing || lastNanos == NONE || periodNanos == 0) {
      return false;
    }
    boolean due =
        begunNanos == NONE
            ? nanos + periodNanos - firstNanos >= FIRST_NANOS
            : nanos + periodNanos - begunNanos >= (multiple() - 0.5) * periodNanos;
    // A requested write begins a moment after the next checkpoint.
    boolean asked = askedNanos != NONE && nanos - askedNanos < 2 * periodNanos;
    if (due && !asked) {
      askedNanos = nanos;
      return true;
    }
    return false;
  }

  /** Returns the number of checkpoints from one write to the next. */
  long multiple() {
    double best = IntervalTuner.optimum(cost() / 1e9, mtbfSeconds) * 1e9;
    return (long)
        Math.max(
            1,
            Math.max(
                Math.rint(best / periodNanos), Math.ceil(flushNanos / MOST_BUSY / periodNanos)));
  }

  /** Returns the cost of a write, in nanoseconds. */
  private double cost() {
    return flushes == 0 ? 0 : Math.max(0, slowedNanos / flushes);
  }

  // ---- summary

  /**
   * Summary of one kind of checkpoints.
   *
   * @param count their number
   * @param every the mean time between two, in seconds; empty if there were fewer than two
   * @param cost the cost of one, in seconds
   */
  public record Account(long count, OptionalDouble every, double cost) {
    /**
     * Returns the share of the time, from 0 to 1, that is lost to checkpoints and to recomputation
     * after failures. Empty if unknown.
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

  /** Returns the summary of checkpoints in memory. */
  public Account inMemory() {
    return new Account(
        checkpoints,
        between(checkpoints, firstNanos, lastNanos),
        checkpoints == 0 ? 0 : checkpointNanos / checkpoints / 1e9);
  }

  /** Returns the summary of published checkpoints in files. */
  public Account onFiles() {
    return new Account(
        written, between(written, firstCountedNanos, lastCountedNanos), cost() / 1e9);
  }

  /** Returns the number of checkpoints that were to be written to files but were not published. */
  public long failed() {
    return failed;
  }

  private static OptionalDouble between(long count, long first, long last) {
    return count < 2 || last <= first
        ? OptionalDouble.empty()
        : OptionalDouble.of((last - first) / 1e9 / (count - 1));
  }
}
