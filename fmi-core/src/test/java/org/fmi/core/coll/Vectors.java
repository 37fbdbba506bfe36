package org.fmi.core.coll;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import org.fmi.Datatype;
import org.fmi.Op;

/** Arrays of every type, filled and compared element by element, and a model of the operations. */
public final class Vectors {
  private Vectors() {}

  /** A new array. */
  public static Object array(Datatype type, int n) {
    return Region.ofType(type, (long) n * type.bytes()).base();
  }

  /** A number that depends on all arguments. */
  public static long hash(long seed, long a, long b) {
    long x = seed * 0x9E3779B97F4A7C15L + a * 0xC2B2AE3D27D4EB4FL + b * 0x165667B19E3779F9L;
    x ^= x >>> 29;
    x *= 0xBF58476D1CE4E5B9L;
    x ^= x >>> 32;
    return x;
  }

  /** An array whose element i depends on seed, rank and i. */
  public static Object random(Datatype type, int n, long seed, int rank) {
    Object a = array(type, n);
    for (int i = 0; i < n; i++) {
      set(a, i, hash(seed, rank, i));
    }
    return a;
  }

  /** As {@link #random} with small numbers, so that sums and products are exact in every type. */
  public static Object small(Datatype type, int n, long seed, int rank, Op op) {
    Object a = array(type, n);
    for (int i = 0; i < n; i++) {
      long h = hash(seed, rank, i);
      set(a, i, Op.PROD.equals(op) ? (h & 7) == 0 ? 2 : (h & 8) == 0 ? 1 : -1 : h & 31);
    }
    return a;
  }

  /** Stores a number, cast to the element's type. */
  public static void set(Object array, int i, long value) {
    switch (array) {
      case byte[] a -> a[i] = (byte) value;
      case boolean[] a -> a[i] = (value & 1) != 0;
      case char[] a -> a[i] = (char) value;
      case short[] a -> a[i] = (short) value;
      case int[] a -> a[i] = (int) value;
      case long[] a -> a[i] = value;
      case float[] a -> a[i] = value;
      case double[] a -> a[i] = value;
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** An element as a number; exact if it was set from one of at most 24 bits, or is an integer. */
  public static long get(Object array, int i) {
    return switch (array) {
      case byte[] a -> a[i];
      case boolean[] a -> a[i] ? 1 : 0;
      case char[] a -> a[i];
      case short[] a -> a[i];
      case int[] a -> a[i];
      case long[] a -> a[i];
      case float[] a -> (long) a[i];
      case double[] a -> (long) a[i];
      default -> throw new AssertionError(array.getClass());
    };
  }

  /** {@code acc = acc op right}, one element after the other. */
  public static void model(Op.Predefined op, Object acc, Object right) {
    int n = Array.getLength(acc);
    boolean pairs = op == Op.Predefined.MAXLOC || op == Op.Predefined.MINLOC;
    for (int i = 0; i < n; i += pairs ? 2 : 1) {
      long a = get(acc, i);
      long b = get(right, i);
      if (pairs) {
        long ai = get(acc, i + 1);
        long bi = get(right, i + 1);
        boolean takeRight = a == b ? bi < ai : op == Op.Predefined.MAXLOC ? b > a : b < a;
        if (takeRight) {
          set(acc, i, b);
          set(acc, i + 1, bi);
        }
      } else {
        set(acc, i, scalar(op, a, b));
      }
    }
  }

  private static long scalar(Op.Predefined op, long a, long b) {
    return switch (op) {
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
      case SUM -> a + b;
      case PROD -> a * b;
      case LAND -> a != 0 && b != 0 ? 1 : 0;
      case LOR -> a != 0 || b != 0 ? 1 : 0;
      case LXOR -> (a != 0) != (b != 0) ? 1 : 0;
      case BAND -> a & b;
      case BOR -> a | b;
      case BXOR -> a ^ b;
      case MAXLOC, MINLOC -> throw new AssertionError(op);
    };
  }

  /** Whether two arrays of one type hold the same bits. */
  public static boolean same(Object a, Object b) {
    if (a instanceof boolean[] x && b instanceof boolean[] y) {
      return java.util.Arrays.equals(x, y);
    }
    return bytes(a).mismatch(bytes(b)) == -1;
  }

  /** Fails unless both hold the same bits. */
  public static void assertSame(Object actual, Object expected, String what) {
    if (!same(actual, expected)) {
      int n = Math.min(Array.getLength(actual), Array.getLength(expected));
      int at = 0;
      while (at < n && Array.get(actual, at).equals(Array.get(expected, at))) {
        at++;
      }
      throw new AssertionError(
          what
              + ": element "
              + at
              + " is "
              + (at < n ? Array.get(actual, at) : "absent")
              + ", should be "
              + (at < n ? Array.get(expected, at) : "absent"));
    }
  }

  /** The bytes of an array. */
  public static MemorySegment bytes(Object array) {
    return switch (array) {
      case byte[] a -> MemorySegment.ofArray(a);
      case char[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case double[] a -> MemorySegment.ofArray(a);
      default -> throw new AssertionError(array.getClass());
    };
  }
}
