package org.fmi.core.recovery;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Holder;
import org.fmi.core.wire.FrameLayout;
import org.fmi.core.wire.Memory;

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
 */
final class LoopState {
  private static final int SECTION_HEADER = 16;

  private final Object[] roots;

  /** Leaves in order, rebuilt before each write: holders may refer to other objects by then. */
  private final List<Object> leaves = new ArrayList<>();

  /** Serialised form of the leaves that write themselves, by their index; null for others. */
  private final List<byte[]> serialised = new ArrayList<>();

  /**
   * Registers state objects.
   *
   * @throws IllegalArgumentException if one is of no supported type, naming it
   */
  LoopState(Object[] roots) {
    // Java passes an array of arrays, or of objects, as all arguments if it is the only one.
    this.roots = roots.getClass() == Object[].class ? roots.clone() : new Object[] {roots};
    collect();
  }

  /** Measures the state as it is now; call before {@link #write}. */
  long bytes() {
    collect();
    long bytes = 0;
    for (int i = 0; i < leaves.size(); i++) {
      bytes += SECTION_HEADER + roundUp(leafBytes(i));
    }
    return bytes;
  }

  /** Writes what {@link #bytes} has measured. */
  void write(MemorySegment image, long at) {
    long to = at;
    for (int i = 0; i < leaves.size(); i++) {
      Object leaf = leaves.get(i);
      long bytes = leafBytes(i);
      image.set(FrameLayout.LONG, to, kind(leaf));
      image.set(FrameLayout.LONG, to + 8, bytes);
      to += SECTION_HEADER;
      byte[] own = serialised.get(i);
      if (own.length > 0) {
        Memory.toSegment(own, 0, image, to, bytes);
      } else if (bytes > 0) {
        Memory.toSegment(base(leaf), 0, image, to, bytes);
      }
      to += roundUp(bytes);
    }
  }

  /**
   * Reads the state back into the registered objects.
   *
   * @throws IllegalStateException if the image holds another kind of state: the program registered
   *     something else
   */
  void read(MemorySegment image, long at, long end) {
    long from = at;
    collectForRead();
    for (int i = 0; i < leaves.size(); i++) {
      if (from + SECTION_HEADER > end) {
        throw differs(i, "nothing");
      }
      long kind = image.get(FrameLayout.LONG, from);
      long bytes = image.get(FrameLayout.LONG, from + 8);
      from += SECTION_HEADER;
      Object leaf = leaves.get(i);
      if (leaf instanceof Holder<?> holder) {
        readHolder(holder, kind, bytes, image, from, i);
      } else {
        readLeaf(leaf, kind, bytes, image, from, i);
      }
      from += roundUp(bytes);
    }
    if (from != end) {
      throw differs(leaves.size(), "more objects");
    }
  }

  private void readLeaf(
      Object leaf, long kind, long bytes, MemorySegment image, long from, int index) {
    if (kind != kind(leaf)) {
      throw differs(index, Kind.of(kind).name());
    }
    if (isSelfWriting(leaf)) {
      SelfWriting.read(leaf, image.asSlice(from, bytes));
      return;
    }
    if (bytes != rawBytes(leaf)) {
      throw differs(index, Kind.of(kind) + " of " + bytes + " bytes");
    }
    if (bytes > 0) {
      Memory.fromSegment(image, from, base(leaf), 0, bytes);
    }
  }

  /** The object a holder refers to may have another length by now: then it gets a new one. */
  @SuppressWarnings(
      "unchecked") // a holder of T gets back what it held when the checkpoint was taken: a T
  private void readHolder(
      Holder<?> holder, long kind, long bytes, MemorySegment image, long from, int index) {
    Object value = holder.get();
    if (kind == kind(value) && (isSelfWriting(value) || rawBytes(value) == bytes)) {
      readLeaf(value, kind, bytes, image, from, index);
      return;
    }
    if (Kind.of(kind).element == void.class) {
      throw differs(index, Kind.of(kind) + " of " + bytes + " bytes");
    }
    Class<?> element = Kind.of(kind).element;
    Object fresh = Array.newInstance(element, Math.toIntExact(bytes / Kind.of(kind).elementBytes));
    if (bytes > 0) {
      Memory.fromSegment(image, from, fresh, 0, bytes);
    }
    ((Holder<Object>) holder).set(fresh);
  }

  private IllegalStateException differs(int index, String checkpoint) {
    return new IllegalStateException(
        "the loop's state object "
            + index
            + " is "
            + (index < leaves.size() ? leaves.get(index).getClass().getTypeName() : "missing")
            + ", but the checkpoint holds "
            + checkpoint
            + ": register the same objects, of the same sizes, in every run");
  }

  // ---- leaves

  private void collect() {
    leaves.clear();
    serialised.clear();
    for (Object root : roots) {
      add(root, true);
    }
    for (Object leaf : leaves) {
      serialised.add(isSelfWriting(leaf) ? SelfWriting.write(leaf) : new byte[0]);
    }
  }

  /** As {@link #collect}, but holders stay, to be given new objects. */
  private void collectForRead() {
    leaves.clear();
    serialised.clear();
    for (Object root : roots) {
      add(root, false);
    }
  }

  private void add(Object object, boolean follow) {
    switch (object) {
      case Holder<?> h -> addHeld(h, follow);
      case Object[] nested -> {
        for (Object element : nested) {
          add(element, follow);
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
        leaves.add(object);
      }
    }
  }

  private void addHeld(Holder<?> holder, boolean follow) {
    Object value = holder.get();
    if (value instanceof Holder) {
      throw new IllegalArgumentException("a loop's state cannot hold a Holder of a Holder");
    }
    if (follow || value instanceof Object[]) {
      add(value, follow);
    } else {
      leaves.add(holder);
    }
  }

  private long leafBytes(int index) {
    Object leaf = leaves.get(index);
    return isSelfWriting(leaf) ? serialised.get(index).length : rawBytes(leaf);
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
    SELF_WRITING(11, void.class, 1);

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
