package org.fmi.core.captured;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAmount;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedCollection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.fmi.StateRef;
import org.fmi.core.captured.Content.Elements;
import org.fmi.core.captured.Content.Parts;
import org.fmi.core.captured.Content.Thing;
import org.fmi.core.captured.Content.Unknown;
import org.fmi.core.captured.Content.Value;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Data that a loop's code reaches beside its state, at one moment: variables that the body
 * captures, fields of the program's objects that they lead to, and static fields of the classes
 * that the code uses. Arrays, collections and StateRefs are followed. Fields that are {@code
 * transient} are not: by this a program declares that a field may differ when iterations are
 * repeated.
 */
public final class Reached {
  /** Things beyond this number are not examined. */
  private static final int MAX_THINGS = 100_000;

  /** Arrays of up to this length are copied, so that the differing element can be named. */
  private static final int MAX_COPIED = 1024;

  private final ProgramClasses classes;
  private final Predicate<Object> isState;
  private final Map<String, Thing> things = new LinkedHashMap<>();
  private final Deque<Open> open = new ArrayDeque<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Class<?>> classesSeen = new LinkedHashSet<>();
  private int count;

  private record Open(Thing thing, @Nullable Object object) {}

  Reached(ProgramClasses classes, Predicate<Object> isState) {
    this.classes = classes;
    this.isState = isState;
  }

  /** The things found, by name: static fields, and {@link #variable}. */
  Map<String, Thing> things() {
    return things;
  }

  /** The name of a captured variable before its name in the source is looked up. */
  static String variable(int number) {
    return "variable " + (number + 1);
  }

  /**
   * Observes the variables that a loop's body has captured, if it has one, and static fields.
   *
   * @param asks whether to look for classes initialized since the last time
   */
  void lookAt(@Nullable Object body, boolean asks) {
    if (body != null) {
      seen.add(body);
      List<Field> fields = fields(body.getClass());
      for (int i = 0; i < fields.size(); i++) {
        things.put(variable(i), thing(value(fields.get(i), body)));
      }
      follow();
    }
    lookAtStatics(asks);
  }

  private void lookAtStatics(boolean asks) {
    for (Class<?> type : classes.used(classesSeen, asks)) {
      for (Field field : type.getDeclaredFields()) {
        if (!field.isSynthetic() && ProgramClasses.counts(field, true)) {
          things.put(type.getSimpleName() + "." + field.getName(), thing(value(field, null)));
        }
      }
    }
    follow();
  }

  private static @Nullable Object value(Field field, @Nullable Object object) {
    try {
      return field.get(object);
    } catch (IllegalAccessException e) {
      throw new AssertionError(field + " is accessible", e);
    }
  }

  // ---- objects

  private Thing thing(@Nullable Object object) {
    Thing thing = new Thing();
    if (count++ < MAX_THINGS) {
      open.add(new Open(thing, object));
    }
    return thing;
  }

  private void follow() {
    while (!open.isEmpty()) {
      Open next = open.poll();
      next.thing.content = content(next.object);
    }
  }

  private Content content(@Nullable Object object) {
    if (object == null || isValue(object)) {
      return new Value(object == null ? null : object.toString());
    }
    if (isState.test(object) || !seen.add(object)) {
      return new Unknown();
    }
    return switch (object) {
      case Object[] array -> list(typeName(array), Arrays.asList(array));
      case ByteBuffer buffer -> memory(buffer, MemorySegment.ofBuffer(buffer.duplicate().clear()));
      case MemorySegment segment -> memory(segment, segment);
      case StateRef<?> ref -> referent(ref, ref.get());
      case AtomicReference<?> reference -> referent(reference, reference.get());
      default ->
          object.getClass().isArray()
              ? array(object)
              : classes.isFollowed(object.getClass())
                  ? object(object)
                  : isOfJava(object) ? collection(object) : new Unknown();
    };
  }

  private static boolean isOfJava(Object object) {
    return object.getClass().getClassLoader() == null;
  }

  private static boolean isValue(Object object) {
    return object instanceof Enum
        || (isOfJava(object)
            && switch (object) {
              case CharSequence _, Number _, Boolean _, Character _ -> true;
              case AtomicBoolean _, AtomicIntegerArray _, AtomicLongArray _, BitSet _ -> true;
              case Temporal _, TemporalAmount _ -> true;
              default -> false;
            });
  }

  private List<Field> fields(Class<?> type) {
    classesSeen.add(ProgramClasses.sourceOf(type));
    return classes.fields(type);
  }

  private Content object(Object object) {
    Map<String, Thing> parts = new LinkedHashMap<>();
    for (Field field : fields(object.getClass())) {
      // A field may hide a field of the same name in a superclass.
      Thing value = thing(value(field, object));
      if (parts.putIfAbsent("." + field.getName(), value) != null) {
        String of = field.getDeclaringClass().getSimpleName();
        parts.put("." + of + "." + field.getName(), value);
      }
    }
    return new Parts(typeName(object), parts);
  }

  private Content referent(Object reference, @Nullable Object referent) {
    return new Parts(typeName(reference), Map.of(".get()", thing(referent)));
  }

  private Content array(Object array) {
    int length = Array.getLength(array);
    Object copy = null;
    if (length <= MAX_COPIED) {
      copy = Array.newInstance(array.getClass().componentType(), length);
      System.arraycopy(array, 0, copy, 0, length);
    }
    long bytes = (long) length * Memory.elementBytes(array);
    return new Elements(typeName(array), length, Memory.hash(array, 0, bytes), copy);
  }

  /**
   * Memory that is closed, that only another thread may read, or that maps a file is not examined.
   */
  private static Content memory(Object object, MemorySegment memory) {
    if (memory.isMapped()
        || !memory.scope().isAlive()
        || !memory.isAccessibleBy(Thread.currentThread())) {
      return new Unknown();
    }
    long bytes = memory.byteSize();
    return new Elements(typeName(object), bytes, Memory.hash(memory, 0, bytes), null);
  }

  private Content list(String type, Collection<?> elements) {
    Map<String, Thing> parts = new LinkedHashMap<>();
    for (Object element : elements) {
      parts.put("[" + parts.size() + "]", thing(element));
    }
    return new Parts(type, parts);
  }

  /** A collection that another thread changes at the same time is not examined. */
  private Content collection(Object object) {
    try {
      return switch (object) {
        case SequencedCollection<?> sequenced -> list("a collection", sequenced);
        case Collection<?> collection -> unordered("a collection", collection);
        case Map<?, ?> map when map.keySet().stream().allMatch(Reached::isKey) -> entries(map);
        case Map<?, ?> map -> unordered("a map", map.keySet());
        default -> new Unknown();
      };
    } catch (ConcurrentModificationException e) {
      return new Unknown();
    }
  }

  private static boolean isKey(@Nullable Object key) {
    return key != null && isValue(key);
  }

  private Content entries(Map<?, ?> map) {
    Map<String, Thing> parts = new LinkedHashMap<>();
    map.forEach((key, value) -> parts.put("[" + key + "]", thing(value)));
    return new Parts("a map", parts);
  }

  private static Content unordered(String type, Collection<?> elements) {
    long hash = 0;
    for (Object element : elements) {
      hash += element != null && isValue(element) ? element.toString().hashCode() : 0;
    }
    return new Elements(type, elements.size(), hash, null);
  }

  private static String typeName(Object object) {
    String name = object.getClass().getName();
    name =
        name.startsWith("[")
            ? object.getClass().getSimpleName()
            : name.substring(name.lastIndexOf('.') + 1);
    return ("aeiouAEIOU".indexOf(name.charAt(0)) >= 0 ? "an " : "a ") + name;
  }
}
