package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.ArrayBlock;
import org.fmi.Repartitioned;
import org.fmi.Replicated;
import org.jspecify.annotations.Nullable;

/**
 * The place of a state object among the objects of all ranks, as encoded in an image:
 *
 * <pre>
 *   Replicated:      0
 *   Repartitioned:   -1
 *   ArrayBlock:       dimensions | global shape | from | extent | local shape | local from
 * </pre>
 *
 * Each is a number of 8 bytes, or one per dimension.
 */
public record StateLayout(long[] packed) {
  private static final int PARTS = 5;
  private static final int REPLICATED = 0;
  private static final int REPARTITIONED = -1;

  /** The layout of an object that declares one; null for any other object. */
  static @Nullable StateLayout of(Object object) {
    return switch (object) {
      case Replicated _ -> new StateLayout(new long[] {REPLICATED});
      case Repartitioned _ -> new StateLayout(new long[] {REPARTITIONED});
      case ArrayBlock block -> {
        long[][] parts = {
          block.globalShape(), block.from(), block.extent(), block.localShape(), block.localFrom()
        };
        int dimensions = parts[0].length;
        long[] packed = new long[1 + PARTS * dimensions];
        packed[0] = dimensions;
        for (int p = 0; p < PARTS; p++) {
          System.arraycopy(parts[p], 0, packed, 1 + p * dimensions, dimensions);
        }
        yield new StateLayout(packed);
      }
      default -> null;
    };
  }

  /** The object that a layout describes; other objects are returned as they are. */
  static Object content(Object object) {
    return switch (object) {
      case Replicated replicated -> replicated.state();
      case Repartitioned repartitioned -> repartitioned.state();
      case ArrayBlock block -> block.state();
      default -> object;
    };
  }

  public boolean isBlock() {
    return packed[0] > 0;
  }

  public boolean isReplicated() {
    return packed[0] == REPLICATED;
  }

  /** Its name in the program. */
  public String name() {
    return isBlock() ? "ArrayBlock" : isReplicated() ? "Replicated" : "Repartitioned";
  }

  int dimensions() {
    return (int) packed[0];
  }

  private long[] part(int part) {
    int begin = 1 + part * dimensions();
    return Arrays.copyOfRange(packed, begin, begin + dimensions());
  }

  public long[] globalShape() {
    return part(0);
  }

  long[] from() {
    return part(1);
  }

  public long[] extent() {
    return part(2);
  }

  public long[] localShape() {
    return part(3);
  }

  long[] localFrom() {
    return part(4);
  }

  /** The number of elements of a shape. */
  public static long elements(long[] shape) {
    long elements = 1;
    for (long each : shape) {
      elements = Math.multiplyExact(elements, each);
    }
    return elements;
  }

  /** Whether two blocks of one array have elements in common. */
  public boolean overlaps(StateLayout other) {
    long[] from = from();
    long[] extent = extent();
    long[] otherFrom = other.from();
    long[] otherExtent = other.extent();
    for (int d = 0; d < from.length; d++) {
      if (Math.max(from[d], otherFrom[d])
          >= Math.min(from[d] + extent[d], otherFrom[d] + otherExtent[d])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Copies the elements that two blocks have in common from the local array of this one to that of
   * the other.
   */
  public void copyTo(
      MemorySegment source, StateLayout other, MemorySegment target, int elementBytes) {
    int last = dimensions() - 1;
    long[] begin = new long[last + 1];
    long[] end = new long[last + 1];
    for (int d = 0; d <= last; d++) {
      begin[d] = Math.max(from()[d], other.from()[d]);
      end[d] = Math.min(from()[d] + extent()[d], other.from()[d] + other.extent()[d]);
      if (begin[d] >= end[d]) {
        return;
      }
    }
    Offsets mine = new Offsets(this);
    Offsets others = new Offsets(other);
    long bytes = (end[last] - begin[last]) * elementBytes;
    long[] index = begin.clone();
    int d;
    do {
      MemorySegment.copy(
          source, mine.of(index) * elementBytes, target, others.of(index) * elementBytes, bytes);
      // Next row: the last index does not count.
      d = last - 1;
      while (d >= 0 && ++index[d] == end[d]) {
        index[d] = begin[d];
        d--;
      }
    } while (d >= 0);
  }

  /** Positions of elements in a local array. */
  private static final class Offsets {
    private final long[] localShape;
    private final long[] shift;

    Offsets(StateLayout layout) {
      localShape = layout.localShape();
      shift = layout.localFrom();
      Arrays.setAll(shift, d -> shift[d] - layout.from()[d]);
    }

    long of(long[] index) {
      long at = 0;
      for (int d = 0; d < index.length; d++) {
        at = at * localShape[d] + index[d] + shift[d];
      }
      return at;
    }
  }

  /** Describes the layout, for messages. */
  public String text() {
    return isBlock()
        ? "from " + Arrays.toString(from()) + " extent " + Arrays.toString(extent())
        : "";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StateLayout layout && Arrays.equals(packed, layout.packed);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(packed);
  }
}
