package org.fmi.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.core.state.LoopState;
import org.junit.jupiter.api.Test;

final class LoopTest {
  private static Loop loop(long iterations, boolean mayEndEarlier) {
    return new Loop(0, new LoopState(new Object[] {new long[1]}), iterations, mayEndEarlier, null);
  }

  /** The bound of a {@code loopWhile} does not tell when it ends. */
  @Test
  void onlyALoopWithAllItsIterationsHasAKnownLength() {
    assertThat(loop(100, false).length()).isEqualTo(100);
    assertThat(loop(100, true).length()).isEqualTo(-1);
    assertThat(loop(-1, false).length()).isEqualTo(-1);
  }
}
