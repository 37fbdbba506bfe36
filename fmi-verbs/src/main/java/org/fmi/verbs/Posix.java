package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Calls of the C library on descriptors, which Java offers only for its own. */
@SuppressWarnings("restricted")
final class Posix {
  static final int EINTR = 4;
  static final int EAGAIN = 11;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

  static final MemoryLayout SAVED = Linker.Option.captureStateLayout();

  private static final MethodHandle PPOLL =
      function("ppoll", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
  private static final MethodHandle EVENTFD = function("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle READ =
      function("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final MethodHandle WRITE =
      function("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final MethodHandle CLOSE = function("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle SOCKET =
      function("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BIND = function("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle GETSOCKNAME =
      function("getsockname", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);

  private Posix() {}

  private static MethodHandle function(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(result, arguments),
        Linker.Option.captureCallState("errno"));
  }

  static int errno(MemorySegment saved) {
    return (int) ERRNO.get(saved, 0L);
  }

  static IOException failed(String what, MemorySegment saved) {
    return new IOException("rdma: " + what + ": error " + errno(saved));
  }

  private static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }

  static int ppoll(MemorySegment saved, MemorySegment set, long count, MemorySegment timeout) {
    try {
      return (int) PPOLL.invokeExact(saved, set, count, timeout, MemorySegment.NULL);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventfd(MemorySegment saved, int flags) {
    try {
      return (int) EVENTFD.invokeExact(saved, 0, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long read(MemorySegment saved, int descriptor, MemorySegment into) {
    try {
      return (long) READ.invokeExact(saved, descriptor, into, into.byteSize());
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long write(MemorySegment saved, int descriptor, MemorySegment from) {
    try {
      return (long) WRITE.invokeExact(saved, descriptor, from, from.byteSize());
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int close(MemorySegment saved, int descriptor) {
    try {
      return (int) CLOSE.invokeExact(saved, descriptor);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int socket(MemorySegment saved, int domain, int type) {
    try {
      return (int) SOCKET.invokeExact(saved, domain, type, 0);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int bind(MemorySegment saved, int descriptor, MemorySegment address) {
    try {
      return (int) BIND.invokeExact(saved, descriptor, address, (int) address.byteSize());
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getsockname(
      MemorySegment saved, int descriptor, MemorySegment address, MemorySegment length) {
    try {
      return (int) GETSOCKNAME.invokeExact(saved, descriptor, address, length);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }
}
