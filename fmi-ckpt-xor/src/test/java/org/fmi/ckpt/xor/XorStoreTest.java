package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.stream.IntStream;
import org.fmi.spi.CheckpointId;
import org.fmi.testkit.contract.StoreGroup;
import org.fmi.testkit.support.MapMemory;
import org.fmi.testkit.support.ThreadComm;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The store with the smallest and the largest supported number of losses; see {@link TwoLossesIT}.
 */
final class XorStoreTest {

  @Nested
  class OneLoss extends XorStoreSuite {
    OneLoss() {
      super(1);
    }
  }

  @Nested
  class ThreeLosses extends XorStoreSuite {
    ThreeLosses() {
      super(3);
    }
  }

  @Test
  void namesCheckpointsOfEndedLoopsWhenMemoryIsShort() throws Exception {
    try (StoreGroup group =
        new StoreGroup(2, (rank, all, comm, memory) -> new XorStore(rank, all, 1, comm, memory))) {
      long[] sizes = {700_000, 700_000};
      for (int loop = 0; loop < 2; loop++) {
        group.checkpoint(new CheckpointId(loop, loop, 10, true), sizes, loop);
      }
      group.checkpoint(new CheckpointId(2, 2, 0, false), sizes, 2);
      group.map(0).limit(4_500_000);
      assertThatThrownBy(() -> group.store(0).begin(new CheckpointId(3, 2, 5, false), 700_000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("are free; the final checkpoints of 2 ended loops (3 MiB)")
          .hasMessageContaining("--node-dir");
    }
  }

  @Test
  void aGroupForWhichTheCodeHasNoSolutionIsRefused() {
    int[] group = IntStream.range(0, 68).toArray();
    assertThatThrownBy(() -> new XorStore(0, group, 3, new ThreadComm().comm(0), new MapMemory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("68 ranks");
  }
}
