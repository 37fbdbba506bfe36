package org.fmi.examples.cg;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;
import org.fmi.examples.Outcome;
import org.fmi.examples.Share;

/**
 * Conjugate gradients: solves Poisson's equation in a square, as a system with a sparse matrix of
 * which each rank has some rows. How many iterations that takes is known when it has converged.
 */
public final class Cg {
  private static final String HELP =
      """
      cg - solves Poisson's equation in a square by conjugate gradients

      usage: fmirun -n N cg.jar [options]

        --size S         points along a side of the square, default 256
        --digits D       solves until the residual is 10^-D of the right hand side, default 10
        --iterations I   gives up after so many, default 10000
        --help           show this and end

      The last line is "result iterations=I residual=HEX error=HEX check=ok recoveries=R": how many
      iterations it took, the norm of b - A x relative to that of b, the largest difference to the
      known solution (both exactly: equal for equal N, with or without failures), whether the
      residual is small enough (check=FAILED and exit status 1 if not), and how often the job
      recovered from a failure.
      """;

  private Cg() {}

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
    int size = options.integer("--size", 256, 1, 10_000);
    double tolerance = Double.parseDouble("1e-" + options.integer("--digits", 10, 1, 12));
    int most = options.integer("--iterations", 10_000, 1, Integer.MAX_VALUE);
    int n = size * size;
    if (world.size() > n) {
      throw options.refuse(n + " rows cannot be divided among " + world.size() + " ranks");
    }

    Rows a = Rows.poisson(size, Share.of(n, world.size(), world.rank()));
    Exchange exchange = new Exchange(world, n, a);
    double[] known = a.vector();
    for (int i = 0; i < a.own.count(); i++) {
      known[i] = 1 + (a.own.first() + i) * 31L % 101 / 100.0;
    }
    double[] b = a.vector();
    exchange.update(known);
    a.multiply(known, b);

    Solver solver = new Solver(world, a, exchange, b, tolerance);
    long iterations =
        fmi.loopWhile(
            most,
            iteration -> solver.step(),
            solver.x,
            solver.r,
            solver.p,
            solver.rho); // all else is made anew by a process that takes over

    double residual = solver.residual(b);
    double[] error = new double[1];
    for (int i = 0; i < a.own.count(); i++) {
      error[0] = Math.max(error[0], Math.abs(solver.x[i] - known[i]));
    }
    world.allReduce(error, Op.MAX);
    return Outcome.of(
        fmi,
        residual <= 2 * tolerance,
        String.format(
            "iterations=%d residual=%s error=%s",
            iterations, Double.toHexString(residual), Double.toHexString(error[0])));
  }
}
