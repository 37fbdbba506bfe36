package org.fmi.examples.himeno;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;
import org.fmi.examples.ProcessGrid;
import org.fmi.examples.Slice;

/**
 * The Himeno benchmark of RIKEN (himenoBMT): solves Poisson's equation for the pressure of an
 * incompressible fluid by Jacobi's method, and survives the death of ranks and nodes meanwhile.
 */
public final class Himeno {
  private static final String HELP =
      """
      himeno - the Himeno benchmark: Poisson's equation by Jacobi's method

      usage: fmirun -n N himeno.jar [options]

        --grid SIZE      XS (32 x 32 x 64 points, default), S (64 x 64 x 128),
                         M (128 x 128 x 256), L (256 x 256 x 512) or XL (512 x 512 x 1024);
                         56 bytes a point in all ranks together, 4 of them in a checkpoint
        --iterations I   how many iterations to compute, default 200
        --kernel KERNEL  plain (loops, default) or vector (the JDK's incubating Vector API:
                         run with fmirun -J --add-modules=jdk.incubator.vector)
        --help           show this and end

      The last line is "result gosa=HEX iterations=I mflops=M recoveries=R": the sum of the squared
      residuals of the last iteration, exactly (equal for equal N, with or without failures, with
      either kernel), the speed of computing by the benchmark's count of 34 operations a point, and
      how often the job recovered from a failure.
      """;

  private Himeno() {}

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
    Grid grid = options.choice("--grid", Grid.XS);
    int iterations = options.integer("--iterations", 200, 1, Integer.MAX_VALUE);
    Kernel kernel = options.choice("--kernel", Kernel.PLAIN);
    if (!kernel.isAvailable()) {
      throw options.refuse(
          "--kernel " + kernel + " needs fmirun -J --add-modules=" + Kernel.VECTOR_MODULE);
    }
    ProcessGrid ranks = ProcessGrid.of(world.size(), grid.insideI(), grid.insideJ());
    if (ranks == null) {
      throw options.refuse("grid " + grid + " cannot be divided among " + world.size() + " ranks");
    }

    Slice is = Slice.of(grid.insideI(), ranks.rows(), ranks.row(world.rank()));
    Slice js = Slice.of(grid.insideJ(), ranks.cols(), ranks.col(world.rank()));
    Block block = new Block(grid, is, js, kernel);
    Halo halo = new Halo(world, ranks, block);
    double[] gosa = new double[1];
    long[] computed = new long[1]; // by this process: no part of the state

    long begin = System.nanoTime();
    fmi.loop(
        iterations,
        iteration -> {
          gosa[0] = block.jacobi();
          halo.exchange();
          world.allReduce(gosa, Op.SUM);
          computed[0]++;
        },
        block.p,
        gosa); // all else is made anew by a process that takes over

    if (world.rank() != 0) {
      return "";
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    return String.format(
        "result gosa=%s iterations=%d mflops=%.0f recoveries=%d%n",
        Double.toHexString(gosa[0]),
        iterations,
        computed[0] * grid.flops() / seconds / 1e6,
        fmi.epoch());
  }
}
