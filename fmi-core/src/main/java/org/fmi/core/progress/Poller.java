package org.fmi.core.progress;

import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Transport;

/**
 * Polls the transports of the epoch and puts the application's thread to sleep when they have
 * nothing. Other threads may call only {@link #wakeup}.
 *
 * <p>The first transport, the fastest, is polled each time. Polling another one costs a system
 * call, several times the cost of a message through shared memory. So the other transports are
 * polled rarely while the first brings work, and each time once it has had none for a while. Calls
 * that do not wait poll all of them, unless they are very frequent.
 *
 * <p>The rank sleeps in the last transport's {@link Transport#await}; the other transports ring its
 * bell.
 */
public final class Poller {
  /**
   * Polls of the first transport without work before the other transports are polled too; a
   * microsecond or two.
   */
  private static final int PATIENCE = 64;

  /** The patience that a poll with a yield costs: a yield lasts as long as this many polls. */
  private static final int PATIENCE_PER_YIELD = 16;

  /** The other transports are polled at least once in this many polls. */
  private static final int MOST_PASSED_OVER = 256;

  /**
   * The interval at which calls that do not wait poll the other transports: a hundredth of their
   * time.
   */
  private static final long LOOK_NANOS = 100_000;

  private final WaitStrategy waiting;
  private final Runnable beforeLongSleep;

  /** Replaced, never changed. */
  private volatile Transport[] transports = {};

  /**
   * The number of polls in a row without work from the first transport, up to {@link #PATIENCE}.
   */
  private int quiet;

  /** Polls that skipped the other transports. */
  private int passedOver;

  /** The last time that a call that does not wait polled the other transports. */
  private long looked;

  // Next to a sleep, reading the clock costs nothing.
  private long sleeps;
  private long sleptNanos;

  /**
   * @param beforeLongSleep called before each sleep of the longest duration: there has been no work
   *     for a tenth of a second
   */
  public Poller(WaitStrategy waiting, Runnable beforeLongSleep) {
    this.waiting = waiting;
    this.beforeLongSleep = beforeLongSleep;
    this.looked = waiting.now();
  }

  /** Continues with the transports of a new epoch. */
  public void use(Transport[] epochTransports) {
    transports = epochTransports.clone();
    quiet = PATIENCE;
    waiting.needsYields(Stream.of(epochTransports).anyMatch(Transport::needsYields));
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
    if (all.length > 1) {
      quiet = work > 0 ? 0 : quiet + 1;
      if (quiet >= PATIENCE || ++passedOver >= MOST_PASSED_OVER) {
        work += pollOthers(all, handler);
      }
    }
    return work;
  }

  /**
   * Polls for a call that does not wait: it may be a long time before the next one.
   *
   * @return the amount of work done
   */
  public int look(FrameHandler handler) {
    if (transports.length > 1) {
      long now = waiting.now();
      if (now - looked >= LOOK_NANOS) {
        looked = now;
        passedOver = MOST_PASSED_OVER;
      }
    }
    return poll(handler);
  }

  private int pollOthers(Transport[] all, FrameHandler handler) {
    // Bounded, so that it does not overflow.
    quiet = Math.min(quiet, PATIENCE);
    passedOver = 0;
    int work = 0;
    for (int i = 1; i < all.length; i++) {
      work += all[i].poll(handler);
    }
    return work;
  }

  /** Whether each rank of this machine has a core. */
  public boolean mayWaitBusily() {
    return waiting.mayWaitBusily();
  }

  /** Restarts waiting, as there was work. */
  public void busy() {
    waiting.reset();
  }

  /** Waits, as there was no work; returns when polling again makes sense. */
  public void idle() {
    long nanos = waiting.idle();
    if (!waiting.spinning()) {
      quiet += PATIENCE_PER_YIELD;
    }
    if (nanos > 0) {
      if (nanos == WaitStrategy.LAST_SLEEP_NANOS) {
        beforeLongSleep.run();
      }
      long begun = waiting.now();
      sleep(nanos);
      sleeps++;
      sleptNanos += waiting.now() - begun;
    }
  }

  /** The number of sleeps. Any thread: the number may be slightly outdated. */
  public long sleeps() {
    return sleeps;
  }

  /** The total time slept. Any thread: the number may be slightly outdated. */
  public long sleptNanos() {
    return sleptNanos;
  }

  /** The time of the rank's clock, in nanoseconds; only differences count. Any thread. */
  public long now() {
    return waiting.now();
  }

  /** Whether there has been no work for long; true once per long wait. */
  public boolean longWait() {
    return waiting.longWait();
  }

  private void sleep(long nanos) {
    Transport[] all = transports;
    if (all.length == 0) {
      LockSupport.parkNanos(this, nanos);
      return;
    }
    quiet = PATIENCE;
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
