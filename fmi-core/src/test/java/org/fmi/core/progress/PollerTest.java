package org.fmi.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.junit.jupiter.api.Test;

class PollerTest {
  private static final FrameHandler HANDLER =
      new FrameHandler() {
        @Override
        public void onFrame(int peer, MemorySegment memory, long at) {}

        @Override
        public void onPeerLost(int peer, String reason) {}
      };

  private final Fake fast = new Fake();
  private final Fake slow = new Fake();
  private final Poller progress = new Poller(new WaitStrategy(1, 1), () -> {});

  /** Counts its calls. */
  private static final class Fake implements Transport {
    int work;
    int polls;
    int sleeps;
    int armed;
    boolean wasArmed;
    int wakeups;
    boolean needsYields;
    Runnable wakesAfter = () -> {};

    @Override
    public int poll(FrameHandler handler) {
      polls++;
      return work;
    }

    @Override
    public void await(long maxNanos) {
      sleeps++;
      wakesAfter.run();
    }

    @Override
    public int bell() {
      return 4711;
    }

    @Override
    public boolean arm(int bell) {
      assertThat(bell).isEqualTo(4711);
      armed++;
      boolean before = wasArmed;
      wasArmed = true;
      return before;
    }

    @Override
    public void wakeup() {
      wakeups++;
    }

    @Override
    public boolean needsYields() {
      return needsYields;
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public byte[] endpoint() {
      return new byte[1];
    }

    @Override
    public void start(Endpoints endpoints) {}

    @Override
    public boolean reaches(int peer) {
      return true;
    }

    @Override
    public int maxPayload() {
      return 64;
    }

    @Override
    public int eagerLimit() {
      return 64;
    }

    @Override
    public boolean offer(int peer, Frame frame) {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void pollsFastTransportsOftenAndSlowOnesRegularly() {
    progress.use(new Transport[] {fast, slow});
    fast.work = 1;
    for (int i = 0; i < 10_000; i++) {
      assertThat(progress.poll(HANDLER)).isEqualTo(1);
    }
    assertThat(fast.polls).isEqualTo(10_000);
    assertThat(slow.polls).isBetween(10, 100);
  }

  /** A rank that computes, and calls test in between. */
  @Test
  void aProgramThatSeldomLooksHasAllTransportsPolled() {
    progress.use(new Transport[] {fast, slow});
    fast.work = 1;
    for (int i = 1; i <= 10; i++) {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < 100_000) {
        Thread.onSpinWait();
      }
      progress.look(HANDLER);
      assertThat(slow.polls).isEqualTo(i);
    }
    for (int i = 0; i < 10_000; i++) {
      progress.look(HANDLER);
    }
    assertThat(slow.polls).isLessThan(1_000);
  }

  @Test
  void pollsSlowTransportsEachTimeWhenTheFastOneIsIdle() {
    progress.use(new Transport[] {fast, slow});
    for (int i = 0; i < 200; i++) {
      progress.poll(HANDLER);
    }
    int before = slow.polls;
    slow.work = 1;
    for (int i = 0; i < 100; i++) {
      assertThat(progress.poll(HANDLER)).isEqualTo(1);
    }
    assertThat(slow.polls).isEqualTo(before + 100);
  }

  @Test
  void sleepsInTheLastTransportOnceAllBellsAreArmed() {
    progress.use(new Transport[] {fast, slow});
    while (fast.armed == 0) {
      progress.poll(HANDLER);
      progress.idle();
    }
    assertThat(slow.sleeps).as("sleeps before another look").isZero();
    int polls = slow.polls;
    progress.poll(HANDLER);
    assertThat(slow.polls).isEqualTo(polls + 1);
    progress.idle();
    assertThat(slow.sleeps).isEqualTo(1);
    assertThat(fast.sleeps).isZero();
    progress.wakeup();
    assertThat(slow.wakeups).isEqualTo(1);
    assertThat(fast.wakeups).isZero();
  }

  @Test
  void sleepsAreCountedAndTimed() {
    long[] now = {0};
    Poller timed = new Poller(WaitStrategy.onOwnCore(() -> now[0], () -> false), () -> {});
    slow.wakesAfter = () -> now[0] += 7;
    timed.use(new Transport[] {slow});
    while (slow.sleeps < 3) {
      now[0] += WaitStrategy.SPIN_NANOS;
      timed.idle();
    }
    assertThat(timed.sleeps()).isEqualTo(3);
    assertThat(timed.sleptNanos()).isEqualTo(21);
  }

  @Test
  void yieldsOnADedicatedCoreAsLongAsATransportNeedsIt() {
    WaitStrategy waiting = WaitStrategy.onOwnCore(() -> 0, () -> false);
    Poller onOwnCore = new Poller(waiting, () -> {});
    slow.needsYields = true;
    onOwnCore.use(new Transport[] {fast, slow});
    assertThat(waiting).hasToString("spin 1 ms with yields, sleep");
    onOwnCore.use(new Transport[] {fast});
    assertThat(waiting).hasToString("spin 1 ms, sleep");
  }

  @Test
  void aloneATransportIsNotArmed() {
    progress.use(new Transport[] {fast});
    while (fast.sleeps == 0) {
      progress.poll(HANDLER);
      progress.idle();
    }
    assertThat(fast.armed).isZero();
  }
}
