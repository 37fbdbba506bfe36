package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A wait for a rank that has left ends: the left rank learns of it. As that takes a second without
 * computation, other tests run meanwhile.
 */
@Execution(ExecutionMode.CONCURRENT)
class LeavingTest {
  private static final int CONTEXT = 0;
  private static final int RUNTIME = 1;

  /**
   * The pause between polls of a rank that computes meanwhile, so that other tests get the core.
   */
  private static final long LOOK_NANOS = 100_000;

  private interface Call {
    void run(Messenger m, byte[] box);
  }

  /** Rank 0 waits for rank 1, which has left and waits for the end of all ranks. */
  private static void assertTold(Call waiting) {
    CountDownLatch told = new CountDownLatch(1);
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[100_000];
          if (m.rank() == 1) {
            m.leave();
            assertThatThrownBy(() -> m.recv(box, 0, 1, 0, RUNTIME, 9))
                .isInstanceOf(FmiException.class)
                .hasMessageContaining("rank 0 waits for this rank");
            told.countDown();
            m.revoke(0, "rank 1 has failed");
          } else {
            Thread other =
                Thread.ofPlatform()
                    .daemon()
                    .start(
                        () -> {
                          try {
                            told.await();
                            m.revoke(0, "rank 1 has failed");
                          } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                          }
                        });
            assertThatThrownBy(() -> waiting.run(m, box)).isInstanceOf(Rollback.class);
            other.join();
          }
        });
  }

  @Test
  void aReceive() {
    assertTold((m, box) -> m.recv(box, 0, 8, 1, CONTEXT, 1));
  }

  @Test
  void aProbe() {
    assertTold((m, box) -> m.probe(1, CONTEXT, 1));
  }

  @Test
  void aSynchronousSend() {
    assertTold((m, box) -> m.send(box, 0, 8, 1, CONTEXT, 1, Mode.SYNCHRONOUS));
  }

  @Test
  void aReceiveBegunEarlier() {
    assertTold((m, box) -> m.irecv(box, 0, 8, 1, CONTEXT, 1).waitFor());
  }

  @Test
  void aNumberInSharedMemory() {
    MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    assertTold((m, box) -> m.awaitShared(memory, 0, 1, 1, 1));
  }

  /** However late it arrives, a message sent before its sender left is received. */
  @Test
  void earlierMessagesArrive() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] data = new byte[3_000_000];
          if (m.rank() == 1) {
            Request send = m.isend(data, 0, data.length, 0, CONTEXT, 2, Mode.STANDARD);
            m.leave();
            m.recv(data, 0, 0, 0, RUNTIME, 9);
            assertThat(send.test()).isTrue();
          } else {
            Thread.sleep(1500); // a long wait of the peer is no reason to fail
            m.recv(data, 0, data.length, 1, CONTEXT, 2);
            m.send(data, 0, 0, 1, RUNTIME, 9, Mode.STANDARD);
          }
        });
  }

  /**
   * The message that a probe waits for arrives together with its sender's answer that it has left:
   * neither rank fails. One thread plays both ranks: rank 0 acts where rank 1 polls next after it
   * has asked.
   */
  @ParameterizedTest
  @ValueSource(ints = {8, 100_000})
  void aProbeThatIsAnsweredAsItsSenderLeaves(int bytes) {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    Messenger sender = Ranks.messenger(0, 2);
    sender.enter(0, new Transport[] {network.transport(0)});
    Transport plain = network.transport(1);
    boolean[] asked = {false};
    Transport scripted =
        (Transport)
            Proxy.newProxyInstance(
                Transport.class.getClassLoader(),
                new Class<?>[] {Transport.class},
                (proxy, method, args) -> {
                  if (asked[0] && method.getName().equals("poll")) {
                    asked[0] = false;
                    sender.isend(new byte[bytes], 0, bytes, 1, CONTEXT, 3, Mode.STANDARD);
                    sender.leave();
                    sender.poll();
                  } else if (method.getName().equals("offer")) {
                    asked[0] = ((Frame) args[1]).kind == FrameKind.ASK;
                  }
                  return method.invoke(plain, args);
                });
    Messenger prober = Ranks.messenger(1, 2);
    prober.enter(0, new Transport[] {scripted});
    assertThat(prober.probe(0, CONTEXT, 3)).isEqualTo(new Status(0, 3, bytes));
    sender.poll();
    sender.wakeup();
    sender.park(); // does not throw: no rank is stuck
  }

  /** A rank that was asked may answer when both have left, and wait for messages of the runtime. */
  @Test
  void anAnswerThatIsLateIsOfNoConsequence() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[8];
          if (m.rank() == 1) {
            Thread.sleep(2000);
            m.send(box, 0, 8, 0, CONTEXT, 1, Mode.STANDARD);
            Thread.sleep(100);
            m.leave();
            m.poll();
            m.send(box, 0, 8, 0, RUNTIME, 9, Mode.STANDARD);
            m.recv(box, 0, 8, 0, RUNTIME, 9);
            m.send(box, 0, 8, 0, RUNTIME, 9, Mode.STANDARD);
          } else {
            m.recv(box, 0, 8, 1, CONTEXT, 1);
            m.leave();
            m.recv(box, 0, 8, 1, RUNTIME, 9);
            m.send(box, 0, 8, 1, RUNTIME, 9, Mode.STANDARD);
            m.recv(box, 0, 8, 1, RUNTIME, 9);
          }
        });
  }

  /** A rank that has not left may take as long as it wants. */
  @Test
  void waitsForRanksThatHaveNotLeft() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[8];
          if (m.rank() == 1) {
            Request never = m.irecv(box, 0, 8, 0, CONTEXT, 5);
            for (long end = System.nanoTime() + 2_500_000_000L; System.nanoTime() < end; ) {
              never.test();
              LockSupport.parkNanos(LOOK_NANOS);
            }
            m.send(box, 0, 8, 0, CONTEXT, 1, Mode.STANDARD);
            m.recv(box, 0, 8, 0, CONTEXT, 5);
          } else {
            m.recv(box, 0, 8, 1, CONTEXT, 1);
            m.send(box, 0, 8, 1, CONTEXT, 5, Mode.STANDARD);
            m.send(box, 0, 8, 1, CONTEXT, 5, Mode.STANDARD);
          }
        });
  }
}
