package org.fmi.core.comm;

import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Slice;
import org.fmi.core.coll.Location;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a buffer, one per rank, given by the counts and displacements of a v collective.
 *
 * @param place the origin of the displacements
 * @param type the type of the data; null if all blocks are empty
 * @param starts the offset of each block from the place, in bytes
 * @param lengths the length of each block, in bytes
 */
record Blocks(Location place, @Nullable Predefined type, long[] starts, long[] lengths) {
  /**
   * Checks the blocks of a call.
   *
   * @param data the buffer that contains them
   * @param countsName the name of the counts parameter, for messages
   * @param displsName the name of the displacements parameter, for messages
   */
  static Blocks of(
      Slice data,
      long @Nullable [] counts,
      long @Nullable [] displs,
      String countsName,
      String displsName,
      int size) {
    long[] n = Arguments.onePerRank(counts, countsName, size);
    long[] at = Arguments.onePerRank(displs, displsName, size);
    Predefined type = Buffers.type(data);
    long[] starts = new long[size];
    long[] lengths = new long[size];
    boolean empty = true;
    for (int i = 0; i < size; i++) {
      if (n[i] < 0) {
        throw new FmiException(
            ErrorClass.COUNT, countsName + "[" + i + "] is " + n[i] + ": use 0 for an empty block");
      }
      if (n[i] == 0) {
        continue; // its displacement does not matter
      }
      if (at[i] < 0 || at[i] > data.count() - n[i]) {
        throw new FmiException(
            ErrorClass.BUFFER,
            "the block of rank "
                + i
                + ", "
                + n[i]
                + " elements at "
                + at[i]
                + ", does not fit into the buffer: "
                + data);
      }
      starts[i] = at[i] * type.bytes();
      lengths[i] = n[i] * type.bytes();
      empty = false;
    }
    return new Blocks(Buffers.place(data), empty ? null : type, starts, lengths);
  }
}
