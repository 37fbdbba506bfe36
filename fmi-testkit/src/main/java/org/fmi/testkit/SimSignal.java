package org.fmi.testkit;

import org.fmi.testkit.Simulation.Event;
import org.jspecify.annotations.Nullable;

/** Where a process' thread waits: for a signal, which is remembered once, or for time to go by. */
final class SimSignal {
  private final SimProcess process;
  private boolean signalled;
  private boolean waiting;
  private @Nullable Event timer;

  SimSignal(SimProcess process) {
    this.process = process;
  }

  /** By the process' own thread. */
  void await(long maxNanos) {
    if (signalled || maxNanos <= 0) {
      signalled = false;
      process.spin();
      return;
    }
    waiting = true;
    if (maxNanos < Long.MAX_VALUE / 2) {
      timer = process.resumeAfter(maxNanos, "timeout");
    }
    process.block();
    waiting = false;
    signalled = false;
    timer = null;
  }

  /** By any code that holds the baton. */
  void signal() {
    if (signalled) {
      return;
    }
    signalled = true;
    if (waiting) {
      if (timer != null) {
        timer.cancel();
      }
      process.resumeAfter(process.model().wakeup().draw(process.simulation().random()), "wake");
    }
  }
}
