package org.fmi.run.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A function of the C library that takes at most three numbers or addresses, and returns an int.
 *
 * <p>All have one form, as the virtual machine takes tens of milliseconds to learn one: an int is
 * passed like a long, and what a function does not take is not looked at (System V ABI, AMD64,
 * 3.2.3).
 */
public final class SystemCall {
  private static final FunctionDescriptor FORM =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG);

  private final MethodHandle handle;

  /** One of the C library. */
  public SystemCall(String name) {
    this(Linker.nativeLinker().defaultLookup().findOrThrow(name));
  }

  /** At an address. */
  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  public SystemCall(MemorySegment function) {
    handle = Linker.nativeLinker().downcallHandle(function, FORM);
  }

  /** What it returns; it leaves its error to itself. */
  public int call(long first, long second, long third) {
    try {
      return (int) handle.invokeExact(first, second, third);
    } catch (Throwable e) {
      throw new LinkageError("a function of the system cannot be called", e);
    }
  }
}
