package org.fmi.core.object;

import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import org.jspecify.annotations.Nullable;

/**
 * Says which classes are made out of bytes that come from elsewhere, and how long arrays may be:
 * the rule of {@link ObjectCodec}, narrowed by two filters of the user, that of the JVM ({@code
 * jdk.serialFilter}) and one for FMI alone ({@value #PROPERTY}, in the same words).
 */
final class ObjectFilter {
  static final String PROPERTY = "fmi.objectFilter";

  /** Elements per byte: a hash table has more places than entries, of two bytes at least. */
  private static final long DENSITY = 16;

  private static final @Nullable ObjectInputFilter OF_FMI = of(System.getProperty(PROPERTY, ""));

  /** What the user has given; null if there is none. */
  private final @Nullable ObjectInputFilter narrower;

  /** The filter of this process. */
  ObjectFilter() {
    this(OF_FMI);
  }

  /** The same with another one for FMI. */
  ObjectFilter(@Nullable ObjectInputFilter ofFmi) {
    ObjectInputFilter ofJvm = ObjectInputFilter.Config.getSerialFilter();
    narrower =
        ofFmi == null || ofJvm == null
            ? (ofFmi == null ? ofJvm : ofFmi)
            : ObjectInputFilter.merge(ofFmi, ofJvm);
  }

  /** The filter that a text says; null if it is empty. */
  static @Nullable ObjectInputFilter of(String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      return ObjectInputFilter.Config.createFilter(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          PROPERTY
              + "="
              + text
              + " is no filter such as com.acme.**;java.base/*;!*: "
              + e.getMessage(),
          e);
    }
  }

  /** Whether a class is one that holds data: the program's own, or of the module java.base. */
  static boolean holdsData(Class<?> type) {
    Class<?> element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    ClassLoader loader = element.getClassLoader();
    boolean ofProgram = loader != null && !loader.equals(ClassLoader.getPlatformClassLoader());
    return ofProgram || "java.base".equals(element.getModule().getName());
  }

  /** For Java's serialization of so many bytes. */
  ObjectInputFilter ofBytes(long bytes) {
    long most = DENSITY * bytes;
    ObjectInputFilter own =
        info -> {
          if (info.arrayLength() > most) {
            return Status.REJECTED;
          }
          Class<?> type = info.serialClass();
          return type == null
              ? Status.UNDECIDED
              : holdsData(type) ? Status.ALLOWED : Status.REJECTED;
        };
    return narrower == null ? own : ObjectInputFilter.merge(own, narrower);
  }

  /** Whether the user has given any. */
  boolean isNarrowed() {
    return narrower != null;
  }

  /**
   * Whether the user's filters let this be made.
   *
   * @param length of an array; -1 of something else
   */
  boolean allows(Class<?> type, long length, int depth, long objects, long bytes) {
    ObjectInputFilter by = narrower;
    return by == null
        || by.checkInput(new Made(type, length, depth, objects, bytes)) != Status.REJECTED;
  }

  private record Made(
      Class<?> serialClass, long arrayLength, long depth, long references, long streamBytes)
      implements FilterInfo {}
}
