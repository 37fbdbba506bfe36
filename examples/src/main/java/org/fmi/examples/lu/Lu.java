package org.fmi.examples.lu;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.ProcessGrid;
import org.fmi.examples.Share;

/**
 * Symmetric successive over-relaxation of Poisson's equation in a cube, as in the LU benchmark of
 * NAS: each value depends on earlier values of the same sweep, so ranks work one after the other,
 * as in a pipeline. No barrier makes all ranks wait for each other.
 */
public final class Lu {
  private static final String HELP =
      """
      lu - solves Poisson's equation in a cube by symmetric over-relaxation, in pipelined sweeps

      usage: fmirun -n N lu.jar [options]

        --size S         points along a side of the cube, default 48
        --iterations I   sweeps there and back, default 100
        --digits D       holds that the residual is 10^-D of the right hand side then, default 6
        --help           show this and end

      The last line is "result residual=HEX error=HEX sum=HEX check=ok recoveries=R": the largest
      component of b - A x relative to that of b, the largest difference to the known solution, a
      checksum of the solution (all exactly: equal for every N, with or without failures), whether
      the residual is small enough (check=FAILED and exit status 1 if not), and how often the job
      recovered from a failure.
      """;

  private Lu() {}

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    int size = options.integer("--size", 48, 1, 1_000);
    int iterations = options.integer("--iterations", 100, 0, Integer.MAX_VALUE);
    double tolerance = Double.parseDouble("1e-" + options.integer("--digits", 6, 1, 12));
    ProcessGrid grid = ProcessGrid.of(world.size(), size, size);
    if (grid == null) {
      throw options.refuse(
          size + " x " + size + " columns cannot be divided among " + world.size() + " ranks");
    }

    Share rows = Share.of(size, grid.rows(), grid.row(world.rank()));
    Share cols = Share.of(size, grid.cols(), grid.col(world.rank()));
    Block block = new Block(size, rows, cols);
    Pipeline pipeline = new Pipeline(world, grid, block);
    fmi.loop(iterations, iteration -> pipeline.thereAndBack(), block.x); // b is made anew

    pipeline.update();
    double[] most = {block.residual(), block.largestRightHandSide(), block.error()};
    world.allReduce(most, Op.MAX);
    long[] sum = {block.checksum()};
    world.allReduce(sum, Op.SUM);
    return Outcome.of(
        fmi,
        most[0] <= tolerance * most[1],
        String.format(
            "residual=%s error=%s sum=%016x",
            Double.toHexString(most[0] / most[1]), Double.toHexString(most[2]), sum[0]));
  }
}
