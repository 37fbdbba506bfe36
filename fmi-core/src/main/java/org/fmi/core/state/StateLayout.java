package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.Box;
import org.fmi.Divided;
import org.fmi.Same;
import org.jspecify.annotations.Nullable;

/**
 * Says how a state object lies among those of all ranks, as it stands in an image:
 *
 * <pre>
 *   Same:      0
 *   Divided:   -1
 *   Box:       dimensions | global shape | from | extent | local shape | local from
 * </pre>
 *
 * Each is a number of 8 bytes, or one per dimension.
 */
public record StateLayout(long[] packed) {
  private static final int PARTS = 5;
  private static final int SAME = 0;
  private static final int DIVIDED = -1;

  /** That of an object that says so; null for any other. */
  static @Nullable StateLayout of(Object object) {
    return switch (object) {
      case Same _ -> new StateLayout(new long[] {SAME});
      case Divided _ -> new StateLayout(new long[] {DIVIDED});
      case Box box -> {
        long[][] parts = {
          box.globalShape(), box.from(), box.extent(), box.localShape(), box.localFrom()
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

  /** What it lays out: the object that the program gave, or that itself. */
  static Object content(Object object) {
    return switch (object) {
      case Same same -> same.state();
      case Divided divided -> divided.state();
      case Box box -> box.state();
      default -> object;
    };
  }

  public boolean isBox() {
    return packed[0] > 0;
  }

  public boolean isSame() {
    return packed[0] == SAME;
  }

  /** What it is called in the program. */
  public String name() {
    return isBox() ? "Box" : isSame() ? "Same" : "Divided";
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

  /** Whether two boxes of one array have elements in common. */
  public boolean meets(StateLayout other) {
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
   * Copies the elements that two boxes have in common from the local array of this one to that of
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
      // The next row: its last index does not count.
      d = last - 1;
      while (d >= 0 && ++index[d] == end[d]) {
        index[d] = begin[d];
        d--;
      }
    } while (d >= 0);
  }

  /** Where elements are in a local array. */
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

  /** In words, for messages. */
  public String text() {
    return isBox()
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
