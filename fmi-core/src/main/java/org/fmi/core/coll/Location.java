package org.fmi.core.coll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.Objects;
import org.fmi.Datatype.Predefined;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * The start of a collective's data in memory: a primitive array or a segment, and an offset in
 * bytes. For arrays, all offsets and lengths are whole numbers of elements.
 */
public final class Location {
  /**
   * The largest scratch memory for segments that is on the heap, where it is cheaper to allocate
   * and to free.
   */
  private static final long HEAP_SCRATCH_BYTES = 1 << 20;

  private final Object base;
  private final long at;

  /** The location {@code at} bytes from the beginning of an array or segment. */
  public Location(Object base, long at) {
    this.base = base;
    this.at = at;
  }

  /** The array or segment. */
  Object base() {
    return base;
  }

  /** The offset of the data, in bytes. */
  long at() {
    return at;
  }

  /**
   * The type of an array's elements, {@link Predefined#BYTE} for segments, null for other objects.
   */
  public static @Nullable Predefined elementType(Object base) {
    return switch (base) {
      case double[] a -> Predefined.DOUBLE;
      case byte[] a -> Predefined.BYTE;
      case int[] a -> Predefined.INT;
      case long[] a -> Predefined.LONG;
      case float[] a -> Predefined.FLOAT;
      case MemorySegment s -> Predefined.BYTE;
      case short[] a -> Predefined.SHORT;
      case char[] a -> Predefined.CHAR;
      case boolean[] a -> Predefined.BOOLEAN;
      default -> null;
    };
  }

  /** Does the same as {@link #elementType(Object)}. */
  public @Nullable Predefined elementType() {
    return elementType(base);
  }

  /** A new array of {@code bytes} bytes, all zero. */
  static Location ofType(Predefined type, long bytes) {
    int n = Math.toIntExact(bytes / type.bytes());
    Object array =
        switch (type) {
          case BYTE -> new byte[n];
          case BOOLEAN -> new boolean[n];
          case CHAR -> new char[n];
          case SHORT -> new short[n];
          case INT -> new int[n];
          case LONG -> new long[n];
          case FLOAT -> new float[n];
          case DOUBLE -> new double[n];
        };
    return new Location(array, 0);
  }

  /** The location {@code bytes} further on. */
  Location plus(long bytes) {
    return new Location(base, at + bytes);
  }

  /**
   * New memory of the same kind. The garbage collector frees large native memory, as the data path
   * may hold on to it briefly after a rollback.
   */
  Location scratch(long bytes) {
    if (!(base instanceof MemorySegment)) {
      return ofType(type(), bytes);
    }
    return new Location(
        bytes <= HEAP_SCRATCH_BYTES
            ? MemorySegment.ofArray(new byte[(int) bytes])
            : Arena.ofAuto().allocate(bytes, 64),
        0);
  }

  /** Whether this is an array of {@code type}. */
  boolean isArrayOf(Predefined type) {
    return !(base instanceof MemorySegment) && elementType(base) == type;
  }

  /** The same location, expressed in a segment. */
  Location inSegment() {
    return base instanceof MemorySegment ? this : new Location(segmentOf(base), at);
  }

  /** The size of an array's elements; 1 for a segment. */
  int elementBytes() {
    return type().bytes();
  }

  /** The size of the array, in bytes. */
  long arrayBytes() {
    return (long) Array.getLength(base) * type().bytes();
  }

  /** Whether both are the same location. */
  @SuppressWarnings("ReferenceEquality") // the same array is meant, not an equal one
  public boolean isSamePlaceAs(Location other) {
    return array() == other.array() && address() == other.address();
  }

  private @Nullable Object array() {
    return base instanceof MemorySegment s ? s.heapBase().orElse(null) : base;
  }

  /** The offset from the array's beginning, if it is in an array. */
  private long address() {
    return base instanceof MemorySegment s ? s.address() + at : at;
  }

  /** Copies the first {@code bytes} bytes to {@code target}, for any kinds of memory. */
  void copyTo(Location target, long bytes) {
    if (bytes == 0) {
      return;
    }
    if (base instanceof MemorySegment from) {
      Memory.fromSegment(from, at, target.base, target.at, bytes);
    } else if (target.base instanceof MemorySegment to) {
      Memory.toSegment(base, at, to, target.at, bytes);
    } else if (base.getClass() == target.base.getClass()) {
      int element = type().bytes();
      // An array's bytes are a whole number of its elements, so these indices fit an int.
      System.arraycopy(
          base,
          (int) (at / element),
          target.base,
          (int) (target.at / element),
          (int) (bytes / element));
    } else if (base instanceof boolean[]) {
      Memory.toSegment(base, at, segmentOf(target.base), target.at, bytes);
    } else {
      Memory.fromSegment(segmentOf(base), at, target.base, target.at, bytes);
    }
  }

  /** Copies the first {@code bytes} bytes to an offset of a segment. */
  void copyTo(MemorySegment target, long to, long bytes) {
    Memory.toSegment(base, at, target, to, bytes);
  }

  /** Copies {@code bytes} bytes here from an offset of a segment. */
  void copyFrom(MemorySegment source, long from, long bytes) {
    Memory.fromSegment(source, from, base, at, bytes);
  }

  private Predefined type() {
    Predefined type = elementType(base);
    if (type == null) {
      throw new IllegalArgumentException(
          "neither a primitive array nor a segment: " + base.getClass().getName());
    }
    return type;
  }

  /** A view of an array, of any type but boolean. */
  private static MemorySegment segmentOf(Object array) {
    return Objects.requireNonNull(Memory.view(array));
  }
}
