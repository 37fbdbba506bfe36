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

  /** Until a signal, or one that came before. By the process' own thread. */
  void await(long maxNanos) {
    if (signalled || maxNanos <= 0) {
      process.spin();
    } else {
      block(maxNanos);
    }
    signalled = false;
  }

  /** Until a signal comes, which goes on to count for the next {@link #await}. */
  void pause(long maxNanos) {
    block(maxNanos);
  }

  private void block(long maxNanos) {
    waiting = true;
    timer = maxNanos < Long.MAX_VALUE / 2 ? process.resumeAfter(maxNanos, "timeout") : null;
    process.block();
    waiting = false;
    timer = null;
  }

  /** Called by any code that holds the baton. */
  void signal() {
    signalled = true;
    if (waiting) {
      waiting = false;
      if (timer != null) {
        timer.cancel();
      }
      process.resumeAfter(process.model().wakeup().draw(process.simulation().random()), "wake");
    }
  }
}
