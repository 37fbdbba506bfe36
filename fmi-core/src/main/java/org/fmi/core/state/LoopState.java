package org.fmi.core.state;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.fmi.ArrayBlock;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.object.StandIns;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * The objects that a program registered as its loop's state: writes them into a checkpoint image
 * and reads them back in place, except that StateRefs of arrays get new ones.
 *
 * <p>Each object, in the order registered, is a section:
 *
 * <pre>
 *   0      8        16       16 + bytes, rounded up to 8
 *   | kind | bytes  | data   |
 * </pre>
 *
 * <p>The data of an array of arrays is its length; the sections of its rows follow. The data of a
 * buffer is its position, its limit (8 bytes each), and all of its content.
 *
 * <p>The name of an object is a section before its others, in UTF-8.
 *
 * <p>An object that declares its place among the objects of all ranks has a section for that
 * ({@link StateLayout}), followed by the section of its content.
 *
 * <p>StateRefs and rows that refer to one object do so again when they are read back: one section
 * has its content, and the others refer to that section by number.
 */
public final class LoopState {
  public static final int SECTION_HEADER = 16;
  public static final int BUFFER_HEADER = 16;
  private static final byte[] NOTHING = {};

  /** Reaction to names that differ. */
  public static final String SAME_NAMES =
      "register the same state, with the same names in the same order, in every run";

  private final StandIns standIns;

  /** The objects as registered, without their names. */
  private final Object[] given;

  /** The name by object; null for an object without a name. */
  private final @Nullable String[] names;

  /** The same objects; a named object follows its name, and a layout is followed by its content. */
  private final Object[] roots;

  /** The number of the registered object, by root. */
  private final int[] numbers;

  /** Objects by section, collected before each write as StateRefs and rows may have changed. */
  private final List<Object> objects = new ArrayList<>();

  private final List<Long> kinds = new ArrayList<>();

  /** The place of the object, by section. */
  private final List<StatePath> paths = new ArrayList<>();

  /** The section that has an object's content. */
  private final IdentityHashMap<Object, Integer> owners = new IdentityHashMap<>();

  /** The bytes of an object that is neither array nor memory, by section; empty for others. */
  private final List<byte[]> serialised = new ArrayList<>();

  /**
   * Registers state objects.
   *
   * @throws IllegalArgumentException if one has an unsupported type, naming it
   */
  public LoopState(Object[] roots) {
    this(roots, StandIns.NONE);
  }

  /**
   * Registers state objects that may refer to objects which are not data.
   *
   * @param standIns substitutes for objects that are not data
   */
  public LoopState(Object[] roots, StandIns standIns) {
    this.standIns = standIns;
    this.given = arguments(roots);
    this.names = new String[given.length];
    List<Object> all = new ArrayList<>();
    List<Integer> of = new ArrayList<>();
    for (int i = 0; i < given.length; i++) {
      if (given[i] instanceof State named) {
        names[i] = named.name();
        given[i] = named.state();
        all.add(named);
        of.add(i);
      }
      Object object = given[i];
      all.add(object);
      of.add(i);
      if (object != null && StateLayout.of(object) != null) {
        all.add(requireUnwrapped(StateLayout.content(object), path(i)));
        of.add(i);
      }
    }
    requireDistinct(names);
    this.roots = all.toArray();
    this.numbers = of.stream().mapToInt(Integer::intValue).toArray();
    collect();
  }

  /** Refuses a wrapper within another wrapper. */
  private static Object requireUnwrapped(Object content, StatePath path) {
    if (content instanceof State || StateLayout.of(content) != null) {
      throw refused(path, StateKind.refusal(content));
    }
    return content;
  }

  private static void requireDistinct(@Nullable String[] names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (name != null && !seen.add(name)) {
        throw new IllegalArgumentException(
            "two state objects of the loop have the name \"" + name + "\": give each its own");
      }
    }
  }

  private StatePath path(int object) {
    return StatePath.of(object, names[object]);
  }

  private static IllegalArgumentException refused(StatePath path, String why) {
    return new IllegalArgumentException("the loop's state " + path + why);
  }

  /** Substitutes for objects that are not data. */
  public StandIns standIns() {
    return standIns;
  }

  /** The number of registered objects. */
  public int objects() {
    return given.length;
  }

  /** An object as registered, without its name. */
  public Object object(int number) {
    return given[number];
  }

  /** The name of a registered object; null if it has none. */
  public @Nullable String name(int object) {
    return names[object];
  }

  /** The place of a registered object among the objects of all ranks; null if it declares none. */
  public @Nullable StateLayout layout(int object) {
    return StateLayout.of(given[object]);
  }

  /** The first registered object that declares no place; null if all do. */
  public @Nullable String undivided() {
    for (int i = 0; i < given.length; i++) {
      if (layout(i) == null) {
        return describeObject(i);
      }
    }
    return null;
  }

  /** Describes a registered object. */
  public String describeObject(int object) {
    return describe(path(object), given[object]);
  }

  /** Java passes an array of arrays, or of objects, as all arguments if it is the only argument. */
  private static Object[] arguments(Object[] roots) {
    return roots.getClass() == Object[].class || roots instanceof State[]
        ? Arrays.copyOf(roots, roots.length, Object[].class)
        : new Object[] {roots};
  }

  /** Whether these are the objects that were registered. */
  public boolean isOf(Object[] others) {
    Object[] arguments = arguments(others);
    if (arguments.length != given.length) {
      return false;
    }
    for (int i = 0; i < given.length; i++) {
      Object other = arguments[i];
      String name = other instanceof State named ? named.name() : null;
      if (!Objects.equals(name, names[i])
          || !isSame(given[i], other instanceof State named ? named.state() : other)) {
        return false;
      }
    }
    return true;
  }

  /** Compares objects by identity; a wrapper may be a new one around the same object. */
  @SuppressWarnings("ReferenceEquality") // identity matters, not contents
  private static boolean isSame(Object one, @Nullable Object other) {
    return one == other
        || (other != null
            && StateLayout.of(one) != null
            && Objects.equals(StateLayout.of(one), StateLayout.of(other))
            && StateLayout.content(one) == StateLayout.content(other));
  }

  /** A copy of the current state, as {@link #write} writes it; needs no checkpoint. */
  public MemorySegment copy() {
    long bytes = bytes();
    MemorySegment copy = Arena.ofAuto().allocate(Math.max(Long.BYTES, bytes), Long.BYTES);
    write(new ImageWriter(copy), 0);
    return copy.asSlice(0, bytes);
  }

  /** Whether the object was part of the state when it was written last. */
  public boolean has(Object object) {
    Object content = object instanceof StateRef<?> ref ? ref.get() : object;
    return owners.containsKey(content);
  }

  /** Describes the object of a section, as it was written last. */
  String describe(int section) {
    return describe(paths.get(section), objects.get(section));
  }

  /** The length of a section with this many bytes of data. */
  public static long sectionEnd(long bytes) {
    return SECTION_HEADER + roundUp(bytes);
  }

  /** Measures the current state; call before {@link #write}. */
  public long bytes() {
    collect();
    serialised.clear();
    standIns.writes(objects);
    long bytes = 0;
    for (int i = 0; i < objects.size(); i++) {
      serialised.add(owner(i) == i ? serialise(i) : NOTHING);
      bytes += sectionEnd(sectionBytes(i));
    }
    return bytes;
  }

  private byte[] serialise(int section) {
    Object object = objects.get(section);
    StateKind kind = StateKind.of(kind(section));
    if (object instanceof State named) {
      return named.name().getBytes(StandardCharsets.UTF_8);
    }
    if (kind == StateKind.SELF_WRITING) {
      return SelfWriting.write(object);
    }
    if (kind != StateKind.SERIALIZED) {
      return NOTHING;
    }
    try {
      return ObjectCodec.write(object, standIns);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          describe(paths.get(section), object) + ", cannot be saved: " + e.getMessage(), e);
    }
  }

  /** Writes the state that {@link #bytes} has measured. */
  public void write(ImageWriter image, long at) {
    long to = at;
    for (int i = 0; i < objects.size(); i++) {
      Object object = objects.get(i);
      int owner = owner(i);
      long bytes = sectionBytes(i);
      image.put(to, owner == i ? kind(i) : StateKind.SAME.number);
      image.put(to + 8, bytes);
      to += SECTION_HEADER;
      byte[] own = serialised.get(i);
      if (owner != i) {
        image.put(to, owner);
      } else if (own.length > 0) {
        image.put(own, to, bytes);
      } else if (object instanceof Object[] rows) {
        image.put(to, rows.length);
      } else if (kind(i) == StateKind.LAYOUT.number) {
        image.put(packed(object), to, bytes);
      } else if (object instanceof ByteBuffer buffer) {
        image.put(to, buffer.position());
        image.put(to + 8, buffer.limit());
        image.put(StateKind.whole(buffer), to + BUFFER_HEADER, buffer.capacity());
      } else if (bytes > 0) {
        image.put(object, to, bytes);
      }
      image.skip(to + bytes, roundUp(bytes) - bytes);
      to += roundUp(bytes);
    }
  }

  /**
   * Reads the state back into the registered objects. StateRefs of arrays get new arrays, whatever
   * they refer to now.
   *
   * @throws IllegalStateException if the image has another kind of state: the program registered
   *     something else
   */
  public void read(MemorySegment image, long at, long end) {
    clear();
    new Reading(image, at, end).run();
  }

  // ---- objects to be written

  private void clear() {
    objects.clear();
    paths.clear();
    kinds.clear();
    owners.clear();
  }

  private void collect() {
    clear();
    Set<Object> fixed = fixed();
    for (int i = 0; i < roots.length; i++) {
      add(roots[i], path(numbers[i]), false, fixed);
    }
  }

  private void add(@Nullable Object object, StatePath path, boolean held, Set<Object> fixed) {
    if (object == null) {
      throw refused(path, " is null");
    }
    if (object instanceof StateRef<?> ref) {
      if (held) {
        throw refused(path, " is a StateRef of a StateRef, which is not supported");
      }
      add(ref.get(), path, true, fixed);
      return;
    }
    long kind = StateKind.numberOf(object, held);
    boolean wrapper = kind == StateKind.LAYOUT.number || kind == StateKind.NAME.number;
    if (kind == StateKind.NONE.number || (wrapper && path.parent() != null)) {
      throw refused(path, StateKind.refusal(object));
    }
    if (object instanceof ArrayBlock block) {
      requireFits(block, path);
    }
    int section = objects.size();
    objects.add(object);
    paths.add(path);
    kinds.add(kind);
    boolean root = path.parent() == null && !held;
    boolean owner =
        (root || !fixed.contains(object)) && owners.putIfAbsent(object, section) == null;
    if (owner && StateKind.isNested(kind)) {
      Object[] rows = (Object[]) object;
      for (int i = 0; i < rows.length; i++) {
        add(rows[i], path.row(i), false, fixed);
      }
    }
  }

  /** Requires that a block's local array has the declared size. */
  private static void requireFits(ArrayBlock block, StatePath path) {
    Object array = block.state() instanceof StateRef<?> ref ? ref.get() : block.state();
    Class<?> element = array.getClass().getComponentType();
    long elements = StateLayout.elements(block.localShape());
    if (element == null || !element.isPrimitive()) {
      throw refused(
          path,
          " is an ArrayBlock of a "
              + StateKind.typeName(array)
              + ": its state must be a one-dimensional primitive array, or a StateRef of one");
    }
    if (StateKind.size(array) != elements) {
      throw refused(
          path,
          " is an ArrayBlock of a local array of "
              + elements
              + " elements, but the array has "
              + StateKind.size(array));
    }
  }

  /**
   * Objects that the program refers to directly: their content stays in them, and others refer to
   * them.
   */
  private Set<Object> fixed() {
    Set<Object> fixed = identitySet();
    for (Object root : roots) {
      if (!(root instanceof StateRef)) {
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

  private long kind(int section) {
    return kinds.get(section);
  }

  private long sectionBytes(int section) {
    Object object = objects.get(section);
    long number = kind(section);
    if (owner(section) != section || StateKind.isNested(number)) {
      return Long.BYTES;
    }
    StateKind kind = StateKind.of(number);
    return switch (kind) {
      case SELF_WRITING, SERIALIZED, NAME -> serialised.get(section).length;
      case BUFFER -> BUFFER_HEADER + StateKind.size(object);
      case LAYOUT -> (long) Long.BYTES * packed(object).length;
      default -> StateKind.size(object) * kind.elementBytes;
    };
  }

  private static long[] packed(Object layout) {
    return Objects.requireNonNull(StateLayout.of(layout)).packed();
  }

  // ---- reading

  /**
   * A reference to an object: a StateRef, a row of an array of arrays, or else the program itself,
   * whose reference cannot be changed.
   */
  private record Referrer(
      StatePath path, @Nullable Object root, @Nullable StateRef<?> ref, Object @Nullable [] rows) {

    /** Null in a row of a new array. */
    @Nullable Object get() {
      return ref != null ? ref.get() : rows != null ? rows[path.index()] : root;
    }

    /** The StateRef, if the program or a row refers to one. */
    @Nullable StateRef<?> inner() {
      return ref == null && get() instanceof StateRef<?> inner ? inner : null;
    }

    /** Changes the reference. */
    @SuppressWarnings(
        "unchecked") // a StateRef of T gets back what it held when the checkpoint was taken: a T
    void set(Object other) {
      if (ref != null) {
        ((StateRef<Object>) ref).set(other);
      } else if (rows != null) {
        rows[path.index()] = other;
      }
    }
  }

  /** Stands for the object of another section. */
  private record SharedContent(int section) {}

  /** A pass over an image. */
  private final class Reading {
    private final MemorySegment image;
    private final long end;
    private long from;

    /** Referrers by section. */
    private final List<Referrer> referrers = new ArrayList<>();

    /** The new object of each section's referrer, or the section that has it. */
    private final List<Object> contents = new ArrayList<>();

    private final Set<Object> fixed = fixed();

    /** The objects that were read in place. */
    private final Set<Object> restored = identitySet();

    Reading(MemorySegment image, long at, long end) {
      this.image = image;
      this.end = end;
      this.from = at;
    }

    @SuppressWarnings("ReferenceEquality") // identity matters, not contents
    void run() {
      for (int i = 0; i < roots.length; i++) {
        if (i == 0 || numbers[i] != numbers[i - 1]) {
          readName(numbers[i]);
        }
        if (!(roots[i] instanceof State)) {
          read(new Referrer(path(numbers[i]), roots[i], null, null), false);
        }
      }
      if (from != end) {
        throw differs(StatePath.of(given.length, null), null, "more objects");
      }
      for (int i = 0; i < referrers.size(); i++) {
        referrers.get(i).set(content(i));
      }
      for (int i = 0; i < referrers.size(); i++) {
        if (referrers.get(i).get() != content(i)) {
          throw sameness(i);
        }
      }
      standIns.haveRead(IntStream.range(0, contents.size()).mapToObj(this::content).toList());
    }

    /** The program may have given names since, or no longer give them; it does not change them. */
    private void readName(int object) {
      if (from + SECTION_HEADER > end
          || image.get(FrameLayout.LONG, from) != StateKind.NAME.number) {
        return;
      }
      long bytes = image.get(FrameLayout.LONG, from + 8);
      String saved =
          new String(
              image.asSlice(from + SECTION_HEADER, bytes).toArray(ValueLayout.JAVA_BYTE),
              StandardCharsets.UTF_8);
      String name = names[object];
      if (name != null && !name.equals(saved)) {
        throw new IllegalStateException(
            "the loop's state object "
                + object
                + " is named \""
                + name
                + "\", but the checkpoint"
                + " holds \""
                + saved
                + "\" there: "
                + SAME_NAMES);
      }
      from += sectionEnd(bytes);
      referrers.add(new Referrer(path(object), saved, null, null));
      contents.add(saved);
    }

    private Object content(int section) {
      Object content = contents.get(section);
      return content instanceof SharedContent same ? contents.get(same.section) : content;
    }

    /**
     * Reads an object into a referrer.
     *
     * @param renew whether to create a new object if it is an array
     */
    private void read(Referrer referrer, boolean renew) {
      StateRef<?> inner = referrer.inner();
      if (inner != null) {
        read(new Referrer(referrer.path, null, inner, null), true);
        return;
      }
      if (from + SECTION_HEADER > end) {
        throw differs(referrer.path, referrer.get(), "nothing");
      }
      long kind = image.get(FrameLayout.LONG, from);
      long bytes = image.get(FrameLayout.LONG, from + 8);
      long data = from + SECTION_HEADER;
      from = data + roundUp(bytes);
      int section = referrers.size();
      referrers.add(referrer);
      if (kind == StateKind.SAME.number) {
        contents.add(new SharedContent((int) image.get(FrameLayout.LONG, data)));
        return;
      }
      if (kind == StateKind.LAYOUT.number) {
        contents.add(requireSameLayout(referrer, image.asSlice(data, bytes)));
        return;
      }
      if (kind == StateKind.SERIALIZED.number) {
        contents.add(deserialised(referrer, image.asSlice(data, bytes)));
        return;
      }
      Object object = object(section, renew, kind, storedSize(kind, bytes, data));
      contents.add(object);
      if (StateKind.isNested(kind)) {
        Object[] rows = (Object[]) object;
        boolean renewRows = !restored.contains(rows);
        for (int i = 0; i < rows.length; i++) {
          read(new Referrer(referrer.path.row(i), null, null, rows), renewRows);
        }
      } else if (kind == StateKind.SELF_WRITING.number) {
        SelfWriting.read(object, image.asSlice(data, bytes));
      } else if (object instanceof ByteBuffer buffer) {
        Memory.fromSegment(
            image, data + BUFFER_HEADER, StateKind.whole(buffer), 0, buffer.capacity());
        buffer.limit((int) image.get(FrameLayout.LONG, data + 8));
        buffer.position((int) image.get(FrameLayout.LONG, data));
      } else if (bytes > 0) {
        Memory.fromSegment(image, data, object, 0, bytes);
      }
    }

    /** Requires an unchanged layout: layouts change only with the number of ranks. */
    private Object requireSameLayout(Referrer referrer, MemorySegment data) {
      Object now = referrer.get();
      StateLayout layout = now == null ? null : StateLayout.of(now);
      if (now == null
          || layout == null
          || data.mismatch(MemorySegment.ofArray(layout.packed())) >= 0) {
        throw differs(referrer.path, now, "an object with another place among those of all ranks");
      }
      return now;
    }

    private Object deserialised(Referrer referrer, MemorySegment data) {
      if (referrer.ref == null) {
        throw differs(referrer.path, referrer.get(), "a StateRef of a serialized object");
      }
      try {
        return ObjectCodec.read(data.toArray(ValueLayout.JAVA_BYTE), standIns);
      } catch (IllegalArgumentException e) {
        throw new IllegalStateException(
            describe(referrer.path, referrer.get()) + ", cannot be restored: " + e.getMessage(), e);
      }
    }

    /** The size of the object that a section was written from. */
    private long storedSize(long kind, long bytes, long data) {
      if (kind == StateKind.BUFFER.number) {
        return bytes - BUFFER_HEADER;
      }
      return StateKind.isNested(kind)
          ? image.get(FrameLayout.LONG, data)
          : bytes / StateKind.of(kind).elementBytes;
    }

    /** The object that a section is read into. */
    private Object object(int section, boolean renew, long kind, long size) {
      Referrer referrer = referrers.get(section);
      boolean creatable = StateKind.of(kind).element != void.class;
      if (renew && creatable) {
        // The heap need not have room for both arrays: the old one, which no variable refers to any
        // more, can be collected first.
        referrer.set(StateKind.newArray(kind, 0));
        referrer.set(StateKind.newArray(kind, size));
        return Objects.requireNonNull(referrer.get());
      }
      Object now = referrer.get();
      if (now == null
          || kind != StateKind.numberOf(now, referrer.ref != null)
          || (kind != StateKind.SELF_WRITING.number && size != StateKind.size(now))) {
        throw differs(referrer.path, now, StateKind.name(kind) + " of size " + size);
      }
      if (renew && now instanceof Object[] rows) {
        return rows.clone();
      }
      // The object there now may belong to another section.
      boolean taken = (referrer.root == null && fixed.contains(now)) || !restored.add(now);
      if (!taken) {
        return now;
      }
      if (referrer.rows != null && creatable) {
        return StateKind.newArray(kind, size);
      }
      throw sameness(section);
    }

    private IllegalStateException sameness(int section) {
      return new IllegalStateException(
          describe(referrers.get(section).path, referrers.get(section).get())
              + ", is not shared between the same places of the state as in the checkpoint, and"
              + " cannot be: register objects that are not shared at the beginning of the loop");
    }
  }

  private static IllegalStateException differs(
      StatePath path, @Nullable Object now, String checkpoint) {
    return new IllegalStateException(
        "the loop's state "
            + path
            + " is "
            + StateKind.typeName(now)
            + ", but the checkpoint holds "
            + checkpoint
            + ": register the same objects, of the same sizes, in every run");
  }

  private static String describe(StatePath path, @Nullable Object object) {
    return "the loop's state " + path + ", a " + StateKind.typeName(object);
  }

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }
}
