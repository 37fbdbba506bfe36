package org.fmi.examples.himeno;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.Fmi;
import org.fmi.examples.Share;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HimenoTest {
  private static final int WRONG_USAGE = 2;
  private static final int ITERATIONS = 12;

  /** Runs it; rank 0 alone has the sum of the squared residuals, the others zero. */
  private static double gosa(Fmi fmi, Kernel kernel, int recoveries) {
    String result =
        Himeno.run(
            fmi,
            "--grid",
            "XS",
            "--iterations",
            Integer.toString(ITERATIONS),
            "--kernel",
            kernel.toString());
    if (fmi.world().rank() > 0) {
      return 0;
    }
    String line = "result gosa=(\\S+) iterations=12 mflops=\\d+ recoveries=" + recoveries + "\n";
    Matcher matcher = Pattern.compile(line).matcher(result);
    assertThat(matcher.matches()).as(result).isTrue();
    return Double.parseDouble(matcher.group(1));
  }

  private static double gosaOfOneBlock() {
    Grid grid = Grid.XS;
    Share is = new Share(0, grid.insideI());
    Share js = new Share(0, grid.insideJ());
    Block block = new Block(grid, is, js, Kernel.PLAIN);
    float[] p = block.start();
    float[] next = new float[p.length];
    double gosa = 0;
    for (int i = 0; i < ITERATIONS; i++) {
      gosa = block.jacobi(p, next);
    }
    return gosa;
  }

  /** Whether it is that of one block, but for the order of the last sum. */
  private static void isRight(Fmi fmi, double gosa) {
    if (fmi.world().rank() == 0) {
      assertThat(gosa).isCloseTo(gosaOfOneBlock(), within(1e-12 * gosa));
    }
  }

  @Test
  void oneBlockComputesWhatTheOfficialProgramDoes() {
    double gosa = gosaOfOneBlock();
    assertThat(gosa).isCloseTo(reference(Grid.XS), within(1e-4 * gosa));
  }

  @FmiTest(ranks = {1, 2, 3, 4, 6, 7, 9})
  void anyNumberOfRanksComputesTheSame(Fmi fmi) {
    isRight(fmi, gosa(fmi, Kernel.PLAIN, 0));
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 3, iteration = 8)
  void itsStateIsComplete(Fmi fmi) {
    isRight(fmi, gosa(fmi, Kernel.PLAIN, 1));
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 0, iteration = 8)
  void theStateOfTheVectorKernelIsComplete(Fmi fmi) {
    isRight(fmi, gosa(fmi, Kernel.VECTOR, 1));
  }

  @FmiTest(ranks = 4)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void itGoesOnFromTheEndOfItsLoop(Fmi fmi) {
    double gosa = gosa(fmi, Kernel.PLAIN, fmi.epoch());
    fmi.world().barrier();
    assertThat(fmi.epoch()).isEqualTo(1);
    isRight(fmi, gosa);
  }

  @FmiTest(ranks = 2)
  void anyOtherGridIsComputedToo(Fmi fmi) {
    String named = Himeno.run(fmi, "--grid", "XS", "--iterations", "2");
    String same = Himeno.run(fmi, "--grid", "32x32x64", "--iterations", "2");
    assertThat(withoutSpeed(same)).isEqualTo(withoutSpeed(named));
    String other = Himeno.run(fmi, "--grid", "3x5x7", "--iterations", "2");
    if (fmi.world().rank() == 0) {
      assertThat(withoutSpeed(other)).isNotEqualTo(withoutSpeed(named)).doesNotContain("NaN");
    }
  }

  private static String withoutSpeed(String result) {
    return result.replaceAll("mflops=\\d+", "");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesAGridWithoutAPointInside(Fmi fmi) {
    Himeno.run(fmi, "--grid", "32x2x64");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesAGridThatNoArrayCanHold(Fmi fmi) {
    Himeno.run(fmi, "--grid", "2048x2048x2048");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesAGridOfNoSize(Fmi fmi) {
    Himeno.run(fmi, "--grid", "XXL");
  }

  /** A row's 62 points do not fill whole vectors, nor its blocks whole groups of rows. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 7, 30})
  void bothKernelsComputeTheSameBitForBit(int rows) {
    Block plain = uneven(rows, Kernel.PLAIN);
    Block vector = uneven(rows, Kernel.VECTOR);
    float[] ofPlain = new float[plain.start().length];
    fill(ofPlain, new Random(rows));
    float[] ofVector = ofPlain.clone();
    float[] next = new float[ofPlain.length];
    for (int i = 0; i < ITERATIONS; i++) {
      assertThat(vector.jacobi(ofVector, next))
          .isEqualTo(plain.jacobi(ofPlain, next))
          .isFinite()
          .isPositive();
    }
    assertThat(ofVector).isEqualTo(ofPlain);
  }

  /** A block whose points and coefficients all differ, so that none can stand for another. */
  private static Block uneven(int rows, Kernel kernel) {
    Block block = new Block(Grid.XS, new Share(2, 3), new Share(0, rows), kernel);
    Random random = new Random(rows + 1);
    float[][] all = {
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
      fill(array, random);
    }
    return block;
  }

  private static void fill(float[] array, Random random) {
    for (int x = 0; x < array.length; x++) {
      array[x] = random.nextFloat() / 6;
    }
  }

  @FmiTest(ranks = 31, abortsWith = 2)
  void refusesMoreRanksThanPoints(Fmi fmi) {
    gosa(fmi, Kernel.PLAIN, 0);
  }

  /** The benchmark as its authors wrote it: three-dimensional arrays, all in single precision. */
  private static float reference(Grid grid) {
    int imax = grid.imax();
    int jmax = grid.jmax();
    int kmax = grid.kmax();
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
