package org.fmi.core.recovery;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.fmi.Comm;
import org.fmi.Holder;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * What a program registered as its loop's state: writes it into a checkpoint image and reads it
 * back in place, except that holders of arrays get new ones.
 *
 * <p>Each object, in the order registered, is a section:
 *
 * <pre>
 *   0      8        16       16 + bytes, rounded up to 8
 *   | kind | bytes  | data   |
 * </pre>
 *
 * <p>The data of an array of arrays is its length; the sections of its rows follow. That of a
 * buffer is its position, its limit (8 bytes each), and all of its content.
 *
 * <p>Holders and rows that refer to one object do so again when they are read back: its content is
 * in one section, and the others name that section's number.
 */
final class LoopState {
  private static final int SECTION_HEADER = 16;
  private static final int BUFFER_HEADER = 16;

  /** More than the number of any kind. */
  private static final long DIMENSION = 16;

  private final Object[] roots;

  /** By section, collected before each write: holders and rows may refer to other ones by then. */
  private final List<Object> objects = new ArrayList<>();

  /** The section that has an object's content. */
  private final IdentityHashMap<Object, Integer> owners = new IdentityHashMap<>();

  /** Serialised form of the objects that write themselves, by section; empty for others. */
  private final List<byte[]> serialised = new ArrayList<>();

  /**
   * Registers state objects.
   *
   * @throws IllegalArgumentException if one is of no supported type, naming it
   */
  LoopState(Object[] roots) {
    this.roots = arguments(roots);
    collect();
  }

  /** Java passes an array of arrays, or of objects, as all arguments if it is the only one. */
  private static Object[] arguments(Object[] roots) {
    return roots.getClass() == Object[].class ? roots.clone() : new Object[] {roots};
  }

  /** Whether these are the objects that were registered. */
  @SuppressWarnings("ReferenceEquality") // which object it is, not what is in it
  boolean isOf(Object[] others) {
    Object[] arguments = arguments(others);
    if (arguments.length != roots.length) {
      return false;
    }
    for (int i = 0; i < roots.length; i++) {
      if (arguments[i] != roots[i]) {
        return false;
      }
    }
    return true;
  }

  /** Measures the state as it is now; call before {@link #write}. */
  long bytes() {
    collect();
    serialised.clear();
    long bytes = 0;
    for (int i = 0; i < objects.size(); i++) {
      Object object = objects.get(i);
      serialised.add(
          owner(i) == i && isSelfWriting(object) ? SelfWriting.write(object) : new byte[0]);
      bytes += SECTION_HEADER + roundUp(sectionBytes(i));
    }
    return bytes;
  }

  /** Writes what {@link #bytes} has measured. */
  void write(MemorySegment image, long at) {
    long to = at;
    for (int i = 0; i < objects.size(); i++) {
      Object object = objects.get(i);
      int owner = owner(i);
      long bytes = sectionBytes(i);
      image.set(FrameLayout.LONG, to, owner == i ? kind(object) : Kind.SAME.number);
      image.set(FrameLayout.LONG, to + 8, bytes);
      to += SECTION_HEADER;
      byte[] own = serialised.get(i);
      if (owner != i) {
        image.set(FrameLayout.LONG, to, owner);
      } else if (object instanceof Object[] rows) {
        image.set(FrameLayout.LONG, to, rows.length);
      } else if (own.length > 0) {
        Memory.toSegment(own, 0, image, to, bytes);
      } else if (object instanceof ByteBuffer buffer) {
        image.set(FrameLayout.LONG, to, buffer.position());
        image.set(FrameLayout.LONG, to + 8, buffer.limit());
        Memory.toSegment(whole(buffer), 0, image, to + BUFFER_HEADER, buffer.capacity());
      } else if (bytes > 0) {
        Memory.toSegment(object, 0, image, to, bytes);
      }
      to += roundUp(bytes);
    }
  }

  /**
   * Reads the state back into the registered objects. Holders of arrays get new ones: what they
   * refer to now may be anything by then.
   *
   * @throws IllegalStateException if the image holds another kind of state: the program registered
   *     something else
   */
  void read(MemorySegment image, long at, long end) {
    objects.clear();
    owners.clear();
    new Reading(image, at, end).run();
  }

  // ---- what is to be written

  private void collect() {
    objects.clear();
    owners.clear();
    Set<Object> fixed = fixed();
    for (Object root : roots) {
      add(root, true, false, fixed);
    }
  }

  private void add(@Nullable Object object, boolean root, boolean held, Set<Object> fixed) {
    if (object == null) {
      throw new IllegalArgumentException("the loop's state object " + objects.size() + " is null");
    }
    if (object instanceof Holder<?> holder) {
      if (held) {
        throw new IllegalArgumentException("a loop's state cannot hold a Holder of a Holder");
      }
      add(holder.get(), false, true, fixed);
      return;
    }
    kind(object); // refuses what is of no supported type
    int section = objects.size();
    objects.add(object);
    boolean owner =
        (root || !fixed.contains(object)) && owners.putIfAbsent(object, section) == null;
    if (owner && object instanceof Object[] rows) {
      for (Object row : rows) {
        add(row, false, false, fixed);
      }
    }
  }

  /** What the program itself refers to: its content is kept there, and others refer to that. */
  private Set<Object> fixed() {
    Set<Object> fixed = identitySet();
    for (Object root : roots) {
      if (!(root instanceof Holder)) {
        fixed.add(root);
      }
    }
    return fixed;
  }

  private static Set<Object> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private int owner(int section) {
    return Objects.requireNonNull(owners.get(objects.get(section)));
  }

  private long sectionBytes(int section) {
    Object object = objects.get(section);
    if (owner(section) != section || object instanceof Object[]) {
      return Long.BYTES;
    }
    if (isSelfWriting(object)) {
      return serialised.get(section).length;
    }
    return object instanceof ByteBuffer buffer
        ? BUFFER_HEADER + (long) buffer.capacity()
        : size(object) * Kind.of(kind(object)).elementBytes;
  }

  // ---- reading

  /**
   * What refers to an object: a holder, a row of an array of arrays, or, if it is neither, the
   * program itself, whose reference cannot be changed.
   */
  private record Referrer(
      @Nullable Object root, @Nullable Holder<?> holder, Object @Nullable [] rows, int row) {

    /** Null in a row of a new array. */
    @Nullable Object get() {
      return holder != null ? holder.get() : rows != null ? rows[row] : root;
    }

    /** The holder, if that is what the program or a row refers to. */
    @Nullable Holder<?> inner() {
      return holder == null && get() instanceof Holder<?> inner ? inner : null;
    }

    /** Makes it refer to another object. */
    @SuppressWarnings(
        "unchecked") // a holder of T gets back what it held when the checkpoint was taken: a T
    void set(Object other) {
      if (holder != null) {
        ((Holder<Object>) holder).set(other);
      } else if (rows != null) {
        rows[row] = other;
      }
    }
  }

  /** The object is that of another section. */
  private record Same(int section) {}

  /** One pass over an image. */
  private final class Reading {
    private final MemorySegment image;
    private final long end;
    private long from;

    /** By section. */
    private final List<Referrer> referrers = new ArrayList<>();

    /** What each section's referrer will refer to, or which section has that. */
    private final List<Object> contents = new ArrayList<>();

    private final Set<Object> fixed = fixed();

    /** The objects that have been read into in place. */
    private final Set<Object> restored = identitySet();

    Reading(MemorySegment image, long at, long end) {
      this.image = image;
      this.end = end;
      this.from = at;
    }

    @SuppressWarnings("ReferenceEquality") // which object it is, not what is in it
    void run() {
      for (Object root : roots) {
        read(new Referrer(root, null, null, 0), false);
      }
      if (from != end) {
        throw differs(referrers.size(), null, "more objects");
      }
      for (int i = 0; i < referrers.size(); i++) {
        referrers.get(i).set(content(i));
      }
      for (int i = 0; i < referrers.size(); i++) {
        if (referrers.get(i).get() != content(i)) {
          throw sameness(i);
        }
      }
    }

    private Object content(int section) {
      Object content = contents.get(section);
      return content instanceof Same same ? contents.get(same.section) : content;
    }

    /**
     * Reads what a referrer refers to.
     *
     * @param renew whether that is a new one if it is an array
     */
    private void read(Referrer referrer, boolean renew) {
      Holder<?> inner = referrer.inner();
      if (inner != null) {
        read(new Referrer(null, inner, null, 0), true);
        return;
      }
      if (from + SECTION_HEADER > end) {
        throw differs(referrers.size(), referrer.get(), "nothing");
      }
      long kind = image.get(FrameLayout.LONG, from);
      long bytes = image.get(FrameLayout.LONG, from + 8);
      long data = from + SECTION_HEADER;
      from = data + roundUp(bytes);
      int section = referrers.size();
      referrers.add(referrer);
      if (kind == Kind.SAME.number) {
        contents.add(new Same((int) image.get(FrameLayout.LONG, data)));
        return;
      }
      Object object = object(section, renew, kind, storedSize(kind, bytes, data));
      contents.add(object);
      if (object instanceof Object[] rows) {
        boolean renewRows = !restored.contains(rows);
        for (int i = 0; i < rows.length; i++) {
          read(new Referrer(null, null, rows, i), renewRows);
        }
      } else if (isSelfWriting(object)) {
        SelfWriting.read(object, image.asSlice(data, bytes));
      } else if (object instanceof ByteBuffer buffer) {
        Memory.fromSegment(image, data + BUFFER_HEADER, whole(buffer), 0, buffer.capacity());
        buffer.limit((int) image.get(FrameLayout.LONG, data + 8));
        buffer.position((int) image.get(FrameLayout.LONG, data));
      } else if (bytes > 0) {
        Memory.fromSegment(image, data, object, 0, bytes);
      }
    }

    /** The size of the object that a section was written from. */
    private long storedSize(long kind, long bytes, long data) {
      if (kind == Kind.BUFFER.number) {
        return bytes - BUFFER_HEADER;
      }
      return isNested(kind)
          ? image.get(FrameLayout.LONG, data)
          : bytes / Kind.of(kind).elementBytes;
    }

    /** The object that a section is read into. */
    private Object object(int section, boolean renew, long kind, long size) {
      Referrer referrer = referrers.get(section);
      boolean creatable = Kind.of(kind).element != void.class;
      if (renew && creatable) {
        // The heap need not have room for both: the array before, which no variable refers to, can
        // be collected first.
        referrer.set(newArray(kind, 0));
        referrer.set(newArray(kind, size));
        return Objects.requireNonNull(referrer.get());
      }
      Object now = referrer.get();
      if (now == null
          || kind != kind(now)
          || (kind != Kind.SELF_WRITING.number && size != size(now))) {
        throw differs(section, now, name(kind) + " of size " + size);
      }
      if (renew && now instanceof Object[] rows) {
        return rows.clone();
      }
      // The one that stands there now may belong to another section.
      boolean taken = (referrer.root == null && fixed.contains(now)) || !restored.add(now);
      if (!taken) {
        return now;
      }
      if (referrer.rows != null && creatable) {
        return newArray(kind, size);
      }
      throw sameness(section);
    }

    private IllegalStateException sameness(int section) {
      return new IllegalStateException(
          "whether the loop's state object "
              + section
              + ", a "
              + typeName(referrers.get(section).get())
              + ", is the same as another one is not as it was in the checkpoint, and cannot be"
              + " made so: register objects that are not the same at the beginning of the loop");
    }
  }

  private static IllegalStateException differs(
      int section, @Nullable Object now, String checkpoint) {
    return new IllegalStateException(
        "the loop's state object "
            + section
            + " is "
            + typeName(now)
            + ", but the checkpoint holds "
            + checkpoint
            + ": register the same objects, of the same sizes, in every run");
  }

  private static String typeName(@Nullable Object object) {
    return object == null ? "missing" : object.getClass().getTypeName();
  }

  // ---- kinds

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }

  /**
   * What a section holds; the number is part of the image's format. That of an array of arrays is
   * that of its innermost arrays, and {@link #DIMENSION} for each dimension more.
   */
  private enum Kind {
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
    /** The object is that of the section whose number is the data. */
    SAME(12, void.class, 1),
    /** An array whose innermost elements are objects. */
    OBJECTS(13, void.class, 1);

    private final long number;

    /** The type of the elements of an array; void for others. */
    private final Class<?> element;

    private final int elementBytes;

    Kind(long number, Class<?> element, int elementBytes) {
      this.number = number;
      this.element = element;
      this.elementBytes = elementBytes;
    }

    static Kind of(long number) {
      for (Kind kind : values()) {
        if (kind.number == number % DIMENSION) {
          return kind;
        }
      }
      return NONE;
    }
  }

  private static long kind(Object object) {
    if ((object instanceof ByteBuffer b && b.isReadOnly())
        || (object instanceof MemorySegment s && s.isReadOnly())) {
      throw new IllegalArgumentException(
          "a loop's state cannot be restored into a read-only " + typeName(object));
    }
    if (object.getClass().isArray()) {
      return arrayKind(object.getClass().componentType());
    }
    if (object instanceof ByteBuffer) {
      return Kind.BUFFER.number;
    }
    if (object instanceof MemorySegment) {
      return Kind.SEGMENT.number;
    }
    if (isSelfWriting(object)) {
      return Kind.SELF_WRITING.number;
    }
    if (object instanceof Comm) {
      throw new IllegalArgumentException(
          "a loop's state cannot hold a communicator: make it before the loop and leave it out");
    }
    throw new IllegalArgumentException(
        "a loop's state cannot hold a "
            + typeName(object)
            + ": use primitive arrays (of arrays), ByteBuffer, MemorySegment, Holder,"
            + " or an object that implements net.openhft.chronicle.bytes.BytesMarshallable");
  }

  private static long arrayKind(Class<?> element) {
    for (Kind kind : Kind.values()) {
      if (kind.element == element) {
        return kind.number;
      }
    }
    long row = element.isArray() ? arrayKind(element.componentType()) : Kind.OBJECTS.number;
    return row == Kind.OBJECTS.number ? row : DIMENSION + row;
  }

  private static boolean isNested(long kind) {
    return kind > DIMENSION || kind == Kind.OBJECTS.number;
  }

  /** Of a kind that has primitive elements. */
  private static Object newArray(long kind, long length) {
    Class<?> element = Kind.of(kind).element;
    for (long more = kind / DIMENSION; more > 0; more--) {
      element = element.arrayType();
    }
    return Array.newInstance(element, Math.toIntExact(length));
  }

  private static String name(long kind) {
    return Kind.of(kind) + "[]".repeat((int) (kind / DIMENSION));
  }

  /** The length of an array, the bytes of a buffer or segment. */
  private static long size(Object object) {
    return switch (object) {
      case ByteBuffer b -> b.capacity();
      case MemorySegment s -> s.byteSize();
      default -> Array.getLength(object);
    };
  }

  /** All of it, whatever its position and limit. */
  private static MemorySegment whole(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear());
  }

  /**
   * Decided by the interface's name, so that Chronicle's classes are loaded only by programs that
   * use them.
   */
  private static boolean isSelfWriting(Object object) {
    if (object.getClass().isArray()
        || object instanceof ByteBuffer
        || object instanceof MemorySegment) {
      return false;
    }
    for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
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
