package org.fmi.core.state;

import org.jspecify.annotations.Nullable;

/**
 * Where an object is in a loop's state: its number among those registered, and the rows that lead
 * to it, as in {@code 2[3]}.
 */
record StatePath(@Nullable StatePath parent, int index) {
  @Override
  public String toString() {
    return parent == null ? "" + index : parent + "[" + index + "]";
  }
}
