package org.fmi.jobsim;

import org.fmi.control.Notice;

/**
 * Measures how long a job has not computed after a fault.
 *
 * <p>The time counts from the newest of: the fault; its end, where everything waits for that by
 * design; the last sign that the ranks compute. It ends when all ranks run again. Nothing counts
 * before the ranks are started first.
 */
final class RecoveryTime {
  /**
   * The longest time: two heartbeat timeouts to notice a failure, and four for everything else in
   * the slowest of worlds.
   */
  static final long MOST_NANOS = 6 * Exclusion.HEARTBEAT_NANOS;

  private static final long NOT_STARTED = Long.MAX_VALUE;

  private boolean running;

  private long since = NOT_STARTED;

  /** The end of the newest fault that everything waits for. */
  private long faultEnd;

  private long primitives;

  /** Whether this outage was judged already. */
  private boolean judged;

  /** The longest outage that was not late. */
  private long longest;

  /** Notes a fault, or anything else that the job needs time to handle, until {@code end}. */
  void restart(long now, long end) {
    faultEnd = Math.max(faultEnd, end);
    if (since < NOT_STARTED) {
      since = Math.max(since, now);
    }
    judged = false;
  }

  void onNotice(Notice notice, long now) {
    if (notice instanceof Notice.Started) {
      since = now;
    } else if (notice instanceof Notice.AllRunning) {
      if (!judged && !running && since < NOT_STARTED) {
        longest = Math.max(longest, now - Math.max(since, faultEnd));
      }
      running = true;
      judged = false;
      since = now;
    }
  }

  /** Notes a new epoch. */
  void onRecovering() {
    running = false;
  }

  /** Whether all ranks run in the newest epoch. */
  boolean isRunning() {
    return running;
  }

  /**
   * Returns whether the job is late now, once per outage.
   *
   * @param done the number of primitives that the ranks have executed
   */
  boolean isLate(long now, long done) {
    if (running && done != primitives) {
      primitives = done;
      judged = false;
      since = Math.max(since, now);
    }
    boolean late = !judged && since < NOT_STARTED && now - Math.max(since, faultEnd) > MOST_NANOS;
    judged |= late;
    return late;
  }

  /** Returns the length of the longest outage that was not late. */
  long longest() {
    return longest;
  }

  /** The time from which the current outage counts. */
  long since() {
    return since;
  }
}
