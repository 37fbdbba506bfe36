package org.fmi.run.lifeline;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.ref.Reference;
import org.fmi.run.process.SystemCall;

/** A mutex in shared memory whose next owner learns that the last one died (pthreads(7)). */
final class RobustMutex {
  private static final int PTHREAD_PROCESS_SHARED = 1;
  private static final int PTHREAD_MUTEX_ROBUST = 1;
  private static final int EOWNERDEAD = 130;

  /** The size of pthread_mutexattr_t, and more than enough. */
  private static final long ATTRIBUTE_BYTES = 64;

  private static final SymbolLookup SYSTEM = pthreads();

  private RobustMutex() {}

  /** Part of the C library since glibc 2.34. */
  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  private static SymbolLookup pthreads() {
    SymbolLookup system = Linker.nativeLinker().defaultLookup();
    return system.find("pthread_mutexattr_setrobust").isPresent()
        ? system
        : SymbolLookup.libraryLookup("libpthread.so.0", Arena.global());
  }

  /** Makes a mutex at the start of {@code memory}. */
  static void make(MemorySegment memory) {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(ATTRIBUTE_BYTES, Long.BYTES).address();
      call("pthread_mutexattr_init", attributes, 0);
      call("pthread_mutexattr_setpshared", attributes, PTHREAD_PROCESS_SHARED);
      call("pthread_mutexattr_setrobust", attributes, PTHREAD_MUTEX_ROBUST);
      call("pthread_mutex_init", memory.address(), attributes);
      call("pthread_mutexattr_destroy", attributes, 0);
    }
  }

  /**
   * Waits until the calling thread owns it.
   *
   * @return whether its last owner died
   */
  static boolean lock(MemorySegment memory) {
    try {
      return call("pthread_mutex_lock", memory.address(), 0) == EOWNERDEAD;
    } finally {
      Reference.reachabilityFence(memory);
    }
  }

  private static int call(String function, long first, long second) {
    int result = new SystemCall(SYSTEM.findOrThrow(function)).call(first, second, 0);
    if (result != 0 && result != EOWNERDEAD) {
      throw new IllegalStateException(function + " failed with error " + result);
    }
    return result;
  }
}
