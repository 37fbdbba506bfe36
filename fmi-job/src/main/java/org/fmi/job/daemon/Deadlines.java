package org.fmi.job.daemon;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Remembers how much time processes have for what they must do, and which of them exceed it. */
final class Deadlines {
  /** What a process is given time for. */
  enum Limit {
    /**
     * To connect, after it was spawned. A program may be slow to load: exceeding it is reported.
     */
    COME_UP(60),
    /** To end, after it closed its connection without saying why. */
    LEAVE(2),
    /** To end, after its program has thrown. */
    UNWIND(30),
    /** To end, while others wait for it, after it said that it is ending. */
    END(30),
    /** To die, after it was killed: it may have much memory to give back. */
    DEATH(30);

    final Duration time;

    Limit(int seconds) {
      this.time = Duration.ofSeconds(seconds);
    }
  }

  /**
   * A time at which something is decided about a process.
   *
   * @param order of those that were set for the same time
   */
  record Deadline(long at, long order, NodeProcess process, Limit limit)
      implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
      // The clock may wrap around.
      return at == other.at ? Long.compare(order, other.order) : Long.signum(at - other.at);
    }

    /** What the user reads about the rank whose process has exceeded the limit. */
    String complaint() {
      int rank = Objects.requireNonNull(process.config()).rank();
      return switch (limit) {
        case COME_UP ->
            ("rank %d has not come up for %d s (stopped, or waiting for a file server or for a"
                    + " core?): %s")
                .formatted(
                    rank,
                    limit.time.toSeconds(),
                    process.lives()
                        ? "'kill -9 " + process.pid() + "' has another one started for it"
                        : "it cannot be started yet");
        case LEAVE -> throw new IllegalStateException("exceeding it is not reported");
        case END ->
            "rank %d began to end %d s ago, and others wait for it: a shutdown hook of the program does not come to its end, or calls Fmi.close; it is killed"
                .formatted(rank, limit.time.toSeconds());
        case UNWIND ->
            "rank %d has thrown %d s ago and has not ended: what the program does on the way (in finally, catch or close) takes too long; it is killed"
                .formatted(rank, limit.time.toSeconds());
        case DEATH ->
            "rank %d does not die (process %d was killed %d s ago): does a file server or a device not answer?"
                .formatted(rank, process.pid(), limit.time.toSeconds());
      };
    }
  }

  private final PriorityQueue<Deadline> deadlines = new PriorityQueue<>();
  private long count;

  /** Gives a process the time of a limit, from now on. */
  void set(long now, NodeProcess process, Limit limit) {
    deadlines.add(new Deadline(now + limit.time.toNanos(), count++, process, limit));
  }

  /** When the first is due, if there is one. */
  OptionalLong first() {
    Deadline first = deadlines.peek();
    return first == null ? OptionalLong.empty() : OptionalLong.of(first.at);
  }

  /** The first one if it is due, which is forgotten then; else null. */
  @Nullable Deadline takeDue(long now) {
    Deadline first = deadlines.peek();
    return first == null || first.at - now > 0 ? null : deadlines.remove();
  }

  void clear() {
    deadlines.clear();
  }
}
