package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.fmi.testkit.support.MapMemory;
import org.fmi.testkit.support.ThreadComm;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The store with the fewest and the most losses that it can be asked for; see {@link TwoLossesIT}.
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
  void aGroupForWhichTheCodeHasNoSolutionIsRefused() {
    int[] group = IntStream.range(0, 68).toArray();
    assertThatThrownBy(() -> new XorStore(0, group, 3, new ThreadComm().comm(0), new MapMemory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("68 ranks");
  }
}
