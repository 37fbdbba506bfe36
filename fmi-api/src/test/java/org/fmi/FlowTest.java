package org.fmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class FlowTest {
  @Test
  void aLineHasTwoEnds() {
    Flow line = Flow.line(4);
    assertThat(line.inputs(0, 7)).containsExactly(1);
    assertThat(line.inputs(1, 7)).containsExactly(0, 2);
    assertThat(line.inputs(3, 7)).containsExactly(2);
    assertThat(Flow.line(1).inputs(0, 0)).isEmpty();
  }

  @Test
  void nothingIsBeyondTheEdgesOfAGrid() {
    // 0 1 2
    // 3 4 5
    // 6 7 8
    Flow grid = Flow.grid(3, 3);
    assertThat(grid.inputs(0, 0)).containsExactlyInAnyOrder(1, 3);
    assertThat(grid.inputs(2, 0)).containsExactlyInAnyOrder(1, 5);
    assertThat(grid.inputs(3, 0)).containsExactlyInAnyOrder(0, 4, 6);
    assertThat(grid.inputs(4, 0)).containsExactlyInAnyOrder(1, 3, 5, 7);
    assertThat(grid.inputs(8, 0)).containsExactlyInAnyOrder(5, 7);
    assertThat(Flow.grid(3, 1).inputs(1, 0)).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void aGridWithoutRanksIsRefused() {
    assertThatThrownBy(() -> Flow.grid(0, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a grid of 0 by 3 ranks has none");
    assertThatThrownBy(() -> Flow.line(0)).hasMessage("a grid of 1 by 0 ranks has none");
  }

  @Test
  void whatIsGivenMayChangeAfterwards() {
    int[][] given = {{1}, {0}};
    Flow flow = Flow.of(given);
    given[0][0] = 7;
    flow.inputs(1, 0)[0] = 7;
    assertThat(flow.inputs(0, 0)).containsExactly(1);
    assertThat(flow.inputs(1, 3)).containsExactly(0);
  }

  @Test
  void allReadFromAll() {
    assertThat(Flow.all(3).inputs(1, 0)).containsExactly(0, 1, 2);
  }
}
