package org.fmi.wire;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Long copies to segments by the C library, which does not fetch the lines that it writes over
 * ({@code rep movsb}), as the JVM's loops do. Memory that another core has just read, as rings
 * have, is written two to six times as fast by that. Copies to arrays gain nothing.
 */
final class NativeCopy {
  /** From this length on the C library copies so. */
  static final int LEAST = 2 << 10;

  private static final boolean ALLOWED = NativeCopy.class.getModule().isNativeAccessEnabled();

  /** Linked when the first long message comes. */
  private static final class Calls {
    static final MethodHandle MOVE = link();

    private Calls() {}

    @SuppressWarnings("restricted") // calls the system; not done where the JVM does not allow it
    private static MethodHandle link() {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow("memmove"),
          FunctionDescriptor.ofVoid(
              ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG),
          Linker.Option.critical(true));
    }
  }

  private NativeCopy() {}

  /**
   * Copies {@code bytes}, at least {@link #LEAST}, from {@code base} to a segment.
   *
   * @return whether it was done: not if {@code base} is an array of booleans, the segment is on the
   *     heap, or the JVM allows no calls
   * @throws IllegalArgumentException if {@code base} is neither an array of primitives nor a
   *     segment
   */
  static boolean toSegment(Object base, long offset, MemorySegment dst, long at, long bytes) {
    if (!ALLOWED || !dst.isNative()) {
      return false;
    }
    if (base instanceof MemorySegment s) { // apart from views, which are objects the more often
      move(s, offset, dst, at, bytes);
      return true;
    }
    MemorySegment view = Memory.view(base);
    if (view == null) {
      return false;
    }
    move(view, offset, dst, at, bytes);
    return true;
  }

  private static void move(MemorySegment src, long offset, MemorySegment dst, long at, long bytes) {
    try {
      Calls.MOVE.invokeExact(dst.asSlice(at, bytes), src.asSlice(offset, bytes), bytes);
    } catch (RuntimeException | Error e) {
      throw e; // of the memory: it ends before, or its arena is closed
    } catch (Throwable t) {
      throw new IllegalStateException("a call of the system throws nothing", t);
    }
  }
}
