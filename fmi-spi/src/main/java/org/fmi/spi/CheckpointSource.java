package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What a job begins from: one rank's part of a generation that an earlier job has left in files.
 */
public interface CheckpointSource {
  /** A job that begins from nothing. */
  CheckpointSource NONE =
      new CheckpointSource() {
        @Override
        public List<CheckpointId> needed() {
          return List.of();
        }

        @Override
        public long bytes(CheckpointId id) {
          throw new IllegalStateException("there is no " + id);
        }

        @Override
        public void read(CheckpointId id, MemorySegment image) {
          throw new IllegalStateException("there is no " + id);
        }
      };

  /** Its checkpoints, the same on all ranks, ascending by version; none if it begins anew. */
  List<CheckpointId> needed();

  /** The size of an image. */
  long bytes(CheckpointId id) throws IOException;

  /**
   * Fills an image, and compares it with its checksums.
   *
   * @param image of that size
   * @throws IOException if it is not as it was written; the message names the file
   */
  void read(CheckpointId id, MemorySegment image) throws IOException;
}
