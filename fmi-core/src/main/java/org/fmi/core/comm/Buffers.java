package org.fmi.core.comm;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import org.fmi.Comm;
import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Slice;
import org.fmi.core.coll.Location;
import org.jspecify.annotations.Nullable;

/**
 * Converts and checks the buffers of the API for the data path, which uses arrays and segments with
 * byte offsets. Allocates nothing for arrays, segments and slices.
 */
final class Buffers {
  private Buffers() {}

  /** The buffer in the form that a call uses: an array, a segment or a slice. */
  static Object plain(@Nullable Object buffer) {
    if (buffer == null || buffer instanceof Buffer) {
      return sliceOf(buffer);
    }
    return buffer;
  }

  /** The buffer as a slice. */
  @SuppressWarnings("NullAway") // Slice.of refuses null
  static Slice sliceOf(@Nullable Object buffer) {
    return Slice.of(buffer);
  }

  /** The type of a plain buffer's elements: bytes for a segment. */
  static Predefined type(Object plain) {
    if (plain instanceof Slice s) {
      return type(s);
    }
    Predefined type = Location.elementType(plain);
    return type == null ? type(sliceOf(plain)) : type; // throws for other objects
  }

  /** The type of a slice's elements. */
  static Predefined type(Slice slice) {
    return (Predefined) slice.type(); // there are no others
  }

  /** The array or segment of a plain buffer. */
  static Object memory(Object plain) {
    return plain instanceof Slice s ? s.base() : plain;
  }

  /** The offset of a plain buffer's data in its {@link #memory}. */
  static long byteOffset(Object plain) {
    return plain instanceof Slice s ? s.byteOffset() : 0;
  }

  /**
   * Checks a plain buffer that is read.
   *
   * @return the length of its data in bytes
   */
  static long checkRead(Object plain) {
    return switch (plain) {
      case Slice s -> {
        if (s.base() instanceof MemorySegment m) {
          checkAccess(m);
        }
        yield s.bytes();
      }
      case byte[] a -> a.length;
      case double[] a -> 8L * a.length;
      case MemorySegment s -> {
        checkAccess(s);
        yield s.byteSize();
      }
      case int[] a -> 4L * a.length;
      case long[] a -> 8L * a.length;
      case float[] a -> 4L * a.length;
      case short[] a -> 2L * a.length;
      case char[] a -> 2L * a.length;
      case boolean[] a -> a.length;
      default -> sliceOf(plain).bytes(); // throws for other objects
    };
  }

  /** Like {@link #checkRead}, for a plain buffer that is written. */
  static long checkWrite(Object plain) {
    long bytes = checkRead(plain);
    if (memory(plain) instanceof MemorySegment s && s.isReadOnly()) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "a buffer of " + bytes + " bytes is read-only: receive into one that is not");
    }
    return bytes;
  }

  private static void checkAccess(MemorySegment segment) {
    if (!segment.scope().isAlive() || !segment.isAccessibleBy(Thread.currentThread())) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "a MemorySegment of "
              + segment.byteSize()
              + " bytes cannot be accessed: its arena is closed or belongs to another thread; use"
              + " an arena that is shared or this thread's own");
    }
  }

  static boolean isInPlace(@Nullable Object buffer) {
    return buffer instanceof Comm.InPlace;
  }

  /** The location of a slice's data. */
  static Location place(Slice slice) {
    return new Location(slice.base(), slice.byteOffset());
  }
}
