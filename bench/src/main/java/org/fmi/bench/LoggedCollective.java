package org.fmi.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * A collective in a loop of many iterations, for {@code bench/log}: with {@code --rollback local} a
 * copy of each message that it is made of is kept until the next checkpoint, between two
 * iterations. With {@code api}, and no such log, the program keeps what a log of calls would: what
 * this rank passes to each call, with its sum (Losada et al.). The time of a call, the median of
 * the second half of the iterations.
 */
public final class LoggedCollective {
  private static final long API_LOG_BYTES = 128L << 20;
  private static final int ENTRY_BYTES = 32;

  private LoggedCollective() {}

  public static void main(String[] args) {
    if (args.length != 5) {
      throw new IllegalArgumentException(
          "usage: log-collective.jar allreduce|allgather BYTES CALLS_OF_AN_ITERATION ITERATIONS"
              + " none|api");
    }
    boolean gathers =
        switch (args[0]) {
          case "allreduce" -> false;
          case "allgather" -> true;
          default ->
              throw new IllegalArgumentException(args[0] + ": must be allreduce or allgather");
        };
    long[] passed = new long[Integer.parseInt(args[1]) / Long.BYTES];
    int calls = Integer.parseInt(args[2]);
    int iterations = Integer.parseInt(args[3]);
    ApiLog log =
        switch (args[4]) {
          case "none" -> null;
          case "api" -> new ApiLog();
          default -> throw new IllegalArgumentException(args[4] + ": must be none or api");
        };
    double[] micros = new double[iterations];
    long[] sum = {0};
    String result;
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      long[] got = new long[gathers ? passed.length * world.size() : passed.length];
      fmi.loop(
          iterations,
          iteration -> {
            Arrays.fill(passed, iteration + world.rank());
            long begin = System.nanoTime();
            for (int i = 0; i < calls; i++) {
              if (log != null) {
                log.add(passed);
              }
              if (gathers) {
                world.allGather(passed, got);
              } else {
                world.allReduce(passed, got, Op.SUM);
              }
            }
            micros[(int) iteration] = (System.nanoTime() - begin) / 1e3 / calls;
            sum[0] += Arrays.stream(got).sum();
          },
          sum);
      result =
          world.rank() != 0
              ? ""
              : String.format(
                  "result us=%.4f sum=%d recoveries=%d%n",
                  SecondHalf.median(micros), sum[0], fmi.epoch());
    }
    System.out.print(result);
  }

  /** Log of the buffers passed to calls, one after the other; wraps around when full. */
  private static final class ApiLog {
    private final MemorySegment memory = Arena.ofAuto().allocate(API_LOG_BYTES);
    private final CRC32C sum = new CRC32C();
    private long end;

    void add(long[] passed) {
      MemorySegment data = MemorySegment.ofArray(passed);
      if (end + ENTRY_BYTES + data.byteSize() > API_LOG_BYTES) {
        end = 0;
      }
      MemorySegment kept = memory.asSlice(end + ENTRY_BYTES, data.byteSize());
      kept.copyFrom(data);
      sum.reset();
      sum.update(kept.asByteBuffer());
      memory.set(ValueLayout.JAVA_LONG, end, data.byteSize());
      memory.set(ValueLayout.JAVA_LONG, end + Long.BYTES, sum.getValue());
      end += ENTRY_BYTES + data.byteSize();
    }
  }
}
