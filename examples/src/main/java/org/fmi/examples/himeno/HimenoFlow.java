package org.fmi.examples.himeno;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.examples.Options;
import org.fmi.examples.ProcessGrid;

/**
 * The same benchmark in a {@code flowLoop}, which knows that each block is computed from itself and
 * the eight around it, also across an edge: after a failure only the blocks that the lost block
 * depends on are computed again.
 */
public final class HimenoFlow {
  private static final String HELP =
      """
      himeno-flow - the Himeno benchmark; after a failure few blocks are computed again

      usage: fmirun -n N --rollback flow himeno-flow.jar [options]

      """
          + Problem.OPTIONS;

  private HimenoFlow() {}

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
    Relaxation relaxation = new Relaxation(world, problem);
    long begin = System.nanoTime();
    Part part =
        fmi.flowLoop(
            problem.iterations(),
            flow(problem.ranks()),
            relaxation,
            () -> new Part(relaxation.block.start()),
            of -> new Object[] {of.p, of.residual});
    double gosa = relaxation.gosa(part);
    return problem.outcome(fmi, gosa, relaxation.computed, System.nanoTime() - begin);
  }

  /** Returns each rank's inputs: its neighbours. Points across an edge arrive by a rank between. */
  static Flow flow(ProcessGrid ranks) {
    int[][] inputs = new int[ranks.rows() * ranks.cols()][];
    for (int rank = 0; rank < inputs.length; rank++) {
      int[] around = new int[8];
      int count = 0;
      for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
          int other = ranks.rank(ranks.row(rank) + i, ranks.col(rank) + j);
          if (other != Comm.PROC_NULL && other != rank) {
            around[count++] = other;
          }
        }
      }
      inputs[rank] = Arrays.copyOf(around, count);
    }
    return Flow.of(inputs);
  }

  /** A rank's pressure, and the sum of the squared residuals of the last iteration. */
  private record Part(float[] p, double[] residual) {
    Part(float[] p) {
      this(p, new double[1]);
    }
  }

  /** The body of an iteration. */
  private static final class Relaxation implements FlowBody<Part> {
    private final Comm world;
    private final Block block;
    private final Halo halo;

    /** By this process: no part of the state. */
    private transient long computed;

    Relaxation(Comm world, Problem problem) {
      this.world = world;
      block = problem.block(world.rank());
      halo = new Halo(world, problem.ranks(), block);
    }

    @Override
    public void exchange(long iteration, Part now) {
      halo.exchange(now.p);
    }

    @Override
    public void step(long iteration, Part now, Part next) {
      next.residual[0] = block.sweep(now.p, next.p);
      computed++;
    }

    @Override
    public boolean finish(long iteration, Part next) {
      gosa(next);
      return true;
    }

    /** The sum over all ranks; collective. */
    double gosa(Part part) {
      double[] sum = {part.residual[0]};
      world.allReduce(sum, Op.SUM);
      return sum[0];
    }
  }
}
