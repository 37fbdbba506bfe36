package org.fmi.run.daemon;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/** Binds processes to cores, by sched_setaffinity(2). */
final class Affinity {
  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  private static final MethodHandle SET_AFFINITY =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("sched_setaffinity"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.ADDRESS));

  private Affinity() {}

  /** Gets ready to bind: the first call of the system takes a while to be set up. */
  static void prepare() {
    // By the initialisation of this class.
  }

  /**
   * Binds all threads of a process, and with them those that they will start.
   *
   * @param cores their numbers, at least one
   * @return whether the system allows it; true also for a process that has ended
   */
  static boolean bind(long pid, int[] cores) {
    BitSet set = new BitSet();
    for (int core : cores) {
      set.set(core);
    }
    File threads = new File("/proc/" + pid + "/task");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocateFrom(ValueLayout.JAVA_LONG, set.toLongArray());
      Set<String> bound = new HashSet<>();
      boolean more = true;
      while (more) {
        // A thread that was not bound yet may have started another one meanwhile.
        more = false;
        String[] names = threads.list();
        for (String name : names == null ? new String[0] : names) {
          if (bound.add(name)) {
            more = true;
            if (!bindThread(Integer.parseInt(name), mask) && new File(threads, name).exists()) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

  private static boolean bindThread(int thread, MemorySegment mask) {
    try {
      return (int) SET_AFFINITY.invokeExact(thread, mask.byteSize(), mask) == 0;
    } catch (Throwable e) {
      throw new LinkageError("sched_setaffinity(2) cannot be called", e);
    }
  }
}
