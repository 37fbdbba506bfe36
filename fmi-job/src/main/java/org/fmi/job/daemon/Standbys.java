package org.fmi.job.daemon;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Counts the standby processes of a node, and decides when to start more. */
final class Standbys {
  /**
   * Minimum time from the request to the start. A standby takes a second of a core to warm up,
   * which would disturb a program that is about to end or ranks that were just restored. The delay
   * is {@link #PATIENCE} times the time that the node had been in the job at the first request: if
   * that was long, the machine is busy or the job is large.
   */
  static final Duration DELAY = Duration.ofSeconds(5);

  /**
   * The warm-up of a standby on a busy machine is short compared with the rest of a job that starts
   * slowly.
   */
  private static final int PATIENCE = 4;

  /** The longest delay: a program may compute for hours before its first loop. */
  static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  /** No more standbys are started after this many have ended by themselves. */
  private static final int MOST_FAILURES = 3;

  /** The processes that can become a rank, the oldest first. */
  private final Deque<NodeProcess> ready = new ArrayDeque<>();

  private long begin;
  private long delay;
  private int wanted;
  private OptionalLong due = OptionalLong.empty();
  private int ranksOnNode = 1;
  private int starting;
  private int failures;

  /** Notes that the node has joined the job. */
  void begin(long now) {
    begin = now;
  }

  /**
   * Sets the number of standbys. Missing ones are started when the delay is over.
   *
   * @param ranks the number of ranks that share the node
   */
  void want(long now, int count, int ranks) {
    wanted = count;
    ranksOnNode = ranks;
    if (delay == 0) {
      delay = Math.clamp(PATIENCE * (now - begin), DELAY.toNanos(), LONGEST_DELAY.toNanos());
    }
    due = OptionalLong.of(now + delay);
  }

  /** Returns the end of the delay, if it is not over. */
  OptionalLong due() {
    return due;
  }

  /** Whether the delay has ended since the last call. */
  boolean isDue(long now) {
    if (due.isEmpty() || due.getAsLong() - now > 0) {
      return false;
    }
    due = OptionalLong.empty();
    return true;
  }

  /** Starts no more standbys. */
  void end() {
    wanted = 0;
    due = OptionalLong.empty();
  }

  int ranksOnNode() {
    return ranksOnNode;
  }

  /** Whether another standby must be started; counts it as starting from now on. */
  boolean startsAnother() {
    boolean starts = due.isEmpty() && ready.size() + starting < wanted && failures < MOST_FAILURES;
    starting += starts ? 1 : 0;
    return starts;
  }

  void started(NodeProcess process) {
    starting--;
    assert starting >= 0;
    ready.add(process);
  }

  void notStarted() {
    starting--;
    assert starting >= 0;
  }

  /**
   * Removes and returns a process that becomes a rank; null if none is ready. It is not replaced
   * for now.
   */
  @Nullable NodeProcess take() {
    NodeProcess process = ready.poll();
    if (process != null) {
      wanted--;
    }
    return process;
  }

  /** Removes a process that can no longer become a rank. */
  void remove(NodeProcess process) {
    ready.remove(process);
  }

  /**
   * Notes a standby that could not be started or ended by itself.
   *
   * @return whether that was one too many, so that no more are started
   */
  boolean failed() {
    return ++failures == MOST_FAILURES;
  }

  void forEach(Consumer<NodeProcess> action) {
    ready.forEach(action);
  }
}
