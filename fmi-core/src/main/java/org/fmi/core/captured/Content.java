package org.fmi.core.captured;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value, or the content of an object, at one moment. */
public sealed interface Content {
  /** Content that is not examined: state of the loop, or an object of a library. */
  record Unknown() implements Content {}

  /**
   * A value without parts.
   *
   * @param text null for a null reference
   */
  record Value(@Nullable String text) implements Content {}

  /**
   * An array of primitives, memory, or an unordered collection.
   *
   * @param type in words
   * @param copy an array; null if there are many elements
   */
  record Elements(String type, long length, long hash, @Nullable Object copy) implements Content {}

  /**
   * An object with parts: fields, elements or entries.
   *
   * @param type in words; the same for all lists, and for all maps
   * @param parts by the suffix that names them after the object
   */
  record Parts(String type, Map<String, Thing> parts) implements Content {}

  /** An object or a variable, whose content is filled in when it is examined. */
  final class Thing {
    Content content = new Unknown();
  }
}
