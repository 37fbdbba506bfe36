package org.fmi.rules;

/**
 * Measures how much time a process has had for its work, on a clock that its owner reads. Time that
 * the process spent waiting for a core does not count. Neither does time in which its owner looked
 * late, as then the owner itself was starved.
 */
public final class TimeWithCore {
  /** Looks per limit. */
  private static final int LOOKS = 16;

  /**
   * The system's view of a process at one moment.
   *
   * @param wantsCore whether one of its threads runs or waits for a core
   * @param coreNanos the core time of all its threads so far
   */
  public record Look(boolean wantsCore, long coreNanos) {
    /** A process out of sight, on another machine for example: all its time counts. */
    public static final Look UNSEEN = new Look(false, 0);
  }

  private final long limit;
  private long lookedAt;
  private long coreNanos;
  private long counted;
  private long starved;

  /**
   * Starts counting.
   *
   * @param limitNanos the process's time limit
   */
  public TimeWithCore(long limitNanos, long now) {
    limit = limitNanos;
    lookedAt = now;
  }

  /** The time from the start to the first look, and from one look to the next. */
  public long pause() {
    return Math.max(1, limit / LOOKS);
  }

  /** Restarts the count, as the process has done something. */
  public void begin() {
    counted = 0;
  }

  /** Counts the time since the previous look. */
  public void add(long now, Look look) {
    long passed = now - lookedAt;
    long inTime = Math.min(passed, pause());
    long had = look.wantsCore ? Math.clamp(look.coreNanos - coreNanos, 0, inTime) : inTime;
    counted += had;
    starved += passed - had;
    lookedAt = now;
    coreNanos = look.coreNanos;
  }

  /** The time that the process has had, in nanoseconds. */
  public long counted() {
    return counted;
  }

  /** Whether the limit is reached. */
  public boolean isOver() {
    return counted >= limit;
  }

  /** The total time that the process has waited for a core, in nanoseconds. */
  public long starved() {
    return starved;
  }
}
