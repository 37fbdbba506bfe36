package org.fmi.bench;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Fmi;

/**
 * Ping-pong of two ranks in a loop of many iterations, for {@code bench/log}: with {@code
 * --rollback local} a copy of each message is kept until the next checkpoint, between two
 * iterations. Half of a round trip, the median of the second half of the iterations.
 */
public final class LoggedPingPong {
  private static final int TAG = 1;

  private LoggedPingPong() {}

  public static void main(String[] args) {
    if (args.length != 3) {
      throw new IllegalArgumentException(
          "usage: log-pingpong.jar BYTES ROUND_TRIPS_OF_AN_ITERATION ITERATIONS");
    }
    byte[] ball = new byte[Integer.parseInt(args[0])];
    byte[] back = new byte[ball.length];
    int roundTrips = Integer.parseInt(args[1]);
    int iterations = Integer.parseInt(args[2]);
    double[] micros = new double[iterations];
    long[] bounces = {0};
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      if (world.size() != 2) {
        throw new IllegalArgumentException("two ranks are needed");
      }
      fmi.loop(
          iterations,
          iteration -> {
            Arrays.fill(ball, (byte) iteration);
            long begin = System.nanoTime();
            for (int i = 0; i < roundTrips; i++) {
              if (world.rank() == 0) {
                world.send(ball, 1, TAG);
                world.recv(back, 1, TAG);
              } else {
                world.recv(back, 0, TAG);
                world.send(back, 0, TAG);
              }
            }
            micros[(int) iteration] = (System.nanoTime() - begin) / 2e3 / roundTrips;
            if (world.rank() == 0 && !Arrays.equals(ball, back)) {
              throw new IllegalStateException("another ball came back");
            }
            bounces[0] += roundTrips;
          },
          bounces);
      result =
          String.format(
              "result us=%.4f bounces=%d recoveries=%d%n",
              SecondHalf.median(micros), bounces[0], fmi.epoch());
      if (world.rank() != 0) {
        result = "";
      }
    }
    System.out.print(result);
  }
}
