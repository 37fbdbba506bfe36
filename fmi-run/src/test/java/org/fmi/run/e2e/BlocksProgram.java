package org.fmi.run.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.fmi.ArrayBlock;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Replicated;
import org.fmi.StateRef;

/**
 * A short loop and a long one over an array that all ranks share, so that the answer does not
 * depend on their number. The long loop stands still before an iteration until a file is there.
 *
 * <p>Arguments: a directory, and "plain" for state that does not say how it is shared. Iteration i
 * of the long loop waits for {@code gate-i} if {@code hold-i} is there.
 */
public final class BlocksProgram {
  static final int FIRST = 20;
  static final int SECOND = 200;

  /** No number of ranks that a test uses divides it. */
  private static final int TOTAL = 10_007;

  private static final int GHOSTS = 2;

  private BlocksProgram() {}

  public static void main(String[] args) {
    Path gates = Path.of(args[0]);
    boolean plain = args.length > 1;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      int from = TOTAL * world.rank() / world.size();
      int count = TOTAL * (world.rank() + 1) / world.size() - from;
      StateRef<long[]> part = StateRef.of(new long[count + 2 * GHOSTS]);
      Arrays.setAll(part.get(), i -> from + i - GHOSTS);
      long[] sum = new long[1];
      Object block =
          plain
              ? part
              : ArrayBlock.of(
                  part,
                  new long[] {TOTAL},
                  new long[] {from},
                  new long[] {count},
                  new long[] {count + 2 * GHOSTS},
                  new long[] {GHOSTS});
      fmi.loop(FIRST, iteration -> step(world, part, sum, from), block, Replicated.of(sum));
      long between = sum[0];
      fmi.loop(
          SECOND,
          iteration -> {
            await(gates, iteration);
            step(world, part, sum, from);
          },
          block,
          Replicated.of(sum));
      long[] hash = {0};
      for (int i = GHOSTS; i < GHOSTS + count; i++) {
        hash[0] += part.get()[i] * (2 * (from + i) + 1);
      }
      world.allReduce(hash, Op.SUM);
      if (world.rank() == 0) {
        System.out.println("result state=" + between + "/" + sum[0] + "/" + hash[0]);
      }
    }
  }

  private static void await(Path gates, long iteration) throws InterruptedException {
    if (Files.exists(gates.resolve("hold-" + iteration))) {
      while (!Files.exists(gates.resolve("gate-" + iteration))) {
        Thread.sleep(20); // polls for a file that the test makes
      }
    }
  }

  private static void step(Comm world, StateRef<long[]> part, long[] sum, int from) {
    long[] now = part.get();
    sum[0] = 0;
    for (int i = GHOSTS; i < now.length - GHOSTS; i++) {
      sum[0] += now[i];
    }
    world.allReduce(sum, Op.SUM);
    long[] next = new long[now.length];
    for (int i = GHOSTS; i < now.length - GHOSTS; i++) {
      next[i] = 31 * now[i] + sum[0] + from + i;
    }
    part.set(next);
  }

  /** What it prints, computed without it. */
  static String result() {
    long[] all = new long[TOTAL];
    Arrays.setAll(all, i -> i);
    long between = run(all, FIRST);
    long sum = run(all, SECOND);
    long hash = 0;
    for (int i = 0; i < TOTAL; i++) {
      hash += all[i] * (2 * (GHOSTS + i) + 1);
    }
    return between + "/" + sum + "/" + hash;
  }

  private static long run(long[] all, int iterations) {
    long sum = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
      sum = LongStream.of(all).sum();
      for (int i = 0; i < TOTAL; i++) {
        all[i] = 31 * all[i] + sum + GHOSTS + i;
      }
    }
    return sum;
  }
}
