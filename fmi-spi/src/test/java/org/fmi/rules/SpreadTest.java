package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import org.fmi.rules.Spread.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class SpreadTest {
  private static final int MOST = 9;

  /** How far a notice got. */
  private record Outcome(int messages, int rounds, BitSet reached) {}

  /** Spreads a failure from these ranks in rounds, and counts the messages to living ranks. */
  private static Outcome spread(
      Kind kind, RingOrder order, BitSet dead, int failed, List<Integer> from) {
    int size = order.size();
    Spread[] ranks = new Spread[size];
    for (int rank = 0; rank < size; rank++) {
      ranks[rank] = new Spread(kind, order, rank, 2);
    }
    record Sent(int from, int to, int round) {}
    ArrayDeque<Sent> inFlight = new ArrayDeque<>();
    from.forEach(rank -> inFlight.add(new Sent(Spread.NOBODY, rank, 0)));
    BitSet reached = new BitSet();
    int messages = 0;
    int rounds = 0;
    while (!inFlight.isEmpty()) {
      Sent sent = inFlight.remove();
      if (dead.get(sent.to)) {
        continue;
      }
      messages += sent.from == Spread.NOBODY ? 0 : 1;
      List<Integer> next = ranks[sent.to].learn(failed, sent.from);
      if (next != null) {
        assertThat(next).doesNotHaveDuplicates().doesNotContain(failed, sent.to);
        reached.set(sent.to);
        rounds = Math.max(rounds, sent.round);
        next.forEach(to -> inFlight.add(new Sent(sent.to, to, sent.round + 1)));
        assertThat(ranks[sent.to].known().get(failed)).isTrue();
      }
    }
    return new Outcome(messages, rounds, reached);
  }

  private static BitSet bits(long mask) {
    return BitSet.valueOf(new long[] {mask});
  }

  /** One dead rank among 480, which its observer has detected. */
  @ParameterizedTest
  @CsvSource({"CHORD, 4302, 8", "BMG, 8604, 5", "HBA, 7648, 30"})
  void sendsAsManyMessagesAsCounted(Kind kind, int messages, int rounds) {
    Outcome outcome = spread(kind, RingOrder.ascending(480), bits(1), 0, List.of(1));
    assertThat(outcome.messages).isEqualTo(messages);
    assertThat(outcome.rounds).isEqualTo(rounds);
    assertThat(outcome.reached.cardinality()).isEqualTo(479);
  }

  /** In the log-ring all neighbours detect it. */
  @Test
  void theLogRingSendsAsManyMessagesAsCounted() {
    List<Integer> neighbours = List.copyOf(new LogRing(480, 0, 2).neighbours());
    Outcome outcome = spread(Kind.LOGRING, RingOrder.ascending(480), bits(1), 0, neighbours);
    assertThat(outcome.messages).isEqualTo(8143);
    assertThat(outcome.rounds).isEqualTo(4);
    assertThat(outcome.reached.cardinality()).isEqualTo(479);
  }

  /** All sets of dead ranks and all detectors: fewer dead than links stop no notice. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void fewerDeadThanLinksStopNoNotice(Kind kind) {
    for (int size = 2; size <= MOST; size++) {
      RingOrder order = RingOrder.shuffled(size, size);
      int links = new Spread(kind, order, 0, 2).targets().size();
      for (long mask = 1; mask < (1L << size) - 1; mask++) {
        BitSet dead = bits(mask);
        if (dead.cardinality() >= links) {
          continue;
        }
        BitSet living = bits(~mask & ((1L << size) - 1));
        int failed = dead.nextSetBit(0);
        for (int by = living.nextSetBit(0); by >= 0; by = living.nextSetBit(by + 1)) {
          assertThat(spread(kind, order, dead, failed, List.of(by)).reached)
              .as("%s, %d ranks, dead %s, detected by %d", kind, size, dead, by)
              .isEqualTo(living);
        }
      }
    }
  }

  /** The ranks 1, 2, 4, 8 are all that rank 0 sends to: its news end there. */
  @Test
  void asManyDeadAsLinksMayStopANotice() {
    BitSet dead = bits(0b1_0001_0110);
    RingOrder order = RingOrder.ascending(MOST);
    assertThat(spread(Kind.CHORD, order, dead, 8, List.of(0)).reached).isEqualTo(bits(1));
    assertThat(spread(Kind.BMG, order, dead, 8, List.of(0)).reached).isEqualTo(bits(0b0_1110_1001));
  }

  @Test
  void eachFailureIsSpreadOnce() {
    Spread spread = new Spread(Kind.CHORD, RingOrder.ascending(8), 3, 2);
    assertThat(spread.learn(5, 2)).containsExactly(4, 7);
    assertThat(spread.learn(5, 1)).isNull();
    assertThat(spread.learn(4, Spread.NOBODY)).containsExactly(5, 7);
    assertThat(spread.known()).isEqualTo(bits(0b11_0000));
    Spread logRing = new Spread(Kind.LOGRING, RingOrder.ascending(8), 3, 2);
    assertThat(logRing.learn(5, 2)).containsExactlyInAnyOrder(4, 1, 7);
  }
}
