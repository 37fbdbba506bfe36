package org.fmi.testkit;

import org.fmi.testkit.Simulation.Event;
import org.jspecify.annotations.Nullable;

/**
 * A point where a process' thread waits for a signal, of which one is remembered, or for a timeout.
 */
final class SimSignal {
  private final SimProcess process;
  private boolean signalled;
  private boolean waiting;
  private @Nullable Event timer;

  SimSignal(SimProcess process) {
    this.process = process;
  }

  /**
   * Waits for a signal, or returns at once if one is remembered. Called by the process' own thread.
   */
  void await(long maxNanos) {
    if (signalled || maxNanos <= 0) {
      process.spin();
    } else {
      block(maxNanos);
    }
    signalled = false;
  }

  /** Waits for a signal, which still counts for the next {@link #await}. */
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
