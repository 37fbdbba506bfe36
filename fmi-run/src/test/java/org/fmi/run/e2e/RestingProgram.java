package org.fmi.run.e2e;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Slice;

/** A program of whose state most never changes, some seldom, and little in each iteration. */
public final class RestingProgram {
  private static final int ITERATIONS = 240;
  private static final int MANY = 400_000;
  private static final int SELDOM = 40;

  private final long[] constant = new long[MANY];
  private final long[] rare = new long[MANY / 4];
  private final long[] often;

  private RestingProgram(int rank) {
    often = new long[] {rank, 1};
    Arrays.setAll(constant, i -> (i + 1L) * (rank + 3));
  }

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      int rank = world.rank();
      int right = (rank + 1) % world.size();
      int left = (rank + world.size() - 1) % world.size();
      RestingProgram state = new RestingProgram(rank);
      fmi.loop(
          ITERATIONS,
          n -> {
            long[] from = new long[2];
            world.sendRecv(Slice.of(state.often, 0, 2), right, 1, from, left, 1);
            state.turn(n, from);
          },
          state.constant,
          state.rare,
          state.often);
      long[] sums = state.sums();
      long[] all = new long[sums.length * world.size()];
      world.gather(sums, all, 0);
      if (rank == 0) {
        System.out.println("result state=" + Arrays.hashCode(all));
      }
    }
  }

  private void turn(long n, long[] from) {
    long sum = 0;
    for (long value : constant) {
      sum = 31 * sum + value;
    }
    often[0] = 31 * often[0] + from[1] + sum;
    often[1] += from[0];
    if (n % SELDOM == 7) {
      rare[(int) (n * 701 % rare.length)] += often[0];
    }
  }

  private long[] sums() {
    return new long[] {Arrays.hashCode(constant), Arrays.hashCode(rare), Arrays.hashCode(often)};
  }

  /** What so many ranks come to. */
  static String result(int size) {
    RestingProgram[] ranks =
        IntStream.range(0, size).mapToObj(RestingProgram::new).toArray(RestingProgram[]::new);
    for (long n = 0; n < ITERATIONS; n++) {
      long[][] sent = new long[size][];
      Arrays.setAll(sent, r -> ranks[r].often.clone());
      for (int r = 0; r < size; r++) {
        ranks[r].turn(n, sent[(r + size - 1) % size]);
      }
    }
    long[] all = Arrays.stream(ranks).flatMapToLong(r -> Arrays.stream(r.sums())).toArray();
    return String.valueOf(Arrays.hashCode(all));
  }
}
