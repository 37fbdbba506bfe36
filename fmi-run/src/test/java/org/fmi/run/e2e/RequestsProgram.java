package org.fmi.run.e2e;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.StateRef;

/**
 * Completes in each iteration what the one before has begun: the receive of its neighbour's values,
 * which are too long to be sent at once, their send, and a receive from any source whose message is
 * sent only in this iteration.
 */
public final class RequestsProgram {
  private static final int ITERATIONS = 30;
  private static final int MANY = 20_000;
  private static final int VALUES = 1;

  /** A neighbour that is ahead is not taken for another message: each iteration has a tag. */
  private static final int SIGNALS = 100;

  private final double[] values = new double[MANY];
  private final long[] signals = new long[2];

  private RequestsProgram(int rank) {
    Arrays.setAll(values, i -> rank + 1.0 / (i + 1));
    signals[0] = rank;
  }

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      int rank = world.rank();
      int right = (rank + 1) % world.size();
      int left = (rank + world.size() - 1) % world.size();
      RequestsProgram state = new RequestsProgram(rank);
      double[] ghost = new double[MANY];
      StateRef<Request[]> begun = StateRef.of(new Request[3]);
      fmi.loop(
          ITERATIONS,
          n -> {
            Request[] all = begun.get();
            if (n > 0) {
              world.send(new long[] {state.signals[0]}, right, SIGNALS + (int) n);
              Request.waitAll(all);
              if (Objects.requireNonNull(all[2].status()).source() != left) {
                throw new AssertionError("a message of another rank: " + all[2].status());
              }
              state.turn(n, ghost, state.signals[1]);
            }
            if (n < ITERATIONS - 1) {
              all[0] = world.irecv(ghost, left, VALUES);
              all[1] = world.isend(state.values, right, VALUES);
              all[2] =
                  world.irecv(
                      Slice.of(state.signals, 1, 1), Comm.ANY_SOURCE, SIGNALS + (int) n + 1);
            }
          },
          begun,
          state.values,
          ghost,
          state.signals);
      long[] sums = state.sums();
      long[] all = new long[sums.length * world.size()];
      world.gather(sums, all, 0);
      if (rank == 0) {
        System.out.println("result state=" + Arrays.hashCode(all));
      }
    }
  }

  private void turn(long n, double[] neighbour, long signal) {
    for (int i = 0; i < MANY; i++) {
      values[i] = 0.5 * (values[i] + neighbour[i]) + n;
    }
    signals[0] = 31 * signals[0] + signal + n;
  }

  private long[] sums() {
    return new long[] {Arrays.hashCode(values), signals[0]};
  }

  /** What so many ranks come to. */
  static String result(int size) {
    RequestsProgram[] ranks =
        IntStream.range(0, size).mapToObj(RequestsProgram::new).toArray(RequestsProgram[]::new);
    for (long n = 1; n < ITERATIONS; n++) {
      double[][] values = new double[size][];
      Arrays.setAll(values, r -> ranks[r].values.clone());
      long[] signals = Arrays.stream(ranks).mapToLong(r -> r.signals[0]).toArray();
      for (int r = 0; r < size; r++) {
        int left = (r + size - 1) % size;
        ranks[r].turn(n, values[left], signals[left]);
      }
    }
    long[] all = Arrays.stream(ranks).flatMapToLong(r -> Arrays.stream(r.sums())).toArray();
    return String.valueOf(Arrays.hashCode(all));
  }
}
