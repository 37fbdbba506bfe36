package org.fmi.run.e2e;

import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.StateRef;

/**
 * Makes communicators in its loop, keeps some of them as state over many iterations, and checks
 * what it computes with them.
 */
public final class CommunicatorsProgram {
  private static final int ITERATIONS = 30;

  private CommunicatorsProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      StateRef<Comm> kept = StateRef.of(world);
      long[] sum = new long[1];
      fmi.loop(
          ITERATIONS,
          n -> {
            if (n % 7 == 3) {
              Comm before = kept.get();
              Comm half = world.split(world.rank() % 2, -world.rank());
              kept.set(n % 2 == 0 ? before.dup() : Objects.requireNonNull(half));
              if (world.compare(before) != Group.Comparison.IDENT) {
                before.close();
              }
            }
            long[] part = {n};
            kept.get().allReduce(part, Op.SUM);
            sum[0] += part[0] / kept.get().size();
          },
          sum,
          kept);
      long expected = ITERATIONS * (ITERATIONS - 1) / 2;
      System.out.println("result check=" + (sum[0] == expected ? "ok" : "wrong: " + sum[0]));
    }
  }
}
