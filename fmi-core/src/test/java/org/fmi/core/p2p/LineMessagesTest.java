package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which messages cross a line; whole ranks are tried in {@code OverlapSimulationTest}. */
final class LineMessagesTest {
  private static final int CONTEXT = 4;
  private static final int OTHER = 1;

  private final LineMessages lines = new LineMessages(2);
  private final LineMessages others = new LineMessages(2);

  LineMessagesTest() {
    for (LineMessages each : new LineMessages[] {lines, others}) {
      each.enable(new MessageLog(2, 0, new NoListener()));
      each.enter();
      each.reach(5);
    }
  }

  private static final class NoListener implements MessageLog.Listener {
    @Override
    public void caughtUp() {}

    @Override
    public void chooses(Choice choice) {}

    @Override
    public void chose(int first, long[] determinants) {}

    @Override
    public void differs(int dest, int context, long tag, long lengthBefore, long length) {}
  }

  private static void send(LineMessages from) {
    assertThat(from.sends(0)).isTrue();
  }

  private LineMessages.@Nullable Kept arrives(long stamp, long tag) {
    return lines.arrives(OTHER, CONTEXT, tag, Long.BYTES, stamp);
  }

  private static void comes(LineMessages.Kept message, long value) {
    message.comes(MemorySegment.ofArray(new long[] {value}), 0);
  }

  @Test
  void nothingCrossesBetweenTwoLines() {
    send(others);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.othersAreAhead()).isFalse();
  }

  @Test
  void aLateMessageIsKeptAndCounted() {
    send(others);
    long before = others.stamp();
    others.begin(6);
    lines.begin(6);
    long sent = others.sentBefore()[0];
    assertThat(sent).isEqualTo(1);
    assertThat(lines.isComplete(sent)).isFalse();
    LineMessages.Kept late = Objects.requireNonNull(arrives(before, 9));
    assertThat(lines.isComplete(sent)).isFalse();
    comes(late, 77);
    assertThat(lines.isComplete(sent)).isTrue();
    assertThat(lines.kept()).singleElement().extracting(m -> m.tag).isEqualTo(9L);
  }

  @Test
  void anEarlyMessageIsLeftOutWhenItsSenderGoesBack() {
    others.begin(6);
    send(others);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.othersAreAhead()).isTrue();
    lines.begin(6);
    assertThat(lines.othersAreAhead()).isFalse();
    assertThat(lines.isComplete(others.sentBefore()[0])).isTrue();
    assertThat(lines.earlyThere()).containsExactly(0, 1);

    others.goBack(new long[2], new long[] {1, 0}, new long[0]);
    assertThat(others.sends(0)).isFalse();
    assertThat(others.sends(0)).isTrue();
    assertThat(others.unneeded()).containsExactly(0, 0);
  }

  /** The next line comes before all that need not be sent was reached again. */
  @Test
  void whatIsStillToBeLeftOutComesBeforeWhatIsEarlyNow() {
    others.goBack(new long[] {2, 0}, new long[] {3, 0}, new long[0]);
    assertThat(others.unneeded()).containsExactly(5, 0);
    assertThat(others.sends(0)).isFalse();
    assertThat(others.unneeded()).containsExactly(4, 0);
  }

  @Test
  void recordingEndsWithTheFirstMessageOfOneThatKnowsThatAllHaveBegun() {
    others.begin(6);
    lines.begin(6);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.isRecording()).isTrue();
    others.stop();
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.isRecording()).isFalse();
  }

  @Test
  void aMessageOfTheNextLineCountsForThatOne() {
    others.begin(6);
    lines.begin(6);
    others.close();
    others.begin(7);
    assertThat(arrives(others.stamp(), 1)).isNull();
    assertThat(lines.earlyThere()).containsExactly(0, 0);
    lines.close();
    lines.begin(7);
    assertThat(lines.earlyThere()).containsExactly(0, 1);
  }

  @Test
  void anImageHoldsWhatCrosses() {
    others.begin(6);
    send(others);
    assertThat(arrives(others.stamp(), 1)).isNull();
    lines.begin(6);
    comes(lines.keep(CONTEXT, OTHER, 1L << 40, Long.BYTES), 42);
    long[] decided = {3, 4, 5};
    LineImage image =
        new LineImage(MemorySegment.ofArray(new byte[(int) LineImage.bytes(lines, decided)]));
    image.write(lines, new long[] {0, 6}, decided);
    assertThat(image.early()).containsExactly(0, 1);
    assertThat(image.unneeded()).containsExactly(0, 6);
    assertThat(image.determinants()).containsExactly(decided);
    UnexpectedQueue queue = new UnexpectedQueue();
    image.read(queue, new MessagePool());
    UnexpectedMessage m = Objects.requireNonNull(queue.first(CONTEXT, OTHER, 1L << 40));
    assertThat(m.data.get(FrameLayout.LONG, 0)).isEqualTo(42);
    assertThat(queue.count()).isOne();
  }
}
