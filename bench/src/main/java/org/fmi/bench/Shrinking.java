package org.fmi.bench;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Op;

/**
 * Ranks of which one is killed while the others wait in a barrier, for {@code bench/shrink}. The
 * result has when the first and the last survivor learned of the loss, on the machine's monotonic
 * clock, and what calls cost then: us, medians of {@value #CALLS} calls, but for the first shrink.
 */
public final class Shrinking {
  private static final int CALLS = 50;

  private Shrinking() {}

  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      throw new IllegalArgumentException("usage: shrinking.jar RANK_KILLED DIRECTORY");
    }
    Notes notes = new Notes(Path.of(args[1]));
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      notes.addProcess(world.rank());
      world.barrier(); // they are connected, as programs are before a failure
      // A rank that sleeps makes no connection: what it has sent must have left.
      world.barrier();
      if (world.rank() == Integer.parseInt(args[0])) {
        TimeUnit.DAYS.sleep(1);
      }
      notes.add("waits-" + world.rank(), "");
      result = resultAfter(learnOfLoss(world), world);
    }
    System.out.print(result);
  }

  /** The time at which this rank has learned of it. */
  private static long learnOfLoss(Comm world) {
    try {
      world.barrier();
    } catch (FmiException e) {
      if (e.errorClass() == ErrorClass.PROC_FAILED) {
        return System.nanoTime();
      }
      throw e;
    }
    throw new IllegalStateException("the barrier has succeeded without a rank");
  }

  private static String resultAfter(long learned, Comm world) {
    long begin = System.nanoTime();
    Comm living = world.shrink();
    double firstShrink = microsecondsSince(begin);
    long first = living.allReduce(learned, Op.MIN);
    long last = living.allReduce(learned, Op.MAX);
    double agree = median(() -> living.agree(-1));
    double shrink = median(() -> living.shrink().close());
    double barrier = median(living::barrier);
    return living.rank() != 0
        ? ""
        : String.format(
            Locale.ROOT,
            "result first=%d last=%d first_shrink=%.1f agree=%.1f shrink=%.1f barrier=%.1f%n",
            first,
            last,
            firstShrink,
            agree,
            shrink,
            barrier);
  }

  private static double median(Runnable call) {
    double[] times = new double[CALLS];
    for (int i = 0; i < CALLS; i++) {
      long begin = System.nanoTime();
      call.run();
      times[i] = microsecondsSince(begin);
    }
    Arrays.sort(times);
    return times[CALLS / 2];
  }

  private static double microsecondsSince(long begin) {
    return (System.nanoTime() - begin) / 1e3;
  }
}
