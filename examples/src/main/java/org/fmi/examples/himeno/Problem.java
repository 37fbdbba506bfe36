package org.fmi.examples.himeno;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.examples.Options;
import org.fmi.examples.ProcessGrid;
import org.fmi.examples.Share;

/**
 * The user's problem, and its division among ranks.
 *
 * @param ranks the grid's rows divide direction i, its columns direction j
 */
record Problem(Grid grid, int iterations, Kernel kernel, ProcessGrid ranks) {
  static final String OPTIONS =
      """
        --grid SIZE      XS (32 x 32 x 64 points, default), S (64 x 64 x 128),
                         M (128 x 128 x 256), L (256 x 256 x 512) or XL (512 x 512 x 1024),
                         or any other, such as 384x384x768; 56 bytes a point in all ranks
                         together, 4 of them in a checkpoint
        --iterations I   how many iterations to compute, default 200
        --kernel KERNEL  plain (loops, default) or vector (the JDK's incubating Vector API:
                         run with fmirun -J --add-modules=jdk.incubator.vector)
        --help           show this and end

      The last line is "result gosa=HEX iterations=I mflops=M recoveries=R": the sum of the squared
      residuals of the last iteration, exactly (equal for equal N, with or without failures, with
      either kernel), the speed of computing by the benchmark's count of 34 operations a point, and
      how often the job recovered from a failure.
      """;

  /** Reads the options; ends the program if they make no sense. */
  static Problem of(Comm world, Options options) {
    Grid grid = Grid.of(options);
    int iterations = options.integer("--iterations", 200, 1, Integer.MAX_VALUE);
    Kernel kernel = options.choice("--kernel", Kernel.PLAIN);
    if (!kernel.isAvailable()) {
      throw options.refuse(
          "--kernel " + kernel + " needs fmirun -J --add-modules=" + Kernel.VECTOR_MODULE);
    }
    ProcessGrid ranks = ProcessGrid.of(world.size(), grid.insideI(), grid.insideJ());
    if (ranks == null) {
      throw options.refuse(
          "grid " + grid.name() + " cannot be divided among " + world.size() + " ranks");
    }
    return new Problem(grid, iterations, kernel, ranks);
  }

  /** The part of a rank. */
  Block block(int rank) {
    Share is = Share.of(grid.insideI(), ranks.rows(), ranks.row(rank));
    Share js = Share.of(grid.insideJ(), ranks.cols(), ranks.col(rank));
    return new Block(grid, is, js, kernel);
  }

  /** The result line; empty but for rank 0. */
  String outcome(Fmi fmi, double gosa, long computed, long nanos) {
    if (fmi.world().rank() != 0) {
      return "";
    }
    return String.format(
        "result gosa=%s iterations=%d mflops=%.0f recoveries=%d%n",
        Double.toHexString(gosa),
        iterations,
        computed * grid.flops() / (nanos / 1e9) / 1e6,
        fmi.epoch());
  }
}
