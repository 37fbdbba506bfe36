package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.fmi.Request;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.junit.jupiter.api.Test;

/** A fast sender is slowed down: the memory of a receiver is bounded. */
class FlowControlTest {
  private static final int CONTEXT = 0;

  @Test
  void eagerMessagesStayWithinTheWindow() {
    int n = 20_000;
    int bytes = 1_024;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] data = new byte[bytes];
          if (m.rank() == 0) {
            for (int i = 0; i < n; i++) {
              m.send(data, 0, bytes, 1, CONTEXT, 1, Mode.STANDARD);
            }
            m.send(data, 0, 0, 1, CONTEXT, 2, Mode.STANDARD);
            return;
          }
          long most = 0;
          for (int i = 0; i < n; i++) {
            // Takes in all messages sent so far before it receives one.
            m.probe(0, CONTEXT, 1);
            for (int k = 0; k < 3; k++) {
              m.poll();
            }
            most = Math.max(most, Ranks.unexpectedBytes(m));
            m.recv(data, 0, bytes, 0, CONTEXT, 1);
          }
          m.recv(data, 0, 0, 0, CONTEXT, 2);
          assertThat(most).isPositive().isLessThanOrEqualTo(FlowLimits.windowBytes(2));
        });
  }

  @Test
  void aFullTransportDoesNotMakeASenderWaitForTheReceiver() {
    int n = 200;
    Ranks.run(
        2,
        1,
        new Options(4_096, 4_096, 4, 0.5, 0),
        m -> {
          byte[] data = new byte[4_096];
          int other = 1 - m.rank();
          // All messages fit into the window: both may send before one of them receives.
          for (int i = 0; i < n; i++) {
            m.send(data, 0, 4_096, other, CONTEXT, 1, Mode.STANDARD);
          }
          for (int i = 0; i < n; i++) {
            m.recv(data, 0, 4_096, other, CONTEXT, 1);
          }
        });
  }

  @Test
  void emptyMessagesAreBoundedToo() {
    int n = 30_000;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] data = new byte[0];
          if (m.rank() == 0) {
            for (int i = 0; i < n; i++) {
              m.send(data, 0, 0, 1, CONTEXT, 1, Mode.STANDARD);
            }
            return;
          }
          int most = 0;
          for (int i = 0; i < n; i++) {
            m.probe(0, CONTEXT, 1);
            m.poll();
            most = Math.max(most, Ranks.unexpected(m));
            m.recv(data, 0, 0, 0, CONTEXT, 1);
          }
          assertThat((long) most)
              .isLessThanOrEqualTo(FlowLimits.windowBytes(2) / FlowLimits.MESSAGE_COST + 1);
        });
  }

  @Test
  void announcementsAreBoundedUntilTheReceiverNeedsLaterOnes() {
    int n = 3 * FlowLimits.ANNOUNCEMENTS + 10;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          int[] box = new int[1];
          if (m.rank() == 0) {
            Request[] all = new Request[n];
            int[][] data = new int[n][1];
            for (int i = 0; i < n; i++) {
              data[i][0] = i;
              all[i] = m.isend(data[i], 0, 4, 1, CONTEXT, i, Mode.SYNCHRONOUS);
            }
            m.recv(box, 0, 0, 1, CONTEXT, 0);
            Request.waitAll(all);
            return;
          }
          m.probe(0, CONTEXT, 0);
          // No message is needed: however long this rank polls, no more are announced.
          for (int i = 0; i < 100_000; i++) {
            m.poll();
          }
          assertThat(Ranks.unexpected(m)).isLessThanOrEqualTo(FlowLimits.ANNOUNCEMENTS);
          m.send(box, 0, 0, 0, CONTEXT, 0, Mode.STANDARD);
          // The last one first.
          for (int i = n - 1; i >= 0; i--) {
            m.recv(box, 0, 4, 0, CONTEXT, i);
            assertThat(box[0]).isEqualTo(i);
          }
          assertThat(Ranks.unexpected(m)).isZero();
        });
  }

  /** Begins sends that wait for their receives, with tags from 0 on. */
  private static Request[] announce(Messenger m, int n) {
    Request[] all = new Request[n];
    for (int i = 0; i < n; i++) {
      all[i] = m.isend(new int[1], 0, 4, 1, CONTEXT, i, Mode.SYNCHRONOUS);
    }
    return all;
  }

  private static void receive(Messenger m, int n) {
    for (int i = 0; i < n; i++) {
      m.recv(new int[1], 0, 4, 0, CONTEXT, i);
    }
  }

  /** All messages that fill the window arrive at once, before the probe checks the first one. */
  @Test
  void anAnsweredProbeAllowsNoMoreAnnouncements() {
    int n = 2 * FlowLimits.ANNOUNCEMENTS;
    AtomicBoolean filled = new AtomicBoolean();
    Ranks.run(
        2,
        1,
        new Options(16 << 10, 4 << 10, n, 0, 0),
        m -> {
          if (m.rank() == 0) {
            Request[] all = announce(m, n);
            filled.set(true);
            Request.waitAll(all);
            return;
          }
          while (!filled.get()) {
            Thread.onSpinWait();
          }
          m.probe(0, CONTEXT, 0);
          for (int i = 0; i < 100_000; i++) {
            m.poll();
          }
          assertThat(Ranks.unexpected(m)).isEqualTo(FlowLimits.ANNOUNCEMENTS);
          receive(m, n);
        });
  }

  @Test
  void aProbeReachesMessagesBeyondTheWindow() {
    int n = 2 * FlowLimits.ANNOUNCEMENTS;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          if (m.rank() == 0) {
            Request[] all = announce(m, n);
            Request.waitAll(all);
          } else {
            assertThat(m.probe(0, CONTEXT, n - 1).tag()).isEqualTo(n - 1);
            receive(m, n);
          }
        });
  }

  @Test
  void windowsShrinkWithTheJob() {
    assertThat(FlowLimits.windowBytes(1)).isEqualTo(1 << 20);
    assertThat(FlowLimits.windowBytes(64)).isEqualTo(1 << 20);
    assertThat(FlowLimits.windowBytes(256)).isEqualTo(256 << 10);
    assertThat(FlowLimits.windowBytes(100_000)).isEqualTo(64 << 10);
  }
}
