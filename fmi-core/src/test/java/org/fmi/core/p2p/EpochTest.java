package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.provider.Progressing;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No message and no request crosses an epoch, and no rank stays blocked in an old one. */
class EpochTest {
  private static final int CONTEXT = 0;
  private final byte[] box = new byte[64];

  private interface Call {
    void run(Messenger m);
  }

  private static Messenger entered(int epoch) {
    Messenger m = Ranks.messenger(0, 2);
    m.enter(epoch, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    return m;
  }

  @Test
  @Timeout(120)
  void revokeWakesBlockedCalls() throws InterruptedException {
    List<Call> calls =
        List.of(
            m -> m.recv(box, 0, 64, Comm.ANY_SOURCE, CONTEXT, 1),
            m -> m.send(box, 0, 64, 1, CONTEXT, 1, Mode.SYNCHRONOUS),
            m -> m.probe(1, CONTEXT, 1),
            m -> m.mprobe(1, CONTEXT, 1),
            m -> m.recvNew(box, 1, CONTEXT, 1),
            m -> m.irecv(box, 0, 64, 1, CONTEXT, 1).waitFor(),
            m -> Request.waitAny(m.irecv(box, 0, 64, 1, CONTEXT, 1)),
            m -> {
              while (true) {
                m.park();
              }
            });
    for (Call call : calls) {
      MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
      network.sleepUntilWoken();
      Messenger m = Ranks.messenger(0, 2);
      m.enter(0, new Transport[] {network.transport(0)});
      AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
      Thread t =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      call.run(m);
                    } catch (Throwable e) {
                      thrown.set(e);
                    }
                  });
      while (LockSupport.getBlocker(t) == null) {
        assertThat(t.isAlive()).as("it waits").isTrue();
        Thread.sleep(1);
      }
      m.revoke(0, "rank 1 died");
      t.join(30_000);
      assertThat(thrown.get()).isInstanceOf(Rollback.class).hasMessageContaining("rank 1 died");
    }
  }

  @Test
  void callsThatNeedNotWaitThrowToo() {
    Messenger m = entered(3);
    m.send(box, 0, 8, 0, CONTEXT, 1, Mode.STANDARD);
    MessageRequest matched = m.mprobe(0, CONTEXT, 1);
    Request done = m.isend(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
    assertThat(done.test()).isTrue();
    m.revoke(2, "old");
    assertThat(done.test()).isTrue();
    m.revoke(3, "now");
    List<Call> calls =
        List.of(
            x -> x.send(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD),
            x -> x.send(box, 0, 8, 0, CONTEXT, 1, Mode.STANDARD),
            x -> x.isend(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD),
            x -> x.recv(box, 0, 8, 0, CONTEXT, 1),
            x -> x.irecv(box, 0, 8, 0, CONTEXT, 1),
            x -> x.probe(0, CONTEXT, 1),
            x -> x.iprobe(0, CONTEXT, 1),
            x -> x.mprobe(0, CONTEXT, 1),
            x -> x.improbe(0, CONTEXT, 1),
            x -> x.imrecv(matched, box, 0, 8, 1),
            x -> x.recvNew(box, 0, CONTEXT, 1),
            x -> x.attachBuffer(1),
            x -> x.fetchUnexpected(),
            x -> x.poll(),
            x -> x.park(),
            x -> done.waitFor(),
            x -> done.test(),
            x -> done.status(),
            x -> done.cancel(),
            x -> ((Progressing) done).progress());
    for (Call call : calls) {
      assertThatThrownBy(() -> call.run(m)).isInstanceOf(Rollback.class);
    }
  }

  @Test
  void afterTheEndEveryCallThrows() {
    Messenger m = entered(3);
    m.close();
    assertThatThrownBy(() -> m.share())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("after Fmi.close");
  }

  @Test
  void theNextEpochStartsEmpty() {
    Messenger m = entered(0);
    m.send(box, 0, 8, 0, CONTEXT, 1, Mode.STANDARD);
    Request receive = m.irecv(box, 0, 8, 1, CONTEXT, 1);
    Request send = m.isend(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
    m.attachBuffer(8);
    m.send(box, 0, 8, 0, CONTEXT, 2, Mode.BUFFERED);
    m.revoke(0, "over");
    m.enter(2, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    assertThat(m.iprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG)).isNull();
    assertThat(m.activeRequests()).isZero();
    assertThat(m.userSent()).isZero();
    m.send(box, 0, 8, 0, CONTEXT, 2, Mode.BUFFERED);
    for (Request r : List.of(receive, send)) {
      for (ThrowingCallable use : List.<ThrowingCallable>of(r::test, r::waitFor, r::status)) {
        assertThatThrownBy(use)
            .isInstanceOfSatisfying(
                FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.REQUEST))
            .hasMessageContaining("epoch 0, made before the rollback to epoch 2");
      }
    }
    assertThatThrownBy(() -> m.enter(2, new Transport[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFutureEpochCanBeRevoked() {
    Messenger m = entered(0);
    m.revoke(2, "failed while connecting");
    assertThatThrownBy(m::poll).isInstanceOf(Rollback.class);
    m.enter(2, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    assertThatThrownBy(m::poll)
        .isInstanceOf(Rollback.class)
        .hasMessageContaining("failed while connecting");
    m.enter(3, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    m.poll();
  }

  @Test
  void nothingCanBeDoneBeforeTheFirstEpoch() {
    Messenger m = Ranks.messenger(0, 2);
    assertThatThrownBy(() -> m.send(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD))
        .isInstanceOf(Rollback.class);
  }

  @Test
  void staleFramesAreDropped() {
    Messenger m = entered(5);
    Request r = m.irecv(box, 0, 8, 1, CONTEXT, 1);
    Frame f = new Frame();
    f.kind = FrameKind.EAGER;
    f.context = CONTEXT;
    f.tag = 1;
    MemorySegment memory = MemorySegment.ofArray(new byte[48]);
    for (int epoch : new int[] {4, 6, -1}) {
      f.epoch = epoch;
      f.encodeHeader(memory, 0);
      m.onFrame(1, memory, 0);
    }
    assertThat(m.staleFrames()).isEqualTo(3);
    assertThat(r.test()).isFalse();
    f.epoch = 5;
    f.encodeHeader(memory, 0);
    m.onFrame(1, memory, 0);
    assertThat(r.test()).isTrue();
    assertThat(m.staleFrames()).isEqualTo(3);
  }

  @Test
  void aLostPeerIsReportedAndTheCallContinues() {
    List<String> lost = new ArrayList<>();
    Messenger m =
        new Messenger(
            0, 2, new WaitStrategy(1, 1), (peer, reason) -> lost.add(peer + " " + reason));
    m.enter(0, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    Request r = m.irecv(box, 0, 8, 1, CONTEXT, 1);
    m.onPeerLost(1, "reset");
    assertThat(lost).containsExactly("1 reset");
    assertThat(r.test()).isFalse();
  }

  /**
   * Ranks communicate at random while epochs end at any moment; no message of one is seen in
   * another.
   */
  @Test
  void epochsEndAtAnyMoment() {
    int size = 3;
    int epochs = 30;
    long seed = 77;
    MemoryNetwork[] networks = new MemoryNetwork[epochs];
    for (int e = 0; e < epochs; e++) {
      networks[e] = new MemoryNetwork(size, seed + e, Options.ROUGH);
    }
    Messenger[] messengers = new Messenger[size];
    for (int i = 0; i < size; i++) {
      messengers[i] = Ranks.messenger(i, size);
    }
    Ranks.run(
        messengers,
        () -> Stream.of(networks).mapToLong(MemoryNetwork::sent).sum(),
        m -> {
          Random random = new Random(seed + m.rank());
          int next = (m.rank() + 1) % size;
          int before = (m.rank() + size - 1) % size;
          for (int e = 0; e < epochs; e++) {
            m.enter(e, new Transport[] {networks[e].transport(m.rank())});
            boolean last = e == epochs - 1;
            try {
              for (int i = 0; !last || i < 50; i++) {
                int[] out = new int[1 + random.nextInt(200)];
                int[] in = new int[200];
                out[0] = e;
                Request r = m.irecv(in, 0, 800, before, CONTEXT, 1);
                m.send(out, 0, 4L * out.length, next, CONTEXT, 1, Mode.STANDARD);
                r.waitFor();
                assertThat(in[0]).isEqualTo(e);
                if (!last && m.rank() == 0 && random.nextInt(20) == 0) {
                  for (Messenger other : messengers) {
                    other.revoke(e, "on purpose");
                  }
                }
              }
            } catch (Rollback expected) {
              assertThat(expected).hasMessageContaining("on purpose");
            }
          }
        },
        "seed " + seed);
  }
}
