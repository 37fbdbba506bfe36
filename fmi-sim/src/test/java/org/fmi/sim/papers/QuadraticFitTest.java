package org.fmi.sim.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class QuadraticFitTest {
  @Test
  void aQuadraticCurveIsFittedWhole() {
    List<double[]> points =
        IntStream.rangeClosed(1, 10)
            .mapToObj(i -> new double[] {100 * i, 7 + 3.0 * i + 40.0 * i * i})
            .toList();
    assertThat(QuadraticFit.determination(points)).isEqualTo(1, within(1e-9));
  }

  /** By hand: the best curve is y = 0, as the points lie above and below as an odd cubic does. */
  @Test
  void whatIsLeftIsComparedWithAll() {
    List<double[]> points =
        List.of(
            new double[] {-1.5, -1},
            new double[] {-0.5, 3},
            new double[] {0.5, -3},
            new double[] {1.5, 1});
    assertThat(QuadraticFit.determination(points)).isEqualTo(0, within(1e-9));
  }
}
