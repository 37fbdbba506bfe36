package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.log.CountingJob;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A message that a probe has matched is its receive's, whatever happens before that has a buffer.
 */
final class MatchedProbeTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);

  /** Lengths of messages in longs: one that is sent at once, and one that is announced. */
  private static final int SHORT = 1;

  private static final int LONG = 20_000;

  private static final int TAG = 7;

  private final Messenger sender = messenger(0);
  private final Messenger receiver = messenger(1);

  private static Messenger messenger(int rank) {
    return new Messenger(
        rank,
        2,
        new WaitStrategy(1, 1, System::nanoTime),
        (peer, reason) -> {
          throw new AssertionError("lost " + peer + ": " + reason);
        });
  }

  private void enter(int epoch) {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    sender.enter(epoch, new Transport[] {network.transport(0)});
    receiver.enter(epoch, new Transport[] {network.transport(1)});
  }

  private static long[] filled(int length, long value) {
    long[] data = new long[length];
    Arrays.fill(data, value);
    return data;
  }

  private static Request isend(Messenger from, int to, long[] data) {
    return from.isend(data, 0, 8L * data.length, to, CONTEXT, TAG, Mode.STANDARD);
  }

  private static Request irecv(Messenger at, long[] into) {
    return at.irecv(into, 0, 8L * into.length, Comm.ANY_SOURCE, CONTEXT, TAG);
  }

  private static ArrayRequest imrecv(Messenger at, MessageRequest probed, long[] into) {
    return at.imrecv(probed, into, 0, 8L * into.length, TAG);
  }

  private void pollBoth() {
    for (int i = 0; i < 50; i++) {
      sender.poll();
      receiver.poll();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SHORT, LONG})
  void noOtherReceiveGetsTheMessage(int length) {
    enter(0);
    Request first = isend(sender, 1, filled(length, 3));
    Request second = isend(sender, 1, filled(length, 4));
    pollBoth();
    MessageRequest probed = receiver.mprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG);
    assertThat(probed.probedStatus()).isEqualTo(new Status(0, TAG, 8L * length));
    assertThat(receiver.activeRequests()).isOne();
    assertThat(receiver.iprobe(0, CONTEXT, TAG)).isNotNull();
    long[] other = new long[length];
    Request any = irecv(receiver, other);
    assertThat(receiver.improbe(0, CONTEXT, TAG)).isNull();
    long[] own = new long[length];
    Request receive = imrecv(receiver, probed, own);
    pollBoth();
    assertThat(receive.waitFor()).isEqualTo(new Status(0, TAG, 8L * length));
    assertThat(any.test()).isTrue();
    assertThat(own).containsOnly(3);
    assertThat(other).containsOnly(4);
    Request.waitAll(first, second);
    assertThat(receiver.activeRequests()).isZero();
    assertThat(Ranks.unexpected(receiver)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {SHORT, LONG})
  void aMessageToOneself(int length) {
    enter(0);
    Request send = isend(receiver, 1, filled(length, 5));
    MessageRequest probed = receiver.mprobe(1, CONTEXT, TAG);
    assertThat(receiver.improbe(Comm.ANY_SOURCE, CONTEXT, TAG)).isNull();
    long[] own = new long[length];
    imrecv(receiver, probed, own).waitFor();
    assertThat(own).containsOnly(5);
    send.waitFor();
  }

  @Test
  void anAnnouncedMessageIsNotFetchedBeforeItHasABuffer() {
    enter(0);
    Request send = isend(sender, 1, filled(LONG, 6));
    MessageRequest probed = receiver.mprobe(0, CONTEXT, TAG);
    pollBoth();
    assertThat(send.test()).isFalse();
    assertThat(Ranks.unexpectedBytes(receiver)).isZero();
    long[] own = new long[LONG];
    Request receive = imrecv(receiver, probed, own);
    assertThat(receive.cancel()).as("its message is matched").isFalse();
    pollBoth();
    assertThat(receive.test()).isTrue();
    assertThat(own).containsOnly(6);
    assertThat(send.test()).isTrue();
  }

  @Test
  void anArrayIsMadeForTheMessage() {
    enter(0);
    for (int length : new int[] {0, SHORT, LONG}) {
      ArrayRequest any = receiver.irecvNew(new long[0], Comm.ANY_SOURCE, CONTEXT, TAG);
      Request send = isend(sender, 1, filled(length, 7));
      pollBoth();
      assertThat(any.test()).isTrue();
      assertThat(any.array()).isEqualTo(filled(length, 7));
      Request again = isend(sender, 1, filled(length, 8));
      pollBoth();
      MessageRequest probed = receiver.mprobe(0, CONTEXT, TAG);
      ArrayRequest matched = receiver.imrecv(probed, new long[0], 0, PointToPoint.ALLOCATE, TAG);
      pollBoth();
      assertThat(matched.array()).isEqualTo(filled(length, 8));
      Request.waitAll(send, again);
    }
  }

  /** The message is the one that is sent again, and not the next one. */
  @ParameterizedTest
  @ValueSource(ints = {SHORT, LONG})
  void itsMessageComesAgainWhereOnlyTheSenderRollsBack(int length) {
    enter(0);
    MessageLog log = new MessageLog(1, 2, 1 << 20, new CountingJob());
    MessageLedger _ = new MessageLedger(receiver, log, null);
    receiver.ledger().atRecoveryLine(true);
    isend(sender, 1, filled(length, 1));
    isend(sender, 1, filled(length, 2));
    isend(sender, 1, filled(length, 3));
    pollBoth();
    MessageRequest first = receiver.mprobe(Comm.ANY_SOURCE, CONTEXT, TAG);
    MessageRequest second = receiver.mprobe(Comm.ANY_SOURCE, CONTEXT, TAG);
    long[] third = new long[length];
    Request any = irecv(receiver, third);

    for (int epoch = 1; epoch < 3; epoch++) { // the sender is lost again before it has sent
      MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
      sender.enter(epoch, new Transport[] {network.transport(0)});
      receiver.resume(epoch, new Transport[] {network.transport(1)});
    }
    assertThat(Ranks.unexpected(receiver)).isZero();
    long[] early = new long[length];
    Request beforeItIsSent = imrecv(receiver, second, early);
    assertThat(beforeItIsSent.test()).isFalse();
    isend(sender, 1, filled(length, 1));
    isend(sender, 1, filled(length, 2));
    if (!any.test()) { // a short one was complete before
      isend(sender, 1, filled(length, 3));
    }
    pollBoth();
    long[] late = new long[length];
    Request whenItIsThere = imrecv(receiver, first, late);
    pollBoth();
    Request.waitAll(beforeItIsSent, whenItIsThere, any);
    assertThat(late).containsOnly(1);
    assertThat(early).containsOnly(2);
    assertThat(third).containsOnly(3);
    assertThat(receiver.activeRequests()).isZero();
  }

  /** It was announced before the line: nobody sends it again. */
  @Test
  void aMessageFromBeforeTheLineStays() {
    enter(0);
    isend(sender, 1, filled(SHORT, 1));
    pollBoth();
    MessageLog log = new MessageLog(1, 2, 1 << 20, new CountingJob());
    MessageLedger _ = new MessageLedger(receiver, log, null);
    receiver.ledger().atRecoveryLine(true);
    MessageRequest probed = receiver.mprobe(Comm.ANY_SOURCE, CONTEXT, TAG);
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    sender.enter(1, new Transport[] {network.transport(0)});
    receiver.resume(1, new Transport[] {network.transport(1)});
    long[] own = new long[SHORT];
    imrecv(receiver, probed, own).waitFor();
    assertThat(own).containsOnly(1);
  }

  @Test
  void aRollbackOfAllForgetsTheMessage() {
    enter(0);
    isend(sender, 1, filled(SHORT, 1));
    MessageRequest probed = receiver.mprobe(Comm.ANY_SOURCE, CONTEXT, TAG);
    enter(1);
    assertThat(receiver.activeRequests()).isZero();
    assertThatThrownBy(() -> imrecv(receiver, probed, new long[SHORT]))
        .hasMessageContaining("before the rollback to epoch 1");
  }
}
