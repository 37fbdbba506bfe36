package org.fmi.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Copies between a caller's memory (a primitive array or a {@link MemorySegment}, addressed in
 * bytes) and segments, without allocating.
 *
 * <p>Chains of {@code instanceof} distinguish the types, the most frequent ones first.
 */
public final class Memory {
  /**
   * Up to this many elements of the types most common in small messages are copied by dedicated
   * loops: the general copy takes longer to begin (15 to 30 ns) than to do. Only the number of
   * elements counts: a loop takes as long for a byte (3 ns) as for a double. Eight bytes of a
   * segment are copied as one long.
   */
  private static final int FEW = 4;

  /** The most bytes in this many elements. */
  private static final int SMALL = FEW * Long.BYTES;

  /** Accesses eight bytes of an array at once. */
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private Memory() {}

  /**
   * Copies {@code bytes} from {@code base} to a segment. For arrays offset and length are whole
   * numbers of elements.
   *
   * @throws IllegalArgumentException if {@code base} is neither an array of primitives nor a
   *     segment
   */
  public static void toSegment(Object base, long offset, MemorySegment dst, long at, long bytes) {
    if (bytes > SMALL || !smallToSegment(base, offset, dst, at, (int) bytes)) {
      anyToSegment(base, offset, dst, at, bytes);
    }
  }

  private static boolean smallToSegment(
      Object base, long offset, MemorySegment dst, long at, int bytes) {
    if (base instanceof double[] a) {
      int from = (int) (offset >> 3);
      for (int i = 0; i < bytes >> 3; i++) {
        dst.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at + 8L * i, a[from + i]);
      }
    } else if (base instanceof byte[] a) {
      if (bytes == Long.BYTES) {
        dst.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) EIGHT.get(a, (int) offset));
        return true;
      }
      if (bytes > FEW) {
        return false;
      }
      for (int i = 0, from = (int) offset; i < bytes; i++) {
        dst.set(ValueLayout.JAVA_BYTE, at + i, a[from + i]);
      }
    } else if (base instanceof int[] a) {
      if (bytes > FEW * Integer.BYTES) {
        return false;
      }
      int from = (int) (offset >> 2);
      for (int i = 0; i < bytes >> 2; i++) {
        dst.set(ValueLayout.JAVA_INT_UNALIGNED, at + 4L * i, a[from + i]);
      }
    } else if (base instanceof long[] a) {
      int from = (int) (offset >> 3);
      for (int i = 0; i < bytes >> 3; i++) {
        dst.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 8L * i, a[from + i]);
      }
    } else if (bytes == Long.BYTES && base instanceof MemorySegment s) {
      dst.set(ValueLayout.JAVA_LONG_UNALIGNED, at, s.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
    } else {
      return false;
    }
    return true;
  }

  @SuppressWarnings("IfChainToSwitch") // a switch over types is a call by invokedynamic
  private static void anyToSegment(
      Object base, long offset, MemorySegment dst, long at, long bytes) {
    if (bytes >= NativeCopy.LEAST && NativeCopy.toSegment(base, offset, dst, at, bytes)) {
      return;
    }
    if (base instanceof MemorySegment s) {
      MemorySegment.copy(s, offset, dst, at, bytes);
    } else if (base instanceof byte[] a) {
      MemorySegment.copy(a, (int) offset, dst, ValueLayout.JAVA_BYTE, at, (int) bytes);
    } else if (base instanceof double[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 3), dst, ValueLayout.JAVA_DOUBLE_UNALIGNED, at, (int) (bytes >> 3));
    } else if (base instanceof int[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 2), dst, ValueLayout.JAVA_INT_UNALIGNED, at, (int) (bytes >> 2));
    } else if (base instanceof long[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 3), dst, ValueLayout.JAVA_LONG_UNALIGNED, at, (int) (bytes >> 3));
    } else if (base instanceof float[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 2), dst, ValueLayout.JAVA_FLOAT_UNALIGNED, at, (int) (bytes >> 2));
    } else if (base instanceof short[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 1), dst, ValueLayout.JAVA_SHORT_UNALIGNED, at, (int) (bytes >> 1));
    } else if (base instanceof char[] a) {
      MemorySegment.copy(
          a, (int) (offset >> 1), dst, ValueLayout.JAVA_CHAR_UNALIGNED, at, (int) (bytes >> 1));
    } else if (base instanceof boolean[] a) {
      for (int i = 0, from = (int) offset; i < bytes; i++) {
        dst.set(ValueLayout.JAVA_BYTE, at + i, a[from + i] ? (byte) 1 : (byte) 0);
      }
    } else {
      throw unsupported(base);
    }
  }

  /** Copies {@code bytes} between two callers' memories. May allocate. */
  public static void copy(Object src, long srcOffset, Object dst, long dstOffset, long bytes) {
    if (dst instanceof MemorySegment s) {
      toSegment(src, srcOffset, s, dstOffset, bytes);
    } else {
      fromSegment(viewOrCopy(src), srcOffset, dst, dstOffset, bytes);
    }
  }

  /** A view of {@code base} as a segment; null for a boolean array, which has no such view. */
  public static @Nullable MemorySegment view(Object base) {
    return switch (base) {
      case MemorySegment s -> s;
      case byte[] a -> MemorySegment.ofArray(a);
      case double[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case char[] a -> MemorySegment.ofArray(a);
      case boolean[] _ -> null;
      default -> throw unsupported(base);
    };
  }

  /** The length of an array's elements; 1 for segments. */
  public static int elementBytes(Object base) {
    return switch (base) {
      case double[] _, long[] _ -> 8;
      case int[] _, float[] _ -> 4;
      case short[] _, char[] _ -> 2;
      case byte[] _, boolean[] _, MemorySegment _ -> 1;
      default -> throw unsupported(base);
    };
  }

  /** A hash that almost certainly differs if the bytes do. */
  public static long hash(Object base, long offset, long bytes) {
    MemorySegment memory = view(base);
    if (memory == null) {
      byte[] copy = new byte[Math.toIntExact(bytes)];
      copy(base, offset, MemorySegment.ofArray(copy), 0, bytes);
      return hash(copy, 0, bytes);
    }
    long hash = bytes;
    long at = offset;
    for (; at + Long.BYTES <= offset + bytes; at += Long.BYTES) {
      hash = mixed(hash, memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    }
    for (; at < offset + bytes; at++) {
      hash = mixed(hash, memory.get(ValueLayout.JAVA_BYTE, at));
    }
    return hash;
  }

  private static long mixed(long hash, long value) {
    long h = (hash ^ value) * 0x9E3779B97F4A7C15L;
    return h ^ (h >>> 32);
  }

  private static MemorySegment viewOrCopy(Object base) {
    MemorySegment view = view(base);
    if (view == null) {
      boolean[] a = (boolean[]) base;
      view = MemorySegment.ofArray(new byte[a.length]);
      toSegment(a, 0, view, 0, a.length);
    }
    return view;
  }

  private static IllegalArgumentException unsupported(Object base) {
    return new IllegalArgumentException(
        "not a primitive array or segment: " + base.getClass().getName());
  }

  /** Copies {@code bytes} from a segment to {@code base}; the reverse of {@link #toSegment}. */
  public static void fromSegment(MemorySegment src, long at, Object base, long offset, long bytes) {
    if (bytes > SMALL || !smallFromSegment(src, at, base, offset, (int) bytes)) {
      anyFromSegment(src, at, base, offset, bytes);
    }
  }

  private static boolean smallFromSegment(
      MemorySegment src, long at, Object base, long offset, int bytes) {
    if (base instanceof double[] a) {
      int to = (int) (offset >> 3);
      for (int i = 0; i < bytes >> 3; i++) {
        a[to + i] = src.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at + 8L * i);
      }
    } else if (base instanceof byte[] a) {
      if (bytes == Long.BYTES) {
        EIGHT.set(a, (int) offset, src.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
        return true;
      }
      if (bytes > FEW) {
        return false;
      }
      for (int i = 0, to = (int) offset; i < bytes; i++) {
        a[to + i] = src.get(ValueLayout.JAVA_BYTE, at + i);
      }
    } else if (base instanceof int[] a) {
      if (bytes > FEW * Integer.BYTES) {
        return false;
      }
      int to = (int) (offset >> 2);
      for (int i = 0; i < bytes >> 2; i++) {
        a[to + i] = src.get(ValueLayout.JAVA_INT_UNALIGNED, at + 4L * i);
      }
    } else if (base instanceof long[] a) {
      int to = (int) (offset >> 3);
      for (int i = 0; i < bytes >> 3; i++) {
        a[to + i] = src.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8L * i);
      }
    } else if (bytes == Long.BYTES && base instanceof MemorySegment s) {
      s.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, src.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    } else {
      return false;
    }
    return true;
  }

  @SuppressWarnings("IfChainToSwitch") // a switch over types is a call by invokedynamic
  private static void anyFromSegment(
      MemorySegment src, long at, Object base, long offset, long bytes) {
    if (base instanceof MemorySegment s) {
      toSegment(src, at, s, offset, bytes);
    } else if (base instanceof byte[] a) {
      MemorySegment.copy(src, ValueLayout.JAVA_BYTE, at, a, (int) offset, (int) bytes);
    } else if (base instanceof double[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_DOUBLE_UNALIGNED, at, a, (int) (offset >> 3), (int) (bytes >> 3));
    } else if (base instanceof int[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_INT_UNALIGNED, at, a, (int) (offset >> 2), (int) (bytes >> 2));
    } else if (base instanceof long[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_LONG_UNALIGNED, at, a, (int) (offset >> 3), (int) (bytes >> 3));
    } else if (base instanceof float[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_FLOAT_UNALIGNED, at, a, (int) (offset >> 2), (int) (bytes >> 2));
    } else if (base instanceof short[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_SHORT_UNALIGNED, at, a, (int) (offset >> 1), (int) (bytes >> 1));
    } else if (base instanceof char[] a) {
      MemorySegment.copy(
          src, ValueLayout.JAVA_CHAR_UNALIGNED, at, a, (int) (offset >> 1), (int) (bytes >> 1));
    } else if (base instanceof boolean[] a) {
      for (int i = 0, to = (int) offset; i < bytes; i++) {
        a[to + i] = src.get(ValueLayout.JAVA_BYTE, at + i) != 0;
      }
    } else {
      throw unsupported(base);
    }
  }
}
