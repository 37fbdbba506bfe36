package org.fmi.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Slice;

/**
 * A loop with a state of a given size, for {@code bench/checkpoint}; then measures what the model
 * of a checkpoint's time rests on: how fast memory is copied and how fast the ranks send to each
 * other in a ring, all at once, as they do while a checkpoint is taken: through plain sockets,
 * which is the model's net, and by FMI, to compare with. Pieces walk through the whole state.
 */
public final class Checkpoint {
  /** Moved by each rank to measure a speed; a quarter of it before, until code is compiled. */
  private static final long BYTES = 2L << 30;

  private static final int MAX_PIECE = 8 << 20;

  /** Of memory outside of the heap, more than caches hold. */
  private static final int MAX_ROOM = 64 << 20;

  private static final int TAG = 1;

  private final Comm world;
  private final long[] state;
  private final ByteBuffer room;
  private final int piece;
  private int turn;

  private Checkpoint(Comm world, int mebibytes) {
    this.world = world;
    this.state = new long[mebibytes << 17];
    this.room = ByteBuffer.allocateDirect((int) Math.min(8L * state.length, MAX_ROOM));
    this.piece = Math.min(room.capacity() / 2, MAX_PIECE);
    Arrays.setAll(state, i -> i ^ world.rank());
  }

  public static void main(String[] args) throws IOException {
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
      double fmiRing = program.megabytesPerSecond(program::shift);
      double socketRing;
      try (SocketRing sockets = new SocketRing(world)) {
        socketRing = program.megabytesPerSecond(() -> program.shift(sockets));
      }
      if (world.rank() == 0) {
        System.out.printf(
            "result check=%s copy_mb_s=%.0f socket_ring_mb_s=%.0f fmi_ring_mb_s=%.0f"
                + " recoveries=%d%n",
            wrong[0] == 0 ? "ok" : "FAILED", copy, socketRing, fmiRing, fmi.epoch());
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

  /** Returns the beginning of this turn's piece in a memory of {@code bytes} bytes. */
  private long place(long bytes) {
    return turn % (bytes / piece) * piece;
  }

  private void copy() {
    MemorySegment.copy(
        state,
        (int) (place(8L * state.length) / 8),
        MemorySegment.ofBuffer(room),
        ValueLayout.JAVA_LONG_UNALIGNED,
        place(room.capacity()),
        piece / 8);
  }

  private void shift() {
    int next = (world.rank() + 1) % world.size();
    int previous = (world.rank() + world.size() - 1) % world.size();
    int half = state.length / 2;
    int at = (int) (place(8L * half) / 8);
    world.sendRecv(
        Slice.of(state, at, piece / 8),
        next,
        TAG,
        Slice.of(state, half + at, piece / 8),
        previous,
        TAG);
  }

  private void shift(SocketRing sockets) {
    int half = room.capacity() / 2;
    int at = (int) place(half);
    sockets.shift(room.slice(at, piece), room.slice(half + at, piece));
  }

  /** Returns the rate of the slowest rank when all ranks copy at once. */
  private double megabytesPerSecond(Runnable transfer) {
    int times = (int) Math.ceilDiv(BYTES, piece);
    for (turn = 0; turn < times / 4; turn++) {
      transfer.run();
    }
    world.barrier();
    long begin = System.nanoTime();
    for (turn = 0; turn < times; turn++) {
      transfer.run();
    }
    long[] nanos = {System.nanoTime() - begin};
    world.allReduce(nanos, Op.MAX);
    return 1e3 * piece * times / nanos[0];
  }
}
