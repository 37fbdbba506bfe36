package org.fmi.testkit.support;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Zeroed memory that the machine does not back until it is written: for messages longer than its
 * memory, or the time, allows.
 */
public final class SparseMemory {
  private SparseMemory() {}

  /**
   * Allocates memory, which ends with the arena.
   *
   * @throws OutOfMemoryError if the system refuses that much
   */
  @SuppressWarnings("restricted") // calloc returned this length
  public static MemorySegment allocate(long bytes, Arena arena) {
    MemorySegment memory;
    try {
      memory =
          (MemorySegment)
              function(
                      "calloc",
                      FunctionDescriptor.of(
                          ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG))
                  .invokeExact(1L, bytes);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (memory.address() == 0) {
      throw new OutOfMemoryError(bytes + " bytes");
    }
    return memory.reinterpret(bytes, arena, SparseMemory::free);
  }

  private static void free(MemorySegment memory) {
    try {
      function("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS)).invokeExact(memory);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  @SuppressWarnings("restricted") // calls the C library
  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker()
        .downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow(name), descriptor);
  }

  /** Copies, but writes nothing where the content is equal: such memory stays sparse. */
  public static void copy(MemorySegment from, MemorySegment to) {
    if (to.mismatch(from) >= 0) {
      to.copyFrom(from);
    }
  }
}
