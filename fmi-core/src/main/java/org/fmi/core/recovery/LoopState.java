package org.fmi.core.recovery;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.fmi.Holder;
import org.fmi.core.wire.FrameLayout;
import org.fmi.core.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * What a program registered as its loop's state: writes it into a checkpoint image and reads it
 * back in place.
 *
 * <p>Each object, in the order registered (arrays of arrays element by element), is a section:
 *
 * <pre>
 *   0      8        16       16 + bytes, rounded up to 8
 *   | kind | bytes  | data   |
 * </pre>
 *
 * <p>Holders and rows that refer to one object do so again when they are read back: its content is
 * in one section, and the others name that section's number.
 */
final class LoopState {
  private static final int SECTION_HEADER = 16;

  private final Object[] roots;

  /**
   * In order, rebuilt before each write and read: holders and rows may refer to other objects by
   * then.
   */
  private final List<Leaf> leaves = new ArrayList<>();

  /** By leaf: the one in whose section the object is, which may be itself. */
  private int[] owners = {};

  /** Serialised form of the leaves that write themselves, by their index; empty for others. */
  private final List<byte[]> serialised = new ArrayList<>();

  /**
   * One object of the state, and the place that refers to it: a holder, a row of an array of
   * arrays, or, if there is neither, the program itself, whose reference cannot be changed.
   */
  private record Leaf(
      Object object, @Nullable Holder<?> holder, Object @Nullable [] rows, int row) {
    boolean fixed() {
      return holder == null && rows == null;
    }

    /** What the place refers to. */
    Object get() {
      return holder != null ? holder.get() : rows != null ? rows[row] : object;
    }

    /** Makes the place refer to another object. */
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
    findOwners();
    serialised.clear();
    long bytes = 0;
    for (int i = 0; i < leaves.size(); i++) {
      Object object = leaves.get(i).object();
      serialised.add(
          owners[i] == i && isSelfWriting(object) ? SelfWriting.write(object) : new byte[0]);
      bytes += SECTION_HEADER + roundUp(sectionBytes(i));
    }
    return bytes;
  }

  /** Writes what {@link #bytes} has measured. */
  void write(MemorySegment image, long at) {
    long to = at;
    for (int i = 0; i < leaves.size(); i++) {
      Object object = leaves.get(i).object();
      long bytes = sectionBytes(i);
      image.set(FrameLayout.LONG, to, owners[i] == i ? kind(object) : Kind.SAME.number);
      image.set(FrameLayout.LONG, to + 8, bytes);
      to += SECTION_HEADER;
      byte[] own = serialised.get(i);
      if (owners[i] != i) {
        image.set(FrameLayout.LONG, to, owners[i]);
      } else if (own.length > 0) {
        Memory.toSegment(own, 0, image, to, bytes);
      } else if (bytes > 0) {
        Memory.toSegment(base(object), 0, image, to, bytes);
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
  @SuppressWarnings("ReferenceEquality") // which object it is, not what is in it
  void read(MemorySegment image, long at, long end) {
    collect();
    Set<Object> fixed = identitySet();
    for (Leaf leaf : leaves) {
      if (leaf.fixed()) {
        fixed.add(leaf.object());
      }
    }
    Set<Object> restored = identitySet();
    Object[] objects = new Object[leaves.size()];
    int[] sameAs = new int[leaves.size()];
    long from = at;
    for (int i = 0; i < leaves.size(); i++) {
      if (from + SECTION_HEADER > end) {
        throw differs(i, "nothing");
      }
      long kind = image.get(FrameLayout.LONG, from);
      long bytes = image.get(FrameLayout.LONG, from + 8);
      from += SECTION_HEADER;
      sameAs[i] = i;
      if (kind == Kind.SAME.number) {
        sameAs[i] = (int) image.get(FrameLayout.LONG, from);
        if (sameAs[i] >= leaves.size()) {
          throw differs(i, "the same as object " + sameAs[i]);
        }
      } else {
        objects[i] = place(i, kind, bytes, fixed, restored);
        readInto(objects[i], kind, bytes, image, from, i);
      }
      from += roundUp(bytes);
    }
    if (from != end) {
      throw differs(leaves.size(), "more objects");
    }
    for (int i = 0; i < objects.length; i++) {
      leaves.get(i).set(objects[sameAs[i]]);
    }
    for (int i = 0; i < objects.length; i++) {
      if (leaves.get(i).get() != objects[sameAs[i]]) {
        throw sameness(i);
      }
    }
  }

  /** The object that a leaf's section is read into. */
  private Object place(int index, long kind, long bytes, Set<Object> fixed, Set<Object> restored) {
    Kind of = Kind.of(kind);
    Holder<?> holder = leaves.get(index).holder();
    if (holder != null && of.element != void.class) {
      return renew(index, holder, of.element, Math.toIntExact(bytes / of.elementBytes));
    }
    Leaf leaf = leaves.get(index);
    // The one that stands there now may belong to another section.
    boolean taken =
        (!leaf.fixed() && fixed.contains(leaf.object())) || !restored.add(leaf.object());
    if (!taken) {
      return leaf.object();
    }
    if (leaf.rows() != null && kind == kind(leaf.object()) && of.element != void.class) {
      return Array.newInstance(of.element, Array.getLength(leaf.object()));
    }
    throw sameness(index);
  }

  /** The heap need not have room for both: the array before can be collected first. */
  private Object renew(int index, Holder<?> holder, Class<?> element, int length) {
    Leaf empty = new Leaf(Array.newInstance(element, 0), holder, null, 0);
    leaves.set(index, empty);
    empty.set(empty.object());
    Leaf fresh = new Leaf(Array.newInstance(element, length), holder, null, 0);
    leaves.set(index, fresh);
    fresh.set(fresh.object());
    return fresh.object();
  }

  private void readInto(
      Object object, long kind, long bytes, MemorySegment image, long from, int index) {
    if (kind != kind(object)) {
      throw differs(index, Kind.of(kind).name());
    }
    if (isSelfWriting(object)) {
      SelfWriting.read(object, image.asSlice(from, bytes));
      return;
    }
    if (bytes != rawBytes(object)) {
      throw differs(index, Kind.of(kind) + " of " + bytes + " bytes");
    }
    if (bytes > 0) {
      Memory.fromSegment(image, from, base(object), 0, bytes);
    }
  }

  private IllegalStateException differs(int index, String checkpoint) {
    return new IllegalStateException(
        "the loop's state object "
            + index
            + " is "
            + (index < leaves.size()
                ? leaves.get(index).object().getClass().getTypeName()
                : "missing")
            + ", but the checkpoint holds "
            + checkpoint
            + ": register the same objects, of the same sizes, in every run");
  }

  private IllegalStateException sameness(int index) {
    return new IllegalStateException(
        "whether the loop's state object "
            + index
            + ", a "
            + leaves.get(index).object().getClass().getTypeName()
            + ", is the same as another one is not as it was in the checkpoint, and cannot be made"
            + " so: register objects that are not the same at the begin of the loop");
  }

  // ---- leaves

  private void collect() {
    leaves.clear();
    for (Object root : roots) {
      add(root, null, null, 0);
    }
  }

  private void add(
      @Nullable Object object, @Nullable Holder<?> holder, Object @Nullable [] rows, int row) {
    switch (object) {
      case null ->
          throw new IllegalArgumentException(
              "the loop's state object " + leaves.size() + " is null");
      case Holder<?> h -> {
        if (holder != null) {
          throw new IllegalArgumentException("a loop's state cannot hold a Holder of a Holder");
        }
        add(h.get(), h, null, 0);
      }
      case Object[] nested -> {
        for (int i = 0; i < nested.length; i++) {
          add(nested[i], null, nested, i);
        }
      }
      default -> {
        if ((object instanceof ByteBuffer b && b.isReadOnly())
            || (object instanceof MemorySegment s && s.isReadOnly())) {
          throw new IllegalArgumentException(
              "a loop's state cannot be restored into a read-only "
                  + object.getClass().getTypeName());
        }
        kind(object);
        leaves.add(new Leaf(object, holder, rows, row));
      }
    }
  }

  /**
   * An object's content is kept for the place that cannot refer to another one, if there is one.
   */
  private void findOwners() {
    IdentityHashMap<Object, Integer> owner = new IdentityHashMap<>();
    for (int i = 0; i < leaves.size(); i++) {
      if (leaves.get(i).fixed()) {
        owner.putIfAbsent(leaves.get(i).object(), i);
      }
    }
    owners = new int[leaves.size()];
    for (int i = 0; i < owners.length; i++) {
      Integer before = owner.putIfAbsent(leaves.get(i).object(), i);
      owners[i] = before == null ? i : before;
    }
  }

  private static Set<Object> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private long sectionBytes(int index) {
    if (owners[index] != index) {
      return Long.BYTES;
    }
    Object object = leaves.get(index).object();
    return isSelfWriting(object) ? serialised.get(index).length : rawBytes(object);
  }

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }

  /** What a section holds; the number is part of the image's format. */
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
    SAME(12, void.class, 1);

    private final long number;

    /** Of an array; void for others. */
    private final Class<?> element;

    private final int elementBytes;

    Kind(long number, Class<?> element, int elementBytes) {
      this.number = number;
      this.element = element;
      this.elementBytes = elementBytes;
    }

    static Kind of(long number) {
      for (Kind kind : values()) {
        if (kind.number == number) {
          return kind;
        }
      }
      return NONE;
    }
  }

  private static long kind(Object leaf) {
    Kind kind =
        switch (leaf) {
          case byte[] a -> Kind.BYTES;
          case boolean[] a -> Kind.BOOLEANS;
          case char[] a -> Kind.CHARS;
          case short[] a -> Kind.SHORTS;
          case int[] a -> Kind.INTS;
          case long[] a -> Kind.LONGS;
          case float[] a -> Kind.FLOATS;
          case double[] a -> Kind.DOUBLES;
          case ByteBuffer b -> Kind.BUFFER;
          case MemorySegment s -> Kind.SEGMENT;
          default -> {
            if (!isSelfWriting(leaf)) {
              throw new IllegalArgumentException(
                  "a loop's state cannot hold a "
                      + leaf.getClass().getTypeName()
                      + ": use primitive arrays (of arrays), ByteBuffer, MemorySegment, Holder,"
                      + " or an object that implements net.openhft.chronicle.bytes.BytesMarshallable");
            }
            yield Kind.SELF_WRITING;
          }
        };
    return kind.number;
  }

  private static long rawBytes(Object leaf) {
    return switch (leaf) {
      case ByteBuffer b -> b.capacity();
      case MemorySegment s -> s.byteSize();
      default -> (long) Array.getLength(leaf) * Kind.of(kind(leaf)).elementBytes;
    };
  }

  private static Object base(Object leaf) {
    return leaf instanceof ByteBuffer b ? MemorySegment.ofBuffer(b.duplicate().clear()) : leaf;
  }

  /**
   * Decided by the interface's name, so that Chronicle's classes are loaded only by programs that
   * use them.
   */
  private static boolean isSelfWriting(Object leaf) {
    if (leaf.getClass().isArray() || leaf instanceof ByteBuffer || leaf instanceof MemorySegment) {
      return false;
    }
    for (Class<?> c = leaf.getClass(); c != null; c = c.getSuperclass()) {
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
