package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/** A rank waits without missing an event, whichever of its threads waits. */
interface WaitingContract extends TransportRanks {
  /** Several threads use a transport, one at a time. */
  @Test
  default void threadsTakeTurns() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.longest = true;
          peer.start();
          int other = 1 - member.rank();
          for (int i = 0; i < 6; i++) {
            int number = i;
            FutureTask<?> turn =
                new FutureTask<>(
                    () -> {
                      peer.send(other, number);
                      peer.untilForever(() -> peer.received[other] > number);
                      return null;
                    });
            Thread.ofPlatform().start(turn);
            turn.get();
          }
          peer.drainUntilAllAreDone();
        });
  }

  /** An interrupted thread connects, sleeps, and is still interrupted afterwards. */
  @Test
  default void anInterruptedThreadMayContinue() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          int other = 1 - member.rank();
          Thread.currentThread().interrupt();
          peer.send(other, 0);
          peer.untilForever(() -> peer.receivedFromAll(1));
          member.transport().await(1_000_000);
          assertThat(Thread.interrupted()).isTrue();
          peer.drainUntilAllAreDone();
        });
  }

  /** The wait continues; the program sees the interrupt when it asks. */
  @Test
  default void anInterruptInAwaitIsKept() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        1,
        member -> {
          new ContractPeer(member, 1).start();
          Transport t = member.transport();
          Thread waiting = Thread.currentThread();
          for (int i = 0; i < 20; i++) {
            AtomicInteger done = new AtomicInteger();
            member.elsewhere(
                () -> {
                  // The thread usually sleeps by now.
                  LockSupport.parkNanos(1_000_000);
                  waiting.interrupt();
                  done.set(1);
                  t.wakeup();
                });
            while (done.get() == 0) {
              t.await(Long.MAX_VALUE);
            }
            assertThat(Thread.interrupted()).isTrue();
          }
        });
  }

  @Test
  default void anArrivalEndsAwait() throws Exception {
    run(
        2,
        member -> {
          ContractPeer peer = new ContractPeer(member, 2);
          peer.start();
          int other = 1 - member.rank();
          for (int i = 0; i < 200; i++) {
            int expected = i + 1;
            if (member.rank() == 0) {
              peer.send(other, i);
            }
            peer.untilForever(() -> peer.received[other] >= expected);
            if (member.rank() == 1) {
              peer.send(other, i);
            }
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  default void aWakeupEndsAwaitAndOneBeforeItCounts() throws Exception {
    run(
        1,
        member -> {
          new ContractPeer(member, 1).start();
          Transport t = member.transport();
          t.wakeup();
          t.await(Long.MAX_VALUE);
          for (int i = 1; i <= 50; i++) {
            int expected = i;
            AtomicInteger value = new AtomicInteger();
            member.elsewhere(
                () -> {
                  value.set(expected);
                  t.wakeup();
                });
            while (value.get() != expected) {
              t.await(Long.MAX_VALUE);
            }
          }
        });
  }

  @Test
  default void awaitEndsAfterItsTime() throws Exception {
    run(
        1,
        member -> {
          new ContractPeer(member, 1).start();
          for (long nanos : new long[] {-1, 0, 1, 1000, 2_000_000}) {
            member.transport().await(nanos);
          }
        });
  }

  @Test
  default void nothingToDoIsNoWork() throws Exception {
    run(
        1,
        member -> {
          new ContractPeer(member, 1).start();
          int work = 0;
          for (int i = 0; i < 100; i++) {
            work = member.transport().poll(new ContractPeer(member, 1));
          }
          assertThat(work).isZero();
        });
  }
}
