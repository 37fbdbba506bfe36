package org.fmi.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParkingClockTest {
  private final ParkingClock clock = new ParkingClock();

  @Test
  void wakeupBeforeAwaitCountsOnce() {
    clock.wakeup();
    clock.wakeup();
    clock.await(Long.MAX_VALUE);
    long begin = clock.nanoTime();
    clock.await(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(clock.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }

  @Test
  void noTimeToWaitReturnsAtOnce() {
    clock.await(0);
    clock.await(-5);
  }

  @Test
  void noSignalOfManyIsLost() throws InterruptedException {
    AtomicInteger value = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    Thread other =
        new Thread(
            () -> {
              for (int i = 1; i <= 20_000; i++) {
                value.set(i);
                clock.wakeup();
                while (seen.get() < i) {
                  Thread.onSpinWait();
                }
              }
            });
    other.setDaemon(true);
    other.start();
    for (int i = 1; i <= 20_000; i++) {
      while (value.get() < i) {
        clock.await(Long.MAX_VALUE);
      }
      seen.set(i);
    }
    other.join();
  }

  @Test
  void interruptIsKeptAndDoesNotEndTheWait() {
    Thread.currentThread().interrupt();
    long begin = clock.nanoTime();
    clock.await(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }
}
