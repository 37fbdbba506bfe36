package org.fmi.sim.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import org.fmi.rules.HeartRing.Form;
import org.fmi.rules.RingOrder;
import org.fmi.rules.Spread.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DetectionTest {
  private static final int RANKS = 480;
  private static final RingOrder ORDER = RingOrder.ascending(RANKS);

  private static BitSet first(int dead) {
    BitSet set = new BitSet();
    set.set(0, dead);
    return set;
  }

  @ParameterizedTest
  @CsvSource({"CHORD, 4302, 8", "BMG, 8604, 5", "HBA, 7648, 30", "LOGRING, 8143, 4"})
  void oneFailureTakesSoManyMessages(Kind kind, long messages, int rounds) {
    assertThat(SpreadRun.of(kind, ORDER, first(1), 2))
        .isEqualTo(new SpreadRun.Outcome(messages, rounds, 0));
  }

  @Test
  void severalFailuresReachAll() {
    for (Kind kind : Kind.values()) {
      SpreadRun.Outcome outcome = SpreadRun.of(kind, ORDER, first(16), 2);
      assertThat(outcome.unreached()).as("%s", kind).isZero();
      assertThat(outcome.messages()).as("%s", kind).isGreaterThan(16 * 4000);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "2, 3, 2", "4, 7, 4", "8, 15, 8", "16, 31, 16"})
  void adjacentDeadTakeSoManyTimeouts(int dead, double paper, double asking) {
    assertThat(HeartRun.timeouts(ORDER, Form.PAPER, first(dead))).isEqualTo(paper);
    assertThat(HeartRun.timeouts(ORDER, Form.ASKING, first(dead))).isEqualTo(asking);
  }

  @Test
  void scatteredDeadTakeOneTimeout() {
    BitSet dead = new BitSet();
    for (int rank = 0; rank < RANKS; rank += 40) {
      dead.set(rank);
    }
    assertThat(HeartRun.timeouts(ORDER, Form.PAPER, dead)).isEqualTo(1);
    assertThat(HeartRun.timeouts(ORDER, Form.ASKING, dead)).isEqualTo(1);
  }

  /** Without an exchange the news of rank 0 end where it sends them. */
  @Test
  void tooManyDeadAreRefusedInThePapersForm() {
    BitSet dead = BitSet.valueOf(new long[] {0b1_0001_0110});
    RingOrder nine = RingOrder.ascending(9);
    assertThatThrownBy(() -> HeartRun.timeouts(nine, Form.PAPER, dead))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("4 dead of 9 ranks: news of them do not reach all others; use fewer");
    assertThat(HeartRun.timeouts(nine, Form.ASKING, dead)).isEqualTo(2);
  }
}
