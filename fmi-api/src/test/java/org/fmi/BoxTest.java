package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class BoxTest {
  private static long[] of(long... values) {
    return values;
  }

  @Test
  void withoutGhostPointsTheBoxIsTheLocalArray() {
    Box box = Box.of(new int[6], of(4, 9), of(1, 3), of(2, 3));
    assertThat(box.localShape()).containsExactly(2, 3);
    assertThat(box.localFrom()).containsExactly(0, 0);
  }

  @Test
  void whatIsGivenMayChangeAfterwards() {
    long[] from = of(1, 3);
    Box box = Box.of(new int[6], of(4, 9), from, of(2, 3));
    from[0] = 0;
    box.from()[1] = 0;
    assertThat(box.from()).containsExactly(1, 3);
  }

  @Test
  void aBoxThatIsNotInsideOfBothArraysIsRefused() {
    assertThatThrownBy(() -> Box.of(new int[6], of(4, 9), of(3, 3), of(2, 3)))
        .hasMessage(
            "Box[from [3, 3] extent [2, 3] of [4, 9], local from [0, 0] of [2, 3]]: is not inside"
                + " of the global array in dimension 0");
    assertThatThrownBy(() -> Box.of(new int[6], of(4), of(0), of(2), of(3), of(2)))
        .hasMessageContaining("is not inside of the local array in dimension 0");
    assertThatThrownBy(() -> Box.of(new int[6], of(4), of(-1), of(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Box.of(new int[6], of(4), of(Long.MAX_VALUE), of(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Box.of(new int[6], of(4, 9), of(0), of(2)))
        .hasMessageContaining("the same number of dimensions");
    assertThatThrownBy(() -> Box.of(new int[6], of(), of(), of()))
        .hasMessageContaining("1 or more");
  }
}
