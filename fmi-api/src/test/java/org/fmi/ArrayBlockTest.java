package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class ArrayBlockTest {
  private static long[] of(long... values) {
    return values;
  }

  @Test
  void withoutGhostPointsTheBlockIsTheLocalArray() {
    ArrayBlock block = ArrayBlock.of(new int[6], of(4, 9), of(1, 3), of(2, 3));
    assertThat(block.localShape()).containsExactly(2, 3);
    assertThat(block.localFrom()).containsExactly(0, 0);
  }

  @Test
  void whatIsGivenMayChangeAfterwards() {
    long[] from = of(1, 3);
    ArrayBlock block = ArrayBlock.of(new int[6], of(4, 9), from, of(2, 3));
    from[0] = 0;
    block.from()[1] = 0;
    assertThat(block.from()).containsExactly(1, 3);
  }

  @Test
  void aBlockThatIsNotInsideOfBothArraysIsRefused() {
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(4, 9), of(3, 3), of(2, 3)))
        .hasMessage(
            "ArrayBlock[from [3, 3] extent [2, 3] of [4, 9], local from [0, 0] of [2, 3]]: is not"
                + " inside of the global array in dimension 0");
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(4), of(0), of(2), of(3), of(2)))
        .hasMessageContaining("is not inside of the local array in dimension 0");
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(4), of(-1), of(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(4), of(Long.MAX_VALUE), of(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(4, 9), of(0), of(2)))
        .hasMessageContaining("the same number of dimensions");
    assertThatThrownBy(() -> ArrayBlock.of(new int[6], of(), of(), of()))
        .hasMessageContaining("1 or more");
  }
}
