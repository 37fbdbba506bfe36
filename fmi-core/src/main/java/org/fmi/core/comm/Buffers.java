package org.fmi.core.comm;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.core.coll.Location;
import org.jspecify.annotations.Nullable;

/**
 * Turns the buffers of the API (arrays, byte buffers, segments, with offset and count) into what
 * the data path works on (arrays and segments, addressed in bytes), and checks them. For arrays and
 * segments nothing is allocated.
 */
final class Buffers {
  private Buffers() {}

  /** The type in which offsets and counts are given: that of an array, else bytes. */
  static Predefined typeOf(@Nullable Object buffer) {
    if (buffer instanceof ByteBuffer) {
      return Predefined.BYTE;
    }
    Predefined type = buffer == null ? null : Location.elementType(buffer);
    if (type == null) {
      throw unsupported(buffer);
    }
    return type;
  }

  /** The type of an array. */
  static Datatype arrayType(@Nullable Object buffer) {
    Datatype type = typeOf(buffer);
    if (buffer instanceof ByteBuffer || buffer instanceof MemorySegment) {
      throw new FmiException(
          ErrorClass.TYPE,
          describe(buffer) + " says nothing of its elements: use the form with a Datatype");
    }
    return type;
  }

  /** Refuses an array of another type, and a byte buffer whose bytes stand in another order. */
  static void checkType(Object buffer, Datatype type) {
    Datatype own = typeOf(buffer);
    if (buffer instanceof ByteBuffer b) {
      if (b.order() != ByteOrder.nativeOrder() && type.bytes() > 1) {
        throw new FmiException(
            ErrorClass.TYPE,
            describe(buffer)
                + " has "
                + type
                + " elements in "
                + b.order()
                + " order: make it with order(ByteOrder.nativeOrder())");
      }
    } else if (own != type && !(buffer instanceof MemorySegment)) {
      throw new FmiException(
          ErrorClass.TYPE, describe(buffer) + " holds " + own + " elements, not " + type);
    }
  }

  /** Where a whole buffer begins, in elements. */
  static long wholeOffset(Object buffer) {
    return buffer instanceof ByteBuffer b ? b.position() : 0;
  }

  /** The elements of a whole buffer. */
  static long wholeCount(Object buffer) {
    return buffer instanceof ByteBuffer b
        ? b.remaining()
        : capacity(buffer) / typeOf(buffer).bytes();
  }

  /**
   * Checks a buffer to be read.
   *
   * @return the bytes that {@code count} elements of {@code type} take
   */
  static long checkRead(Object buffer, long offset, long count, Datatype type) {
    Arguments.checkCount(count);
    long capacity = capacity(buffer) / type.bytes();
    if (offset < 0 || offset > capacity - count) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "offset "
              + offset
              + " and count "
              + count
              + " of "
              + type
              + " elements do not fit into "
              + describe(buffer)
              + ", which holds "
              + capacity);
    }
    if (!isAccessible(buffer)) {
      throw new FmiException(
          ErrorClass.BUFFER,
          describe(buffer)
              + " cannot be accessed: its arena is closed or belongs to another thread; use an"
              + " arena that is shared or this thread's own");
    }
    return count * type.bytes();
  }

  private static boolean isAccessible(Object buffer) {
    if (buffer instanceof ByteBuffer b && !b.hasArray()) {
      return isAccessible(MemorySegment.ofBuffer(b));
    }
    return !(buffer instanceof MemorySegment s)
        || (s.scope().isAlive() && s.isAccessibleBy(Thread.currentThread()));
  }

  /** Does what {@link #checkRead} does, for a buffer that is written. */
  static long checkWrite(Object buffer, long offset, long count, Datatype type) {
    long bytes = checkRead(buffer, offset, count, type);
    if (buffer instanceof MemorySegment s
        ? s.isReadOnly()
        : buffer instanceof ByteBuffer b && b.isReadOnly()) {
      throw new FmiException(
          ErrorClass.BUFFER, describe(buffer) + " is read-only: receive into one that is not");
    }
    return bytes;
  }

  static boolean isInPlace(@Nullable Object buffer) {
    return buffer instanceof Comm.InPlace;
  }

  /** The array or segment behind a buffer. */
  @SuppressWarnings("ByteBufferBackingArray") // byteOffset adds the array's offset
  static Object memory(Object buffer) {
    if (!(buffer instanceof ByteBuffer b)) {
      return buffer;
    }
    return b.hasArray() ? b.array() : MemorySegment.ofBuffer(b.duplicate().position(0));
  }

  /** Where an element of {@code type} stands in {@link #memory}, in bytes. */
  static long byteOffset(Object buffer, long offset, Datatype type) {
    long bytes = offset * type.bytes();
    return buffer instanceof ByteBuffer b && b.hasArray() ? b.arrayOffset() + bytes : bytes;
  }

  /** The place of an element of {@code type}. */
  static Location place(Object buffer, long offset, Datatype type) {
    return new Location(memory(buffer), byteOffset(buffer, offset, type));
  }

  /** The bytes from index 0 that a buffer offers. */
  private static long capacity(@Nullable Object buffer) {
    return switch (buffer) {
      case byte[] a -> a.length;
      case double[] a -> 8L * a.length;
      case MemorySegment s -> s.byteSize();
      case int[] a -> 4L * a.length;
      case long[] a -> 8L * a.length;
      case float[] a -> 4L * a.length;
      case ByteBuffer b -> b.limit();
      case short[] a -> 2L * a.length;
      case char[] a -> 2L * a.length;
      case boolean[] a -> a.length;
      case null -> throw unsupported(null);
      default -> throw unsupported(buffer);
    };
  }

  private static FmiException unsupported(@Nullable Object buffer) {
    if (isInPlace(buffer)) {
      return new FmiException(
          ErrorClass.BUFFER,
          "Comm.IN_PLACE is not allowed for this buffer of this call at this rank");
    }
    return new FmiException(
        ErrorClass.BUFFER,
        (buffer == null ? "null" : "a " + buffer.getClass().getTypeName())
            + " is not a buffer: use an array of a primitive type, a ByteBuffer or a"
            + " MemorySegment");
  }

  private static String describe(@Nullable Object buffer) {
    return switch (buffer) {
      case null -> "null";
      case MemorySegment s -> "a MemorySegment of " + s.byteSize() + " bytes";
      case ByteBuffer b -> "a ByteBuffer with limit " + b.limit();
      default -> "a " + buffer.getClass().getComponentType() + "[" + Array.getLength(buffer) + "]";
    };
  }
}
