package org.fmi.run.process;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/** Binds processes and threads to cores, by sched_setaffinity(2). */
public final class Affinity {
  private static final SystemCall SET = new SystemCall("sched_setaffinity");
  private static final SystemCall GET = new SystemCall("sched_getaffinity");

  /** Longs of a mask that is large enough for every machine: 8192 cores. */
  private static final int MOST_LONGS = 128;

  /** Names the calling thread. */
  private static final int SELF = 0;

  private Affinity() {}

  /**
   * Binds all threads of a process, and the threads they will start.
   *
   * @param cores their numbers, at least one
   * @return whether the system permits it; true also for a process that has ended
   */
  public static boolean bind(long pid, int[] cores) {
    File threads = new File("/proc/" + pid + "/task");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = mask(arena, cores);
      Set<String> bound = new HashSet<>();
      boolean more = true;
      while (more) {
        // A thread that was not bound yet may have started another one in the meantime.
        more = false;
        String[] names = threads.list();
        for (String name : names == null ? new String[0] : names) {
          if (bound.add(name)) {
            more = true;
            if (call(SET, Integer.parseInt(name), mask) != 0 && new File(threads, name).exists()) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  /**
   * Binds the calling platform thread, and the threads it will start.
   *
   * @param cores their numbers, at least one
   * @return whether the system permits it
   */
  public static boolean bindCaller(int[] cores) {
    try (Arena arena = Arena.ofConfined()) {
      return call(SET, SELF, mask(arena, cores)) == 0;
    }
  }

  /** Returns the cores that the calling thread may use, ascending; none if unknown. */
  public static int[] ofCaller() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(ValueLayout.JAVA_LONG, MOST_LONGS);
      return call(GET, SELF, mask) < 0
          ? new int[0]
          : BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG)).stream().toArray();
    }
  }

  private static MemorySegment mask(Arena arena, int[] cores) {
    BitSet set = new BitSet();
    for (int core : cores) {
      set.set(core);
    }
    return arena.allocateFrom(ValueLayout.JAVA_LONG, set.toLongArray());
  }

  private static int call(SystemCall function, int thread, MemorySegment mask) {
    try {
      return function.call(thread, mask.byteSize(), mask.address());
    } finally {
      Reference.reachabilityFence(mask);
    }
  }
}
