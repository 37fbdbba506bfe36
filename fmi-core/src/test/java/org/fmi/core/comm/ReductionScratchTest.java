package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.coll.Channel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reductions need no memory that grows with their vectors. */
class ReductionScratchTest {
  private static final int BYTES = 12 << 20;
  private static final int COUNT = BYTES / Double.BYTES;

  /**
   * Without compilation, views and requests for pieces of a vector take a few percent of it; a copy
   * would take all of it, or half of it with two ranks.
   */
  private static final long MOST = BYTES / 8;

  enum Operation {
    ALL_REDUCE,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_IN_PLACE,
    SCAN;

    private void call(Comm comm, Object in, Object out, int count) {
      long[] counts = new long[comm.size()];
      Arrays.fill(counts, count / counts.length);
      switch (this) {
        case ALL_REDUCE -> comm.allReduce(part(in, count), part(out, count), Op.SUM);
        case REDUCE -> comm.reduce(part(in, count), part(out, count), Op.SUM, 1);
        case REDUCE_SCATTER ->
            comm.reduceScatter(part(in, count), part(out, count), counts, Op.SUM);
        case REDUCE_SCATTER_IN_PLACE ->
            comm.reduceScatter(Comm.IN_PLACE, part(out, count), counts, Op.SUM);
        case SCAN -> comm.scan(part(in, count), part(out, count), Op.SUM);
      }
    }
  }

  private static Slice part(Object vector, long n) {
    return vector instanceof MemorySegment s
        ? Slice.of(s, Datatype.DOUBLE, 0, n)
        : Slice.of(vector, 0, n);
  }

  @ParameterizedTest
  @EnumSource
  void doesNotGrowWithTheVector(Operation operation) {
    for (int[] nodes : new int[][] {{0, 1}, {0, 0}, {0, 1, 0}}) {
      long[] allocated = new long[nodes.length];
      Worlds.runOnNodes(nodes, 1, world -> allocated[world.rank()] = allocatedBy(world, operation));
      assertThat(Arrays.stream(allocated).max().orElseThrow())
          .as("%s by ranks on nodes %s", operation, Arrays.toString(nodes))
          .isLessThan(MOST);
    }
  }

  private static long allocatedBy(Comm world, Operation operation) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long most = 0;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment in = arena.allocate(BYTES, 8);
      MemorySegment out = arena.allocate(BYTES, 8);
      double[] inArray = new double[COUNT];
      double[] outArray = new double[COUNT];
      for (int i = 0; i < Channel.USES_BEFORE_REGION; i++) {
        world.barrier();
      }
      for (Object[] buffers : new Object[][] {{in, out}, {inArray, outArray}}) {
        // Allocates all scratch memory.
        operation.call(world, buffers[0], buffers[1], COUNT / 2);
        long before = threads.getCurrentThreadAllocatedBytes();
        operation.call(world, buffers[0], buffers[1], COUNT);
        most = Math.max(most, threads.getCurrentThreadAllocatedBytes() - before);
        world.barrier();
      }
    }
    return most;
  }
}
