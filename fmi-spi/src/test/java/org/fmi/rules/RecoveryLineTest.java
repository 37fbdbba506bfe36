package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FileVersion;
import org.fmi.spi.UnrecoverableException;
import org.junit.jupiter.api.Test;

final class RecoveryLineTest {
  private static final CheckpointId FIRST = new CheckpointId(0, 0, 0, false);
  private static final CheckpointId SECOND = new CheckpointId(1, 0, 10, false);
  private static final CheckpointId END = new CheckpointId(2, 0, 20, true);
  private static final CheckpointId NEXT_LOOP = new CheckpointId(3, 1, 0, false);

  /** Four ranks, in groups {0, 1} and {2, 3}. */
  private static Holdings held(
      List<CheckpointId> r0, List<CheckpointId> r1, List<CheckpointId> r2, List<CheckpointId> r3) {
    return Holdings.of(new int[] {0, 1}, 1, List.of(r0, r1))
        .with(Holdings.of(new int[] {2, 3}, 1, List.of(r2, r3)));
  }

  @Test
  void nothingHeldIsTheStart() throws UnrecoverableException {
    RecoveryLine line =
        RecoveryLine.choose(held(List.of(), List.of(), List.of(), List.of()), false);
    assertThat(line.checkpoint()).isNull();
    assertThat(line.needed()).isEmpty();
  }

  /** Rank 1 has taken it in another loop: it is not the checkpoint that rank 0 has lost. */
  @Test
  void checkpointsAtDifferentPlacesAreNoRecoveryLine() throws UnrecoverableException {
    CheckpointId other = new CheckpointId(SECOND.version(), 1, SECOND.iteration(), false);
    List<CheckpointId> both = List.of(FIRST, SECOND);
    for (CheckpointId taken :
        List.of(other, new CheckpointId(SECOND.version(), 0, SECOND.iteration(), true))) {
      assertThat(
              RecoveryLine.choose(held(both, List.of(FIRST, taken), both, both), false)
                  .checkpoint())
          .isEqualTo(FIRST);
      assertThat(
              RecoveryLine.choose(held(List.of(FIRST, taken), both, both, both), false)
                  .checkpoint())
          .isEqualTo(FIRST);
    }
  }

  @Test
  void choosesTheNewestRecoverableCheckpoint() throws UnrecoverableException {
    List<CheckpointId> both = List.of(FIRST, SECOND);
    assertThat(RecoveryLine.choose(held(both, both, both, both), false).checkpoint())
        .isEqualTo(SECOND);
    assertThat(RecoveryLine.choose(held(both, List.of(), both, both), false).checkpoint())
        .isEqualTo(SECOND);
    // complete on one rank of each group only: the other ranks can be rebuilt
    assertThat(
            RecoveryLine.choose(held(both, List.of(FIRST), both, List.of(FIRST)), false)
                .checkpoint())
        .isEqualTo(SECOND);
    // two of one group are missing: roll back to the previous checkpoint
    assertThat(
            RecoveryLine.choose(held(List.of(FIRST), List.of(FIRST), both, both), false)
                .checkpoint())
        .isEqualTo(FIRST);
  }

  @Test
  void tooManyLostSaysWho() {
    List<CheckpointId> one = List.of(SECOND);
    assertThatThrownBy(() -> RecoveryLine.choose(held(one, one, List.of(), List.of()), false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("[2, 3]")
        .hasMessageContaining("iteration 10")
        .hasMessageContaining("rebuilds 1");
  }

  @Test
  void withoutTheFirstCheckpointTheProgramStartsAgain() throws UnrecoverableException {
    List<CheckpointId> first = List.of(FIRST);
    List<CheckpointId> none = List.of();
    assertThat(RecoveryLine.choose(held(first, none, none, none), true).checkpoint()).isNull();
    assertThatThrownBy(() -> RecoveryLine.choose(held(first, first, none, none), false))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void restoresEndedLoopsToo() throws UnrecoverableException {
    List<CheckpointId> all = List.of(END, NEXT_LOOP);
    RecoveryLine line = RecoveryLine.choose(held(all, List.of(), all, all), false);
    assertThat(line.checkpoint()).isEqualTo(NEXT_LOOP);
    assertThat(line.finals()).containsExactly(END);
    assertThat(line.needed()).containsExactly(END, NEXT_LOOP);
    assertThat(line.finalOf(0)).isEqualTo(END);
    assertThat(line.finalOf(1)).isNull();
  }

  @Test
  void aFinalCheckpointCanBeTheLine() throws UnrecoverableException {
    List<CheckpointId> all = new ArrayList<>(List.of(SECOND, END));
    RecoveryLine line = RecoveryLine.choose(held(all, all, all, all), false);
    assertThat(line.checkpoint()).isEqualTo(END);
    assertThat(line.needed()).containsExactly(END);
  }

  /** The end of the loop is lost for good; the previous checkpoint is not. */
  @Test
  void rollsBackBeforeALoopWhoseEndIsLost() throws UnrecoverableException {
    List<CheckpointId> all = List.of(SECOND, END, NEXT_LOOP);
    List<CheckpointId> damaged = List.of(SECOND, NEXT_LOOP);
    RecoveryLine line = RecoveryLine.choose(held(all, all, damaged, damaged), false);
    assertThat(line.checkpoint()).isEqualTo(SECOND);
    assertThat(line.needed()).containsExactly(SECOND);
  }

  @Test
  void aGroupLosesAsManyAsItTolerates() throws UnrecoverableException {
    for (int lost = 0; lost < 4; lost++) {
      List<List<CheckpointId>> complete = new ArrayList<>();
      for (int rank = 0; rank < 5; rank++) {
        complete.add(rank < lost ? List.of() : List.of(SECOND));
      }
      Holdings held = Holdings.of(new int[] {0, 1, 2, 3, 4}, 2, complete);
      if (lost <= 2) {
        assertThat(RecoveryLine.choose(held, false).checkpoint()).isEqualTo(SECOND);
      } else {
        assertThatThrownBy(() -> RecoveryLine.choose(held, false))
            .isInstanceOf(UnrecoverableException.class)
            .hasMessageContaining("[0, 1, 2]")
            .hasMessageContaining("rebuilds 2");
      }
    }
  }

  // ---- files

  private static FileVersion files(CheckpointId... needed) {
    return new FileVersion(0, List.of(needed));
  }

  /** Ranks 2 and 3 are a group that has lost everything. */
  private static Holdings twoLost(CheckpointId... others) {
    List<CheckpointId> all = List.of(others);
    return held(all, all, List.of(), List.of());
  }

  @Test
  void aGroupsLossIsRestoredFromFiles() throws UnrecoverableException {
    Holdings held = twoLost(FIRST, SECOND);
    RecoveryLine line = RecoveryLine.choose(held, List.of(files(SECOND)), false);
    assertThat(line.checkpoint()).isEqualTo(SECOND);
    assertThat(line.files()).isEqualTo(files(SECOND));
    assertThat(held.needFiles(SECOND)).isTrue();
    assertThat(held(List.of(SECOND), List.of(), List.of(SECOND), List.of()).needFiles(SECOND))
        .isFalse();
  }

  @Test
  void memoryIsPreferredToFilesOfTheSameVersion() throws UnrecoverableException {
    List<CheckpointId> both = List.of(FIRST, SECOND);
    RecoveryLine line =
        RecoveryLine.choose(
            held(both, List.of(), both, both), List.of(files(SECOND), files(FIRST)), false);
    assertThat(line.checkpoint()).isEqualTo(SECOND);
    assertThat(line.files()).isNull();
  }

  @Test
  void theNewestVersionWinsWhereverItIs() throws UnrecoverableException {
    // Memory still has the first checkpoint only; files hold the second.
    List<CheckpointId> both = List.of(FIRST, SECOND);
    List<CheckpointId> first = List.of(FIRST);
    RecoveryLine fromFiles =
        RecoveryLine.choose(
            held(both, both, first, first), List.of(files(SECOND), files(FIRST)), false);
    assertThat(fromFiles.checkpoint()).isEqualTo(SECOND);
    // The reverse.
    RecoveryLine fromMemory =
        RecoveryLine.choose(held(both, both, both, both), List.of(files(FIRST)), false);
    assertThat(fromMemory.checkpoint()).isEqualTo(SECOND);
    assertThat(fromMemory.files()).isNull();
    // The checkpoint in memory is newer than the one in files.
    CheckpointId third = new CheckpointId(SECOND.version() + 1, 0, 15, false);
    List<CheckpointId> newer = List.of(SECOND, third);
    List<CheckpointId> lost = List.of(SECOND);
    RecoveryLine older =
        RecoveryLine.choose(held(newer, newer, lost, lost), List.of(files(FIRST)), false);
    assertThat(older.checkpoint()).isEqualTo(SECOND);
    assertThat(older.files()).isNull();
  }

  @Test
  void withNothingInMemoryAJobBeginsFromFiles() throws UnrecoverableException {
    List<CheckpointId> none = List.of();
    RecoveryLine line =
        RecoveryLine.choose(
            held(none, none, none, none), List.of(files(END, NEXT_LOOP), files(END)), true);
    assertThat(line.checkpoint()).isEqualTo(NEXT_LOOP);
    assertThat(line.finals()).containsExactly(END);
    assertThat(line.needed()).containsExactly(END, NEXT_LOOP);
  }

  /** A loop has ended in memory that the files do not know: they are from another run. */
  @Test
  void filesThatContradictMemoryAreLeftOut() {
    Holdings held = twoLost(END, NEXT_LOOP);
    assertThatThrownBy(() -> RecoveryLine.choose(held, List.of(files(NEXT_LOOP)), false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("[2, 3]");
  }

  @Test
  void aVersionCountsIfAllRanksSeeIt() {
    FileVersion other = new FileVersion(1, List.of(SECOND));
    SeenInFiles seen = new SeenInFiles(1, List.of(other, files(SECOND), files(FIRST)));
    SeenInFiles otherwise = new SeenInFiles(2, List.of(files(FIRST), files(SECOND)));
    SeenInFiles none = new SeenInFiles(0, List.of());
    for (SeenInFiles both : List.of(seen.with(otherwise), otherwise.with(seen).with(seen))) {
      assertThat(both).isEqualTo(new SeenInFiles(1, List.of(files(SECOND), files(FIRST))));
    }
    assertThat(seen.with(otherwise).with(none)).isEqualTo(none);
    assertThat(none.with(seen)).isEqualTo(none);
  }
}
