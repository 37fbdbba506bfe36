package org.fmi.examples.pingpong;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Slice;
import org.fmi.examples.Options;

/**
 * Ranks 0 and 1 send a message to and fro; half of the time of a round trip is the latency, the
 * message's size through it the bandwidth. Other ranks watch.
 */
public final class PingPong {
  private static final String HELP =
      """
      pingpong - latency and bandwidth between ranks 0 and 1

      usage: fmirun -n 2 pingpong.jar [options]

        --type TYPE   elements of the arrays that are sent: byte (default) or double
        --max BYTES   no message is larger, default and limit MAX_BYTES
        --csv         comma separated values instead of a table
        --help        show this and end

      Each line: size of the message in bytes, half of a round trip in microseconds, bandwidth in
      MB/s (10^6 bytes per second); the medians of BATCHES batches after a warm-up.
      The last line is "result sizes=N bytes=N check=ok": how many sizes were measured, how many
      bytes came back in all, and that they were those that were sent.
      """
          .replace("BATCHES", Integer.toString(PingPong.BATCHES))
          .replace("MAX_BYTES", Integer.toString(PingPong.MAX_BYTES));

  /**
   * Number of rounds before the measured one, until the compiler has seen enough of long messages.
   */
  private static final int WARM_UPS = 10;

  private static final int BATCHES = 11;
  private static final int MAX_BYTES = 8 << 20;
  private static final int TAG = 1;

  private enum Type {
    BYTE(1),
    DOUBLE(8);

    final int bytes;

    Type(int bytes) {
      this.bytes = bytes;
    }

    Object array(int maxBytes) {
      int n = maxBytes / bytes;
      return this == BYTE ? new byte[n] : new double[n];
    }

    @Override
    public String toString() {
      return this == BYTE ? "byte" : "double";
    }
  }

  private final Comm world;
  private final Type type;
  private final int maxBytes;
  private final Object ball;
  private final Object back;
  private final long[] bytesBack = {0};

  private PingPong(Comm world, Type type, int maxBytes) {
    this.world = world;
    this.maxBytes = type.bytes * Integer.highestOneBit(maxBytes / type.bytes);
    this.type = type;
    this.ball = type.array(this.maxBytes);
    this.back = type.array(this.maxBytes);
  }

  public static void main(String[] args) {
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      result = run(fmi, args);
    }
    System.out.print(result); // what comes after close is never done again
  }

  /** Returns the result line; rank 0 alone has one. */
  static String run(Fmi fmi, String... args) {
    Comm world = fmi.world();
    Options options = Options.parse(world, HELP, args);
    if (options == null) {
      return "";
    }
    if (world.size() < 2) {
      throw options.refuse("needs two ranks: fmirun -n 2 pingpong.jar");
    }
    Type type = options.choice("--type", Type.BYTE);
    int maxBytes = options.integer("--max", MAX_BYTES, type.bytes, MAX_BYTES);
    PingPong pingPong = new PingPong(world, type, maxBytes);
    boolean csv = options.has("--csv");
    // In a loop, as programs do their work: what is received outside of loops is recorded, which
    // costs.
    fmi.loop(
        1,
        iteration -> {
          if (world.rank() < 2) {
            pingPong.measure(csv);
          }
        },
        pingPong.ball,
        pingPong.back,
        pingPong.bytesBack);
    world.barrier();
    return world.rank() == 0 ? pingPong.result() : "";
  }

  private void measure(boolean csv) {
    boolean prints = world.rank() == 0;
    if (prints) {
      fill(ball);
      System.out.println(
          csv ? "bytes,half_round_trip_us,mb_per_s" : "     bytes  half round trip us      MB/s");
    }
    for (int i = 0; i < WARM_UPS; i++) {
      for (long bytes = type.bytes; bytes <= maxBytes; bytes *= 2) {
        batch(bytes, roundTrips(bytes));
      }
    }
    for (long bytes = type.bytes; bytes <= maxBytes; bytes *= 2) {
      double micros = medianMicros(bytes);
      if (prints) {
        System.out.printf(
            csv ? "%d,%.3f,%.1f%n" : "%10d  %18.3f  %8.1f%n", bytes, micros, bytes / micros);
      }
    }
  }

  private String result() {
    boolean same =
        type == Type.BYTE
            ? Arrays.equals((byte[]) ball, (byte[]) back)
            : Arrays.equals((double[]) ball, (double[]) back);
    int sizes = Integer.numberOfTrailingZeros(maxBytes / type.bytes) + 1;
    String result =
        String.format(
            "result sizes=%d bytes=%d check=%s%n", sizes, bytesBack[0], same ? "ok" : "FAILED");
    if (!same) {
      System.out.print(result);
      world.abort(1);
    }
    return result;
  }

  /** The median of half a round trip over several batches. */
  private double medianMicros(long bytes) {
    int roundTrips = roundTrips(bytes);
    double[] micros = new double[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
      micros[b] = batch(bytes, roundTrips) / 1e3 / (2 * roundTrips);
    }
    Arrays.sort(micros);
    return micros[BATCHES / 2];
  }

  /** Sends the ball to and fro; returns the nanoseconds that took. */
  private long batch(long bytes, int roundTrips) {
    long count = bytes / type.bytes;
    Slice out = Slice.of(world.rank() == 0 ? ball : back, 0, count);
    Slice in = Slice.of(back, 0, count);
    long begin = System.nanoTime();
    for (int i = 0; i < roundTrips; i++) {
      if (world.rank() == 0) {
        world.send(out, 1, TAG);
        world.recv(in, 1, TAG);
      } else {
        world.recv(in, 0, TAG);
        world.send(out, 0, TAG);
      }
    }
    bytesBack[0] += bytes * roundTrips;
    return System.nanoTime() - begin;
  }

  /** Many for small messages, whose time is short; about 64 MiB a batch for big ones. */
  private static int roundTrips(long bytes) {
    return Math.clamp((32L << 20) / bytes, 4, 1000);
  }

  /** Numbers that differ from their neighbours, so that a shifted message is noticed. */
  private static void fill(Object array) {
    switch (array) {
      case byte[] bytes -> {
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = (byte) (i * 31 + (i >> 8));
        }
      }
      case double[] doubles -> Arrays.setAll(doubles, i -> i);
      default -> throw new IllegalArgumentException(array.getClass().getName());
    }
  }
}
