package org.fmi.job.daemon;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Counts the processes of a node that stand by for a failure, and decides when to start more. */
final class Standbys {
  /**
   * From the request to the start, at least: getting ready takes a second of a core, which a
   * program that is about to end, or ranks that have just been restored, are spared. It is {@link
   * #PATIENCE} times as long as the node has been in the job at the first request: where that took
   * long the machine has little to spare, or the job is a large one.
   */
  static final Duration DELAY = Duration.ofSeconds(5);

  /** What a busy machine does in the time of a start is little beside the rest of a job. */
  private static final int PATIENCE = 4;

  /** The longest delay: a program may compute for hours before its first loop. */
  static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  /** After this many that ended by themselves no more are started. */
  private static final int MOST_FAILURES = 3;

  /** The processes that can be made a rank, the oldest first. */
  private final Deque<NodeProcess> ready = new ArrayDeque<>();

  private long begin;
  private long delay;
  private int wanted;
  private OptionalLong due = OptionalLong.empty();
  private int ranksOnNode = 1;
  private int starting;
  private int failures;

  /** The node is in the job. */
  void begin(long now) {
    begin = now;
  }

  /**
   * Sets how many there are to be. Those that are missing are started when the delay is over.
   *
   * @param ranks how many ranks share the node
   */
  void want(long now, int count, int ranks) {
    wanted = count;
    ranksOnNode = ranks;
    if (delay == 0) {
      delay = Math.clamp(PATIENCE * (now - begin), DELAY.toNanos(), LONGEST_DELAY.toNanos());
    }
    due = OptionalLong.of(now + delay);
  }

  /** When the delay is over, if it is not yet. */
  OptionalLong due() {
    return due;
  }

  /** Whether the delay has ended since it was asked last. */
  boolean isDue(long now) {
    if (due.isEmpty() || due.getAsLong() - now > 0) {
      return false;
    }
    due = OptionalLong.empty();
    return true;
  }

  /** None is started any more. */
  void end() {
    wanted = 0;
    due = OptionalLong.empty();
  }

  int ranksOnNode() {
    return ranksOnNode;
  }

  /** Whether another one must be started; it is counted as starting from now on. */
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

  /** The one that becomes a rank; null if none is ready. No other takes its place for now. */
  @Nullable NodeProcess take() {
    NodeProcess process = ready.poll();
    if (process != null) {
      wanted--;
    }
    return process;
  }

  /** A process cannot be made a rank any more, if it ever could. */
  void remove(NodeProcess process) {
    ready.remove(process);
  }

  /**
   * One could not be started, or has ended by itself.
   *
   * @return whether it was one too many: no more are started
   */
  boolean failed() {
    return ++failures == MOST_FAILURES;
  }

  void forEach(Consumer<NodeProcess> action) {
    ready.forEach(action);
  }
}
