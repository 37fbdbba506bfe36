package org.fmi.core.state;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.State;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a section of a {@link LoopState}; its number is part of the image's format. The
 * number of an array of arrays is that of its innermost arrays, plus {@link #DIMENSION} for each
 * further dimension.
 */
public enum StateKind {
  NONE(0, void.class, 1),
  BYTES(1, byte.class, 1),
  BOOLEANS(2, boolean.class, 1),
  CHARS(3, char.class, 2),
  SHORTS(4, short.class, 2),
  INTS(5, int.class, 4),
  LONGS(6, long.class, 8),
  FLOATS(7, float.class, 4),
  DOUBLES(8, double.class, 8),
  BUFFER(9, void.class, 1),
  SEGMENT(10, void.class, 1),
  SELF_WRITING(11, void.class, 1),
  /** The object is that of another section, whose number is the data. */
  SAME(12, void.class, 1),
  /** An array whose innermost elements are objects. */
  OBJECTS(13, void.class, 1),
  /** An object that only a StateRef refers to, in Java's serialization. */
  SERIALIZED(14, void.class, 1),
  /** The place of the next section's object among the objects of all ranks. */
  LAYOUT(15, void.class, 1),
  /** The name of the object whose sections follow. */
  NAME(-1, void.class, 1);

  /** Greater than the number of any kind. */
  private static final long DIMENSION = 16;

  public final long number;

  /** The type of an array's elements; void for other kinds. */
  public final Class<?> element;

  public final int elementBytes;

  StateKind(long number, Class<?> element, int elementBytes) {
    this.number = number;
    this.element = element;
    this.elementBytes = elementBytes;
  }

  public static StateKind of(long number) {
    for (StateKind kind : values()) {
      if (kind.number == number % DIMENSION) {
        return kind;
      }
    }
    return NONE;
  }

  /**
   * The number of the kind that an object is saved as; {@link #NONE} if it cannot be saved.
   *
   * @param held whether a StateRef refers to it, and can be given another object
   */
  static long numberOf(Object object, boolean held) {
    Class<?> type = object.getClass();
    if (isReadOnly(object)) {
      return NONE.number;
    }
    if (type.isArray()) {
      long kind = arrayKind(type.componentType());
      return held && kind == OBJECTS.number && isOfSerializables(type) ? SERIALIZED.number : kind;
    }
    if (StateLayout.of(object) != null) {
      return held ? NONE.number : LAYOUT.number;
    }
    if (object instanceof State) {
      return held ? NONE.number : NAME.number;
    }
    if (object instanceof ByteBuffer) {
      return BUFFER.number;
    }
    if (object instanceof MemorySegment) {
      return SEGMENT.number;
    }
    if (isSelfWriting(object)) {
      return SELF_WRITING.number;
    }
    return held && isSerialized(type) ? SERIALIZED.number : NONE.number;
  }

  /** The reason why an object cannot be saved, and the way out; to follow the object's name. */
  static String refusal(Object object) {
    if (isReadOnly(object)) {
      return " is read-only, a " + typeName(object) + ": nothing can be restored into it";
    }
    if (object instanceof Comm) {
      return " is a communicator, which cannot be restored in place: put it into a StateRef"
          + " (StateRef.of(...))";
    }
    if (object instanceof Request) {
      return " is a request, which cannot be restored in place: put it into a StateRef"
          + " (StateRef.of(new Request[n]))";
    }
    if (object instanceof State || StateLayout.of(object) != null) {
      return " is a " + typeName(object) + " inside another object: wrap the outer object instead";
    }
    if (object instanceof Serializable) {
      return " is a "
          + typeName(object)
          + ", which cannot be restored in place: put it into a StateRef (StateRef.of(...))";
    }
    return " is a "
        + typeName(object)
        + ": use primitive arrays (of arrays), ByteBuffer, MemorySegment, an object that implements"
        + " net.openhft.chronicle.bytes.BytesMarshallable, or a StateRef of one of these or of a"
        + " Serializable object";
  }

  static String typeName(@Nullable Object object) {
    return object == null ? "missing" : object.getClass().getTypeName();
  }

  private static boolean isReadOnly(Object object) {
    return (object instanceof ByteBuffer b && b.isReadOnly())
        || (object instanceof MemorySegment s && s.isReadOnly());
  }

  /** Whether the type of an array's innermost elements allows serialization. */
  private static boolean isOfSerializables(Class<?> array) {
    Class<?> element = array;
    while (element.isArray()) {
      element = element.componentType();
    }
    return isSerialized(element) && !isSelfWriting(element);
  }

  /** Whether objects of a type are serialized; communicators and requests are, by substitutes. */
  private static boolean isSerialized(Class<?> type) {
    return Serializable.class.isAssignableFrom(type)
        || Comm.class.isAssignableFrom(type)
        || Request.class.isAssignableFrom(type);
  }

  private static long arrayKind(Class<?> element) {
    for (StateKind kind : values()) {
      if (kind.element == element) {
        return kind.number;
      }
    }
    long row = element.isArray() ? arrayKind(element.componentType()) : OBJECTS.number;
    return row == OBJECTS.number ? row : DIMENSION + row;
  }

  /** Formats an element. */
  String element(MemorySegment memory, long at) {
    return switch (this) {
      case BOOLEANS -> "" + (memory.get(ValueLayout.JAVA_BYTE, at) != 0);
      case CHARS -> "'" + memory.get(ValueLayout.JAVA_CHAR_UNALIGNED, at) + "'";
      case SHORTS -> "" + memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
      case INTS -> "" + memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
      case LONGS -> "" + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      case FLOATS -> "" + memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
      case DOUBLES -> "" + memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
      default -> "" + memory.get(ValueLayout.JAVA_BYTE, at);
    };
  }

  public static boolean isNested(long kind) {
    return kind > DIMENSION || kind == OBJECTS.number;
  }

  /** Creates an array of a kind with primitive elements. */
  public static Object newArray(long kind, long length) {
    Class<?> element = of(kind).element;
    for (long more = kind / DIMENSION; more > 0; more--) {
      element = element.arrayType();
    }
    return Array.newInstance(element, Math.toIntExact(length));
  }

  public static String name(long kind) {
    return of(kind) + "[]".repeat((int) (kind / DIMENSION));
  }

  /** The length of an array, or the number of bytes of a buffer or segment. */
  static long size(Object object) {
    return switch (object) {
      case ByteBuffer b -> b.capacity();
      case MemorySegment s -> s.byteSize();
      default -> Array.getLength(object);
    };
  }

  /** The whole buffer, whatever its position and limit. */
  static MemorySegment whole(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear());
  }

  /**
   * Whether an object marshals itself. Decided by the interface's name, so that Chronicle's classes
   * are loaded only by programs that use them.
   */
  static boolean isSelfWriting(Object object) {
    if (object.getClass().isArray()
        || object instanceof ByteBuffer
        || object instanceof MemorySegment) {
      return false;
    }
    return isSelfWriting(object.getClass());
  }

  private static boolean isSelfWriting(Class<?> type) {
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      if (implementsMarshallable(c)) {
        return true;
      }
    }
    return false;
  }

  private static boolean implementsMarshallable(Class<?> type) {
    for (Class<?> i : type.getInterfaces()) {
      if (i.getName().equals("net.openhft.chronicle.bytes.BytesMarshallable")
          || implementsMarshallable(i)) {
        return true;
      }
    }
    return false;
  }
}
