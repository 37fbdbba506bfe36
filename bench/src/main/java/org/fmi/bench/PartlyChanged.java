package org.fmi.bench;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * A loop of whose state each iteration changes a part, from its beginning, and reads the rest, for
 * {@code bench/overlap --changed}. Iterations take about as long whatever the part is, and end with
 * a collective.
 */
public final class PartlyChanged {
  private static final int LONGS_OF_MEBIBYTE = 1 << 17;

  private PartlyChanged() {}

  private static long value(int i, int rank) {
    return i * 0x9e37_79b9_7f4a_7c15L + rank;
  }

  public static void main(String[] args) {
    if (args.length != 3) {
      throw new IllegalArgumentException("usage: changed.jar MEBIBYTES PERCENT ITERATIONS");
    }
    long iterations = Long.parseLong(args[2]);
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      int rank = world.rank();
      long[] state = new long[Integer.parseInt(args[0]) * LONGS_OF_MEBIBYTE];
      int changed = (int) (state.length * Long.parseLong(args[1]) / 100);
      Arrays.setAll(state, i -> value(i, rank));
      long[] rest = new long[1];
      fmi.loop(
          iterations,
          n -> {
            for (int i = 0; i < changed; i++) {
              state[i]++;
            }
            long sum = 0;
            for (int i = changed; i < state.length; i++) {
              sum ^= state[i];
            }
            rest[0] = sum;
            world.allReduce(new long[] {sum}, Op.MAX);
          },
          state,
          rest);

      long[] wrong = {0};
      for (int i = 0; i < state.length; i++) {
        wrong[0] += state[i] == value(i, rank) + (i < changed ? iterations : 0) ? 0 : 1;
      }
      world.allReduce(wrong, Op.SUM);
      if (rank == 0) {
        System.out.printf("result check=%s%n", wrong[0] == 0 ? "ok" : "FAILED");
        if (wrong[0] != 0) {
          world.abort(1);
        }
      }
    }
  }
}
