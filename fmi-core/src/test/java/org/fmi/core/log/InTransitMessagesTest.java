package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.Datatype.Predefined;
import org.fmi.core.p2p.MessageTag;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Classification of messages; {@code OverlapSimulationTest} tests whole ranks. */
final class InTransitMessagesTest {
  private static final int CONTEXT = 4;
  private static final int OTHER = 1;

  private final InTransitMessages lines = new InTransitMessages(2);
  private final InTransitMessages others = new InTransitMessages(2);

  InTransitMessagesTest() {
    for (InTransitMessages each : new InTransitMessages[] {lines, others}) {
      Listener listener = new Listener();
      each.enable(new MessageLog(0, 2, 0, listener), listener);
      each.enter();
      each.reach(5);
    }
  }

  /** Reports of messages that differ when they are replayed. */
  private final List<String> different = new ArrayList<>();

  private final class Listener extends CountingJob {
    @Override
    public void differs(int dest, int context, long tag, long lengthBefore, long length) {
      different.add("to " + dest + ": " + lengthBefore + ", now " + length);
    }
  }

  private static boolean sends(InTransitMessages from, long... data) {
    return from.sends(data, 0, (long) Long.BYTES * data.length, 0, CONTEXT, 1);
  }

  private static void send(InTransitMessages from) {
    assertThat(sends(from, 7)).isTrue();
  }

  private InTransitMessages.@Nullable Crossing arrives(long stamp, long tag) {
    return lines.arrives(OTHER, CONTEXT, tag, Long.BYTES, stamp);
  }

  /** A message of the other rank that is early here. */
  private InTransitMessages.Crossing early() {
    send(others);
    return Objects.requireNonNull(arrives(others.stamp(), 1));
  }

  /** This rank's early messages as the other rank learns of them. */
  private List<InTransitMessages.Received> told() {
    return lines.earlyAtLine().stream()
        .map(come -> new InTransitMessages.Received(0, come.length(), come.sum()))
        .toList();
  }

  private static void comes(InTransitMessages.Crossing message, long value) {
    message.received(MemorySegment.ofArray(new long[] {value}), 0);
  }

  @Test
  void noMessageCrossesBetweenTwoRecoveryLines() {
    send(others);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.othersAhead()).isFalse();
  }

  @Test
  void savesAndCountsALateMessage() {
    send(others);
    long before = others.stamp();
    others.begin(6);
    lines.begin(6);
    long sent = others.sentBefore()[0];
    assertThat(sent).isEqualTo(1);
    assertThat(lines.isComplete(sent)).isFalse();
    InTransitMessages.Crossing late = Objects.requireNonNull(arrives(before, 9));
    assertThat(lines.isComplete(sent)).isFalse();
    comes(late, 77);
    assertThat(lines.isComplete(sent)).isTrue();
    assertThat(lines.saved()).singleElement().extracting(m -> m.tag).isEqualTo(9L);
  }

  @Test
  void leavesOutAnEarlyMessageWhenItsSenderRollsBack() {
    others.begin(6);
    comes(early(), 7);
    assertThat(lines.othersAhead()).isTrue();
    lines.begin(6);
    assertThat(lines.othersAhead()).isFalse();
    assertThat(lines.isComplete(others.sentBefore()[0])).isTrue();
    assertThat(told()).hasSize(1);

    others.rollBack(List.of(), told(), new long[0]);
    assertThat(others.notToSend()).hasSize(1);
    assertThat(sends(others, 7)).isFalse();
    assertThat(sends(others, 7)).isTrue();
    assertThat(others.notToSend()).isEmpty();
    assertThat(different).isEmpty();
  }

  @Test
  void comparesLeftOutMessagesWithReceivedOnes() {
    others.begin(6);
    comes(early(), 7);
    comes(early(), 8);
    lines.begin(6);
    others.rollBack(List.of(), told(), new long[0]);
    assertThat(sends(others, 9)).isFalse();
    assertThat(sends(others, 8, 8)).isFalse();
    assertThat(different).containsExactly("to 0: 8, now 8", "to 0: 8, now 16");
  }

  /**
   * A long message, whose data arrives after this rank's recovery line: late data of an early
   * message.
   */
  @Test
  void savesAndComparesUnmatchedMessagesAtTheRecoveryLine() {
    others.begin(6);
    InTransitMessages.Crossing announced = early();
    lines.begin(6);
    InTransitMessages.Saved kept =
        lines.save(CONTEXT, OTHER, 1, Long.BYTES, (InTransitMessages.Early) announced);
    assertThat(lines.isComplete(0)).isFalse();
    comes(kept, 7);
    assertThat(lines.isComplete(0)).isTrue();
    others.rollBack(List.of(), told(), new long[0]);
    assertThat(sends(others, 8)).isFalse();
    assertThat(different).hasSize(1);
  }

  /** The next recovery line is reached before all messages not to be sent were reached again. */
  @Test
  void messagesStillLeftOutPrecedeNewEarlyOnes() {
    InTransitMessages.Received first = new InTransitMessages.Received(0, 8, 0);
    InTransitMessages.Received second = new InTransitMessages.Received(0, 16, 0);
    others.rollBack(List.of(first), List.of(second), new long[0]);
    assertThat(others.notToSend()).containsExactly(first, second);
    assertThat(sends(others, 7)).isFalse();
    assertThat(others.notToSend()).containsExactly(second);
  }

  @Test
  void recordingEndsWithTheFirstMessageFromARankThatKnowsAllHaveBegun() {
    others.begin(6);
    lines.begin(6);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.isRecording()).isTrue();
    others.stop();
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.isRecording()).isFalse();
  }

  @Test
  void aMessageOfTheNextRecoveryLineCountsForThatLine() {
    others.begin(6);
    lines.begin(6);
    others.close();
    others.begin(7);
    InTransitMessages.Crossing _ = early();
    assertThat(lines.earlyAtLine()).isEmpty();
    lines.close();
    lines.begin(7);
    assertThat(lines.earlyAtLine()).hasSize(1);
  }

  @Test
  void anInTransitMessageHasItsType() {
    long ints = MessageTag.of(Predefined.INT, 7);
    assertThat(lines.save(CONTEXT, 0, ints, 16, null).tag).isEqualTo(ints);
  }

  @Test
  void anImageHoldsTheMessagesThatCross() {
    others.begin(6);
    comes(early(), 7);
    lines.begin(6);
    comes(lines.save(CONTEXT, OTHER, 1L << 40, Long.BYTES, null), 42);
    long[] decided = {3, 4, 5};
    List<InTransitMessages.Received> unneeded =
        List.of(new InTransitMessages.Received(1, 6, 60), new InTransitMessages.Received(1, 7, 70));
    InTransitImage image =
        new InTransitImage(
            MemorySegment.ofArray(new byte[(int) InTransitImage.bytes(lines, unneeded, decided)]));
    image.write(lines, unneeded, decided);
    assertThat(image.early()).isEqualTo(lines.earlyAtLine()).hasSize(1);
    assertThat(image.notToSend()).isEqualTo(unneeded);
    assertThat(image.determinants()).containsExactly(decided);
    List<Long> restored = new ArrayList<>();
    image.read(
        (context, source, tag, bytes, memory, at) -> {
          assertThat(context).isEqualTo(CONTEXT);
          assertThat(source).isEqualTo(OTHER);
          assertThat(tag).isEqualTo(1L << 40);
          assertThat(bytes).isEqualTo(Long.BYTES);
          restored.add(memory.get(FrameLayout.LONG, at));
        });
    assertThat(restored).containsExactly(42L);
  }
}
