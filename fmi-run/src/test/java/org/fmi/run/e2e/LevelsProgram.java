package org.fmi.run.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * A short loop and a long one, which stands still before some iterations until a file is there, so
 * that a test can do something meanwhile.
 *
 * <p>Arguments: a directory. Iteration i of the long loop waits for {@code gate-i} in it if {@code
 * hold-i} is there, and throws if {@code fail-i} is.
 */
public final class LevelsProgram {
  static final int FIRST = 20;
  static final int SECOND = 200;

  /** 128 KiB, more than a small file system takes. */
  private static final int LONGS = 16 << 10;

  private LevelsProgram() {}

  public static void main(String[] args) {
    Path gates = Path.of(args[0]);
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      long[] first = new long[LONGS];
      Arrays.setAll(first, i -> i + world.rank());
      fmi.loop(FIRST, iteration -> step(world, first, iteration), first);
      long[] second = first.clone();
      fmi.loop(
          SECOND,
          iteration -> {
            await(gates, iteration);
            step(world, second, iteration);
          },
          second);
      if (world.rank() == 0) {
        System.out.println(
            "result state=" + Arrays.hashCode(first) + "/" + Arrays.hashCode(second));
      }
    }
  }

  private static void await(Path gates, long iteration) throws IOException, InterruptedException {
    if (Files.exists(gates.resolve("hold-" + iteration))) {
      while (!Files.exists(gates.resolve("gate-" + iteration))) {
        Thread.sleep(20); // polls for a file that the test makes
      }
    }
    if (Files.exists(gates.resolve("fail-" + iteration))) {
      throw new IOException("not today");
    }
  }

  private static void step(Comm world, long[] state, long iteration) {
    long[] sum = {state[(int) iteration]};
    world.allReduce(sum, Op.SUM);
    for (int i = 0; i < state.length; i++) {
      state[i] = 31 * state[i] + sum[0] + i;
    }
  }

  /** What it prints, computed without it. */
  static String result(int ranks) {
    long[][] states = new long[ranks][LONGS];
    for (int rank = 0; rank < ranks; rank++) {
      int mine = rank;
      Arrays.setAll(states[rank], i -> i + mine);
    }
    run(states, FIRST);
    int first = Arrays.hashCode(states[0]);
    run(states, SECOND);
    return first + "/" + Arrays.hashCode(states[0]);
  }

  private static void run(long[][] states, int iterations) {
    for (int iteration = 0; iteration < iterations; iteration++) {
      long sum = 0;
      for (long[] state : states) {
        sum += state[iteration];
      }
      for (long[] state : states) {
        for (int i = 0; i < state.length; i++) {
          state[i] = 31 * state[i] + sum + i;
        }
      }
    }
  }
}
