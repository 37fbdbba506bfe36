package org.fmi.examples.himeno;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.examples.Slice;
import org.fmi.examples.ThreadWorld;
import org.fmi.examples.ThreadWorld.Loops;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HimenoTest {
  private static final int ITERATIONS = 12;

  private static double gosa(ThreadWorld world, Loops loops) throws Exception {
    return gosa(world, loops, Kernel.PLAIN);
  }

  private static double gosa(ThreadWorld world, Loops loops, Kernel kernel) throws Exception {
    String[] args = {
      "--grid", "XS", "--iterations", Integer.toString(ITERATIONS), "--kernel", kernel.toString()
    };
    String printed = world.run(loops, fmi -> System.out.print(Himeno.run(fmi, args)));
    Matcher result =
        Pattern.compile("result gosa=(\\S+) iterations=12 mflops=\\d+ recoveries=0\n")
            .matcher(printed);
    assertThat(result.matches()).as(printed).isTrue();
    return Double.parseDouble(result.group(1));
  }

  @Test
  void oneBlockComputesWhatTheOfficialProgramDoes() {
    Grid grid = Grid.XS;
    Slice is = new Slice(0, grid.insideI());
    Slice js = new Slice(0, grid.insideJ());
    Block block = new Block(grid, is, js, Kernel.PLAIN);
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

  @ParameterizedTest
  @EnumSource(Kernel.class)
  void itsStateIsComplete(Kernel kernel) throws Exception {
    ThreadWorld world = new ThreadWorld(4);
    double gosa = gosa(world, Loops.UNDISTURBED, kernel);
    assertThat(gosa(world, Loops.ROLLED_BACK, kernel)).isEqualTo(gosa);
    assertThat(gosa(world, Loops.ALREADY_DONE, kernel)).isEqualTo(gosa);
  }

  /** A row's 62 points do not fill whole vectors, nor its blocks whole groups of rows. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 7, 30})
  void bothKernelsComputeTheSameBitForBit(int rows) {
    Block plain = uneven(rows, Kernel.PLAIN);
    Block vector = uneven(rows, Kernel.VECTOR);
    for (int i = 0; i < ITERATIONS; i++) {
      assertThat(vector.jacobi()).isEqualTo(plain.jacobi()).isFinite().isPositive();
    }
    assertThat(vector.p).isEqualTo(plain.p);
  }

  /** A block whose points and coefficients all differ, so that none can stand for another. */
  private static Block uneven(int rows, Kernel kernel) {
    Block block = new Block(Grid.XS, new Slice(2, 3), new Slice(0, rows), kernel);
    Random random = new Random(rows);
    float[][] all = {
      block.p,
      block.a0,
      block.a1,
      block.a2,
      block.a3,
      block.b0,
      block.b1,
      block.b2,
      block.c0,
      block.c1,
      block.c2,
      block.bnd,
      block.wrk1
    };
    for (float[] array : all) {
      for (int x = 0; x < array.length; x++) {
        array[x] = random.nextFloat() / 6;
      }
    }
    return block;
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
