package org.fmi.core.coll;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.Arrays;
import org.fmi.Datatype;
import org.fmi.Op;

/** Arrays of every type, filled and compared element by element, and a model of the operations. */
public final class Vectors {
  private Vectors() {}

  /** Creates an array. */
  public static Object array(Datatype type, int n) {
    return switch (type) {
      case Datatype.Predefined p -> Location.ofType(p, (long) n * type.bytes()).base();
    };
  }

  /** A hash of all arguments. */
  public static long hash(long seed, long a, long b) {
    long x = seed * 0x9E3779B97F4A7C15L + a * 0xC2B2AE3D27D4EB4FL + b * 0x165667B19E3779F9L;
    x ^= x >>> 29;
    x *= 0xBF58476D1CE4E5B9L;
    x ^= x >>> 32;
    return x;
  }

  /** An array whose element i depends on seed, rank and i. */
  public static Object random(Datatype type, int n, long seed, int rank) {
    long[] values = new long[n];
    for (int i = 0; i < n; i++) {
      values[i] = hash(seed, rank, i);
    }
    return of(type, values);
  }

  /** As {@link #random}, with small numbers, so that sums and products are exact in every type. */
  public static Object small(Datatype type, int n, long seed, int rank, Op op) {
    boolean product = Op.PROD.equals(op);
    long[] values = new long[n];
    for (int i = 0; i < n; i++) {
      long h = hash(seed, rank, i);
      values[i] = product ? (h & 7) == 0 ? 2 : (h & 8) == 0 ? 1 : -1 : h & 31;
    }
    return of(type, values);
  }

  /** The numbers, cast to the type. */
  private static Object of(Datatype type, long[] values) {
    Object array = array(type, values.length);
    store(values, array);
    return array;
  }

  private static void store(long[] values, Object array) {
    switch (array) {
      case byte[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = (byte) values[i];
        }
      }
      case char[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = (char) values[i];
        }
      }
      case short[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = (short) values[i];
        }
      }
      case int[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = (int) values[i];
        }
      }
      case long[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = values[i];
        }
      }
      case float[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = values[i];
        }
      }
      case double[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = values[i];
        }
      }
      case boolean[] a -> {
        for (int i = 0; i < a.length; i++) {
          a[i] = (values[i] & 1) != 0;
        }
      }
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** The elements as numbers; exact for integers and for values of at most 24 bits. */
  private static long[] load(Object array) {
    long[] values = new long[Array.getLength(array)];
    switch (array) {
      case byte[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i];
        }
      }
      case char[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i];
        }
      }
      case short[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i];
        }
      }
      case int[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i];
        }
      }
      case long[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i];
        }
      }
      case float[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = (long) a[i];
        }
      }
      case double[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = (long) a[i];
        }
      }
      case boolean[] a -> {
        for (int i = 0; i < a.length; i++) {
          values[i] = a[i] ? 1 : 0;
        }
      }
      default -> throw new AssertionError(array.getClass());
    }
    return values;
  }

  /** {@code acc = acc op right}, one element after the other. */
  public static void model(Op.Predefined op, Object acc, Object right) {
    long[] a = load(acc);
    long[] b = load(right);
    if (op == Op.Predefined.MAXLOC || op == Op.Predefined.MINLOC) {
      for (int i = 0; i < a.length; i += 2) {
        boolean better = op == Op.Predefined.MAXLOC ? b[i] > a[i] : b[i] < a[i];
        if (better || (a[i] == b[i] && b[i + 1] < a[i + 1])) {
          a[i] = b[i];
          a[i + 1] = b[i + 1];
        }
      }
    } else {
      for (int i = 0; i < a.length; i++) {
        a[i] = scalar(op, a[i], b[i]);
      }
    }
    store(a, acc);
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
      return Arrays.equals(x, y);
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
