package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.fmi.FmiException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The iteration in a collective's messages. */
final class TurnsTest {
  private final List<String> warnings = new ArrayList<>();

  private static int turn(long loop, long iteration) {
    int turn = Turns.of(loop, iteration);
    assertThat(turn).isGreaterThan(Turns.NONE).isLessThan(Turns.END);
    return turn;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 253, 254, 255, 256, 1_000_000_007, Long.MAX_VALUE - 1000})
  void distinguishesNearbyIterationsOfALoop(long iteration) {
    for (long loop : new long[] {0, 1, 2}) {
      int turn = turn(loop, iteration);
      assertThat(Turns.match(turn, turn)).isTrue();
      assertThat(Turns.match(turn, Turns.NONE)).isTrue();
      assertThat(Turns.match(Turns.NONE, turn)).isTrue();
      for (long distance : new long[] {1, 2, 10, 64, 100, 254, 256, 1000}) {
        assertThat(Turns.match(turn, turn(loop, iteration + distance))).isFalse();
        assertThat(Turns.match(turn(loop, iteration + distance), turn)).isFalse();
        assertThat(Turns.match(turn, turn(loop + 1, iteration + distance))).isTrue();
      }
    }
  }

  private void differ(Turns turns, long theirs) {
    turns.differ(1, 0, "barrier()", turn(3, theirs));
  }

  @Test
  void bothIterationsAreNamed() {
    for (long own : new long[] {1, 254, 255, 300, 100_000}) {
      for (long theirs : new long[] {own - 1, own + 1, own + 127, Math.max(0, own - 127)}) {
        Turns turns = new Turns(true, warnings::add);
        turns.begins(3, own, 0);
        assertThatThrownBy(() -> differ(turns, theirs))
            .isInstanceOf(FmiException.class)
            .hasMessageContaining(
                "rank 0 calls barrier() in iteration "
                    + theirs
                    + " of loop 3 where rank 1 calls it in iteration "
                    + own
                    + ":");
      }
    }
    assertThat(warnings).isEmpty();
  }

  /** A rank that was warned about a loop may have intended it. */
  @Test
  void aLoopIsWarnedOfOnce() {
    Turns turns = new Turns(false, warnings::add);
    turns.begins(3, 6, 0);
    assertThat(turns.now(0)).isEqualTo(turn(3, 6));
    differ(turns, 5);
    differ(turns, 5);
    assertThat(warnings).hasSize(1);
    assertThat(turns.now(0)).isEqualTo(Turns.NONE);
    turns.begins(3, 7, 0);
    assertThat(turns.now(0)).isEqualTo(Turns.NONE);
    turns.begins(4, 0, 0);
    assertThat(turns.now(0)).isEqualTo(turn(4, 0));
  }

  @Test
  void nothingIsSaidOutsideOfLoopsNorOfAnIterationThatAFailureHasInterrupted() {
    Turns turns = new Turns(true, warnings::add);
    assertThat(turns.now(0)).isEqualTo(Turns.NONE);
    turns.begins(0, 4, 0);
    assertThat(turns.now(1)).isEqualTo(Turns.NONE);
    turns.begins(0, 2, 1);
    assertThat(turns.now(1)).isEqualTo(turn(0, 2));
    turns.ends();
    assertThat(turns.now(1)).isEqualTo(Turns.NONE);
  }
}
