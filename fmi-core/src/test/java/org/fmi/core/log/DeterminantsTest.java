package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is told, and repeated; whole ranks are tried in {@code LocalRollbackSimulationTest}. */
final class DeterminantsTest {
  private final Determinants recorded = new Determinants();

  private static List<Boolean> answers(Determinants again) {
    List<Boolean> answers = new ArrayList<>();
    while (again.haveAnswer()) {
      answers.add(again.answer());
    }
    return answers;
  }

  private static void repeat(Determinants again, long[] told) {
    again.repeat(told, told.length);
  }

  private static long[] joined(long[]... parts) {
    return Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
  }

  @Test
  void receivesAreKnownByTheirNumber() {
    for (int i = 0; i < 4; i++) {
      assertThat(recorded.post()).isEqualTo(i);
    }
    recorded.received(2, 7, Integer.MAX_VALUE);
    recorded.received(0, 0, 0);
    recorded.cancelled(3);
    Determinants again = new Determinants();
    repeat(again, recorded.take());
    long first = again.receive(again.post());
    assertThat(Determinants.source(first)).isZero();
    assertThat(Determinants.tag(first)).isZero();
    assertThat(again.receive(again.post())).isEqualTo(Determinants.UNKNOWN);
    long third = again.receive(again.post());
    assertThat(Determinants.source(third)).isEqualTo(7);
    assertThat(Determinants.tag(third)).isEqualTo(Integer.MAX_VALUE);
    assertThat(again.receive(again.post())).isEqualTo(Determinants.WILL_BE_CANCELLED);
    assertThat(again.receive(again.post())).isEqualTo(Determinants.UNKNOWN);
  }

  /** A line that is passed before all was repeated: the rest is, and is told again. */
  @Test
  void whatIsStillToBeRepeatedIsCarriedOverALine() {
    recorded.received(1, 7, 3);
    recorded.received(4, 8, 5);
    recorded.cancelled(5);
    recorded.found(2, 9);
    recorded.answered(false);
    recorded.answered(false);
    recorded.answered(true);
    Determinants again = new Determinants();
    repeat(again, recorded.take());
    again.receive(again.post());
    again.receive(again.post());
    assertThat(again.answer()).isFalse();
    again.pass();
    long[] carried = again.take();
    Determinants once = new Determinants();
    repeat(once, carried);
    for (Determinants each : new Determinants[] {again, once}) {
      assertThat(each.receive(each.post())).isEqualTo(Determinants.UNKNOWN);
      assertThat(each.receive(each.post())).isEqualTo(Determinants.UNKNOWN);
      assertThat(each.receive(each.post())).isEqualTo(Determinants.pack(8, 5));
      assertThat(each.receive(each.post())).isEqualTo(Determinants.WILL_BE_CANCELLED);
      assertThat(each.find()).isEqualTo(Determinants.pack(2, 9));
      assertThat(answers(each)).containsExactly(false, true);
    }
  }

  /** They may be under way at several lines, and in processes that have posted others before. */
  @Test
  void receivesFromBeforeALineHaveNumbersBelowZero() {
    recorded.post();
    long cancelled = recorded.post();
    long first = recorded.post();
    recorded.clear();
    long behind = recorded.post();
    recorded.received(behind, 8, 4);
    recorded.cancelled(cancelled);
    recorded.received(first, 7, 3);
    Determinants again = new Determinants();
    again.post();
    repeat(again, recorded.take());
    assertThat(again.receive(again.posted() - 1)).isEqualTo(Determinants.pack(7, 3));
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(8, 4));
    again.pass();
    assertThat(again.receive(again.posted() - 1)).isEqualTo(Determinants.UNKNOWN);
    Determinants last = new Determinants();
    repeat(last, again.take());
    assertThat(last.receive(last.posted() - 3)).isEqualTo(Determinants.WILL_BE_CANCELLED);
    assertThat(last.areRepeated()).isFalse();
  }

  @Test
  void probesFindTheSameInOrder() {
    recorded.found(3, 5);
    recorded.found(1, 4);
    Determinants again = new Determinants();
    repeat(again, recorded.take());
    assertThat(again.find()).isEqualTo(Determinants.pack(3, 5));
    assertThat(again.find()).isEqualTo(Determinants.pack(1, 4));
    assertThat(again.find()).isEqualTo(Determinants.UNKNOWN);
  }

  /** Among other answers. */
  @Test
  void aProbeThatFindsAtOnceHasAnswered() {
    recorded.answered(true);
    recorded.answered(false);
    recorded.foundAtOnce(3, 5);
    recorded.found(2, 6);
    recorded.answered(true);
    long[] told = recorded.take();
    assertThat(told).hasSize(7);
    Determinants again = new Determinants();
    repeat(again, told);
    assertThat(answers(again)).containsExactly(true, false, true, true);
    assertThat(again.find()).isEqualTo(Determinants.pack(3, 5));
    assertThat(again.find()).isEqualTo(Determinants.pack(2, 6));
  }

  /** A program may ask many times before the answer is yes. */
  @Test
  void equalAnswersTakeNoRoom() {
    for (int i = 0; i < 100_000; i++) {
      recorded.answered(false);
    }
    recorded.answered(true);
    long[] told = recorded.take();
    assertThat(told).hasSize(2);
    Determinants again = new Determinants();
    repeat(again, told);
    assertThat(answers(again)).hasSize(100_001).endsWith(false, true).startsWith(false);
  }

  /** Between two that are told, and by two processes, one after the other. */
  @Test
  void whatIsToldLaterFollows() {
    recorded.answered(false);
    long[] first = recorded.take();
    assertThat(recorded.areUntold()).isFalse();
    recorded.answered(false);
    recorded.answered(true);
    assertThat(recorded.told()).isEqualTo(first.length);
    long[] second = recorded.take();
    Determinants next = new Determinants();
    repeat(next, joined(first, second));
    assertThat(next.told()).isEqualTo(3);
    assertThat(answers(next)).containsExactly(false, false, true);
    next.answered(true);
    Determinants last = new Determinants();
    repeat(last, joined(first, second, next.take()));
    assertThat(answers(last)).containsExactly(false, false, true, true);
  }

  /** What a program waits for may be there before it asks for it again. */
  @Test
  void whoRepeatsAnAnswerNeedNotWait() {
    recorded.answered(false);
    Determinants again = new Determinants();
    repeat(again, recorded.take());
    assertThat(again.haveJustAnswered()).isFalse();
    assertThat(again.answer()).isFalse();
    assertThat(again.haveJustAnswered()).isTrue();
    assertThat(again.haveJustAnswered()).isFalse();
  }

  /** A line that is not committed yet: it may be gone back to either of both. */
  @Test
  void whatIsDecidedBehindALineIsToldForBoth() {
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    recorded.take();
    recorded.received(recorded.post(), 2, 2);
    recorded.mark();
    recorded.answered(true);
    recorded.received(recorded.post(), 3, 3);
    LogListener.Told behind = Objects.requireNonNull(recorded.untoldBehind());
    assertThat(behind.first()).isZero();
    assertThat(recorded.take()).hasSize(5);
    Determinants again = new Determinants();
    repeat(again, behind.determinants());
    assertThat(answers(again)).containsExactly(true);
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(3, 3));

    recorded.received(recorded.post(), 4, 4);
    assertThat(Objects.requireNonNull(recorded.untoldBehind()).first()).isEqualTo(3);
    assertThat(recorded.behind()).hasSize(5).startsWith(behind.determinants());
    recorded.cut();
    assertThat(recorded.told()).isEqualTo(3);
    Determinants next = new Determinants();
    repeat(next, joined(behind.determinants(), recorded.take()));
    next.receive(next.post());
    assertThat(next.receive(next.post())).isEqualTo(Determinants.pack(4, 4));
  }

  @Test
  void aLineThatIsGivenUpChangesNothing() {
    recorded.received(recorded.post(), 1, 1);
    recorded.mark();
    recorded.received(recorded.post(), 2, 2);
    recorded.take();
    recorded.dropMark();
    recorded.received(recorded.post(), 3, 3);
    assertThat(recorded.untoldBehind()).isNull();
    assertThat(recorded.told()).isEqualTo(4);
    Determinants again = new Determinants();
    again.receive(again.post());
    repeat(again, recorded.take());
    again.receive(again.post());
    again.receive(again.post());
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(3, 3));
  }

  /** A frame has no part of a receive alone: a rank that repeats it would miss the other one. */
  @Test
  void aReceiveIsNotDivided() {
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    recorded.foundAtOnce(2, 2);
    recorded.cancelled(recorded.post());
    long[] all = recorded.take();
    assertThat(all).hasSize(6);
    assertThat(IntStream.rangeClosed(1, 6).map(most -> Determinants.whole(all, 0, most)))
        .containsExactly(0, 2, 3, 3, 5, 6);
    assertThat(Determinants.whole(all, 2, 2)).isOne();
  }

  /** The job has forgotten what a checkpoint still has: it is told again. */
  @Test
  void whatIsRepeatedAndIsNotKeptIsTold() {
    recorded.answered(false);
    recorded.answered(true);
    long[] saved = recorded.take();
    Determinants again = new Determinants();
    again.repeat(saved, 1);
    assertThat(again.told()).isOne();
    assertThat(again.areUntold()).isTrue();
    assertThat(again.areRepeated()).isTrue();
    assertThat(answers(again)).containsExactly(false, true);
    assertThat(again.areRepeated()).isFalse();
    assertThat(again.take()).containsExactly(saved[1]);
  }

  @Test
  void thereMayBeTooMany() {
    for (int i = 0; i <= Determinants.MOST / 2; i++) {
      recorded.received(recorded.post(), 1, 1);
    }
    assertThat(recorded.areTooMany()).isTrue();
    recorded.stop();
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    assertThat(recorded.areUntold()).isFalse();
    recorded.clear();
    recorded.received(recorded.post(), 1, 1);
    assertThat(recorded.areUntold()).isTrue();
    assertThat(recorded.areTooMany()).isFalse();
  }
}
