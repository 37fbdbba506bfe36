package org.fmi.run.e2e;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * A short loop and a long one, with the same collectives in and between them: what is done between
 * them is recorded, and replayed by a replacement for a rank that is lost in the second.
 */
public final class TwoLoopsProgram {
  private TwoLoopsProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      double[] state = {world.rank() + 1};
      fmi.loop(10, iteration -> communicate(world, state), state);
      for (int i = 0; i < 3; i++) {
        communicate(world, state);
      }
      fmi.loop(40, iteration -> communicate(world, state), state);
      System.out.println("result state=" + Double.toHexString(state[0]));
    }
  }

  private static void communicate(Comm world, double[] state) {
    double[] sum = state.clone();
    world.allReduce(sum, Op.SUM);
    double[] first = state.clone();
    world.bcast(first, 0);
    world.barrier();
    Arrays.setAll(state, i -> Math.cos(state[i] + sum[i] / world.size() + first[i]));
  }
}
