package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.job.LeftMemory.OnNode;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.EarlierMemory;
import org.fmi.spi.LeftCheckpoints.Part;
import org.fmi.spi.UnrecoverableException;
import org.junit.jupiter.api.Test;

/** What a job with fewer ranks begins from, by what the nodes of the earlier one hold. */
final class LeftMemoryTest {
  private static final CheckpointId START = new CheckpointId(0, 0, 0, false);
  private static final CheckpointId ENDED = new CheckpointId(1, 0, 20, true);
  private static final CheckpointId OLD = new CheckpointId(2, 1, 10, false);
  private static final CheckpointId NEW = new CheckpointId(3, 1, 20, false);

  /** Six ranks on three nodes, in two groups of three. */
  private static final int[][] GROUPS = {{0, 2, 4}, {1, 3, 5}};

  private static OnNode node(int number, CheckpointId... held) {
    List<Part> parts = new ArrayList<>();
    for (int rank : List.of(2 * number, 2 * number + 1)) {
      for (CheckpointId id : held) {
        parts.add(new Part(rank, id, GROUPS[rank % 2], 1, (int) id.version()));
      }
    }
    return new OnNode(new ToDaemon.Peer(number, "10.0.0." + number, 7), parts);
  }

  private static EarlierMemory memory(OnNode... nodes) throws UnrecoverableException {
    return LeftMemory.of(6, List.of(nodes));
  }

  @Test
  void theNewestThatEachGroupHasOrCanRebuild() throws Exception {
    EarlierMemory memory =
        memory(node(0, ENDED, OLD, NEW), node(2, ENDED, OLD, NEW)); // node 1 is lost
    assertThat(memory.size()).isEqualTo(6);
    assertThat(memory.needed()).containsExactly(ENDED, NEW);
    assertThat(memory.losses()).isOne();
    assertThat(memory.groups()).containsExactlyInAnyOrder(GROUPS);
    assertThat(memory.holders().stream().map(EarlierMemory.Holder::host))
        .containsExactly("10.0.0.0", "10.0.0.2");
    assertThat(memory.holders().getLast().ranks()).containsExactly(4, 5);
  }

  @Test
  void whatOneNodeHasNotCompletedIsRebuilt() throws Exception {
    assertThat(memory(node(0, OLD, NEW), node(1, OLD, NEW), node(2, OLD)).needed())
        .containsExactly(NEW);
  }

  @Test
  void anOlderOneIfTheNewestIsLost() throws Exception {
    assertThat(memory(node(0, OLD, NEW), node(1, OLD), node(2, OLD)).needed()).containsExactly(OLD);
  }

  /** A version that was taken twice has parts that do not belong together. */
  @Test
  void partsOfAnotherAttemptAreLost() throws Exception {
    OnNode other = node(2, OLD, NEW);
    List<Part> parts = new ArrayList<>();
    for (Part part : other.parts()) {
      int digest = part.id().equals(NEW) ? 99 : part.digest();
      parts.add(new Part(part.rank(), part.id(), part.group(), part.losses(), digest));
    }
    OnNode different = new OnNode(other.at(), parts);
    assertThat(memory(node(0, OLD, NEW), different).needed()).containsExactly(OLD);
  }

  @Test
  void withoutACheckpointTheProgramBeginsAnew() throws Exception {
    assertThat(memory(node(0), node(2)).exists()).isFalse();
    assertThat(memory(node(0, START)).exists()).as("it holds the program's start").isFalse();
    assertThat(LeftMemory.of(6, List.of()).exists()).isFalse();
  }

  @Test
  void moreThanTheCodeRebuildsIsLost() {
    assertThatThrownBy(() -> memory(node(0, ENDED, OLD)))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("lost for good: ranks [2, 4] of one checkpoint group");
  }

  /** Nobody knows any more to which groups its ranks belonged. */
  @Test
  void aGroupThatIsLostAsAWholeIsLost() {
    List<Part> one = node(0, OLD).parts().stream().filter(part -> part.rank() == 0).toList();
    List<Part> other = node(1, OLD).parts().stream().filter(part -> part.rank() == 2).toList();
    assertThatThrownBy(
            () ->
                memory(
                    new OnNode(new ToDaemon.Peer(0, "a", 1), one),
                    new OnNode(new ToDaemon.Peer(1, "b", 1), other)))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("ranks " + Arrays.toString(GROUPS[1]));
  }
}
