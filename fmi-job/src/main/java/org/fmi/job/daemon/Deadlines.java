package org.fmi.job.daemon;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Time limits of processes, and the processes that exceed them. */
final class Deadlines {
  /** A limit on a step of a process. */
  enum Limit {
    /** Until the second attempt to start it, after the system refused the first. */
    SECOND_START(1),
    /** The same until the third attempt. */
    THIRD_START(2),
    /**
     * To connect after it was spawned. A program may be slow to load, so exceeding this limit is
     * only reported.
     */
    COME_UP(60),
    /**
     * To join after it was spawned: the least, in time with a core, and judged several times within
     * it. Whether that is too long depends on the other ranks.
     */
    JOIN(60),
    /** To end after it closed its connection without a reason. */
    LEAVE(2),
    /** To end after its program threw an exception. */
    UNWIND(30),
    /** To end while other ranks wait for it, after it announced its exit. */
    END(30),
    /** To die after it was killed, in addition to the time for its memory to be released. */
    DEATH(30);

    final Duration time;

    Limit(int seconds) {
      this.time = Duration.ofSeconds(seconds);
    }
  }

  /**
   * A time at which a process is judged.
   *
   * @param since when the step began
   * @param order order among deadlines of the same time
   */
  record Deadline(long since, long at, long order, NodeProcess process, Limit limit)
      implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
      // The clock may wrap around.
      return at == other.at ? Long.compare(order, other.order) : Long.signum(at - other.at);
    }

    /** Returns the message for the user about a rank whose process has exceeded the limit. */
    String complaint() {
      int rank = Objects.requireNonNull(process.config()).rank();
      return switch (limit) {
        case COME_UP ->
            ("rank %d has not started within %d s (is it stopped, or waiting for a file server or a"
                    + " core?); %s")
                .formatted(
                    rank,
                    limit.time.toSeconds(),
                    process.lives()
                        ? "'kill -9 " + process.pid() + "' makes FMI start another process for it"
                        : "its process cannot be started yet");
        case SECOND_START, THIRD_START, JOIN, LEAVE ->
            throw new IllegalStateException("exceeding it is not reported");
        case END ->
            "rank %d began to exit %d s ago while other ranks wait for it, and is killed: a shutdown hook of the program does not return, or calls Fmi.close"
                .formatted(rank, limit.time.toSeconds());
        case UNWIND ->
            "rank %d threw an exception %d s ago but has not exited, and is killed: its finally, catch or close code takes too long"
                .formatted(rank, limit.time.toSeconds());
        case DEATH ->
            "rank %d does not die (process %d was killed %d s ago): is a file server or a device not responding?"
                .formatted(rank, process.pid(), Duration.ofNanos(at - since).toSeconds());
      };
    }
  }

  private final PriorityQueue<Deadline> deadlines = new PriorityQueue<>();
  private long count;

  /** Starts a limit for a process. */
  void set(long now, NodeProcess process, Limit limit) {
    set(now, process, limit, limit.time.toNanos());
  }

  /** Starts a part of a limit, or a longer one. */
  void set(long now, NodeProcess process, Limit limit, long nanos) {
    deadlines.add(new Deadline(now, now + nanos, count++, process, limit));
  }

  /** Extends a limit that was exceeded. */
  void extend(long now, Deadline exceeded, long nanos) {
    deadlines.add(
        new Deadline(exceeded.since, now + nanos, count++, exceeded.process, exceeded.limit));
  }

  /** Returns the time of the first deadline, if there is one. */
  OptionalLong first() {
    Deadline first = deadlines.peek();
    return first == null ? OptionalLong.empty() : OptionalLong.of(first.at);
  }

  /** Removes and returns the first deadline if it is due; otherwise null. */
  @Nullable Deadline takeDue(long now) {
    Deadline first = deadlines.peek();
    return first == null || first.at - now > 0 ? null : deadlines.remove();
  }

  /** Extends all limits, by time in which no process could keep one. */
  void shift(long nanos) {
    List<Deadline> all = List.copyOf(deadlines);
    deadlines.clear();
    for (Deadline each : all) {
      deadlines.add(
          new Deadline(each.since + nanos, each.at + nanos, each.order, each.process, each.limit));
    }
  }

  void clear() {
    deadlines.clear();
  }
}
