package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The checkpoints of a job with a different number of ranks, in files or in the memory that it has
 * left, which this job may start from.
 */
public interface OtherImages extends AutoCloseable {
  /** The user's name for them. */
  String name();

  /** Whether they are in files. */
  boolean inFiles();

  /** The number of ranks of that job. */
  int size();

  /** Its checkpoints, ascending by version; the last one is the recovery line. */
  List<CheckpointId> needed();

  /**
   * Compares a whole image with its checksums.
   *
   * @throws IOException if the image is damaged; the message says where
   */
  void verify(int rank, CheckpointId id) throws IOException;

  /**
   * Reads a part of an image, and compares it with its checksums.
   *
   * @param at the offset of the part
   * @param into has the size of the part
   * @throws IOException if the image is damaged; the message says where
   */
  void read(int rank, CheckpointId id, long at, MemorySegment into) throws IOException;

  /** Closes files and connections. They are opened again by the next read. */
  @Override
  void close();
}
