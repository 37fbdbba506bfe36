package org.fmi;

import java.util.Arrays;
import java.util.Objects;

/**
 * State of a loop that is this rank's part of an array that all ranks share: a block of it, in an
 * array of this rank's own. With it a job can continue from files with another number of ranks,
 * whose blocks differ: {@code fmirun --restart-from}. In every other respect it behaves as the
 * array.
 *
 * <pre>{@code
 * // Rows 10 to 19 of a plate of 100 times 80 points, in an array with a layer of ghost points around.
 * ArrayBlock.of(u, new long[] {100, 80}, new long[] {10, 0}, new long[] {10, 80},
 *     new long[] {12, 82}, new long[] {1, 1})
 * }</pre>
 *
 * <p>Arrays lie row by row: the last index runs fastest. The blocks of all ranks must cover the
 * global array without overlapping. What is in the local array around the block, ghost points for
 * instance, is restored after a failure as all else; with another number of ranks it keeps what the
 * program has set it to before the loop.
 */
public final class ArrayBlock {
  private final Object state;
  private final long[] globalShape;
  private final long[] from;
  private final long[] extent;
  private final long[] localShape;
  private final long[] localFrom;

  private ArrayBlock(
      Object state,
      long[] globalShape,
      long[] from,
      long[] extent,
      long[] localShape,
      long[] localFrom) {
    this.state = Objects.requireNonNull(state);
    this.globalShape = globalShape.clone();
    this.from = from.clone();
    this.extent = extent.clone();
    this.localShape = localShape.clone();
    this.localFrom = localFrom.clone();
    int dimensions = globalShape.length;
    if (dimensions == 0
        || from.length != dimensions
        || extent.length != dimensions
        || localShape.length != dimensions
        || localFrom.length != dimensions) {
      throw new IllegalArgumentException(
          this
              + ": all shapes and places of a block have the same number of dimensions, 1 or more");
    }
    for (int d = 0; d < dimensions; d++) {
      requireInside("the global array", d, from[d], extent[d], globalShape[d]);
      requireInside("the local array", d, localFrom[d], extent[d], localShape[d]);
    }
  }

  private void requireInside(String what, int dimension, long begin, long count, long size) {
    if (begin < 0 || count < 0 || count > size || begin > size - count) {
      throw new IllegalArgumentException(
          this + ": is not inside of " + what + " in dimension " + dimension);
    }
  }

  /**
   * A block whose local array holds nothing else.
   *
   * @param state as for {@link #of(Object, long[], long[], long[], long[], long[])}
   * @param globalShape as there
   * @param from as there
   * @param extent as there, and the shape of the local array
   * @return a new block
   */
  public static ArrayBlock of(Object state, long[] globalShape, long[] from, long[] extent) {
    return new ArrayBlock(state, globalShape, from, extent, extent, new long[extent.length]);
  }

  /**
   * A block in a local array.
   *
   * @param state the local array, of one dimension and a primitive type; or a {@link StateRef} of
   *     one, always of the same length
   * @param globalShape the size of the global array in each dimension
   * @param from where the block begins in it
   * @param extent the size of the block
   * @param localShape the size of the local array in each dimension
   * @param localFrom where the block begins in that
   * @return a new block
   * @throws IllegalArgumentException if the block is not inside of both arrays
   */
  public static ArrayBlock of(
      Object state,
      long[] globalShape,
      long[] from,
      long[] extent,
      long[] localShape,
      long[] localFrom) {
    return new ArrayBlock(state, globalShape, from, extent, localShape, localFrom);
  }

  /**
   * The local array, or the {@link StateRef} of it.
   *
   * @return what was given
   */
  public Object state() {
    return state;
  }

  /**
   * The size of the global array in each dimension.
   *
   * @return a copy
   */
  public long[] globalShape() {
    return globalShape.clone();
  }

  /**
   * Returns the block's place in the global array.
   *
   * @return a copy
   */
  public long[] from() {
    return from.clone();
  }

  /**
   * The size of the block.
   *
   * @return a copy
   */
  public long[] extent() {
    return extent.clone();
  }

  /**
   * The size of the local array in each dimension.
   *
   * @return a copy
   */
  public long[] localShape() {
    return localShape.clone();
  }

  /**
   * Returns the block's place in the local array.
   *
   * @return a copy
   */
  public long[] localFrom() {
    return localFrom.clone();
  }

  @Override
  public String toString() {
    return "ArrayBlock[from "
        + Arrays.toString(from)
        + " extent "
        + Arrays.toString(extent)
        + " of "
        + Arrays.toString(globalShape)
        + ", local from "
        + Arrays.toString(localFrom)
        + " of "
        + Arrays.toString(localShape)
        + "]";
  }
}
