package org.fmi.examples.himeno;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.examples.Slice;
import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HimenoTest {
  private static final int ITERATIONS = 12;

  private static double gosa(ThreadWorld world, Loops loops) throws Exception {
    String printed =
        world.run(
            loops,
            fmi ->
                System.out.print(
                    Himeno.run(fmi, "--grid", "XS", "--iterations", Integer.toString(ITERATIONS))));
    Matcher result =
        Pattern.compile("result gosa=(\\S+) iterations=12 mflops=\\d+ recoveries=0\n")
            .matcher(printed);
    assertThat(result.matches()).as(printed).isTrue();
    return Double.parseDouble(result.group(1));
  }

  @Test
  void oneBlockComputesWhatTheOfficialProgramDoes() {
    Grid grid = Grid.XS;
    Block block = new Block(grid, new Slice(0, grid.insideI()), new Slice(0, grid.insideJ()));
    double gosa = 0;
    for (int i = 0; i < ITERATIONS; i++) {
      gosa = block.jacobi();
    }
    assertThat(gosa).isCloseTo(reference(grid), within(1e-4 * gosa));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 6, 7, 9})
  void anyNumberOfRanksComputesTheSame(int ranks) throws Exception {
    double gosa = gosa(new ThreadWorld(ranks), Loops.UNDISTURBED);
    // Only the order of the last sum depends on the number of ranks.
    assertThat(gosa).isCloseTo(gosa(new ThreadWorld(1), Loops.UNDISTURBED), within(1e-12 * gosa));
  }

  @Test
  void itsStateIsComplete() throws Exception {
    ThreadWorld world = new ThreadWorld(4);
    double gosa = gosa(world, Loops.UNDISTURBED);
    assertThat(gosa(world, Loops.ROLLED_BACK)).isEqualTo(gosa);
    assertThat(gosa(world, Loops.ALREADY_DONE)).isEqualTo(gosa);
  }

  @Test
  void refusesMoreRanksThanPoints() {
    assertThatThrownBy(() -> gosa(new ThreadWorld(31), Loops.UNDISTURBED))
        .isInstanceOf(ThreadWorld.Aborted.class);
  }

  /** The benchmark as its authors wrote it: three-dimensional arrays, all in single precision. */
  private static float reference(Grid grid) {
    int imax = grid.imax;
    int jmax = grid.jmax;
    int kmax = grid.kmax;
    float[][][] p = new float[imax][jmax][kmax];
    for (int i = 0; i < imax; i++) {
      for (int j = 0; j < jmax; j++) {
        for (int k = 0; k < kmax; k++) {
          p[i][j][k] = (float) (i * i) / (float) ((imax - 1) * (imax - 1));
        }
      }
    }
    float gosa = 0;
    for (int n = 0; n < ITERATIONS; n++) {
      float[][][] wrk2 = new float[imax][jmax][kmax];
      gosa = 0;
      for (int i = 1; i < imax - 1; i++) {
        for (int j = 1; j < jmax - 1; j++) {
          for (int k = 1; k < kmax - 1; k++) {
            float s0 = p[i + 1][j][k] + p[i][j + 1][k] + p[i][j][k + 1];
            s0 += p[i - 1][j][k] + p[i][j - 1][k] + p[i][j][k - 1];
            float ss = s0 * (1 / 6f) - p[i][j][k];
            gosa += ss * ss;
            wrk2[i][j][k] = p[i][j][k] + 0.8f * ss;
          }
        }
      }
      for (int i = 1; i < imax - 1; i++) {
        for (int j = 1; j < jmax - 1; j++) {
          System.arraycopy(wrk2[i][j], 1, p[i][j], 1, kmax - 2);
        }
      }
    }
    return gosa;
  }
}
