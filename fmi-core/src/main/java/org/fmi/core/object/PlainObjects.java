package org.fmi.core.object;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * A byte format for the common objects of messages, faster than Java's serialization: null,
 * strings, boxed values, arrays, records, and lists ({@link List#of} and {@link ArrayList}). An
 * object that contains anything else, or refers twice to one array or list, is left to Java's
 * serialization.
 *
 * <pre>
 *   object   kind (1 byte), and by kind: nothing; a value, little endian; or
 *     string   length (4), a byte or two for each character
 *     array    length (4), the elements: values, or objects behind the class of the elements
 *     record   class, objects
 *     list     length (4), objects
 *   class    number (4); a new number is followed by the name, as a string's length and characters
 * </pre>
 *
 * No kind is the first byte of Java's serialization.
 */
final class PlainObjects {
  /** Thrown for an object that Java's serialization must write. */
  static final class NotPlain extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NotPlain() {
      super("not plain", null, false, false);
    }
  }

  private static final byte NULL = 0;
  private static final byte TRUE = 1;
  private static final byte FALSE = 2;
  private static final byte BYTE = 3;
  private static final byte SHORT = 4;
  private static final byte CHAR = 5;
  private static final byte INT = 6;
  private static final byte LONG = 7;
  private static final byte FLOAT = 8;
  private static final byte DOUBLE = 9;
  private static final byte LATIN = 10;
  private static final byte WIDE = 11;
  private static final byte BOOLEANS = 12;
  private static final byte BYTES = 13;
  private static final byte SHORTS = 14;
  private static final byte CHARS = 15;
  private static final byte INTS = 16;
  private static final byte LONGS = 17;
  private static final byte FLOATS = 18;
  private static final byte DOUBLES = 19;
  private static final byte OBJECTS = 20;
  private static final byte RECORD = 21;
  private static final byte LIST = 22;
  private static final byte ARRAY_LIST = 23;

  /**
   * Maximum depth of objects within objects. Deeper ones are left to Java's serialization, which
   * reports a depth that it cannot write.
   */
  private static final int DEEPEST = 64;

  private static final int LONGEST = Integer.MAX_VALUE - 8;
  private static final Class<?> SHORT_LIST = List.of(1).getClass();
  private static final Class<?> LONG_LIST = List.of(1, 2, 3).getClass();

  private static final VarHandle AS_SHORT = view(short[].class);
  private static final VarHandle AS_CHAR = view(char[].class);
  private static final VarHandle AS_INT = view(int[].class);
  private static final VarHandle AS_LONG = view(long[].class);

  private PlainObjects() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
  }

  /** Whether {@link Output} wrote these bytes. */
  static boolean isPlain(byte[] bytes) {
    return bytes.length > 0 && bytes[0] >= NULL && bytes[0] <= ARRAY_LIST;
  }

  /** The elements of an array, of any type but boolean, in this machine's byte order. */
  private static MemorySegment memory(Object array) {
    return Objects.requireNonNull(Memory.view(array));
  }

  /** Writes an object. */
  static final class Output {
    byte[] bytes;
    int length;

    private final List<Class<?>> classes = new ArrayList<>();

    /** Arrays and lists written so far: meeting one again means that it is shared. */
    private final Set<Object> met = Collections.newSetFromMap(new IdentityHashMap<>());

    Output(@Nullable Object object) {
      bytes = new byte[guess(object)];
      write(object, 0);
    }

    private static int guess(@Nullable Object object) {
      return object != null && object.getClass().isArray() && isPrimitive(object)
          ? (int) Math.min(LONGEST, 5L + memoryBytes(object))
          : 256;
    }

    private static boolean isPrimitive(Object array) {
      return array.getClass().componentType().isPrimitive();
    }

    private static long memoryBytes(Object array) {
      return array instanceof boolean[] a ? a.length : memory(array).byteSize();
    }

    private void write(@Nullable Object object, int depth) {
      if (depth > DEEPEST) {
        throw new NotPlain();
      }
      switch (object) {
        case null -> put(NULL);
        case String s -> string(s);
        case Boolean b -> put(b ? TRUE : FALSE);
        case Byte b -> {
          put(BYTE);
          put(b);
        }
        case Short s -> {
          put(SHORT);
          int at = room(2);
          AS_SHORT.set(bytes, at, (short) s);
        }
        case Character c -> {
          put(CHAR);
          int at = room(2);
          AS_CHAR.set(bytes, at, (char) c);
        }
        case Integer i -> {
          put(INT);
          putInt(i);
        }
        case Long l -> {
          put(LONG);
          putLong(l);
        }
        case Float f -> {
          put(FLOAT);
          putInt(Float.floatToRawIntBits(f));
        }
        case Double d -> {
          put(DOUBLE);
          putLong(Double.doubleToRawLongBits(d));
        }
        case boolean[] a -> {
          array(BOOLEANS, a, a.length, depth);
          int at = room(a.length);
          for (int i = 0; i < a.length; i++) {
            bytes[at + i] = (byte) (a[i] ? 1 : 0);
          }
        }
        case byte[] a -> values(BYTES, a, a.length, depth);
        case short[] a -> values(SHORTS, a, a.length, depth);
        case char[] a -> values(CHARS, a, a.length, depth);
        case int[] a -> values(INTS, a, a.length, depth);
        case long[] a -> values(LONGS, a, a.length, depth);
        case float[] a -> values(FLOATS, a, a.length, depth);
        case double[] a -> values(DOUBLES, a, a.length, depth);
        case Object[] a -> {
          Class<?> element = a.getClass().componentType();
          if (!ObjectFilter.holdsData(element) || element.isHidden()) {
            throw new NotPlain();
          }
          array(OBJECTS, a, a.length, depth);
          ofClass(element);
          for (Object each : a) {
            write(each, depth + 1);
          }
        }
        case Record r -> {
          RecordShape shape = RecordShape.OF.get(r.getClass());
          if (!shape.isKnown()) {
            throw new NotPlain();
          }
          put(RECORD);
          ofClass(r.getClass());
          for (int i = 0; i < shape.size(); i++) {
            write(shape.get(r, i), depth + 1);
          }
        }
        case List<?> l -> list(l, depth);
        default -> throw new NotPlain();
      }
    }

    private void list(List<?> l, int depth) {
      Class<?> type = l.getClass();
      boolean immutable = type == SHORT_LIST || type == LONG_LIST;
      if (!immutable && type != ArrayList.class) {
        throw new NotPlain();
      }
      array(immutable ? LIST : ARRAY_LIST, l, l.size(), depth);
      for (Object each : l) {
        if (immutable && each == null) {
          throw new NotPlain(); // from Stream.toList: no other list of this class has null
        }
        write(each, depth + 1);
      }
    }

    private void array(byte kind, Object array, int size, int depth) {
      if (depth > 0 || kind >= OBJECTS) {
        if (!met.add(array)) {
          throw new NotPlain();
        }
      }
      put(kind);
      putInt(size);
    }

    private void values(byte kind, Object array, int size, int depth) {
      array(kind, array, size, depth);
      MemorySegment from = memory(array);
      int at = room(from.byteSize());
      MemorySegment.copy(from, 0, MemorySegment.ofArray(bytes), at, from.byteSize());
    }

    private void string(String s) {
      boolean latin = isLatin(s);
      put(latin ? LATIN : WIDE);
      characters(s, latin);
    }

    private static boolean isLatin(String s) {
      for (int i = 0; i < s.length(); i++) {
        if (s.charAt(i) > 0xff) {
          return false;
        }
      }
      return true;
    }

    private void characters(String s, boolean latin) {
      putInt(s.length());
      if (latin) {
        byte[] characters = s.getBytes(StandardCharsets.ISO_8859_1);
        int at = room(characters.length);
        System.arraycopy(characters, 0, bytes, at, characters.length);
      } else {
        int at = room(2L * s.length());
        for (int i = 0; i < s.length(); i++) {
          AS_CHAR.set(bytes, at + 2 * i, s.charAt(i));
        }
      }
    }

    private void ofClass(Class<?> type) {
      for (int i = classes.size() - 1; i >= 0; i--) {
        if (classes.get(i) == type) {
          putInt(i);
          return;
        }
      }
      putInt(classes.size());
      classes.add(type);
      String name = type.getName();
      if (!isLatin(name)) {
        throw new NotPlain();
      }
      characters(name, true);
    }

    private void put(byte value) {
      int at = room(1); // which may replace the bytes
      bytes[at] = value;
    }

    private void putInt(int value) {
      int at = room(4);
      AS_INT.set(bytes, at, value);
    }

    private void putLong(long value) {
      int at = room(8);
      AS_LONG.set(bytes, at, value);
    }

    /** Makes room for more bytes; gives where it is. */
    private int room(long more) {
      int at = length;
      long needed = at + more;
      if (needed > bytes.length) {
        if (needed > LONGEST) {
          throw new IllegalArgumentException(
              "it takes more than 2 GiB: send its arrays as such, or in parts");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(LONGEST, Math.max(needed, 2L * bytes.length)));
      }
      length = (int) needed;
      return at;
    }
  }

  /** Reads what {@link Output} has written, behind a filter. */
  static final class Input {
    private final byte[] bytes;
    private final ObjectFilter filter;
    private final ClassLoader loader;
    private final List<Class<?>> classes = new ArrayList<>();
    private int at;
    private long objects;

    Input(byte[] bytes, ObjectFilter filter, ClassLoader loader) {
      this.bytes = bytes;
      this.filter = filter;
      this.loader = loader;
    }

    /** Reads the object. */
    @Nullable Object read() throws ClassNotFoundException {
      Object object = read(1);
      if (at != bytes.length) {
        throw damaged();
      }
      return object;
    }

    private @Nullable Object read(int depth) throws ClassNotFoundException {
      if (depth > DEEPEST + 1) {
        throw damaged();
      }
      byte kind = bytes[take(1)];
      return switch (kind) {
        case NULL -> null;
        case LATIN, WIDE -> characters(kind == LATIN);
        case TRUE -> boxed(true, depth);
        case FALSE -> boxed(false, depth);
        case BYTE -> boxed(bytes[take(1)], depth);
        case SHORT -> boxed((short) AS_SHORT.get(bytes, take(2)), depth);
        case CHAR -> boxed((char) AS_CHAR.get(bytes, take(2)), depth);
        case INT -> boxed(getInt(), depth);
        case LONG -> boxed(getLong(), depth);
        case FLOAT -> boxed(Float.intBitsToFloat(getInt()), depth);
        case DOUBLE -> boxed(Double.longBitsToDouble(getLong()), depth);
        case BOOLEANS -> {
          boolean[] a = new boolean[length(boolean[].class, 1, depth)];
          for (int i = 0; i < a.length; i++) {
            a[i] = bytes[at + i] != 0;
          }
          at += a.length;
          yield a;
        }
        case BYTES -> values(new byte[length(byte[].class, 1, depth)]);
        case SHORTS -> values(new short[length(short[].class, 2, depth)]);
        case CHARS -> values(new char[length(char[].class, 2, depth)]);
        case INTS -> values(new int[length(int[].class, 4, depth)]);
        case LONGS -> values(new long[length(long[].class, 8, depth)]);
        case FLOATS -> values(new float[length(float[].class, 4, depth)]);
        case DOUBLES -> values(new double[length(double[].class, 8, depth)]);
        case OBJECTS -> array(depth);
        case RECORD -> record(depth);
        case LIST, ARRAY_LIST -> list(kind == LIST, depth);
        default -> throw damaged();
      };
    }

    private Object boxed(Object value, int depth) {
      if (filter.isNarrowed()) {
        check(value.getClass(), -1, depth);
      }
      return value;
    }

    private void check(Class<?> type, long length, int depth) {
      objects++;
      if (!ObjectFilter.holdsData(type) || !filter.allows(type, length, depth, objects, at)) {
        throw new IllegalArgumentException(ObjectCodec.refusedByFilter(type.getName()));
      }
    }

    /** Reads a length, and checks that the bytes after it can hold this many elements. */
    private int length(Class<?> type, int elementBytes, int depth) {
      int length = getInt();
      if (length < 0 || (long) length * elementBytes > bytes.length - at) {
        throw damaged();
      }
      check(type, length, depth);
      return length;
    }

    private Object values(Object array) {
      MemorySegment to = memory(array);
      long size = to.byteSize();
      MemorySegment.copy(MemorySegment.ofArray(bytes), take(size), to, 0, size);
      return array;
    }

    private Object array(int depth) throws ClassNotFoundException {
      int length = getInt();
      Class<?> element = ofClass();
      if (length < 0 || length > bytes.length - at) {
        throw damaged();
      }
      check(element.arrayType(), length, depth);
      Object[] a = (Object[]) Array.newInstance(element, length);
      for (int i = 0; i < length; i++) {
        Object each = read(depth + 1);
        if (each != null && !element.isInstance(each)) {
          throw damaged();
        }
        a[i] = each;
      }
      return a;
    }

    private Object list(boolean immutable, int depth) throws ClassNotFoundException {
      int length = length(immutable ? LONG_LIST : ArrayList.class, 1, depth);
      check(Object[].class, length, depth);
      @Nullable Object[] a = new @Nullable Object[length];
      for (int i = 0; i < length; i++) {
        a[i] = read(depth + 1);
        if (immutable && a[i] == null) {
          throw damaged();
        }
      }
      return immutable ? List.of(a) : new ArrayList<>(Arrays.asList(a));
    }

    private Object record(int depth) throws ClassNotFoundException {
      Class<?> type = ofClass();
      check(type, -1, depth);
      RecordShape shape = RecordShape.OF.get(type);
      if (!shape.isKnown()) {
        throw damaged();
      }
      @Nullable Object[] components = new @Nullable Object[shape.size()];
      for (int i = 0; i < components.length; i++) {
        components[i] = read(depth + 1);
      }
      try {
        return shape.make(components);
      } catch (Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalArgumentException(
            "no " + type.getName() + " can be made of what was sent: " + e, e);
      }
    }

    private String characters(boolean latin) {
      int length = getInt();
      if (length < 0 || (long) length * (latin ? 1 : 2) > bytes.length - at) {
        throw damaged();
      }
      if (latin) {
        return new String(bytes, take(length), length, StandardCharsets.ISO_8859_1);
      }
      char[] characters = new char[length];
      for (int i = 0; i < length; i++) {
        characters[i] = (char) AS_CHAR.get(bytes, at + 2 * i);
      }
      at += 2 * length;
      return new String(characters);
    }

    private Class<?> ofClass() throws ClassNotFoundException {
      int number = getInt();
      if (number < 0 || number > classes.size()) {
        throw damaged();
      }
      if (number == classes.size()) {
        classes.add(ObjectCodec.classOf(characters(true), loader));
      }
      return classes.get(number);
    }

    private int getInt() {
      return (int) AS_INT.get(bytes, take(4));
    }

    private long getLong() {
      return (long) AS_LONG.get(bytes, take(8));
    }

    private int take(long count) {
      int from = at;
      if (count > bytes.length - from) {
        throw damaged();
      }
      at = (int) (from + count);
      return from;
    }

    private static IllegalArgumentException damaged() {
      return new IllegalArgumentException("these bytes are no object that was sent");
    }
  }
}
