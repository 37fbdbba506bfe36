package org.fmi.testkit;

import java.util.concurrent.locks.LockSupport;

/**
 * A simulated process' application thread: runs only while it holds the simulation's baton. While
 * it is blocked it executes events, until one of them resumes another thread, which gets the baton.
 */
final class SimThread {
  /** A thread that swallows {@link Unwind} this often will never end. */
  private static final int MAX_UNWINDS = 1000;

  private final Simulation simulation;
  private final Thread thread;
  private boolean started;
  private volatile boolean ended;
  private boolean unwinding;
  private int unwinds;

  /** Creates a thread whose {@code body} runs when it is first resumed. */
  SimThread(Simulation simulation, String name, Runnable body) {
    this.simulation = simulation;
    this.thread =
        Thread.ofVirtual()
            .name(name)
            .unstarted(
                () -> {
                  try {
                    body.run();
                  } catch (Unwind expected) {
                    // the simulation is over
                  } catch (Throwable t) {
                    if (!unwinding) {
                      simulation.fail("thread " + name + " failed", t);
                    }
                  } finally {
                    ended = true;
                    simulation.give(null);
                  }
                });
  }

  /** Whether its own code runs, rather than an event's. */
  boolean isCurrent() {
    return simulation.isRunning(this);
  }

  boolean ended() {
    return ended;
  }

  String name() {
    return thread.getName();
  }

  StackTraceElement[] stack() {
    return thread.getStackTrace();
  }

  /** Lets it run once the current event is over. */
  void resume() {
    simulation.resume(this);
  }

  /** Runs it: it now holds the baton. */
  void wake() {
    if (started) {
      LockSupport.unpark(thread);
    } else {
      started = true;
      thread.start();
    }
  }

  /** Blocks until it is resumed. Called by this thread only. */
  void block() {
    checkUnwinding();
    simulation.takeEvents(this);
    checkUnwinding();
  }

  /** Ends the thread, if it was started. Called by the driver, when the simulation is over. */
  void unwind() {
    unwinding = true;
    if (started && !ended) {
      simulation.give(this);
      simulation.awaitBaton(null);
    }
  }

  private void checkUnwinding() {
    if (!unwinding) {
      return;
    }
    if (++unwinds > MAX_UNWINDS) {
      simulation.fail("thread " + name() + " catches Error and does not end", null);
      simulation.give(null);
      while (true) {
        LockSupport.park(this);
      }
    }
    throw new Unwind();
  }
}
