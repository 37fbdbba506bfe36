package org.fmi.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParkingClockTest {
  private static final int SIGNALS = 20_000;

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

  /** The bound is generous: a lost signal would stop it forever. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void noSignalOfManyIsLost() throws InterruptedException {
    AtomicInteger value = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    Thread signals =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 1; i <= SIGNALS; i++) {
                    value.set(i);
                    clock.wakeup();
                    while (seen.get() < i) {
                      Thread.onSpinWait();
                    }
                  }
                });
    Thread sleeps =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 1; i <= SIGNALS; i++) {
                    while (value.get() < i) {
                      clock.await(Long.MAX_VALUE);
                    }
                    seen.set(i);
                  }
                });
    int before = -1;
    while (!sleeps.join(Duration.ofMinutes(1))) {
      assertThat(seen.get()).as("signals seen").isGreaterThan(before);
      before = seen.get();
    }
    signals.join();
    assertThat(seen).hasValue(SIGNALS);
  }

  @Test
  void anInterruptStaysSetAndDoesNotEndTheWait() {
    Thread.currentThread().interrupt();
    long begin = clock.nanoTime();
    clock.await(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(clock.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
  }
}
