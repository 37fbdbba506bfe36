package org.fmi.sim.scale;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Planned events in simulated seconds; events of the same time happen in the order planned. */
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

  /** Runs planned events until none is left. */
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
