package org.fmi.core.progress;

import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Transport;

/**
 * Polls the transports of the epoch and puts the application's thread to sleep when they have
 * nothing. Only {@link #wakeup} may be called by other threads.
 *
 * <p>The first transport, the fastest, is polled each time. A poll of another one costs a system
 * call, several times what a message through shared memory takes. So while the first brings work
 * the others are polled rarely; when it has had none for a while they are polled each time. A
 * program that looks by itself now and then has all of them polled, unless it looks very often.
 *
 * <p>The rank sleeps in the last transport's {@link Transport#await}; the others ring its bell.
 */
public final class Poller {
  /**
   * Polls of the first transport that find nothing before the others are polled too; a microsecond
   * or two.
   */
  private static final int PATIENCE = 64;

  /** How much patience a poll behind a yield costs: a yield lasts as long as this many polls. */
  private static final int PATIENCE_PER_YIELD = 16;

  /** The others are polled once in this many polls, whatever the first has. */
  private static final int MOST_PASSED_OVER = 256;

  /** How often calls that do not wait have the others polled: a hundredth of their time. */
  private static final long LOOK_NANOS = 100_000;

  private final WaitStrategy waiting;
  private final Runnable beforeLongSleep;

  /** Replaced, never changed. */
  private volatile Transport[] transports = {};

  /** How many polls in a row the first transport has had nothing, up to {@link #PATIENCE}. */
  private int quiet;

  /** Polls that passed the others over. */
  private int passedOver;

  /** When a call that does not wait last had the others polled. */
  private long looked;

  // Beside a sleep, looking at the clock costs nothing.
  private long sleeps;
  private long sleptNanos;

  /**
   * @param beforeLongSleep called before each sleep that is as long as any: nothing has come for a
   *     tenth of a second
   */
  public Poller(WaitStrategy waiting, Runnable beforeLongSleep) {
    this.waiting = waiting;
    this.beforeLongSleep = beforeLongSleep;
    this.looked = waiting.now();
  }

  /** Goes on with the transports of a new epoch. */
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
   * A {@link #poll} for a call that does not wait: it may be long before the next one.
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
    // Not ever larger: it must not overflow.
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

  /** There was work: waiting starts over. */
  public void busy() {
    waiting.reset();
  }

  /** There was no work: returns when polling again makes sense. */
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

  /** How often the rank has slept. Any thread: the number may be a little old. */
  public long sleeps() {
    return sleeps;
  }

  /** How long it has slept in all. Any thread: the number may be a little old. */
  public long sleptNanos() {
    return sleptNanos;
  }

  /** The time of the rank's clock, in nanoseconds; only differences count. Any thread. */
  public long now() {
    return waiting.now();
  }

  /** Whether there has been no work for long; true once in every long wait. */
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
