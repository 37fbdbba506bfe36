package org.fmi.run.e2e;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;

/** A program of whose state most never changes, some seldom, and little in each iteration. */
public final class RestingProgram {
  private static final int ITERATIONS = 240;

  private static final int MANY = 400_000;
  private static final int SELDOM = 40;

  private RestingProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      int rank = world.rank();
      int right = (rank + 1) % world.size();
      int left = (rank + world.size() - 1) % world.size();
      long[] constant = new long[MANY];
      long[] rare = new long[MANY / 4];
      long[] often = {rank, 1};
      Arrays.setAll(constant, i -> (i + 1L) * (rank + 3));
      fmi.loop(
          ITERATIONS,
          n -> {
            long[] from = new long[often.length];
            world.sendRecv(often, 0, often.length, right, 1, from, 0, from.length, left, 1);
            long sum = 0;
            for (int turn = 0; turn < 4; turn++) {
              for (long value : constant) {
                sum = 31 * sum + value;
              }
            }
            often[0] = 31 * often[0] + from[1] + sum;
            often[1] += from[0];
            if (n % SELDOM == 7) {
              rare[(int) (n * 701 % rare.length)] += often[0];
            }
          },
          constant,
          rare,
          often);
      long[] sums = {Arrays.hashCode(constant), Arrays.hashCode(rare), Arrays.hashCode(often)};
      long[] all = new long[sums.length * world.size()];
      world.gather(sums, 0, sums.length, all, 0, 0);
      if (rank == 0) {
        System.out.println("result state=" + Arrays.hashCode(all));
      }
    }
  }
}
