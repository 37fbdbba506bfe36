package org.fmi.run.daemon;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.fmi.node.Refusal;

/**
 * Starts processes, each on a dedicated thread, so that a start that hangs in the system delays no
 * other. The thread lives as long as its process, because the system kills a process when the
 * thread that started it ends. Thread-safe.
 */
final class ProcessStarts {
  /** Prepares and starts a process; both may be slow. */
  interface Start {
    Process start() throws IOException;
  }

  private int underWay;
  private boolean closed;

  /**
   * Starts a process, unless starts are closed. One of the listeners is called later, on the thread
   * of the process, or at once if there can be no thread.
   */
  void begin(String name, Start start, Consumer<Process> started, Consumer<String> refused) {
    Thread thread =
        Thread.ofPlatform().daemon().name(name).unstarted(() -> run(start, started, refused));
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      refused.accept(Refusal.text(e)); // threads are exhausted
    }
  }

  private void run(Start start, Consumer<Process> started, Consumer<String> refused) {
    if (!enter()) {
      return;
    }
    Process process;
    try {
      process = start.start();
    } catch (IOException | OutOfMemoryError e) {
      refused.accept(Refusal.text(e));
      return;
    } finally {
      leave();
    }
    started.accept(process);
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean enter() {
    underWay += closed ? 0 : 1;
    return !closed;
  }

  private synchronized void leave() {
    underWay--;
    notifyAll();
  }

  /**
   * Starts nothing from now on.
   *
   * @return whether all starts under way have ended within the time
   */
  synchronized boolean close(int seconds) throws InterruptedException {
    closed = true;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    long left;
    while (underWay > 0 && (left = end - System.nanoTime()) > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return underWay == 0;
  }
}
