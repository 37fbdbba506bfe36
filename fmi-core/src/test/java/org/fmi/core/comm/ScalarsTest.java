package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.Comm;
import org.fmi.Op;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives of one number give what those of an array of one element do. */
class ScalarsTest {
  private static final List<Op> OPS = List.of(Op.SUM, Op.PROD, Op.MAX, Op.MIN);

  private static long value(int rank) {
    return rank % 2 == 0 ? 3L - rank : (1L << 53) + 1 + rank; // no double, nor an int, has it
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void giveWhatArraysOfOneElementGive(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int root = ranks / 2;
          long x = value(world.rank());
          assertThat(world.bcast(x, root)).isEqualTo(value(root));
          assertThat(world.bcast((int) x, root)).isEqualTo((int) value(root));
          assertThat(world.bcast(x / 3.0, root)).isEqualTo(value(root) / 3.0);
          for (Op op : OPS) {
            checkLong(world, x, op);
            checkInt(world, (int) x, op);
            checkDouble(world, x / 7.0, op);
          }
          checkLong(world, x, Op.BXOR);
          assertThat(world.allReduce((byte) -1, Op.SUM)).isEqualTo(-ranks);
          assertThat(world.allReduce(0.5f, Op.SUM)).isEqualTo(0.5 * ranks);
        });
  }

  private static void checkLong(Comm world, long x, Op op) {
    long[] result = {x};
    world.allReduce(result, op);
    assertThat(world.allReduce(x, op)).as("allReduce %s", op).isEqualTo(result[0]);
    world.scan(new long[] {x}, result, op);
    assertThat(world.scan(x, op)).as("scan %s", op).isEqualTo(result[0]);
    result[0] = 0;
    world.exScan(new long[] {x}, result, op);
    assertThat(world.exScan(x, op)).as("exScan %s", op).isEqualTo(result[0]);
  }

  private static void checkInt(Comm world, int x, Op op) {
    int[] result = {x};
    world.allReduce(result, op);
    assertThat(world.allReduce(x, op)).as("allReduce %s", op).isEqualTo(result[0]);
    world.scan(new int[] {x}, result, op);
    assertThat(world.scan(x, op)).as("scan %s", op).isEqualTo(result[0]);
    result[0] = 0;
    world.exScan(new int[] {x}, result, op);
    assertThat(world.exScan(x, op)).as("exScan %s", op).isEqualTo(result[0]);
  }

  private static void checkDouble(Comm world, double x, Op op) {
    double[] result = {x};
    world.allReduce(result, op);
    assertThat(world.allReduce(x, op)).as("allReduce %s", op).isEqualTo(result[0]);
    world.scan(new double[] {x}, result, op);
    assertThat(world.scan(x, op)).as("scan %s", op).isEqualTo(result[0]);
    result[0] = 0;
    world.exScan(new double[] {x}, result, op);
    assertThat(world.exScan(x, op)).as("exScan %s", op).isEqualTo(result[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void truthValues(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          boolean last = world.rank() == ranks - 1;
          assertThat(world.allReduce(last, Op.LOR)).isTrue();
          assertThat(world.allReduce(last, Op.LAND)).isEqualTo(ranks == 1);
          assertThat(world.allReduce(true, Op.LXOR)).isEqualTo(ranks % 2 == 1);
        });
  }
}
