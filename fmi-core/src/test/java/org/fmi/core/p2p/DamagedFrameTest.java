package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.ShortWaits;
import org.fmi.spi.Landing;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames with lengths that contradict what else is known break the connection to their sender. */
class DamagedFrameTest {
  private static final int CONTEXT = 0;
  private static final int EPOCH = 3;

  /** The length of a message that rank 1 has announced, and one that rank 0 has. */
  private static final int ANNOUNCED = 100;

  private static final int MOST = 4096;

  private final List<String> lost = new ArrayList<>();
  private final MemorySegment memory =
      MemorySegment.ofArray(new byte[FrameLayout.HEADER_BYTES + MOST]);
  private final byte[] box = new byte[MOST];
  private final Messenger m =
      new Messenger(0, 3, ShortWaits.strategy(), (peer, reason) -> lost.add(peer + ": " + reason));

  DamagedFrameTest() {
    enter(EPOCH);
  }

  private void enter(int epoch) {
    m.enter(epoch, new Transport[] {new MemoryNetwork(3, 1, Options.WAITING).transport(0)});
  }

  private static Frame frame(byte kind, long sequence, long length, int payload) {
    Frame f = new Frame();
    f.epoch = EPOCH;
    f.kind = kind;
    f.tag = 7;
    f.sequence = sequence;
    f.length = length;
    f.payload = payload;
    return f;
  }

  private void take(int peer, Frame frame) {
    frame.encodeHeader(memory, 0);
    m.onFrame(peer, memory, 0);
  }

  /** Message 0 of rank 1 waits for its data, and message 0 to rank 1 for its CTS. */
  private void begin() {
    var _ = m.irecv(box, 0, MOST, 1, CONTEXT, 7);
    take(1, frame(FrameKind.RTS, 0, ANNOUNCED, 0));
    var _ = m.isend(new byte[ANNOUNCED], 0, ANNOUNCED, 1, CONTEXT, 7, Mode.STANDARD);
    m.poll();
    assertThat(lost).isEmpty();
  }

  record Case(String what, Frame frame) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Case> damaged() {
    return Stream.of(
        new Case("8 bytes in a frame of 9", frame(FrameKind.EAGER, 0, 8, 9)),
        new Case("9 bytes in a frame of 8", frame(FrameKind.EAGER, 0, 9, 8)),
        new Case("-1 bytes in a frame of 8", frame(FrameKind.EAGER, 0, -1, 8)),
        new Case("4294967304 bytes in a frame of 8", frame(FrameKind.EAGER, 0, (1L << 32) + 8, 8)),
        new Case("-1 bytes with a ticket of 0", frame(FrameKind.RTS, 1, -1, 0)),
        new Case("100 bytes with a ticket of 4", frame(FrameKind.RTS, 1, 100, 4)),
        new Case("100 bytes with a ticket of 4096", frame(FrameKind.RTS, 1, 100, MOST)),
        new Case("cleared message 9, which", frame(FrameKind.CTS, 9, ANNOUNCED, 0)),
        new Case("cleared 99 bytes of message 0, which has 100", frame(FrameKind.CTS, 0, 99, 0)),
        new Case("data of message 9, which", frame(FrameKind.DATA, 9, ANNOUNCED, 8)),
        new Case("sent 101 bytes from byte 0 on", frame(FrameKind.DATA, 0, ANNOUNCED, 101)),
        new Case("sent -1 bytes from byte 0 on", frame(FrameKind.DATA, 0, ANNOUNCED, -1)),
        new Case("of a message of 101 bytes", frame(FrameKind.DATA, 0, ANNOUNCED + 1, 8)),
        new Case("returned credit of -1 bytes", frame(FrameKind.CREDIT, 0, -1, 0)),
        new Case("returned credit of 1 bytes, of which 0", frame(FrameKind.CREDIT, 0, 1, 0)),
        new Case("allowed -1 announcements", frame(FrameKind.CREDIT, -1, 0, 0)),
        new Case("unknown kind 99", frame((byte) 99, 0, 0, 0)));
  }

  @ParameterizedTest
  @MethodSource("damaged")
  void breaksTheConnection(Case damaged) {
    begin();
    take(1, damaged.frame);
    assertThat(lost)
        .singleElement()
        .asString()
        .startsWith("1: damaged frame: rank 1 ")
        .contains(damaged.what);
    assertThat(box).as("nothing is copied").containsOnly(0);
    assertThat(m.mailbox().unexpected().count()).as("nothing is kept").isZero();
  }

  /** Else a message could take the place of the one that was not understood. */
  @Test
  void furtherFramesOfThePeerAreDroppedUntilTheNextEpoch() {
    take(1, frame(FrameKind.EAGER, 0, 9, 8));
    take(1, frame(FrameKind.EAGER, 1, 8, 8));
    assertThat(m.mailbox().unexpected().count()).isZero();
    assertThat(m.staleFrames()).isEqualTo(1);
    take(2, frame(FrameKind.EAGER, 0, 8, 8));
    assertThat(m.mailbox().unexpected().count()).as("another peer's").isEqualTo(1);
    assertThat(lost).hasSize(1);

    enter(EPOCH + 1);
    Frame next = frame(FrameKind.EAGER, 0, 8, 8);
    next.epoch = EPOCH + 1;
    take(1, next);
    assertThat(m.mailbox().unexpected().count()).isEqualTo(1);
    assertThat(m.staleFrames()).isEqualTo(1);
  }

  @Test
  void nothingLandsBeyondItsMessage() {
    begin();
    Landing landing = new Landing();
    lands(frame(FrameKind.DATA, 0, ANNOUNCED, ANNOUNCED), landing, true);
    assertThat(landing.base).isSameAs(box);
    lands(frame(FrameKind.DATA, 0, ANNOUNCED, ANNOUNCED + 1), landing, false);
    assertThat(lost)
        .containsExactly(
            "1: damaged frame: rank 1 sent 101 bytes from byte 0 on of a message of 100 bytes,"
                + " which was announced with 100");
    lands(frame(FrameKind.DATA, 0, ANNOUNCED, ANNOUNCED), landing, false);
    assertThat(lost).hasSize(1);
  }

  private void lands(Frame frame, Landing landing, boolean lands) {
    frame.encodeHeader(memory, 0);
    assertThat(m.land(1, memory, 0, landing)).isEqualTo(lands);
  }

  /** A part that fits is taken, and the next one begins after it. */
  @Test
  void partsAreCountedTogether() {
    begin();
    take(1, frame(FrameKind.DATA, 0, ANNOUNCED, 60));
    assertThat(lost).isEmpty();
    take(1, frame(FrameKind.DATA, 0, ANNOUNCED, 41));
    assertThat(lost).singleElement().asString().contains("sent 41 bytes from byte 60 on");
  }

  @Test
  void ticketsOfAllLengthsAreTaken() {
    for (int longs = 0; longs <= RemoteMemory.TICKET_LONGS; longs++) {
      take(1, frame(FrameKind.RTS, longs, 100, Long.BYTES * longs));
    }
    assertThat(lost).isEmpty();
    assertThat(m.mailbox().unexpected().count()).isEqualTo(RemoteMemory.TICKET_LONGS + 1);
  }
}
