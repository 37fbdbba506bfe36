package org.fmi.examples.amr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BlockTest {
  private static final Spot SPOT = new Spot(0.4, 0.6);

  /** A block that the spot has heated. */
  private static Block warm(int level) {
    Block block = new Block(level);
    for (int i = 0; i < 5; i++) {
      block.step(SPOT, 0, 0, 1);
    }
    return block;
  }

  private static double mean(Block block) {
    return Arrays.stream(block.inside()).average().orElseThrow();
  }

  @Test
  void aFinerBlockRepeatsTheCellsOfACoarserOne() {
    Block block = warm(1);
    Block finer = block.at(3);
    assertThat(finer.cells).isEqualTo(4 * block.cells);
    for (int r = 0; r < finer.cells; r++) {
      for (int c = 0; c < finer.cells; c++) {
        assertThat(finer.inside()[r * finer.cells + c])
            .isEqualTo(block.inside()[r / 4 * block.cells + c / 4]);
      }
    }
    assertThat(finer.at(1).inside()).isEqualTo(block.inside());
  }

  @Test
  void aCoarserBlockHasAsMuchHeat() {
    Block block = warm(3);
    assertThat(mean(block)).isPositive();
    assertThat(mean(block.at(0))).isCloseTo(mean(block), within(1e-15));
  }

  @Test
  void conductionKeepsTheHeat() {
    Block block = warm(2);
    double before = mean(block);
    for (Side side : Side.values()) {
      block.setLayer(side, block.edge(side)); // no difference, so nothing flows
    }
    block.step(new Spot(9, 9), 0, 0, 1);
    assertThat(mean(block)).isCloseTo(before, within(1e-15));
  }

  @Test
  void aRoughBlockWantsAFinerLevel() {
    assertThat(new Block(2).wantedLevel()).isZero();
    Block block = new Block(0);
    for (int i = 0; i < 20; i++) {
      block.step(SPOT, 5, 7, 12);
    }
    assertThat(new Block(0).wantedLevel()).isLessThan(block.wantedLevel());
  }

  @Test
  void theSpotStaysOnThePlate() {
    for (int i = 0; i < 2000; i++) {
      Spot spot = Spot.at(i);
      assertThat(spot.row()).isBetween(0.19, 0.81);
      assertThat(spot.col()).isBetween(0.19, 0.81);
    }
  }
}
