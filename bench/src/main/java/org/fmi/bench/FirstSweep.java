package org.fmi.bench;

import java.util.Locale;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Slice;

/**
 * FMI's side of {@code bench/first-sweep}, the twin of {@code bench/peers/first_sweep.c}: what is
 * changed in one is to be changed in the other. Two ranks sweep over all sizes from 1 B to 4 MiB,
 * right after the start and with no warm-up at all, as often as the first argument says. Rank 0
 * prints a line {@code sweep,pass,bytes,us} for each size: half of a round trip, on average over
 * {@value #SHORT_ROUNDS} of them, {@value #LONG_ROUNDS} above {@value #SHORT_BYTES} B.
 */
public final class FirstSweep {
  private static final int SHORT_BYTES = 8192;
  private static final int SHORT_ROUNDS = 1000;
  private static final int LONG_ROUNDS = 100;
  private static final int LARGEST = 4 << 20;
  private static final int TAG = 1;

  private FirstSweep() {}

  public static void main(String[] args) {
    if (args.length != 1) {
      throw new IllegalArgumentException("usage: first-sweep.jar PASSES");
    }
    int passes = Integer.parseInt(args[0]);
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      if (world.size() != 2) {
        throw new IllegalArgumentException("needs 2 ranks, there are " + world.size());
      }
      byte[] out = new byte[LARGEST];
      byte[] in = new byte[LARGEST];
      // In a loop, as programs do their work: outside of loops what is received is recorded.
      fmi.loop(1, iteration -> sweep(world, passes, out, in), new long[1]);
    }
  }

  private static void sweep(Comm world, int passes, byte[] out, byte[] in) {
    for (int pass = 1; pass <= passes; pass++) {
      for (int bytes = 1; bytes <= LARGEST; bytes *= 2) {
        int rounds = bytes <= SHORT_BYTES ? SHORT_ROUNDS : LONG_ROUNDS;
        world.barrier();
        double seconds = roundTrips(world, rounds, bytes, out, in);
        if (world.rank() == 0) {
          System.out.printf(
              Locale.ROOT, "sweep,%d,%d,%.3f%n", pass, bytes, seconds / rounds / 2 * 1e6);
        }
      }
    }
  }

  private static double roundTrips(Comm world, int rounds, int bytes, byte[] out, byte[] in) {
    Slice sent = Slice.of(out, 0, bytes);
    Slice received = Slice.of(in, 0, bytes);
    long begin = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      if (world.rank() == 0) {
        world.send(sent, 1, TAG);
        world.recv(received, 1, TAG);
      } else {
        world.recv(received, 0, TAG);
        world.send(sent, 0, TAG);
      }
    }
    return (System.nanoTime() - begin) / 1e9;
  }
}
