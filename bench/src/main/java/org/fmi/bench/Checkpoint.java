package org.fmi.bench;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * A loop with a state of a given size, for {@code bench/checkpoint}; then measures what the model
 * of a checkpoint's time rests on: how fast memory is copied and how fast the ranks send to each
 * other in a ring, all at once, as they do while a checkpoint is taken.
 */
public final class Checkpoint {
  /** Moved by each rank to measure a speed; a quarter of it before, until code is compiled. */
  private static final long BYTES = 2L << 30;

  private static final int MAX_PIECE = 64 << 17;
  private static final int TAG = 1;

  private final Comm world;
  private final long[] state;

  private Checkpoint(Comm world, int mebibytes) {
    this.world = world;
    this.state = new long[mebibytes << 17];
    Arrays.setAll(state, i -> i ^ world.rank());
  }

  public static void main(String[] args) {
    if (args.length != 2) {
      throw new IllegalArgumentException("usage: checkpoint.jar MEBIBYTES ITERATIONS");
    }
    int iterations = Integer.parseInt(args[1]);
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      Checkpoint program = new Checkpoint(world, Integer.parseInt(args[0]));
      long[] state = program.state;
      fmi.loop(iterations, iteration -> program.compute(), state);

      long[] wrong = {program.wrongElements(iterations)};
      world.allReduce(wrong, Op.SUM);
      double copy = program.megabytesPerSecond(program::copy);
      double ring = program.megabytesPerSecond(program::shift);
      if (world.rank() == 0) {
        System.out.printf(
            "result check=%s copy_mb_s=%.0f ring_mb_s=%.0f recoveries=%d%n",
            wrong[0] == 0 ? "ok" : "FAILED", copy, ring, fmi.epoch());
        if (wrong[0] != 0) {
          world.abort(1);
        }
      }
    }
  }

  private void compute() {
    for (int i = 0; i < state.length; i++) {
      state[i]++;
    }
    world.barrier();
  }

  private long wrongElements(int iterations) {
    long wrong = 0;
    for (int i = 0; i < state.length; i++) {
      if (state[i] != (i ^ world.rank()) + (long) iterations) {
        wrong++;
      }
    }
    return wrong;
  }

  /** How much of one half of the state goes to the other half at a time. */
  private int piece() {
    return Math.min(state.length / 2, MAX_PIECE);
  }

  private void copy() {
    System.arraycopy(state, 0, state, state.length / 2, piece());
  }

  private void shift() {
    int next = (world.rank() + 1) % world.size();
    int previous = (world.rank() + world.size() - 1) % world.size();
    int half = state.length / 2;
    world.sendRecv(state, 0, piece(), next, TAG, state, half, piece(), previous, TAG);
  }

  /** What each rank does, when all do it at once: the slowest counts. */
  private double megabytesPerSecond(Runnable transfer) {
    long bytes = 8L * piece();
    long times = Math.ceilDiv(BYTES, bytes);
    for (long i = 0; i < times / 4; i++) {
      transfer.run();
    }
    world.barrier();
    long begin = System.nanoTime();
    for (long i = 0; i < times; i++) {
      transfer.run();
    }
    long[] nanos = {System.nanoTime() - begin};
    world.allReduce(nanos, Op.MAX);
    return 1e3 * bytes * times / nanos[0];
  }
}
