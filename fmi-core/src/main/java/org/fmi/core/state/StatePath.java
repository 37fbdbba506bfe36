package org.fmi.core.state;

import org.jspecify.annotations.Nullable;

/**
 * The place of an object in a loop's state: the name or number of the registered object, and the
 * rows that lead to it, as in {@code "u"[3]} or {@code object 2[3]}.
 */
record StatePath(@Nullable StatePath parent, int index, @Nullable String name) {
  /** A registered object. */
  static StatePath of(int object, @Nullable String name) {
    return new StatePath(null, object, name);
  }

  /** A row of an array of arrays. */
  StatePath row(int row) {
    return new StatePath(this, row, null);
  }

  @Override
  public String toString() {
    if (parent != null) {
      return parent + "[" + index + "]";
    }
    return name == null ? "object " + index : "\"" + name + "\"";
  }
}
