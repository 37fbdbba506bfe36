package org.fmi.examples.heat2d;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Replicated;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.examples.Options;

/**
 * Heat spreads in a square plate, divided into blocks. Shows communication before, between and
 * after loops: parameters broadcast by rank 0, communicators of rows and columns, a reduction
 * between two phases, and the result gathered at rank 0, which compares it with its own serial one.
 */
public final class Heat2d {
  private static final String HELP =
      """
      heat2d - heat spreads in a square plate, divided into blocks

      usage: fmirun -n N heat2d.jar [options]

      """
          + Problem.OPTIONS;

  private Heat2d() {}

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
    Problem problem = Problem.of(world, options);
    Halo halo = problem.halo(world);
    Block block = problem.block(world.rank());

    StateRef<double[]> u = StateRef.of(block.start());
    StateRef<double[]> next = StateRef.of(block.start());
    double[] residual = new double[1];
    for (int phase = 0; phase < problem.phases(); phase++) {
      double[] peak = {block.peak(u.get())};
      world.allReduce(peak, Op.MAX);
      block.heat(u.get(), peak[0] / 2);
      block.heat(next.get(), peak[0] / 2);
      fmi.loop(
          problem.iterations(),
          iteration -> {
            halo.exchange(u.get());
            residual[0] = block.step(u.get(), next.get());
            StateRef.swap(u, next);
            world.allReduce(residual, Op.MAX);
          },
          State.of("u", block.of(u, problem.size())),
          State.of("next", block.of(next, problem.size())),
          State.of("residual", Replicated.of(residual)));
    }
    return problem.outcome(fmi, u.get(), residual[0]);
  }
}
