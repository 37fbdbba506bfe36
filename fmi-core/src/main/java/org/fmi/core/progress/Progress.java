package org.fmi.core.progress;

import java.util.concurrent.locks.LockSupport;
import org.fmi.core.spi.FrameHandler;
import org.fmi.core.spi.Transport;

/**
 * Polls the transports of the epoch and puts the application's thread to sleep when they have
 * nothing. Only {@link #wakeup} may be called by other threads.
 *
 * <p>The first transport, the fastest, is polled each time. A poll of another one costs a system
 * call, several times what a message through shared memory takes: one that had nothing is polled
 * less and less often, down to once in {@link #LONGEST_GAP} polls, until it has something again.
 *
 * <p>The rank sleeps in the last transport's {@link Transport#await}; the others ring its bell.
 */
public final class Progress {
  /** At about 0.05 µs a poll this adds less than a microsecond to a message over a network. */
  private static final int LONGEST_GAP = 16;

  private final WaitStrategy waiting;

  /** Replaced, never changed. */
  private volatile Transport[] transports = {};

  /** For each transport: how many polls pass it over before the next that does not, and after. */
  private int[] due = {};

  private int[] gap = {};

  public Progress(WaitStrategy waiting) {
    this.waiting = waiting;
  }

  /** Goes on with the transports of a new epoch. */
  public void use(Transport[] epochTransports) {
    transports = epochTransports.clone();
    due = new int[epochTransports.length];
    gap = new int[epochTransports.length];
    waiting.reset();
  }

  /**
   * Polls the transports.
   *
   * @return the amount of work done
   */
  public int poll(FrameHandler handler) {
    Transport[] all = transports;
    if (all.length == 0) {
      return 0;
    }
    int work = all[0].poll(handler);
    for (int i = 1; i < all.length; i++) {
      if (--due[i] < 0) {
        int found = all[i].poll(handler);
        gap[i] = found > 0 ? 0 : Math.min(2 * gap[i] + 1, LONGEST_GAP - 1);
        due[i] = gap[i];
        work += found;
      }
    }
    return work;
  }

  /** There was work: waiting starts over. */
  public void busy() {
    waiting.reset();
  }

  /** There was no work: returns when polling again makes sense. */
  public void idle() {
    long nanos = waiting.idle();
    if (nanos > 0) {
      sleep(nanos);
    }
  }

  private void sleep(long nanos) {
    Transport[] all = transports;
    if (all.length == 0) {
      LockSupport.parkNanos(this, nanos);
      return;
    }
    for (int i = 1; i < all.length; i++) {
      due[i] = 0;
      gap[i] = 0;
    }
    Transport last = all[all.length - 1];
    boolean armed = true;
    for (int i = 0; i < all.length - 1; i++) {
      armed &= all[i].arm(last.bell());
    }
    if (armed) {
      last.await(nanos);
    } else {
      waiting.napFirst();
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
