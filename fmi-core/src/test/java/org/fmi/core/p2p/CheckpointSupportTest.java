package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.Comm;
import org.fmi.Status;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.UnexpectedImage;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that were sent but not received yet are saved in a checkpoint and restored from it. */
class CheckpointSupportTest {
  private static final int CONTEXT = 4;
  private static final int INTERNAL = 3;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void unexpectedMessagesAreSavedAndRestoredInOrder(long seed) {
    int n = 50;
    Options options = seed == 1 ? Options.PLAIN : Options.ROUGH;
    MemoryNetwork second = new MemoryNetwork(2, seed, options);
    Ranks.run(
        2,
        seed,
        options,
        m -> {
          byte[] data = new byte[10_000];
          int other = 1 - m.rank();
          m.attachBuffer(1 << 20);
          for (int i = 0; i < n; i++) {
            data[0] = (byte) i;
            // Short ones, long ones that only the buffer holds, and some from a rank to itself.
            m.send(data, 0, 1 + i * 150L, other, CONTEXT, i % 3, Mode.BUFFERED);
            m.send(data, 0, 1 + i * 150L, m.rank(), CONTEXT, 7, Mode.BUFFERED);
          }
          m.send(data, 0, 1, other, INTERNAL, 0, Mode.STANDARD);
          // The checkpoint is possible once all sent messages have arrived and been fetched.
          while (m.userArrived() < n) {
            m.park();
          }
          m.fetchUnexpected();
          // The checkpoint leaves the internal context out.
          m.recv(data, 0, 1, other, INTERNAL, 0);
          assertThat(m.userSent()).isEqualTo(n);
          MemorySegment image = Arena.ofAuto().allocate(UnexpectedImage.bytes(m.mailbox()));
          UnexpectedImage.write(m.mailbox(), image);
          assertThat(image.get(FrameLayout.LONG, 0)).isEqualTo(2L * n);
          Ranks.barrier(m);

          m.enter(1, new Transport[] {second.transport(m.rank())});
          // A fast peer's new message must not overtake the old ones.
          data[0] = 99;
          m.send(data, 0, 1, other, CONTEXT, 0, Mode.STANDARD);
          while (m.userArrived() == 0) {
            m.park();
          }
          UnexpectedImage.read(m.mailbox(), image, InTransitImage.EMPTY);
          for (int tag = 0; tag < 3; tag++) {
            for (int i = tag; i < n; i += 3) {
              Status s = m.recv(data, 0, 10_000, Comm.ANY_SOURCE, CONTEXT, tag);
              assertThat(s).isEqualTo(new Status(other, tag, 1 + i * 150L));
              assertThat(data[0]).isEqualTo((byte) i);
            }
          }
          assertThat(m.recv(data, 0, 10_000, other, CONTEXT, Comm.ANY_TAG).bytes()).isEqualTo(1);
          assertThat(data[0]).isEqualTo((byte) 99);
          for (int i = 0; i < n; i++) {
            m.recv(data, 0, 10_000, m.rank(), CONTEXT, 7);
            assertThat(data[0]).isEqualTo((byte) i);
          }
          assertThat(UnexpectedImage.bytes(m.mailbox())).isEqualTo(8);
          Ranks.barrier(m);
        });
  }

  @Test
  void messagesAtTheirSenderCannotBeSaved() {
    Ranks.run(
        1,
        1,
        Options.PLAIN,
        m -> {
          byte[] large = new byte[100_000];
          var request = m.isend(large, 0, 100_000, 0, CONTEXT, 1, Mode.STANDARD);
          MemorySegment image = Arena.ofAuto().allocate(UnexpectedImage.bytes(m.mailbox()));
          assertThatThrownBy(() -> UnexpectedImage.write(m.mailbox(), image))
              .isInstanceOf(IllegalStateException.class);
          m.fetchUnexpected();
          assertThat(request.test()).isTrue();
          UnexpectedImage.write(m.mailbox(), image);
        });
  }

  /** The rank would never reach the place where all ranks meet. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aSenderDoesNotWaitForARankThatPulls(long seed) {
    Ranks.run(
        2,
        seed,
        seed == 1 ? Options.PLAIN : Options.ROUGH,
        m -> {
          byte[] data = new byte[100_000];
          if (m.rank() == 0) {
            data[99_999] = 7;
            m.send(data, 0, 100_000, 1, CONTEXT, 1, Mode.STANDARD);
            m.send(data, 0, 1, 1, CONTEXT, 1, Mode.SYNCHRONOUS);
            Ranks.barrier(m);
          } else {
            m.mailbox().pull(true);
            Ranks.barrier(m);
            m.mailbox().pull(false);
            assertThat(UnexpectedImage.bytes(m.mailbox())).isGreaterThan(100_000);
            assertThat(m.recv(data, 0, 100_000, 0, CONTEXT, 1).bytes()).isEqualTo(100_000);
            assertThat(data[99_999]).isEqualTo((byte) 7);
            assertThat(m.recv(data, 0, 100_000, 0, CONTEXT, 1).bytes()).isEqualTo(1);
          }
        });
  }

  @Test
  void discardedMessagesGiveTheirWindowBack() {
    int rounds = 20;
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] data = new byte[4_000];
          for (int round = 0; round < rounds; round++) {
            if (m.rank() == 0) {
              for (int i = 0; i < 200; i++) {
                m.send(data, 0, 4_000, 1, CONTEXT, 1, Mode.STANDARD);
              }
              var late = m.isend(data, 0, 4_000, 1, CONTEXT, 1, Mode.SYNCHRONOUS);
              Ranks.barrier(m);
              late.waitFor();
              Ranks.barrier(m);
            } else {
              Ranks.barrier(m);
              m.mailbox().discard();
              assertThat(UnexpectedImage.bytes(m.mailbox())).isEqualTo(8);
              Ranks.barrier(m);
            }
          }
        });
  }
}
