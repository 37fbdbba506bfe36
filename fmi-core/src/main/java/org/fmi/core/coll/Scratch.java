package org.fmi.core.coll;

import java.util.EnumMap;
import java.util.Map;
import org.fmi.Datatype.Predefined;

/**
 * Arrays that reductions use again and again: to get new ones of a megabyte, all zero and in no
 * cache, takes as long as to send them. Of one epoch: the data path may still hold on to those of
 * the one before.
 */
final class Scratch {
  /** What an array is for; a collective uses one of each kind at most. */
  enum Use {
    SUM,
    OTHER,
    SPARE
  }

  /** Longer arrays are not kept. */
  private static final long KEPT_BYTES = 4 << 20;

  private final Map<Use, Map<Predefined, Location>> kept = new EnumMap<>(Use.class);

  /** An array of the reducer's type, of these bytes or more, with anything in it. */
  Location get(Reducer reducer, Use use, long bytes) {
    // An operation of the program's own is given whole arrays.
    if (!reducer.divisible() || bytes > KEPT_BYTES) {
      return reducer.scratch(bytes);
    }
    Map<Predefined, Location> arrays =
        kept.computeIfAbsent(use, _ -> new EnumMap<>(Predefined.class));
    Location found = arrays.get(reducer.type());
    if (found == null || found.arrayBytes() < bytes) {
      found = reducer.scratch(bytes);
      arrays.put(reducer.type(), found);
    }
    return found;
  }
}
