package org.fmi.transport.shm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Reads the memory of another process of this user through the kernel: process_vm_readv(2). */
final class ProcessMemory {
  /** The size of an iovec: address and length. */
  static final long VECTOR_BYTES = 16;

  private static final int PR_SET_PTRACER = 0x59616d61;

  /** Linked at the first long message, as it takes tens of milliseconds. */
  private static final class Calls {
    /**
     * Its last argument is invisible to the function: the memory written to, which it prevents from
     * being freed during the call.
     */
    static final MethodHandle READ =
        function(
            "process_vm_readv",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));

    private Calls() {}
  }

  /** Separate, as few processes need it. */
  private static final class Permission {
    static final MethodHandle PRCTL =
        function(
            "prctl",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG));

    private Permission() {}
  }

  private ProcessMemory() {}

  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  private static MethodHandle function(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /**
   * Reads pieces of memory, in order.
   *
   * @param to one iovec per piece, as many as in {@code from}
   * @param written protected from being freed during the call
   * @return the number of bytes read; -1 if there were none
   */
  static long read(int process, MemorySegment to, MemorySegment from, MemorySegment written) {
    long vectors = from.byteSize() / VECTOR_BYTES;
    try {
      return (long) Calls.READ.invokeExact(process, to, vectors, from, vectors, 0L, written);
    } catch (RuntimeException | Error e) {
      throw e; // thrown for the memory: its arena may be closed
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Permits a process and its descendants to read this process, where Yama restricts reading. */
  static boolean permit(long process) {
    try {
      return 0 == (int) Permission.PRCTL.invokeExact(PR_SET_PTRACER, process, 0L, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  private static IllegalStateException unexpected(Throwable t) {
    return new IllegalStateException("a call of the system throws nothing", t);
  }
}
