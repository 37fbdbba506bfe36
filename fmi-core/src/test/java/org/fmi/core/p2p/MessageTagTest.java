package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InvalidObjectException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Datatype.Predefined;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.Recording;
import org.fmi.core.log.StateRequests;
import org.fmi.core.log.UnexpectedImage;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tags that carry the type of the elements, wherever a message is stored. */
final class MessageTagTest {
  private static final int CONTEXT = 4;
  private static final long INTS = MessageTag.of(Predefined.INT, 7);
  private static final long DOUBLES = MessageTag.of(Predefined.DOUBLE, 7);

  @ParameterizedTest
  @EnumSource
  void aTypeMatchesItselfAndBytesOnly(Predefined type) {
    long tag = MessageTag.of(type, 7);
    for (Predefined other : Predefined.values()) {
      boolean fits = type == other || type == Predefined.BYTE || other == Predefined.BYTE;
      assertThat(MessageTag.isSameType(tag, MessageTag.of(other, 8), 8))
          .describedAs("%s, %s", type, other)
          .isEqualTo(fits);
      assertThat(MessageTag.isSameType(tag, MessageTag.of(other, Comm.ANY_TAG), 8)).isEqualTo(fits);
      assertThat(MessageTag.isSameType(tag, MessageTag.of(other, 7), 0)).isTrue();
    }
    assertThat(MessageTag.isSameType(tag, 7, 8)).isTrue();
    assertThat(MessageTag.isSameType(tag, Comm.ANY_TAG, 8)).isTrue();
    assertThat(MessageTag.elementBytes(tag)).isEqualTo(type.bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, Integer.MAX_VALUE})
  void theProgramsPartIsWhatMatches(int tag) {
    long sent = MessageTag.of(Predefined.INT, tag);
    assertThat(MessageTag.tag(sent)).isEqualTo(tag);
    assertThat(MessageTag.isAny(sent)).isFalse();
    for (long wanted :
        List.of(
            (long) tag,
            MessageTag.of(Predefined.DOUBLE, tag),
            MessageTag.of(Predefined.DOUBLE, Comm.ANY_TAG),
            (long) Comm.ANY_TAG)) {
      assertThat(Pattern.matches(CONTEXT, 1, wanted, CONTEXT, 1, sent)).isTrue();
    }
    long other = MessageTag.of(Predefined.INT, tag ^ 1);
    assertThat(Pattern.matches(CONTEXT, 1, other, CONTEXT, 1, sent)).isFalse();
    long narrowed = MessageTag.narrow(MessageTag.of(Predefined.DOUBLE, Comm.ANY_TAG), sent);
    assertThat(narrowed).isEqualTo(MessageTag.of(Predefined.DOUBLE, tag));
  }

  @Test
  void anExchangeReceivesWhatItsIterationHasSent() {
    long fifth = MessageTag.in(5, INTS);
    assertThat(MessageTag.iteration(fifth)).isEqualTo(5);
    assertThat(MessageTag.tag(fifth)).isEqualTo(7);
    assertThat(MessageTag.isSameType(fifth, DOUBLES, 8)).isFalse();
    assertThat(MessageTag.isSameIteration(fifth, fifth)).isTrue();
    assertThat(MessageTag.isSameIteration(MessageTag.in(4, INTS), fifth)).isFalse();
    assertThat(MessageTag.isSameIteration(INTS, fifth)).isFalse();
    assertThat(MessageTag.isSameIteration(fifth, INTS)).isTrue();
    assertThat(MessageTag.isSameIteration(fifth, Comm.ANY_TAG)).isTrue();
    long any = MessageTag.in(5, MessageTag.of(Predefined.INT, Comm.ANY_TAG));
    assertThat(MessageTag.isAny(any)).isTrue();
    assertThat(MessageTag.isSameIteration(fifth, any)).isTrue();
    // Later iterations of a long loop are never taken for this one.
    for (long far = (1L << 28) - 5; far < (1L << 28) + 5; far++) {
      long before = MessageTag.in(far, INTS);
      assertThat(MessageTag.iteration(before)).isNotEqualTo(MessageTag.NO_ITERATION);
      assertThat(MessageTag.isSameIteration(before, MessageTag.in(far + 1, INTS))).isFalse();
    }
  }

  /** The lower half of a signature may have all bits set, as ANY_TAG has. */
  @Test
  void noCollectiveReceivesByAWildcard() {
    int collectives = Contexts.collectives(Contexts.WORLD);
    assertThat(Pattern.kind(collectives, 1, 0xffff_ffffL)).isEqualTo(Pattern.EXACT);
    assertThat(Pattern.kind(CONTEXT, 1, Comm.ANY_TAG)).isNotEqualTo(Pattern.EXACT);
  }

  // ---- stored messages and requests

  private static void alone(Ranks.Body body) {
    Ranks.run(1, 1, Options.PLAIN, body);
  }

  private static void sendInts(PointToPoint p2p) {
    p2p.send(new int[4], 0, 16, p2p.rank(), CONTEXT, INTS, Mode.STANDARD);
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(FmiException.class)
        .hasMessageStartingWith(
            "TYPE: world rank 0 has sent int[4] where world rank 0 receives double[2], with tag 7");
  }

  private static void rollBack(Messenger m) {
    MemoryNetwork network = new MemoryNetwork(m.size(), 1, Options.PLAIN);
    m.enter(m.epoch() + 1, new Transport[] {network.transport(m.rank())});
  }

  @Test
  void aCheckpointHasTheTypesOfItsMessages() {
    alone(
        m -> {
          sendInts(m);
          MemorySegment image = Arena.ofAuto().allocate(UnexpectedImage.bytes(m.mailbox()));
          UnexpectedImage.write(m.mailbox(), image);
          rollBack(m);
          UnexpectedImage.read(m.mailbox(), image, InTransitImage.EMPTY);
          assertThat(m.probe(0, CONTEXT, 7).tag()).isEqualTo(7);
          assertRefused(() -> m.recv(new double[2], 0, 16, Comm.ANY_SOURCE, CONTEXT, DOUBLES));
        });
  }

  @Test
  void aReceiveFromAnySourceIsForItsTypeStillWhenItIsRepeated() {
    MessageRequest r = Ranks.messenger(0, 1).requests().make();
    r.prepareReceive(
        new double[2],
        0,
        16,
        Comm.ANY_SOURCE,
        CONTEXT,
        MessageTag.of(Predefined.DOUBLE, Comm.ANY_TAG));
    r.matched(0, INTS, 16);
    assertThat(r.outcome()).isEqualTo(MessageRequest.State.OTHER_TYPE);
    r.unmatch();
    assertThat(r.peer).isZero();
    assertThat(r.tag).isEqualTo(DOUBLES);
  }

  private static StandIns standIns(StateRequests kept) {
    return new StandIns() {
      @Override
      public Object of(Object object) {
        return kept.of(object);
      }

      @Override
      public Object find(Object read) throws InvalidObjectException {
        return kept.find(read);
      }
    };
  }

  /** A pending request, and one with its message. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestOfAStateIsForItsType(boolean complete) {
    alone(
        m -> {
          double[] into = new double[2];
          Request receive = m.irecv(into, 0, 16, 0, CONTEXT, DOUBLES);
          if (complete) {
            sendInts(m);
          }
          StateRequests kept = new StateRequests(m);
          kept.writes(List.of(into));
          byte[] image = ObjectCodec.write(new Request[] {receive}, standIns(kept));
          rollBack(m);
          StateRequests found = new StateRequests(m);
          Request[] again = (Request[]) ObjectCodec.read(image, standIns(found));
          found.haveRead(List.of(into));
          if (!complete) {
            sendInts(m);
          }
          assertRefused(again[0]::waitFor);
        });
  }

  /** A call refused outside of loops is refused in the replay too. */
  @Test
  void aReplayRefusesToo() {
    alone(
        m -> {
          Recording program = new Recording(m, 1 << 20, () -> {});
          program.recorder().record();
          Runnable calls =
              () -> {
                sendInts(program);
                assertRefused(() -> program.recv(new double[2], 0, 16, 0, CONTEXT, DOUBLES));
              };
          calls.run();
          program.recorder().startReplay(mismatch -> {});
          calls.run();
          program.recorder().endReplay();
          assertThat(Ranks.unexpected(m)).isZero();
        });
  }
}
