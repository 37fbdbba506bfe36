package org.fmi.core.object;

import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import org.jspecify.annotations.Nullable;

/**
 * Decides which classes may be created from received bytes, and how long arrays may be: the rule of
 * {@link ObjectCodec}, narrowed by two filters of the user, the JVM's ({@code jdk.serialFilter})
 * and FMI's ({@value #PROPERTY}, in the same syntax).
 */
final class ObjectFilter {
  static final String PROPERTY = "fmi.objectFilter";

  /** Maximum elements per byte: a hash table has more places than entries, of at least 2 bytes. */
  private static final long DENSITY = 16;

  private static final @Nullable ObjectInputFilter OF_FMI = of(System.getProperty(PROPERTY, ""));

  /** The user's filters; null if there are none. */
  private final @Nullable ObjectInputFilter narrower;

  /** Creates the filter of this process. */
  ObjectFilter() {
    this(OF_FMI);
  }

  /** Creates a filter with another one for FMI. */
  ObjectFilter(@Nullable ObjectInputFilter ofFmi) {
    ObjectInputFilter ofJvm = ObjectInputFilter.Config.getSerialFilter();
    narrower =
        ofFmi == null || ofJvm == null
            ? (ofFmi == null ? ofJvm : ofFmi)
            : ObjectInputFilter.merge(ofFmi, ofJvm);
  }

  /** Parses a filter; null if the text is empty. */
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

  /** Whether a class may hold data: it is the program's, or of the module java.base. */
  static boolean holdsData(Class<?> type) {
    Class<?> element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    ClassLoader loader = element.getClassLoader();
    boolean ofProgram = loader != null && !loader.equals(ClassLoader.getPlatformClassLoader());
    return ofProgram || "java.base".equals(element.getModule().getName());
  }

  /** Returns the filter for Java's serialization of this many bytes. */
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

  /** Whether the user has given a filter. */
  boolean isNarrowed() {
    return narrower != null;
  }

  /**
   * Whether the user's filters allow an object.
   *
   * @param length length of an array; -1 for any other object
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
