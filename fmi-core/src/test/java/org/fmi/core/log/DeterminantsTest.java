package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Reports and replay of determinants; {@code LocalRollbackSimulationTest} tests whole ranks. */
final class DeterminantsTest {
  private final Determinants recorded = new Determinants();

  private static List<Boolean> answers(Determinants again) {
    List<Boolean> answers = new ArrayList<>();
    while (again.hasAnswer()) {
      answers.add(again.answer());
    }
    return answers;
  }

  private static void repeat(Determinants again, long[] told) {
    again.replay(told, told.length);
  }

  private static long[] joined(long[]... parts) {
    return Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
  }

  @Test
  void identifiesReceivesByNumber() {
    for (int i = 0; i < 4; i++) {
      assertThat(recorded.post()).isEqualTo(i);
    }
    recorded.received(2, 7, Integer.MAX_VALUE);
    recorded.received(0, 0, 0);
    recorded.cancelled(3);
    Determinants again = new Determinants();
    repeat(again, recorded.takeUnreported());
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

  /**
   * A recovery line reached before all is replayed: the rest is replayed after it, and reported
   * again.
   */
  @Test
  void carriesUnreplayedDeterminantsOverARecoveryLine() {
    recorded.received(1, 7, 3);
    recorded.received(4, 8, 5);
    recorded.cancelled(5);
    recorded.found(2, 9);
    recorded.answered(false);
    recorded.answered(false);
    recorded.answered(true);
    Determinants again = new Determinants();
    repeat(again, recorded.takeUnreported());
    again.receive(again.post());
    again.receive(again.post());
    assertThat(again.answer()).isFalse();
    again.keepUnreplayed();
    long[] carried = again.takeUnreported();
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

  /**
   * Receives may be pending at several recovery lines, and in processes that have posted other
   * receives before.
   */
  @Test
  void receivesFromBeforeARecoveryLineHaveNegativeNumbers() {
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
    repeat(again, recorded.takeUnreported());
    assertThat(again.receive(again.posted() - 1)).isEqualTo(Determinants.pack(7, 3));
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(8, 4));
    again.keepUnreplayed();
    assertThat(again.receive(again.posted() - 1)).isEqualTo(Determinants.UNKNOWN);
    Determinants last = new Determinants();
    repeat(last, again.takeUnreported());
    assertThat(last.receive(last.posted() - 3)).isEqualTo(Determinants.WILL_BE_CANCELLED);
    assertThat(last.isReplaying()).isFalse();
  }

  @Test
  void replaysProbesInOrder() {
    recorded.found(3, 5);
    recorded.found(1, 4);
    Determinants again = new Determinants();
    repeat(again, recorded.takeUnreported());
    assertThat(again.find()).isEqualTo(Determinants.pack(3, 5));
    assertThat(again.find()).isEqualTo(Determinants.pack(1, 4));
    assertThat(again.find()).isEqualTo(Determinants.UNKNOWN);
  }

  /** Among other answers. */
  @Test
  void aNonblockingProbeThatFindsAMessageIsAnAnswer() {
    recorded.answered(true);
    recorded.answered(false);
    recorded.foundAtOnce(3, 5);
    recorded.found(2, 6);
    recorded.answered(true);
    long[] told = recorded.takeUnreported();
    assertThat(told).hasSize(7);
    Determinants again = new Determinants();
    repeat(again, told);
    assertThat(answers(again)).containsExactly(true, false, true, true);
    assertThat(again.find()).isEqualTo(Determinants.pack(3, 5));
    assertThat(again.find()).isEqualTo(Determinants.pack(2, 6));
  }

  /** A program may ask many times before the answer is yes. */
  @Test
  void equalAnswersShareOneDeterminant() {
    for (int i = 0; i < 100_000; i++) {
      recorded.answered(false);
    }
    recorded.answered(true);
    long[] told = recorded.takeUnreported();
    assertThat(told).hasSize(2);
    Determinants again = new Determinants();
    repeat(again, told);
    assertThat(answers(again)).hasSize(100_001).endsWith(false, true).startsWith(false);
  }

  /** Between two reports, and by two successive processes. */
  @Test
  void laterReportsFollow() {
    recorded.answered(false);
    long[] first = recorded.takeUnreported();
    assertThat(recorded.hasUnreported()).isFalse();
    recorded.answered(false);
    recorded.answered(true);
    assertThat(recorded.reported()).isEqualTo(first.length);
    long[] second = recorded.takeUnreported();
    Determinants next = new Determinants();
    repeat(next, joined(first, second));
    assertThat(next.reported()).isEqualTo(3);
    assertThat(answers(next)).containsExactly(false, false, true);
    next.answered(true);
    Determinants last = new Determinants();
    repeat(last, joined(first, second, next.takeUnreported()));
    assertThat(answers(last)).containsExactly(false, false, true, true);
  }

  /** The message that a program waits for may be there before the program asks for it again. */
  @Test
  void aReplayedAnswerNeedsNoWait() {
    recorded.answered(false);
    Determinants again = new Determinants();
    repeat(again, recorded.takeUnreported());
    assertThat(again.hasJustAnswered()).isFalse();
    assertThat(again.answer()).isFalse();
    assertThat(again.hasJustAnswered()).isTrue();
    assertThat(again.hasJustAnswered()).isFalse();
  }

  /** A recovery line that is not committed: ranks may roll back to it or to the previous one. */
  @Test
  void reportsDeterminantsAfterARecoveryLineForBoth() {
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    recorded.takeUnreported();
    recorded.received(recorded.post(), 2, 2);
    recorded.mark();
    recorded.answered(true);
    recorded.received(recorded.post(), 3, 3);
    LogListener.NewDeterminants behind = Objects.requireNonNull(recorded.unreportedAfterMark());
    assertThat(behind.first()).isZero();
    assertThat(recorded.takeUnreported()).hasSize(5);
    Determinants again = new Determinants();
    repeat(again, behind.determinants());
    assertThat(answers(again)).containsExactly(true);
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(3, 3));

    recorded.received(recorded.post(), 4, 4);
    assertThat(Objects.requireNonNull(recorded.unreportedAfterMark()).first()).isEqualTo(3);
    assertThat(recorded.afterMark()).hasSize(5).startsWith(behind.determinants());
    recorded.cut();
    assertThat(recorded.reported()).isEqualTo(3);
    Determinants next = new Determinants();
    repeat(next, joined(behind.determinants(), recorded.takeUnreported()));
    next.receive(next.post());
    assertThat(next.receive(next.post())).isEqualTo(Determinants.pack(4, 4));
  }

  @Test
  void anAbandonedRecoveryLineChangesNothing() {
    recorded.received(recorded.post(), 1, 1);
    recorded.mark();
    recorded.received(recorded.post(), 2, 2);
    recorded.takeUnreported();
    recorded.dropMark();
    recorded.received(recorded.post(), 3, 3);
    assertThat(recorded.unreportedAfterMark()).isNull();
    assertThat(recorded.reported()).isEqualTo(4);
    Determinants again = new Determinants();
    again.receive(again.post());
    repeat(again, recorded.takeUnreported());
    again.receive(again.post());
    again.receive(again.post());
    assertThat(again.receive(again.post())).isEqualTo(Determinants.pack(3, 3));
  }

  /** A frame never has half of a receive: a rank that replays it would miss the other half. */
  @Test
  void aReceiveIsNotDivided() {
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    recorded.foundAtOnce(2, 2);
    recorded.cancelled(recorded.post());
    long[] all = recorded.takeUnreported();
    assertThat(all).hasSize(6);
    assertThat(IntStream.rangeClosed(1, 6).map(most -> Determinants.whole(all, 0, most)))
        .containsExactly(0, 2, 3, 3, 5, 6);
    assertThat(Determinants.whole(all, 2, 2)).isOne();
  }

  /** The job has forgotten determinants that a checkpoint still has: they are reported again. */
  @Test
  void reportsReplayedDeterminantsThatAreNotStable() {
    recorded.answered(false);
    recorded.answered(true);
    long[] saved = recorded.takeUnreported();
    Determinants again = new Determinants();
    again.replay(saved, 1);
    assertThat(again.reported()).isOne();
    assertThat(again.hasUnreported()).isTrue();
    assertThat(again.isReplaying()).isTrue();
    assertThat(answers(again)).containsExactly(false, true);
    assertThat(again.isReplaying()).isFalse();
    assertThat(again.takeUnreported()).containsExactly(saved[1]);
  }

  @Test
  void limitsTheirNumber() {
    for (int i = 0; i <= Determinants.MAX_LENGTH / 2; i++) {
      recorded.received(recorded.post(), 1, 1);
    }
    assertThat(recorded.exceedLimit()).isTrue();
    recorded.stop();
    recorded.received(recorded.post(), 1, 1);
    recorded.answered(true);
    assertThat(recorded.hasUnreported()).isFalse();
    recorded.clear();
    recorded.received(recorded.post(), 1, 1);
    assertThat(recorded.hasUnreported()).isTrue();
    assertThat(recorded.exceedLimit()).isFalse();
  }
}
