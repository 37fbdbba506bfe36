package org.fmi.run.e2e;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Slice;

/**
 * Sums a vector outside of the heap in place, before a loop and in one, where the ranks of a node
 * share memory. Its length in mebibytes is the argument.
 */
public final class LongReductionsProgram {
  /** So that the communicator has shared memory by then. */
  private static final int CALLS_BEFORE = 10;

  /** Of the elements that are filled and checked: one or so per page, at any place in blocks. */
  private static final int STEP = 509;

  private LongReductionsProgram() {}

  public static void main(String[] args) {
    long count = Long.parseLong(args[0]) << 17;
    try (Fmi fmi = Fmi.init(args);
        Arena arena = Arena.ofShared()) {
      Comm world = fmi.world();
      MemorySegment vector = arena.allocate(ValueLayout.JAVA_LONG, count);
      for (long i = 0; i < count; i += STEP) {
        vector.setAtIndex(ValueLayout.JAVA_LONG, i, i + world.rank());
      }
      sum(world, vector, count);
      fmi.loop(
          1,
          iteration -> {
            for (int i = 0; i < CALLS_BEFORE; i++) {
              world.barrier();
            }
            sum(world, vector, count);
          },
          new long[1]);
      long n = world.size();
      for (long i = 0; i < count; i += STEP) {
        long expected = n * (n * i + n * (n - 1) / 2);
        long found = vector.getAtIndex(ValueLayout.JAVA_LONG, i);
        if (found != expected) {
          throw new AssertionError("element " + i + " is " + found + ", not " + expected);
        }
      }
      if (world.rank() == 0) {
        System.out.println("right");
      }
    }
  }

  private static void sum(Comm world, MemorySegment vector, long count) {
    world.allReduce(Slice.of(vector, Datatype.LONG, 0, count), Op.SUM);
  }
}
