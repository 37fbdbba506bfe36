package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages of a rank that has rolled back alone and replays; one thread makes all calls. */
final class ReplayComparisonTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int TAG = 2;

  private final MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
  private final Messenger again = Ranks.messenger(0, 2);
  private final Messenger other = Ranks.messenger(1, 2);
  private final MessageLog log = new MessageLog(0, 2, 10_000_000, new CountingJob());
  private final long[] data = new long[100_000];

  @BeforeEach
  void enter() {
    again.enter(0, new Transport[] {network.transport(0)});
    other.enter(0, new Transport[] {network.transport(1)});
    new MessageLedger(again, log, null);
    again.ledger().atRecoveryLine(true);
  }

  /** By its determinants the receiver may match another message first. */
  @Test
  void afterARollbackASendCompletesOnceLogged() {
    long[] first = new long[data.length];
    Request before = begin(first, Mode.STANDARD);
    log.receivedByPeer(1, new long[] {0});
    data[0] = 8;
    again.send(data, 0, 8L * data.length, 1, CONTEXT, TAG, Mode.STANDARD);
    data[0] = -1; // a program may overwrite a buffer after sending
    assertThat(begin(first, Mode.SYNCHRONOUS).test()).isFalse();
    assertThat(before.test()).isFalse();
    assertThat(received()).isZero();
    assertThat(before.test()).isTrue();
    assertThat(received()).isEqualTo(8);
  }

  /** A later message was received, so the synchronous send was complete. */
  @Test
  void aReplayedSynchronousSendIsComplete() {
    long[] onlyTheSecond = {1, 0b10};
    log.receivedByPeer(1, onlyTheSecond);
    data[0] = 7;
    again.send(data, 0, 8, 1, CONTEXT, TAG, Mode.SYNCHRONOUS);
    Status status = other.recv(data, 0, 8, 0, CONTEXT, TAG);
    assertThat(status.bytes()).isEqualTo(8);
    assertThat(data[0]).isEqualTo(7);
  }

  private Request begin(long[] message, Mode mode) {
    return again.isend(message, 0, 8L * message.length, 1, CONTEXT, TAG, mode);
  }

  private long received() {
    long[] all = new long[data.length];
    Request receive = other.irecv(all, 0, 8L * all.length, 0, CONTEXT, TAG);
    while (!receive.test()) {
      again.poll();
    }
    return all[0];
  }
}
