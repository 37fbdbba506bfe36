package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.UnrecoverableException;
import org.junit.jupiter.api.Test;

final class RecoveryLineTest {
  private static final CheckpointId FIRST = new CheckpointId(0, 0, 0, false);
  private static final CheckpointId SECOND = new CheckpointId(1, 0, 10, false);
  private static final CheckpointId END = new CheckpointId(2, 0, 20, true);
  private static final CheckpointId NEXT_LOOP = new CheckpointId(3, 1, 0, false);

  /** Four ranks, in groups {0, 1} and {2, 3}. */
  private static List<RecoveryLine.Held> held(
      List<CheckpointId> r0, List<CheckpointId> r1, List<CheckpointId> r2, List<CheckpointId> r3) {
    return List.of(
        new RecoveryLine.Held(0, 1, r0),
        new RecoveryLine.Held(0, 1, r1),
        new RecoveryLine.Held(2, 1, r2),
        new RecoveryLine.Held(2, 1, r3));
  }

  @Test
  void nothingHeldIsTheStart() throws UnrecoverableException {
    RecoveryLine line =
        RecoveryLine.choose(held(List.of(), List.of(), List.of(), List.of()), false);
    assertThat(line.line()).isNull();
    assertThat(line.needed()).isEmpty();
  }

  /** Rank 1 has taken it in another loop: it is not what rank 0 has lost. */
  @Test
  void whatRanksTookAtDifferentPlacesIsNotBroughtBack() throws UnrecoverableException {
    CheckpointId other = new CheckpointId(SECOND.version(), 1, SECOND.iteration(), false);
    List<CheckpointId> both = List.of(FIRST, SECOND);
    for (CheckpointId taken :
        List.of(other, new CheckpointId(SECOND.version(), 0, SECOND.iteration(), true))) {
      assertThat(RecoveryLine.choose(held(both, List.of(FIRST, taken), both, both), false).line())
          .isEqualTo(FIRST);
      assertThat(RecoveryLine.choose(held(List.of(FIRST, taken), both, both, both), false).line())
          .isEqualTo(FIRST);
    }
  }

  @Test
  void theNewestThatCanBeBroughtBack() throws UnrecoverableException {
    List<CheckpointId> both = List.of(FIRST, SECOND);
    assertThat(RecoveryLine.choose(held(both, both, both, both), false).line()).isEqualTo(SECOND);
    assertThat(RecoveryLine.choose(held(both, List.of(), both, both), false).line())
        .isEqualTo(SECOND);
    // complete on one rank of each group only: the others can be decoded
    assertThat(RecoveryLine.choose(held(both, List.of(FIRST), both, List.of(FIRST)), false).line())
        .isEqualTo(SECOND);
    // two of one group are missing: back to the one before
    assertThat(RecoveryLine.choose(held(List.of(FIRST), List.of(FIRST), both, both), false).line())
        .isEqualTo(FIRST);
  }

  @Test
  void tooManyLostSaysWho() {
    List<CheckpointId> one = List.of(SECOND);
    assertThatThrownBy(() -> RecoveryLine.choose(held(one, one, List.of(), List.of()), false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("[2, 3]")
        .hasMessageContaining("iteration 10")
        .hasMessageContaining("brings back 1");
  }

  @Test
  void withoutTheFirstCheckpointTheProgramStartsAgain() throws UnrecoverableException {
    List<CheckpointId> first = List.of(FIRST);
    List<CheckpointId> none = List.of();
    assertThat(RecoveryLine.choose(held(first, none, none, none), true).line()).isNull();
    assertThatThrownBy(() -> RecoveryLine.choose(held(first, first, none, none), false))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void endedLoopsAreBroughtBackToo() throws UnrecoverableException {
    List<CheckpointId> all = List.of(END, NEXT_LOOP);
    RecoveryLine line = RecoveryLine.choose(held(all, List.of(), all, all), false);
    assertThat(line.line()).isEqualTo(NEXT_LOOP);
    assertThat(line.finals()).containsExactly(END);
    assertThat(line.needed()).containsExactly(END, NEXT_LOOP);
    assertThat(line.finalOf(0)).isEqualTo(END);
    assertThat(line.finalOf(1)).isNull();
  }

  @Test
  void aFinalCheckpointCanBeTheLine() throws UnrecoverableException {
    List<CheckpointId> all = new ArrayList<>(List.of(SECOND, END));
    RecoveryLine line = RecoveryLine.choose(held(all, all, all, all), false);
    assertThat(line.line()).isEqualTo(END);
    assertThat(line.needed()).containsExactly(END);
  }

  /** The end of the loop is lost for good; what was taken before it is not. */
  @Test
  void withoutTheEndOfALoopItGoesBackToWhatIsBeforeThat() throws UnrecoverableException {
    List<CheckpointId> all = List.of(SECOND, END, NEXT_LOOP);
    List<CheckpointId> damaged = List.of(SECOND, NEXT_LOOP);
    RecoveryLine line = RecoveryLine.choose(held(all, all, damaged, damaged), false);
    assertThat(line.line()).isEqualTo(SECOND);
    assertThat(line.needed()).containsExactly(SECOND);
  }

  @Test
  void aGroupLosesAsManyAsItTolerates() throws UnrecoverableException {
    for (int lost = 0; lost < 4; lost++) {
      List<RecoveryLine.Held> held = new ArrayList<>();
      for (int rank = 0; rank < 5; rank++) {
        held.add(new RecoveryLine.Held(0, 2, rank < lost ? List.of() : List.of(SECOND)));
      }
      if (lost <= 2) {
        assertThat(RecoveryLine.choose(held, false).line()).isEqualTo(SECOND);
      } else {
        assertThatThrownBy(() -> RecoveryLine.choose(held, false))
            .isInstanceOf(UnrecoverableException.class)
            .hasMessageContaining("[0, 1, 2]")
            .hasMessageContaining("brings back 2");
      }
    }
  }
}
