package org.fmi.run.shell;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import org.fmi.rules.TimeWithCore;

/**
 * Limits how long the daemon of a node may take from its start until it reports back. Time in which
 * it waits for a core does not count: given up for that, it would be missed, and a spare node on
 * the same machine would wait as long.
 */
final class StartLimit {
  /** One part in so many of the limit, spent waiting for a core, is worth a line. */
  private static final int WORTH_A_LINE = 4;

  /** What follows from a look at it. */
  enum Verdict {
    WAITS,
    /** It waits for a core, and this is the first time to say so. */
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

  /** How long after the start, and after each look, the next look is due. */
  long pauseNanos() {
    return time.pause();
  }

  /**
   * Counts the time since the look before.
   *
   * @param look at the daemon, or at the near end of the way to it
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
   * What the user reads, behind the node's name, when it is starved.
   *
   * @param machine how loaded the machine is, in words
   */
  static String delay(String machine) {
    return " starts slowly, as this machine is overloaded ("
        + machine
        + "): the job waits for it; less other work here, or fewer ranks, would help";
  }

  /**
   * Why the daemon is given up when its time is over.
   *
   * @param machine how loaded the machine is, in words
   */
  String problem(String machine) {
    String text =
        "its daemon did not report back within "
            + BigDecimal.valueOf(limitMillis, 3).stripTrailingZeros().toPlainString()
            + " s, the limit (--start-timeout)";
    return starved
        ? text
            + ", beside "
            + TimeUnit.NANOSECONDS.toSeconds(time.starved())
            + " s in which it waited for a core; this machine is overloaded ("
            + machine
            + ")"
        : text;
  }
}
