package org.fmi.core.coll;

import java.util.EnumMap;
import java.util.Map;
import org.fmi.Datatype.Predefined;

/**
 * Reusable arrays for reductions: allocating a megabyte, all zero and in no cache, takes as long as
 * sending it. Reductions by predefined operations need at most {@link #PART_BYTES} of each kind,
 * however long their vectors are. Valid for one epoch, as the data path may still hold on to arrays
 * of the previous one.
 */
final class Scratch {
  /** The purpose of an array; a collective uses at most one of each kind. */
  enum Use {
    SUM,
    OTHER,
    SPARE,
    LEFT,
    RIGHT
  }

  /** The part of a vector that is reduced at a time if the caller's memory has no room for it. */
  static final long PART_BYTES = 4 << 20;

  /** The block that is combined at a time in private arrays, in the cache. */
  private static final long BLOCK_BYTES = 32 << 10;

  private final Map<Use, Map<Predefined, Location>> kept = new EnumMap<>(Use.class);

  /** An array of the reducer's type, of at least this size, with undefined content. */
  Location get(Reducer reducer, Use use, long bytes) {
    // A user-defined operation gets whole arrays.
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

  /** The part of a vector that is reduced at a time; all of it for a user-defined operation. */
  static long part(Reducer reducer, long bytes) {
    return reducer.divisible() ? Math.min(PART_BYTES, bytes) : bytes;
  }

  /**
   * Computes {@code result = left op right} by a predefined operation. Each is an array of its type
   * or a segment; the result may be the same location as an operand. Operands that the kernel
   * cannot take go through arrays of one block, in the cache.
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
