package org.fmi.run.shell;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import org.fmi.rules.TimeWithCore;

/**
 * Limits the start of a node's daemon. Time without a core does not count: if the daemon were given
 * up for that, it would be missing, and a spare node on the same machine would wait as long.
 */
final class StartLimit {
  /** A daemon that lacks a core for one part in this many of the limit is reported. */
  private static final int WORTH_A_LINE = 4;

  /** The result of a check. */
  enum Verdict {
    WAITS,
    /** The daemon lacks a core, which is to be reported for the first time. */
    IS_STARVED,
    IS_OVER
  }

  private final long limitMillis;
  private final TimeWithCore time;
  private boolean starved;

  StartLimit(long limitMillis, long now) {
    this.limitMillis = limitMillis;
    this.time = new TimeWithCore(TimeUnit.MILLISECONDS.toNanos(limitMillis), now);
  }

  /** Returns the time from the start, or from one check, to the next. */
  long pauseNanos() {
    return time.pause();
  }

  /**
   * Counts the time since the last check.
   *
   * @param look the daemon, or the near end of the connection to it
   */
  Verdict look(long now, TimeWithCore.Look look) {
    time.add(now, look);
    boolean before = starved;
    starved = time.starved() >= TimeUnit.MILLISECONDS.toNanos(limitMillis) / WORTH_A_LINE;
    return time.isOver()
        ? Verdict.IS_OVER
        : starved && !before ? Verdict.IS_STARVED : Verdict.WAITS;
  }

  /**
   * Returns the notice for a starved node, to follow the node's name.
   *
   * @param machine the load of the machine, in words
   */
  static String delay(String machine) {
    return " starts slowly because this machine is overloaded ("
        + machine
        + "); the job waits for it. Stop other work here, or use fewer ranks";
  }

  /**
   * Returns why the daemon is given up at the end of its time.
   *
   * @param machine the load of the machine, in words
   */
  String problem(String machine) {
    String text =
        "its daemon did not start within "
            + BigDecimal.valueOf(limitMillis, 3).stripTrailingZeros().toPlainString()
            + " s (--start-timeout)";
    return starved
        ? text
            + ", not counting "
            + TimeUnit.NANOSECONDS.toSeconds(time.starved())
            + " s in which it waited for a core; this machine is overloaded ("
            + machine
            + ")"
        : text;
  }
}
