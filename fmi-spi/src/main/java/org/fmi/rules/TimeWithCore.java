package org.fmi.rules;

/**
 * Counts how much time a process has had for what it must do, on a clock that its owner reads. Time
 * in which it waited for a core does not count, as others had the cores; nor does time in which its
 * owner looked late, as that was starved itself.
 */
public final class TimeWithCore {
  /** How many looks a limit takes that is kept by this. */
  private static final int LOOKS = 16;

  /**
   * What the system says of a process at one moment.
   *
   * @param wantsCore whether one of its threads runs or waits for a core
   * @param coreNanos how long its threads have had a core so far, all together
   */
  public record Look(boolean wantsCore, long coreNanos) {
    /** Of a process that is not there, on another machine for example: all its time counts. */
    public static final Look UNSEEN = new Look(false, 0);
  }

  private final long limit;
  private long lookedAt;
  private long coreNanos;
  private long counted;
  private long starved;

  /**
   * Begins to count.
   *
   * @param limitNanos how much time the process has
   */
  public TimeWithCore(long limitNanos, long now) {
    limit = limitNanos;
    lookedAt = now;
  }

  /** How long after the beginning, and after each look, the next look is due. */
  public long pause() {
    return Math.max(1, limit / LOOKS);
  }

  /** The process has done something: counts from here. */
  public void begin() {
    counted = 0;
  }

  /** Counts the time since the look before. */
  public void add(long now, Look look) {
    long passed = now - lookedAt;
    long inTime = Math.min(passed, pause());
    long had = look.wantsCore ? Math.clamp(look.coreNanos - coreNanos, 0, inTime) : inTime;
    counted += had;
    starved += passed - had;
    lookedAt = now;
    coreNanos = look.coreNanos;
  }

  /** Whether the time is over. */
  public boolean isOver() {
    return counted >= limit;
  }

  /** How long it has waited for a core in all, in nanoseconds. */
  public long starved() {
    return starved;
  }
}
