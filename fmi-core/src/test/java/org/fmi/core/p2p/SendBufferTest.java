package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.Request;
import org.fmi.core.log.CountingJob;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.JobSettings;
import org.fmi.spi.Transport;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Short unmatched messages are sent as copies, and their senders do not wait. */
final class SendBufferTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int BYTES = 1024;

  /** The number of messages that fit into the window. */
  private static final int EAGER =
      (int) (FlowLimits.windowBytes(2) / (BYTES + FlowLimits.MESSAGE_COST));

  /** The number of messages that fit into the send buffer. */
  private static final int COPIES = 300;

  private static final int LONG_BYTES = 8 << 10;

  private long nanos;
  private final Messenger sender = messenger(0);
  private final Messenger receiver = messenger(1);
  private final long[] data = new long[LONG_BYTES / Long.BYTES];

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
  void begin() {
    enter(0);
    sender.copies((long) COPIES * (BYTES + FlowLimits.MESSAGE_COST));
  }

  private void enter(int epoch) {
    MemoryNetwork network = new MemoryNetwork(2, 1, new Options(16 << 10, 4 << 10, 4096, 0, 0));
    sender.enter(epoch, new Transport[] {network.transport(0)});
    receiver.enter(epoch, new Transport[] {network.transport(1)});
  }

  private Request isend(int bytes, int tag, Mode mode) {
    data[0] = tag;
    return sender.isend(data.clone(), 0, bytes, 1, CONTEXT, tag, mode);
  }

  /** Sends a message, which must be complete at once: the receiver does not poll. */
  private void send(int tag) {
    data[0] = tag;
    Request r = sender.isend(data, 0, BYTES, 1, CONTEXT, tag, Mode.STANDARD);
    assertThat(r.status()).as("message %d is sent", tag).isNotNull();
    data[0] = -1; // it is the program's again
  }

  private void receive(int bytes, int tag) {
    Request r = receiver.irecv(data, 0, bytes, 0, CONTEXT, tag);
    for (int round = 0; !r.test(); round++) {
      assertThat(round).as("rounds without an end").isLessThan(100_000);
      sender.poll();
      nanos += 100_000;
    }
    assertThat(data[0]).isEqualTo(tag);
  }

  private void receiveAll(int from, int to) {
    for (int i = from; i < to; i++) {
      receive(BYTES, i);
    }
  }

  @Test
  void sendsDoNotWaitWhileThereIsRoom() {
    int all = EAGER + COPIES;
    for (int i = 0; i < all; i++) {
      send(i);
    }
    assertThat(sender.requests().copies.inUse()).isTrue();
    // The message received first was sent last.
    receive(BYTES, all - 1);
    receiveAll(0, all - 1);
    assertThat(sender.requests().copies.inUse()).isFalse();
    assertThat(Ranks.unexpected(receiver)).isZero();
  }

  @Test
  void theNextOneWaitsUntilItIsTaken() {
    for (int i = 0; i < EAGER + COPIES; i++) {
      assertThat(isend(BYTES, i, Mode.STANDARD).test()).as("message %d", i).isTrue();
    }
    Request next = isend(BYTES, EAGER + COPIES, Mode.STANDARD);
    assertThat(next.test()).isFalse();
    receiveAll(0, EAGER + COPIES + 1);
    assertThat(next.test()).isTrue();
    // There is room again, except for credit not yet returned.
    for (int i = 0; i < EAGER / 2 + COPIES; i++) {
      send(i);
    }
    receiveAll(0, EAGER / 2 + COPIES);
  }

  @Test
  void nothingOvertakesThem() {
    List<Request> later = new ArrayList<>();
    for (int i = 0; i < EAGER + 10; i++) {
      send(7);
    }
    data[1] = 1;
    later.add(isend(LONG_BYTES, 7, Mode.STANDARD));
    data[1] = 2;
    later.add(isend(BYTES, 7, Mode.SYNCHRONOUS));
    data[1] = 3;
    send(7);
    data[1] = 0;
    for (int i = 0; i < EAGER + 10; i++) {
      receive(LONG_BYTES, 7);
      assertThat(data[1]).isZero();
    }
    for (int i = 1; i <= 3; i++) {
      receive(LONG_BYTES, 7);
      assertThat(data[1]).isEqualTo(i);
    }
    assertThat(later).allMatch(Request::test);
  }

  @Test
  void longOnesAndSynchronousOnesWaitForTheirReceive() {
    for (int i = 0; i <= EAGER; i++) {
      send(i);
    }
    Request longer = isend(LONG_BYTES, 1_000_000, Mode.STANDARD);
    Request synchronous = isend(BYTES, 1_000_001, Mode.SYNCHRONOUS);
    for (int i = 0; i < 100; i++) {
      assertThat(longer.test() || synchronous.test()).isFalse();
      receiver.poll();
      nanos += 1_000_000;
    }
    receive(BYTES, 1_000_001);
    receive(LONG_BYTES, 1_000_000);
    assertThat(longer.test() && synchronous.test()).isTrue();
    receiveAll(0, EAGER + 1);
  }

  /** It sees returned credit, though it makes no calls but sends. */
  @Test
  void aSenderThatOnlySendsKeepsRoom() {
    for (int i = 0; i < 10 * (EAGER + COPIES); i++) {
      send(i);
      receiver.recv(data, 0, BYTES, 0, CONTEXT, i);
      receiver.poll();
    }
    assertThat(sender.requests().copies.inUse()).isFalse();
  }

  /** A receiver with other work in each call gets the message that it waits for. */
  @Test
  void aBusyReceiverGetsLaterMessages() {
    for (int i = 0; i < EAGER + COPIES; i++) {
      send(i);
    }
    Request last = receiver.irecv(data, 0, BYTES, 0, CONTEXT, EAGER + COPIES - 1);
    int round = 0;
    while (!last.test()) {
      assertThat(round++).as("rounds without an end").isLessThan(1_000_000);
      // The answer to this message is work in the next poll.
      Request other = receiver.isend(new byte[0], 0, 0, 0, CONTEXT, 5, Mode.SYNCHRONOUS);
      assertThat(other.test()).isFalse();
      sender.irecv(new byte[0], 0, 0, 1, CONTEXT, 5).waitFor();
      nanos += 1_000_000;
    }
    receiveAll(0, EAGER + COPIES - 1);
  }

  /** A rank asks for more as long as it waits for another rank, and its memory is limited. */
  @Test
  void aReceiverThatWaitsForSomethingElseDoesNotTakeAll() {
    Request other = receiver.irecv(new long[1], 0, 8, 0, CONTEXT, 1_000_000);
    int most = 0;
    int sent = 0;
    for (int round = 0; round < 2_000; round++) {
      Request r = sender.isend(new long[1], 0, 8, 1, CONTEXT, 7, Mode.STANDARD);
      for (int i = 0; r.status() != null && i < 100; i++) {
        sent++;
        r = sender.isend(new long[1], 0, 8, 1, CONTEXT, 7, Mode.STANDARD);
      }
      assertThat(other.test()).isFalse();
      sender.poll();
      nanos += 1_000_000;
      most = Math.max(most, Ranks.unexpected(receiver));
    }
    long cost = 8 + FlowLimits.MESSAGE_COST;
    long room = FlowLimits.windowBytes(2) + sender.requests().copies.bytes();
    assertThat(most * cost).isGreaterThan(FlowLimits.windowBytes(2));
    assertThat(sent * cost).isLessThanOrEqualTo(room + sender.requests().copies.bytes());
  }

  /** A checkpoint has all sent messages, and their sender has room again. */
  @Test
  void aCheckpointTakesThem() {
    int all = EAGER + COPIES;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          long[] message = new long[BYTES / Long.BYTES];
          if (m.rank() == 0) {
            m.copies((long) COPIES * (BYTES + FlowLimits.MESSAGE_COST));
            for (int i = 0; i < all; i++) {
              message[0] = i;
              m.send(message, 0, BYTES, 1, CONTEXT, i, Mode.STANDARD);
            }
            m.recv(message, 0, 0, 1, CONTEXT, 0);
            assertThat(m.requests().copies.inUse()).isFalse();
            return;
          }
          m.mailbox().pull(true);
          while (m.userArrived() < all) {
            m.fetchUnexpected();
            m.poll();
          }
          m.fetchUnexpected();
          m.mailbox().pull(false);
          assertThat(Ranks.unexpectedBytes(m)).isEqualTo((long) all * BYTES);
          m.send(message, 0, 0, 0, CONTEXT, 0, Mode.STANDARD);
          for (int i = 0; i < all; i++) {
            m.recv(message, 0, BYTES, 0, CONTEXT, i);
            assertThat(message[0]).isEqualTo(i);
          }
        });
  }

  @Test
  void anEpochInWhichAllRollBackBeginsWithAnEmptyOne() {
    for (int i = 0; i < EAGER + COPIES; i++) {
      send(i);
    }
    enter(1);
    assertThat(sender.requests().copies.inUse()).isFalse();
    for (int i = 0; i < EAGER + COPIES; i++) {
      send(i);
    }
    receiveAll(0, EAGER + COPIES);
  }

  /** The messages are in the log, and are resent from it. */
  @Test
  void anEpochInWhichTheProgramContinuesSendsThemOutOfTheLog() {
    MessageLedger senderLedger =
        new MessageLedger(sender, new MessageLog(0, 2, 100_000_000, new CountingJob()), null);
    sender.ledger().atRecoveryLine(true);
    int all = EAGER + COPIES;
    for (int i = 0; i < all; i++) {
      send(i);
    }
    MemoryNetwork next = new MemoryNetwork(2, 1, Options.PLAIN);
    receiver.enter(1, new Transport[] {next.transport(1)});
    sender.resume(1, new Transport[] {next.transport(0)});
    assertThat(sender.requests().copies.inUse()).isFalse();
    assertThat(senderLedger.resend(1)).containsExactly(all, (long) all * BYTES);
    receiveAll(0, all);
    assertThat(Ranks.unexpected(receiver)).isZero();
  }

  @Test
  void byDefaultItsRoomFollowsFromTheHeap() {
    JobSettings job = RankConfigs.job(2).build();
    assertThat(job.sendBufferBytes(4L << 30)).isEqualTo(256 << 20);
    assertThat(job.sendBufferBytes(64 << 20)).isEqualTo(16 << 20);
    assertThat(RankConfigs.job(2).sendBufferBytes(0).build().sendBufferBytes(4L << 30)).isZero();
  }

  /** Two ranks send each other more than their windows hold before they receive. */
  @Test
  void bothSendFirst() {
    int n = 3 * EAGER;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          m.copies(100_000_000);
          byte[] message = new byte[BYTES];
          int other = 1 - m.rank();
          for (int i = 0; i < n; i++) {
            message[0] = (byte) i;
            m.send(message, 0, BYTES, other, CONTEXT, 7, Mode.STANDARD);
          }
          for (int i = 0; i < n; i++) {
            m.recv(message, 0, BYTES, other, CONTEXT, 7);
            assertThat(message[0]).isEqualTo((byte) i);
          }
        });
  }

  /** Messages of any length and mode, received in another order, with little room. */
  @Test
  void inRandomOrder() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom chance = new SplittableRandom(seed);
      int n = 200;
      int[] lengths = chance.ints(n, 0, 200).toArray();
      int[] tags = chance.ints(n, 0, 3).toArray();
      long room = chance.nextLong(5_000);
      int[] order = {chance.nextInt(3), 0, 0};
      order[1] = (order[0] + 1) % 3;
      order[2] = (order[0] + 2) % 3;
      Ranks.run(
          2,
          seed,
          Options.ROUGH,
          m -> {
            if (m.rank() == 0) {
              m.copies(room);
              Request[] all = new Request[n];
              for (int i = 0; i < n; i++) {
                byte[] message = new byte[lengths[i]];
                Arrays.fill(message, (byte) i);
                all[i] = m.isend(message, 0, lengths[i], 1, CONTEXT, tags[i], Mode.STANDARD);
                if (all[i].test()) {
                  Arrays.fill(message, (byte) -1);
                }
              }
              Request.waitAll(all);
              return;
            }
            for (int tag : order) {
              for (int i = 0; i < n; i++) {
                if (tags[i] == tag) {
                  byte[] message = new byte[lengths[i]];
                  m.recv(message, 0, lengths[i], 0, CONTEXT, tag);
                  for (byte b : message) {
                    assertThat(b).isEqualTo((byte) i);
                  }
                }
              }
            }
          });
    }
  }
}
