package org.fmi.core.comm;

import org.fmi.Datatype;
import org.fmi.Datatype.Predefined;
import org.fmi.core.coll.Location;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a buffer, one per rank, that the v forms of collectives name by counts and
 * displacements.
 *
 * @param place where displacements count from
 * @param starts where each block begins, in bytes from the place
 * @param lengths of the blocks, in bytes
 */
record Blocks(Location place, long[] starts, long[] lengths) {
  /** The type of the data; null if all blocks are empty. */
  @Nullable Predefined type() {
    for (long length : lengths) {
      if (length > 0) {
        return place.elementType();
      }
    }
    return null;
  }

  /** Checked blocks to be read. */
  static Blocks toRead(
      Object buffer,
      long offset,
      long @Nullable [] counts,
      long @Nullable [] displs,
      String countsName,
      String displsName,
      int size) {
    return of(buffer, offset, counts, displs, countsName, displsName, size, false);
  }

  /** Checked blocks to be written. */
  static Blocks toWrite(
      Object buffer,
      long offset,
      long @Nullable [] counts,
      long @Nullable [] displs,
      String countsName,
      String displsName,
      int size) {
    return of(buffer, offset, counts, displs, countsName, displsName, size, true);
  }

  private static Blocks of(
      Object buffer,
      long offset,
      long @Nullable [] counts,
      long @Nullable [] displs,
      String countsName,
      String displsName,
      int size,
      boolean write) {
    long[] n = Arguments.onePerRank(counts, countsName, size);
    long[] at = Arguments.onePerRank(displs, displsName, size);
    Datatype type = Buffers.typeOf(buffer);
    long[] starts = new long[size];
    long[] lengths = new long[size];
    for (int i = 0; i < size; i++) {
      // The place of an empty block does not matter (and is not used).
      long from = n[i] == 0 ? offset : offset + at[i];
      lengths[i] =
          write
              ? Buffers.checkWrite(buffer, from, n[i], type)
              : Buffers.checkRead(buffer, from, n[i], type);
      starts[i] = (from - offset) * type.bytes();
    }
    return new Blocks(Buffers.place(buffer, offset, type), starts, lengths);
  }
}
