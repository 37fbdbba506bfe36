package org.fmi.run.status;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * The growth rate of a counter over the last seconds, or over the last steps of a slow one. Times
 * are of one monotonic clock, in nanoseconds.
 */
final class Rate {
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(15);

  /** A moment at which the counter had grown. */
  private record Point(long nanos, long value) {}

  /** Moments with different values; the last is the newest. */
  private final Deque<Point> points = new ArrayDeque<>();

  /** Notes the value of the counter. Starts over if it has fallen. */
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

  /** Starts over. */
  void reset() {
    points.clear();
  }

  /**
   * Returns the rate per second; -1 if unknown. Falls once the counter has not grown for longer
   * than it was watched.
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
