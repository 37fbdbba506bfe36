package org.fmi.run.e2e;

import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/** Prints a line per iteration. It is right, unless it is told to forget part of its state. */
public final class CheckedProgram {
  private CheckedProgram() {}

  public static void main(String[] args) {
    boolean forgets = args.length > 0;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      double[] u = new double[50];
      double[] step = {1};
      fmi.loop(
          30,
          iteration -> {
            u[17] += step[0];
            step[0] /= 2;
            double[] most = {u[17]};
            world.allReduce(most, Op.MAX);
            if (world.rank() == 0) {
              System.out.println("iteration " + iteration + " most " + most[0]);
              System.err.println("told of " + iteration);
            }
          },
          u,
          forgets ? new double[1] : step);
    }
  }
}
