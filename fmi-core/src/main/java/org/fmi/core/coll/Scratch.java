package org.fmi.core.coll;

import java.util.EnumMap;
import java.util.Map;
import org.fmi.Datatype.Predefined;

/**
 * Arrays that reductions use again and again: to get new ones of a megabyte, all zero and in no
 * cache, takes as long as to send them. Reductions of predefined operations need no more than
 * {@link #PART_BYTES} of each kind, however long their vectors are. Of one epoch: the data path may
 * still hold on to those of the one before.
 */
final class Scratch {
  /** What an array is for; a collective uses one of each kind at most. */
  enum Use {
    SUM,
    OTHER,
    SPARE,
    LEFT,
    RIGHT
  }

  /**
   * The part of a vector that is reduced at a time where the caller's memory has no room for it.
   */
  static final long PART_BYTES = 4 << 20;

  /** What is combined at a time in arrays of its own, in the cache. */
  private static final long BLOCK_BYTES = 32 << 10;

  private final Map<Use, Map<Predefined, Location>> kept = new EnumMap<>(Use.class);

  /** An array of the reducer's type, of these bytes or more, with anything in it. */
  Location get(Reducer reducer, Use use, long bytes) {
    // An operation of the program's own is given whole arrays.
    if (!reducer.divisible() || bytes > PART_BYTES) {
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

  /** As much of a vector as is reduced at a time; an operation of the program's own gets all. */
  static long part(Reducer reducer, long bytes) {
    return reducer.divisible() ? Math.min(PART_BYTES, bytes) : bytes;
  }

  /**
   * {@code result = left op right}, by a predefined operation. Each is an array of its type or a
   * segment; the result may be the same place as one of the others. What the kernel cannot be given
   * as it is goes through arrays of a block, in the cache.
   */
  void combine(Reducer reducer, Location left, Location right, Location result, long bytes) {
    if (reducer.direct(left, right) && right.isSamePlaceAs(result)) {
      reducer.combine(left, right, bytes);
      return;
    }
    Location in = get(reducer, Use.LEFT, BLOCK_BYTES);
    Location inOut = get(reducer, Use.RIGHT, BLOCK_BYTES);
    for (long done = 0; done < bytes; done += BLOCK_BYTES) {
      long n = Math.min(BLOCK_BYTES, bytes - done);
      left.plus(done).copyTo(in, n);
      right.plus(done).copyTo(inOut, n);
      reducer.combine(in, inOut, n);
      inOut.copyTo(result.plus(done), n);
    }
  }
}
