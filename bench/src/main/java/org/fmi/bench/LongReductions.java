package org.fmi.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Slice;

/**
 * FMI's side of {@code bench/long-reductions}, the twin of {@code bench/peers/long_reductions.c}:
 * single calls that reduce a long vector of doubles, of arrays or of memory outside of the heap.
 * Rank 0 prints the median, the worst and the first call in milliseconds, each as long as at the
 * slowest rank.
 */
public final class LongReductions {
  private static final int TAIL = 10; // elements checked at each end of the result

  private LongReductions() {}

  public static void main(String[] args) {
    if (args.length != 5) {
      throw new IllegalArgumentException(
          "usage: long-reductions.jar OPERATION arrays|direct MEBIBYTES WARM_UP_CALLS CALLS");
    }
    try (Fmi fmi = Fmi.init(args);
        Arena arena = Arena.ofShared()) {
      // In a loop, as programs do their work: outside of loops what is received is recorded.
      fmi.loop(1, _ -> measure(fmi.world(), arena, args), new long[1]);
    }
  }

  private static void measure(Comm world, Arena arena, String... args) {
    String operation = args[0];
    boolean direct = args[1].equals("direct");
    long count = Long.parseLong(args[2]) << 17;
    int warmUp = Integer.parseInt(args[3]);
    int calls = Integer.parseInt(args[4]);
    Object out;
    Object in;
    if (direct) {
      MemorySegment data = arena.allocate(ValueLayout.JAVA_DOUBLE, count);
      for (long i = 0; i < count; i++) {
        data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (double) (world.rank() + i));
      }
      out = data;
      in = arena.allocate(ValueLayout.JAVA_DOUBLE, count).fill((byte) 0);
    } else {
      double[] data = new double[Math.toIntExact(count)];
      Arrays.setAll(data, i -> (double) world.rank() + i);
      out = data;
      in = new double[data.length];
    }
    double[] ms = new double[warmUp + calls];
    for (int call = 0; call < ms.length; call++) {
      world.barrier();
      long begin = System.nanoTime();
      reduce(world, operation, doubles(out), doubles(in), count);
      ms[call] = (System.nanoTime() - begin) / 1e6;
    }
    check(world, operation, in, count);
    double[] slowest = new double[ms.length];
    world.allReduce(ms, slowest, Op.MAX);
    if (world.rank() == 0) {
      double first = slowest[0];
      double[] counted = Arrays.copyOfRange(slowest, warmUp, slowest.length);
      Arrays.sort(counted);
      System.out.printf(
          Locale.ROOT,
          "%.2f %.2f %.2f%n",
          counted[counted.length / 2],
          counted[counted.length - 1],
          first);
    }
  }

  private static Object doubles(Object buffer) {
    return buffer instanceof MemorySegment s ? Slice.of(s, Datatype.DOUBLE) : buffer;
  }

  private static void reduce(Comm world, String operation, Object out, Object in, long count) {
    switch (operation) {
      case "allreduce" -> world.allReduce(out, in, Op.SUM);
      case "reduce" -> world.reduce(out, in, Op.SUM, 0);
      case "reducescatter" -> {
        long[] counts = new long[world.size()];
        Arrays.fill(counts, count / counts.length);
        world.reduceScatter(out, in, counts, Op.SUM);
      }
      case "scan" -> world.scan(out, in, Op.SUM);
      default -> throw new IllegalArgumentException(operation + ": no such operation");
    }
  }

  private static void check(Comm world, String operation, Object in, long count) {
    int ranks = world.size();
    int rank = world.rank();
    if (operation.equals("reduce") && rank > 0) {
      return;
    }
    boolean scatters = operation.equals("reducescatter");
    long received = scatters ? count / ranks : count;
    int terms = operation.equals("scan") ? rank + 1 : ranks;
    for (int k = 0; k < 2 * TAIL; k++) {
      long i = k < TAIL ? k : received - 1 - (k - TAIL);
      double expected = terms * ((scatters ? rank * received : 0) + i + (terms - 1) / 2.0);
      double found =
          in instanceof MemorySegment s
              ? s.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
              : ((double[]) in)[(int) i];
      if (found != expected) {
        throw new IllegalStateException(
            operation + ": element " + i + " is " + found + ", not " + expected);
      }
    }
  }
}
