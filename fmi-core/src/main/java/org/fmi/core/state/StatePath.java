package org.fmi.core.state;

import org.jspecify.annotations.Nullable;

/**
 * The place of an object in a loop's state: the number of the registered object, and the rows that
 * lead to it, as in {@code 2[3]}.
 */
record StatePath(@Nullable StatePath parent, int index) {
  @Override
  public String toString() {
    return parent == null ? "" + index : parent + "[" + index + "]";
  }
}
