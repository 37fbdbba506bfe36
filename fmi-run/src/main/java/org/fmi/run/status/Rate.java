package org.fmi.run.status;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * How fast a counter grows, over the last seconds, or over the last steps of one that grows slowly.
 * Times are of one monotonic clock, in nanoseconds.
 */
final class Rate {
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(15);

  /** Where the counter was seen to have grown. */
  private record Point(long nanos, long value) {}

  /** With different values; the last is the newest. */
  private final Deque<Point> points = new ArrayDeque<>();

  /** The counter is at a value. One that has gone back is measured anew. */
  void at(long value, long nanos) {
    if (!points.isEmpty() && value < points.getLast().value) {
      points.clear();
    }
    if (points.isEmpty() || value > points.getLast().value) {
      points.add(new Point(nanos, value));
    }
    while (points.size() > 2 && nanos - points.getFirst().nanos > WINDOW) {
      points.remove();
    }
  }

  /** Begins anew. */
  void reset() {
    points.clear();
  }

  /**
   * Per second; -1 if that is not known yet. Falls once the counter has not grown for longer than
   * it was watched.
   */
  double perSecond(long nanos) {
    if (points.size() < 2) {
      return -1;
    }
    Point from = points.getFirst();
    Point to = points.getLast();
    long span = Math.max(to.nanos - from.nanos, nanos - to.nanos);
    return span <= 0 ? -1 : (to.value - from.value) / (span / 1e9);
  }
}
