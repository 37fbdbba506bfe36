package org.fmi.transport.shm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Reads the memory of another process of this user, by the kernel: process_vm_readv(2). */
final class ProcessMemory {
  /** An iovec: address and length. */
  static final long VECTOR_BYTES = 16;

  private static final int PR_SET_PTRACER = 0x59616d61;

  /** Linked when the first long message comes: it takes tens of milliseconds. */
  private static final class Calls {
    /**
     * Its last argument is one more than the function has, which does not see it: the memory that
     * is written, so that it cannot be freed meanwhile.
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

  /** Its own, as few processes need it. */
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
   * @param to one iovec for each piece, as many as {@code from} has
   * @param written kept from being freed meanwhile
   * @return how many bytes were read; -1 if none could be
   */
  static long read(int process, MemorySegment to, MemorySegment from, MemorySegment written) {
    long vectors = from.byteSize() / VECTOR_BYTES;
    try {
      return (long) Calls.READ.invokeExact(process, to, vectors, from, vectors, 0L, written);
    } catch (RuntimeException | Error e) {
      throw e; // of the memory: its arena may be closed
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Where Yama lets no process read another one: lets one, and what it has started, read this. */
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
