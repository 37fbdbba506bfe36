package org.fmi.examples.himeno;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;

/**
 * The Himeno benchmark of RIKEN (himenoBMT): solves Poisson's equation for the pressure of an
 * incompressible fluid by Jacobi's method, and survives the death of ranks and nodes meanwhile.
 */
public final class Himeno {
  private static final String HELP =
      """
      himeno - the Himeno benchmark: Poisson's equation by Jacobi's method

      usage: fmirun -n N himeno.jar [options]

      """
          + Problem.OPTIONS;

  private Himeno() {}

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Work of this process: no part of the state, and --check may find that it differs. */
  private static final class Work {
    transient long iterations;
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    Problem problem = Problem.of(world, options);
    Block block = problem.block(world.rank());
    Halo halo = new Halo(world, problem.ranks(), block);
    float[] p = block.start();
    float[] next = new float[p.length];
    double[] gosa = new double[1];
    Work work = new Work();

    long begin = System.nanoTime();
    fmi.loop(
        problem.iterations(),
        iteration -> {
          gosa[0] = block.jacobi(p, next);
          halo.exchange(p);
          world.allReduce(gosa, Op.SUM);
          work.iterations++;
        },
        p,
        gosa); // all else is made anew by a process that takes over
    return problem.outcome(fmi, gosa[0], work.iterations, System.nanoTime() - begin);
  }
}
