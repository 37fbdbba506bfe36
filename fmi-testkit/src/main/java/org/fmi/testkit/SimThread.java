package org.fmi.testkit;

import java.util.concurrent.locks.LockSupport;

/**
 * One simulated process' application thread: runs only while it holds the simulation's baton, and
 * gives it back whenever it blocks.
 */
final class SimThread {
  /** A thread that swallows {@link Unwind} this often is never going to end. */
  private static final int MAX_UNWINDS = 1000;

  private final Simulation simulation;
  private final Thread thread;
  private boolean started;
  private volatile boolean ended;
  private boolean unwinding;
  private int unwinds;

  /** Prepares it; {@code body} runs when it is resumed for the first time. */
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
                    simulation.giveBack();
                  }
                });
  }

  boolean isCurrent() {
    return Thread.currentThread().equals(thread);
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

  /** Lets it run until it blocks or ends. By the driver only. */
  void resume() {
    simulation.baton = this;
    if (started) {
      LockSupport.unpark(thread);
    } else {
      started = true;
      thread.start();
    }
    simulation.awaitBaton(null);
  }

  /** Blocks until it is resumed. By this thread only. */
  void block() {
    checkUnwinding();
    simulation.giveBack();
    simulation.awaitBaton(this);
    checkUnwinding();
  }

  /** Ends the thread, if it was started. By the driver, when the simulation is over. */
  void unwind() {
    unwinding = true;
    if (started && !ended) {
      resume();
    }
  }

  private void checkUnwinding() {
    if (!unwinding) {
      return;
    }
    if (++unwinds > MAX_UNWINDS) {
      simulation.fail("thread " + name() + " catches Error and does not end", null);
      simulation.giveBack();
      while (true) {
        LockSupport.park(this);
      }
    }
    throw new Unwind();
  }
}
