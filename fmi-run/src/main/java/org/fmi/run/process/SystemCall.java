package org.fmi.run.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A function of the C library that takes at most three numbers or addresses, and returns an int.
 *
 * <p>All have one signature, because the JVM takes tens of milliseconds to set one up: an int is
 * passed like a long, and superfluous arguments are ignored (System V ABI, AMD64, 3.2.3).
 */
public final class SystemCall {
  private static final FunctionDescriptor FORM =
      FunctionDescriptor.of(
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG);

  private final MethodHandle handle;

  /** A function of the C library. */
  public SystemCall(String name) {
    this(Linker.nativeLinker().defaultLookup().findOrThrow(name));
  }

  /** A function at an address. */
  @SuppressWarnings("restricted") // calls the system; FMI's JVMs allow it
  public SystemCall(MemorySegment function) {
    handle = Linker.nativeLinker().downcallHandle(function, FORM);
  }

  /** Calls the function and returns its result; errno is not available. */
  public int call(long first, long second, long third) {
    try {
      return (int) handle.invokeExact(first, second, third);
    } catch (Throwable e) {
      throw new LinkageError("a function of the system cannot be called", e);
    }
  }
}
