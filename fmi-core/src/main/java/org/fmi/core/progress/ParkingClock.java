package org.fmi.core.progress;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.fmi.spi.RankClock;
import org.jspecify.annotations.Nullable;

/** The machine's clock; waits by parking the thread. Survives spurious wake-ups and interrupts. */
public final class ParkingClock implements RankClock {
  private final AtomicBoolean signal = new AtomicBoolean();
  private volatile @Nullable Thread waiter;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void await(long maxNanos) {
    long begin = System.nanoTime();
    // An interrupt belongs to the program: it must neither make this wait spin nor be swallowed.
    boolean interrupted = false;
    waiter = Thread.currentThread();
    while (!signal.getAndSet(false)) {
      long left = maxNanos - (System.nanoTime() - begin);
      if (left <= 0) {
        break;
      }
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    waiter = null;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void wakeup() {
    signal.set(true);
    LockSupport.unpark(waiter);
  }
}
