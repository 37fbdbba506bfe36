package org.fmi.core.progress;

import java.util.concurrent.locks.LockSupport;
import org.fmi.core.spi.FrameHandler;
import org.fmi.core.spi.Transport;

/**
 * Polls the transports of the epoch and puts the application's thread to sleep when they have
 * nothing. Only {@link #wakeup} may be called by other threads.
 */
public final class Progress {
  private final WaitStrategy waiting;

  /** Replaced, never changed. */
  private volatile Transport[] transports = {};

  public Progress(WaitStrategy waiting) {
    this.waiting = waiting;
  }

  /** Goes on with the transports of a new epoch. */
  public void use(Transport[] epochTransports) {
    transports = epochTransports.clone();
    waiting.reset();
  }

  /**
   * Polls all transports.
   *
   * @return the amount of work done
   */
  public int poll(FrameHandler handler) {
    int work = 0;
    for (Transport t : transports) {
      work += t.poll(handler);
    }
    return work;
  }

  /** There was work: waiting starts over. */
  public void busy() {
    waiting.reset();
  }

  /**
   * There was no work: returns when polling again makes sense.
   *
   * @param unsent whether frames wait for room in a transport
   */
  public void idle(boolean unsent) {
    Transport[] all = transports;
    // We sleep on the last one only, deaf to the others.
    long nanos = waiting.idle(unsent || all.length != 1);
    if (nanos == 0) {
      return;
    }
    if (all.length == 0) {
      LockSupport.parkNanos(this, nanos);
    } else {
      all[all.length - 1].await(nanos);
    }
  }

  /** Ends the sleep of {@link #idle} now, or the next one at once. Any thread. */
  public void wakeup() {
    Transport[] all = transports;
    if (all.length > 0) {
      all[all.length - 1].wakeup();
    }
  }
}
