package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Comm;
import org.junit.jupiter.api.Test;

class ProcessGridTest {
  @Test
  void prefersShortBorders() {
    assertThat(ProcessGrid.of(1, 30, 30)).isEqualTo(new ProcessGrid(1, 1));
    assertThat(ProcessGrid.of(6, 100, 30)).isEqualTo(new ProcessGrid(6, 1));
    assertThat(ProcessGrid.of(6, 100, 100)).isEqualTo(new ProcessGrid(2, 3));
    assertThat(ProcessGrid.of(6, 30, 100)).isEqualTo(new ProcessGrid(1, 6));
    assertThat(ProcessGrid.of(64, 30, 30)).isEqualTo(new ProcessGrid(8, 8));
    assertThat(ProcessGrid.of(7, 30, 30)).isEqualTo(new ProcessGrid(1, 7));
  }

  @Test
  void leavesNoRankWithoutPoints() {
    assertThat(ProcessGrid.of(31, 30, 30)).isNull();
    assertThat(ProcessGrid.of(900, 30, 30)).isEqualTo(new ProcessGrid(30, 30));
    assertThat(ProcessGrid.of(901, 30, 30)).isNull();
  }

  @Test
  void knowsWhoStandsWhere() {
    ProcessGrid grid = new ProcessGrid(2, 3);
    for (int rank = 0; rank < 6; rank++) {
      assertThat(grid.rank(grid.row(rank), grid.col(rank))).isEqualTo(rank);
    }
    assertThat(grid.rank(-1, 0)).isEqualTo(Comm.PROC_NULL);
    assertThat(grid.rank(0, 3)).isEqualTo(Comm.PROC_NULL);
    assertThat(grid.rank(2, 0)).isEqualTo(Comm.PROC_NULL);
  }
}
