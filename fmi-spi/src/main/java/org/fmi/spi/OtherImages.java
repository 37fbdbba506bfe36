package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The checkpoints in files of a job with another number of ranks, which this one may begin from.
 */
public interface OtherImages extends AutoCloseable {
  /** How the user calls them. */
  String name();

  /** How many ranks that job had. */
  int size();

  /** Its checkpoints, ascending by version; the last one is what to go on from. */
  List<CheckpointId> needed();

  /**
   * Compares all of an image with its checksums.
   *
   * @throws IOException if it is not as it was written; the message names the file
   */
  void verify(int rank, CheckpointId id) throws IOException;

  /**
   * Reads a part of an image, and compares it with its checksums.
   *
   * @param at where the part begins
   * @param into of the size of the part
   * @throws IOException if it is not as it was written; the message names the file
   */
  void read(int rank, CheckpointId id, long at, MemorySegment into) throws IOException;

  /** Closes files; they are opened again when something is read. */
  @Override
  void close();
}
