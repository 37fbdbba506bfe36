package org.fmi.examples.heat2d;

import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;

/**
 * The same plate in a {@code flowLoop}, which knows that each block is computed from itself and its
 * neighbours: after a failure only the blocks that the lost block depends on are computed again.
 */
public final class Heat2dFlow {
  private static final String HELP =
      """
      heat2d-flow - heat spreads in a square plate; after a failure few blocks are computed again

      usage: fmirun -n N --rollback flow heat2d-flow.jar [options]

      """
          + Problem.OPTIONS;

  private Heat2dFlow() {}

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
    Spreading spreading = new Spreading(world, problem);
    Flow flow = Flow.grid(problem.grid().rows(), problem.grid().cols());

    Part part = new Part(problem.block(world.rank()).start());
    for (int phase = 0; phase < problem.phases(); phase++) {
      double[] heated = spreading.heated(part.u);
      part =
          fmi.flowLoop(
              problem.iterations(),
              flow,
              spreading,
              () -> new Part(heated.clone()),
              of -> new Object[] {of.u, of.change});
    }
    return problem.outcome(fmi, part.u, spreading.residual(part));
  }

  /** A rank's temperatures, and the largest change of the last iteration. */
  private record Part(double[] u, double[] change) {
    Part(double[] u) {
      this(u, new double[1]);
    }
  }

  /** The body of an iteration. */
  private static final class Spreading implements FlowBody<Part> {
    private final Comm world;
    private final Block block;
    private final Halo halo;

    Spreading(Comm world, Problem problem) {
      this.world = world;
      block = problem.block(world.rank());
      halo = problem.halo(world);
    }

    /** The plate with its upper edge heated; collective. */
    double[] heated(double[] u) {
      double[] peak = {block.peak(u)};
      world.allReduce(peak, Op.MAX);
      double[] heated = u.clone();
      block.heat(heated, peak[0] / 2);
      return heated;
    }

    @Override
    public void exchange(long iteration, Part now) {
      halo.exchange(now.u);
    }

    @Override
    public void step(long iteration, Part now, Part next) {
      next.change[0] = block.step(now.u, next.u);
    }

    @Override
    public boolean finish(long iteration, Part next) {
      residual(next);
      return true;
    }

    /** The largest change on any rank; collective. */
    double residual(Part part) {
      double[] largest = {part.change[0]};
      world.allReduce(largest, Op.MAX);
      return largest[0];
    }
  }
}
