package org.fmi.sim.scale;

import java.util.Comparator;
import java.util.PriorityQueue;

/** What is going to happen, in simulated seconds; at the same time, in the order it was planned. */
final class Agenda {
  private record Entry(double at, long number, Runnable what) {}

  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingDouble(Entry::at).thenComparingLong(Entry::number));
  private long planned;
  private double now;

  double now() {
    return now;
  }

  void at(double time, Runnable what) {
    assert time >= now : "in the past";
    entries.add(new Entry(time, planned++, what));
  }

  /** Lets happen what is planned, until nothing is. */
  void run() {
    while (true) {
      Entry next = entries.poll();
      if (next == null) {
        return;
      }
      now = next.at;
      next.what.run();
    }
  }
}
