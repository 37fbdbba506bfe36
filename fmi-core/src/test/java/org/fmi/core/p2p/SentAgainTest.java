package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.fmi.Request;
import org.fmi.core.log.CountingJob;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** More than a window of messages is resent to a rank that has rolled back alone. */
final class SentAgainTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int LONGS = 512;
  private static final int BYTES = 8 * LONGS;
  private static final int MESSAGES = 1000;

  /** The number of messages that fit into the window. */
  private static final int EAGER =
      (int) (FlowLimits.windowBytes(2) / (BYTES + FlowLimits.MESSAGE_COST));

  private long nanos;
  private final Messenger survivor = messenger(0);
  private final Messenger replacement = messenger(1);
  private final long[] data = new long[LONGS];

  private Messenger messenger(int rank) {
    return new Messenger(
        rank,
        2,
        new WaitStrategy(1, 1, () -> nanos),
        (peer, reason) -> {
          throw new AssertionError("lost " + peer + ": " + reason);
        });
  }

  @BeforeEach
  void sendAgain() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    survivor.enter(0, new Transport[] {network.transport(0)});
    replacement.enter(0, new Transport[] {network.transport(1)});
    MessageLedger survivorLedger =
        new MessageLedger(survivor, new MessageLog(0, 2, 10_000_000, new CountingJob()), null);
    survivor.ledger().atRecoveryLine(true);
    for (int i = 0; i < MESSAGES; i++) {
      data[0] = i;
      survivor.send(data, 0, BYTES, 1, CONTEXT, i, Mode.STANDARD);
      replacement.recv(data, 0, BYTES, 0, CONTEXT, i);
      survivor.poll(); // gets its credit back
    }
    MemoryNetwork next = new MemoryNetwork(2, 1, Options.PLAIN);
    replacement.enter(1, new Transport[] {next.transport(1)});
    survivor.resume(1, new Transport[] {next.transport(0)});
    assertThat(survivorLedger.resend(1)).containsExactly(MESSAGES, (long) MESSAGES * BYTES);
  }

  private void poll() {
    for (int i = 0; i < 100; i++) {
      survivor.poll();
      replacement.poll();
    }
  }

  private void complete(Request r) {
    for (int round = 0; !r.test(); round++) {
      assertThat(round).as("rounds without an end").isLessThan(MESSAGES);
      poll();
      nanos += 1_000_000;
    }
  }

  private void receive(int i) {
    Request receive = replacement.irecv(data, 0, BYTES, 0, CONTEXT, i);
    complete(receive);
    assertThat(data[0]).isEqualTo(i);
  }

  /**
   * Messages that are only announced are requested one by one, which wakes their sender each time.
   */
  @Test
  void resentMessagesArriveAsEarlierOnesAreReceived() {
    for (int i = 0; i < MESSAGES; i++) {
      poll();
      assertThat(Ranks.unexpected(replacement)).isBetween(1, EAGER);
      assertThat(Ranks.unexpectedBytes(replacement))
          .isEqualTo((long) Ranks.unexpected(replacement) * BYTES);
      receive(i);
    }
    poll();
    assertThat(Ranks.unexpected(replacement)).isZero();
  }

  /** A call may wait for the last of the messages. */
  @Test
  void aReceiverThatWaitsForALaterOneGetsIt() {
    Request last = replacement.irecv(data, 0, BYTES, 0, CONTEXT, MESSAGES - 1);
    poll();
    assertThat(Ranks.unexpected(replacement)).isEqualTo(EAGER);
    complete(last);
    assertThat(data[0]).isEqualTo(MESSAGES - 1);
    assertThat(Ranks.unexpected(replacement)).isEqualTo(MESSAGES - 1);
    IntStream.range(0, MESSAGES - 1).forEach(this::receive);
  }

  /** An answer that arrives with new credit does no harm, and later ones are sent. */
  @Test
  void aReceiverMaySwitchSendersAndBack() {
    poll();
    for (int begin = 0; begin < MESSAGES; begin += EAGER) {
      int end = Math.min(begin + EAGER, MESSAGES);
      Request last = replacement.irecv(data, 0, BYTES, 0, CONTEXT, end - 1);
      complete(last);
      IntStream.range(begin, end - 1).forEach(this::receive);
    }
    poll();
    assertThat(Ranks.unexpected(replacement)).isZero();
  }
}
