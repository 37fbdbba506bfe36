package org.fmi;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.fmi.Datatype.Predefined;
import org.jspecify.annotations.Nullable;

/**
 * Part of a buffer, or a buffer with a type: an array or memory segment, where the data begins in
 * it, and how many elements of which type follow.
 *
 * <p>A slice can stand wherever {@link Comm} takes a buffer. It is immutable, refers to the
 * buffer's memory and copies nothing. A slice of a NIO buffer keeps the position and limit that the
 * buffer had when the slice was made. Make slices that a loop uses again before the loop: a call
 * with a slice allocates nothing.
 */
public final class Slice {
  private final Object base;
  private final long byteOffset;
  private final long count;
  private final Predefined type;
  private final boolean typed;

  private Slice(Object base, long byteOffset, long count, Predefined type, boolean typed) {
    this.base = base;
    this.byteOffset = byteOffset;
    this.count = count;
    this.type = type;
    this.typed = typed;
  }

  /**
   * Part of a byte array.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException {@link ErrorClass#BUFFER} if the array is null or shorter than that,
   *     {@link ErrorClass#COUNT} if the count is negative
   */
  public static Slice of(byte[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.BYTE);
  }

  /**
   * Part of an array of booleans.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(boolean[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.BOOLEAN);
  }

  /**
   * Part of an array of chars.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(char[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.CHAR);
  }

  /**
   * Part of an array of shorts.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(short[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.SHORT);
  }

  /**
   * Part of an array of ints.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(int[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.INT);
  }

  /**
   * Part of an array of longs.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(long[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.LONG);
  }

  /**
   * Part of an array of floats.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(float[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.FLOAT);
  }

  /**
   * Part of an array of doubles.
   *
   * @param array where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(double[] array, long offset, long count) {
    return ofArray(array, array == null ? 0 : array.length, offset, count, Predefined.DOUBLE);
  }

  /**
   * A segment as elements of a type.
   *
   * @param segment where the data is: a whole number of elements
   * @param type the type of the elements
   * @return the slice
   * @throws FmiException {@link ErrorClass#TYPE} if the segment does not hold a whole number of
   *     elements
   */
  public static Slice of(MemorySegment segment, Datatype type) {
    return of((Object) segment).as(type);
  }

  /**
   * Part of a segment, in elements of a type.
   *
   * @param segment where the data is
   * @param type the type of the elements
   * @param offset the first element
   * @param count how many elements
   * @return the part
   * @throws FmiException as for {@link #of(byte[], long, long)}
   */
  public static Slice of(MemorySegment segment, Datatype type, long offset, long count) {
    return of((Object) segment).part(type, offset, count);
  }

  /**
   * The bytes of a buffer from its position to its limit, as elements of a type.
   *
   * @param buffer where the data is, in the machine's byte order: a whole number of elements
   * @param type the type of the elements
   * @return the slice
   * @throws FmiException {@link ErrorClass#TYPE} if it does not hold a whole number of elements, or
   *     has another byte order
   */
  public static Slice of(ByteBuffer buffer, Datatype type) {
    Slice bytes = of((Object) buffer);
    checkOrder(buffer, buffer.order(), type);
    return bytes.as(type);
  }

  /**
   * Part of a buffer, in elements of a type.
   *
   * @param buffer where the data is, in the machine's byte order
   * @param type the type of the elements
   * @param offset the first element, counted from the buffer's position
   * @param count how many elements
   * @return the part
   * @throws FmiException {@link ErrorClass#TYPE} if the buffer has another byte order; else as for
   *     {@link #of(byte[], long, long)}
   */
  public static Slice of(ByteBuffer buffer, Datatype type, long offset, long count) {
    Slice bytes = of((Object) buffer);
    checkOrder(buffer, buffer.order(), type);
    return bytes.part(type, offset, count);
  }

  /**
   * Part of anything that {@link Comm} takes as a buffer. Offset and count are in its elements: in
   * bytes for segments and byte buffers; the offset is counted from a NIO buffer's position.
   *
   * @param buffer where the data is
   * @param offset its first element
   * @param count how many elements
   * @return the part
   * @throws FmiException {@link ErrorClass#BUFFER} if this is no buffer, or a shorter one, {@link
   *     ErrorClass#COUNT} if the count is negative, {@link ErrorClass#TYPE} if a NIO buffer's
   *     elements are in another byte order than the machine's
   */
  public static Slice of(Object buffer, long offset, long count) {
    Slice all = of(buffer);
    all.checkFits(all.type, all.count, offset, count);
    return new Slice(
        all.base, all.byteOffset + offset * all.type.bytes(), count, all.type, all.typed);
  }

  /**
   * The whole of anything that {@link Comm} takes as a buffer: all of an array or segment, a NIO
   * buffer from its position to its limit, a slice itself.
   *
   * @param buffer where the data is
   * @return the slice
   * @throws FmiException {@link ErrorClass#BUFFER} if this is no buffer, {@link ErrorClass#TYPE} if
   *     a NIO buffer's elements are in another byte order than the machine's
   */
  public static Slice of(Object buffer) {
    // Chains of instanceof: the first switch over types in a process takes milliseconds.
    if (buffer instanceof Slice s) {
      return s;
    }
    if (buffer instanceof double[] a) {
      return new Slice(a, 0, a.length, Predefined.DOUBLE, true);
    }
    if (buffer instanceof long[] a) {
      return new Slice(a, 0, a.length, Predefined.LONG, true);
    }
    if (buffer instanceof int[] a) {
      return new Slice(a, 0, a.length, Predefined.INT, true);
    }
    if (buffer instanceof byte[] a) {
      return new Slice(a, 0, a.length, Predefined.BYTE, true);
    }
    if (buffer instanceof MemorySegment m) {
      return new Slice(m, 0, m.byteSize(), Predefined.BYTE, false);
    }
    if (buffer instanceof Buffer b) {
      return ofNio(b);
    }
    if (buffer instanceof float[] a) {
      return new Slice(a, 0, a.length, Predefined.FLOAT, true);
    }
    if (buffer instanceof short[] a) {
      return new Slice(a, 0, a.length, Predefined.SHORT, true);
    }
    if (buffer instanceof char[] a) {
      return new Slice(a, 0, a.length, Predefined.CHAR, true);
    }
    if (buffer instanceof boolean[] a) {
      return new Slice(a, 0, a.length, Predefined.BOOLEAN, true);
    }
    throw notABuffer(buffer);
  }

  private static Slice ofArray(
      @Nullable Object array, int length, long offset, long count, Predefined type) {
    if (array == null) {
      throw notABuffer(null);
    }
    if (count < 0 || offset < 0 || offset > length - count) {
      throw doesNotFit(array, type, length, offset, count);
    }
    return new Slice(array, offset * type.bytes(), count, type, true);
  }

  @SuppressWarnings("ByteBufferBackingArray") // the array's offset is added
  private static Slice ofNio(Buffer buffer) {
    boolean bytes = buffer instanceof ByteBuffer;
    Predefined type = bytes ? Predefined.BYTE : typeOf(buffer);
    if (buffer.hasArray()) {
      long from = (long) buffer.arrayOffset() + buffer.position();
      return new Slice(buffer.array(), from * type.bytes(), buffer.remaining(), type, !bytes);
    }
    return new Slice(segmentOf(buffer), 0, buffer.remaining(), type, !bytes);
  }

  /** The type of a typed buffer, whose elements must be in the machine's order. */
  private static Predefined typeOf(Buffer buffer) {
    ByteOrder order;
    Predefined type;
    switch (buffer) {
      case DoubleBuffer b -> {
        order = b.order();
        type = Predefined.DOUBLE;
      }
      case IntBuffer b -> {
        order = b.order();
        type = Predefined.INT;
      }
      case LongBuffer b -> {
        order = b.order();
        type = Predefined.LONG;
      }
      case FloatBuffer b -> {
        order = b.order();
        type = Predefined.FLOAT;
      }
      case ShortBuffer b -> {
        order = b.order();
        type = Predefined.SHORT;
      }
      case CharBuffer b -> {
        order = b.order();
        type = Predefined.CHAR;
      }
      default -> throw notABuffer(buffer);
    }
    checkOrder(buffer, order, type);
    return type;
  }

  private static MemorySegment segmentOf(Buffer buffer) {
    try {
      return MemorySegment.ofBuffer(buffer);
    } catch (IllegalArgumentException e) { // a CharBuffer around a CharSequence
      throw new FmiException(
          ErrorClass.BUFFER,
          "a " + buffer.getClass().getName() + " has no memory of its own: copy it into an array");
    }
  }

  private static void checkOrder(Buffer buffer, ByteOrder order, Datatype type) {
    if (order != ByteOrder.nativeOrder() && type.bytes() > 1) {
      throw new FmiException(
          ErrorClass.TYPE,
          "a "
              + (buffer instanceof ByteBuffer ? "ByteBuffer" : buffer.getClass().getSimpleName())
              + " of "
              + buffer.remaining()
              + " elements has "
              + type
              + " elements in "
              + order
              + " order: make it with order(ByteOrder.nativeOrder())");
    }
  }

  /** The same bytes as elements of a type. */
  private Slice as(Datatype wanted) {
    Predefined t = predefined(wanted);
    if (count % t.bytes() != 0) {
      throw new FmiException(
          ErrorClass.TYPE,
          describe(base)
              + ": "
              + count
              + " bytes are not a whole number of "
              + t
              + " elements: pass offset and count");
    }
    return new Slice(base, byteOffset, count / t.bytes(), t, true);
  }

  /** Part of the same bytes, in elements of a type. */
  private Slice part(Datatype wanted, long from, long n) {
    Predefined t = predefined(wanted);
    checkFits(t, count / t.bytes(), from, n);
    return new Slice(base, byteOffset + from * t.bytes(), n, t, true);
  }

  private static Predefined predefined(Datatype type) {
    if (type instanceof Predefined p) {
      return p;
    }
    throw new FmiException(ErrorClass.TYPE, "null is not a type: use one of Datatype");
  }

  private void checkFits(Predefined elements, long capacity, long from, long n) {
    if (n < 0 || from < 0 || from > capacity - n) {
      throw doesNotFit(base, elements, capacity, from, n);
    }
  }

  private static FmiException doesNotFit(
      Object base, Predefined type, long capacity, long offset, long count) {
    if (count < 0) {
      return new FmiException(
          ErrorClass.COUNT, "count " + count + " is negative: use 0 for an empty message");
    }
    return new FmiException(
        ErrorClass.BUFFER,
        "offset "
            + offset
            + " and count "
            + count
            + " of "
            + type
            + " elements do not fit into "
            + describe(base)
            + ", which holds "
            + capacity);
  }

  private static FmiException notABuffer(@Nullable Object buffer) {
    if (buffer instanceof Comm.InPlace) {
      return new FmiException(
          ErrorClass.BUFFER,
          "Comm.IN_PLACE is not allowed for this buffer of this call at this rank");
    }
    return new FmiException(
        ErrorClass.BUFFER,
        (buffer == null ? "null" : "a " + buffer.getClass().getTypeName())
            + " is not a buffer: use an array of a primitive type, a NIO buffer, a MemorySegment or"
            + " a Slice of one");
  }

  private static String describe(Object base) {
    return base instanceof MemorySegment s
        ? "a MemorySegment of " + s.byteSize() + " bytes"
        : "a " + base.getClass().getComponentType() + "[" + Array.getLength(base) + "]";
  }

  /**
   * The memory that holds the data.
   *
   * @return a primitive array or a {@link MemorySegment}
   */
  public Object base() {
    return base;
  }

  /**
   * Returns the place where the data begins.
   *
   * @return in bytes from the beginning of {@link #base}
   */
  public long byteOffset() {
    return byteOffset;
  }

  /**
   * The number of elements.
   *
   * @return 0 or more
   */
  public long count() {
    return count;
  }

  /**
   * The type of the elements.
   *
   * @return {@link Datatype#BYTE} where none is known, see {@link #isTyped}
   */
  public Datatype type() {
    return type;
  }

  /**
   * Whether the type of the elements is known: not for a segment or byte buffer without a {@link
   * Datatype}, whose bytes may be anything. Reductions want a type.
   *
   * @return whether {@link #type} is that of the data
   */
  public boolean isTyped() {
    return typed;
  }

  /**
   * The length of the data.
   *
   * @return in bytes
   */
  public long bytes() {
    return count * type.bytes();
  }

  @Override
  public String toString() {
    return count
        + " "
        + (typed ? type + " elements" : "bytes")
        + " at byte "
        + byteOffset
        + " of "
        + describe(base);
  }
}
