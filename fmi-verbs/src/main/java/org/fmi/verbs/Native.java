package org.fmi.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls C functions by address; a pointer is a long. There is one method handle per shape of
 * arguments. Handles are constants, so that a call costs little more than in C.
 *
 * <p>All calls except the three of the data path store the C library's error number in {@link
 * #errno}.
 */
@SuppressWarnings("restricted") // native code begins here
final class Native {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

  // Result, then arguments: P pointer, I int, B byte, S short, V void.
  private static final MethodHandle P = saving(JAVA_LONG);
  private static final MethodHandle P_P = saving(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle P_PP = saving(JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle P_I = saving(JAVA_LONG, JAVA_INT);
  private static final MethodHandle P_PPPI =
      saving(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle P_PIPPI =
      saving(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_P = saving(JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_PP = saving(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_PI = saving(JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_PPI = saving(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_PPP = saving(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_PPPI =
      saving(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_PBP = saving(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG);
  private static final MethodHandle I_PPB = saving(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BYTE);
  private static final MethodHandle S_P = saving(JAVA_SHORT, JAVA_LONG);
  private static final MethodHandle V_P =
      LINKER.downcallHandle(
          FunctionDescriptor.ofVoid(JAVA_LONG), Linker.Option.captureCallState("errno"));
  private static final MethodHandle V_PI =
      LINKER.downcallHandle(
          FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT), Linker.Option.captureCallState("errno"));

  /** {@code fcntl(int, int, ...)}: two named arguments, the third is variadic. */
  private static final MethodHandle FCNTL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2),
          Linker.Option.captureCallState("errno"));

  /**
   * {@code poll_cq}. Reads memory and never enters the kernel, so it needs no transition for the
   * garbage collector; it is polled all the time.
   */
  private static final MethodHandle POLL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG),
          Linker.Option.critical(false));

  /** {@code post_send}, {@code post_srq_recv}: some devices enter the kernel. */
  private static final MethodHandle POST =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  /** {@code req_notify_cq}. */
  private static final MethodHandle NOTIFY =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

  private static final MemorySegment FCNTL_ADDRESS = LINKER.defaultLookup().findOrThrow("fcntl");

  /** From the kernel: the device was removed. */
  static final int EIO = 5;

  static final int EAGAIN = 11;
  static final int ENOMEM = 12;
  static final int EFAULT = 14;
  static final int ENODEV = 19;
  static final int EOPNOTSUPP = 95;

  private static final int GET_FLAGS = 3;
  private static final int SET_FLAGS = 4;
  private static final int NONBLOCK = 0x800;

  private final MemorySegment saved;

  /**
   * @param arena owns the memory of the error number
   */
  Native(Arena arena) {
    saved = arena.allocate(Linker.Option.captureStateLayout());
  }

  private static MethodHandle saving(ValueLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(
        FunctionDescriptor.of(result, arguments), Linker.Option.captureCallState("errno"));
  }

  static MemorySegment function(SymbolLookup library, String name) throws IOException {
    Optional<MemorySegment> found = library.find(name);
    if (found.isEmpty()) {
      throw new IOException("rdma: this rdma-core is too old: it has no " + name);
    }
    return found.get();
  }

  /** Memory that C has allocated, with a known lifetime. */
  static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  static String text(long address) {
    return address == 0 ? "" : at(address, Long.MAX_VALUE).getString(0);
  }

  /** The error number of the last call that stores it. */
  int errno() {
    return (int) ERRNO.get(saved, 0L);
  }

  private static AssertionError unexpected(Throwable t) {
    // Only a wrong shape of arguments gets here.
    return new AssertionError(t);
  }

  long pointer(MemorySegment f) {
    try {
      return (long) P.invokeExact(f, saved);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  long pointer(MemorySegment f, long a) {
    try {
      return (long) P_P.invokeExact(f, saved, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  long pointer(MemorySegment f, long a, long b) {
    try {
      return (long) P_PP.invokeExact(f, saved, a, b);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  long pointerOfInt(MemorySegment f, int a) {
    try {
      return (long) P_I.invokeExact(f, saved, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  long pointer(MemorySegment f, long a, long b, long c, int d) {
    try {
      return (long) P_PPPI.invokeExact(f, saved, a, b, c, d);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  long pointer(MemorySegment f, long a, int b, long c, long d, int e) {
    try {
      return (long) P_PIPPI.invokeExact(f, saved, a, b, c, d, e);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int call(MemorySegment f, long a) {
    try {
      return (int) I_P.invokeExact(f, saved, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int call(MemorySegment f, long a, long b) {
    try {
      return (int) I_PP.invokeExact(f, saved, a, b);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int callWithInt(MemorySegment f, long a, int b) {
    try {
      return (int) I_PI.invokeExact(f, saved, a, b);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int callWithInt(MemorySegment f, long a, long b, int c) {
    try {
      return (int) I_PPI.invokeExact(f, saved, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int call(MemorySegment f, long a, long b, long c) {
    try {
      return (int) I_PPP.invokeExact(f, saved, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int call(MemorySegment f, long a, long b, long c, int d) {
    try {
      return (int) I_PPPI.invokeExact(f, saved, a, b, c, d);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int callWithByte(MemorySegment f, long a, byte b, long c) {
    try {
      return (int) I_PBP.invokeExact(f, saved, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  int callWithByte(MemorySegment f, long a, long b, byte c) {
    try {
      return (int) I_PPB.invokeExact(f, saved, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  short callForShort(MemorySegment f, long a) {
    try {
      return (short) S_P.invokeExact(f, saved, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  void run(MemorySegment f, long a) {
    try {
      V_P.invokeExact(f, saved, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  void run(MemorySegment f, long a, int b) {
    try {
      V_PI.invokeExact(f, saved, a, b);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Makes reads from a descriptor non-blocking. */
  void setNonBlocking(int descriptor) throws IOException {
    try {
      int flags = (int) FCNTL.invokeExact(FCNTL_ADDRESS, saved, descriptor, GET_FLAGS, 0);
      if (flags < 0
          || (int) FCNTL.invokeExact(FCNTL_ADDRESS, saved, descriptor, SET_FLAGS, flags | NONBLOCK)
              < 0) {
        throw new IOException("rdma: fcntl: error " + errno());
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int poll(MemorySegment f, long queue, int most, long completions) {
    try {
      return (int) POLL.invokeExact(f, queue, most, completions);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int post(MemorySegment f, long queue, long request, long bad) {
    try {
      return (int) POST.invokeExact(f, queue, request, bad);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int notify(MemorySegment f, long queue, int solicitedOnly) {
    try {
      return (int) NOTIFY.invokeExact(f, queue, solicitedOnly);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  private static final @Nullable MemorySegment STRERROR =
      LINKER.defaultLookup().find("strerror").orElse(null);

  /** The error in words. */
  String message(int error) {
    return STRERROR == null ? "error " + error : text(pointerOfInt(STRERROR, error));
  }
}
