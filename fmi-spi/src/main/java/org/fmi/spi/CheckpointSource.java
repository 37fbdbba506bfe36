package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A job's checkpoints in files: one rank's part of the checkpoint that the job starts from, and of
 * those that the job has written since.
 */
public interface CheckpointSource {
  /** A job without files. */
  CheckpointSource NONE =
      new CheckpointSource() {
        @Override
        public List<FileVersion> offers(boolean beginning) {
          return List.of();
        }

        @Override
        public String name(FileVersion version) {
          throw missing(version);
        }

        @Override
        public long bytes(FileVersion version, CheckpointId id) {
          throw missing(version);
        }

        @Override
        public ImageContent open(FileVersion version, CheckpointId id) {
          throw missing(version);
        }

        @Override
        public boolean holds(FileVersion version, CheckpointId id, MemorySegment image) {
          throw missing(version);
        }

        private static IllegalStateException missing(FileVersion version) {
          return new IllegalStateException("there is no " + version);
        }
      };

  /**
   * Finds the versions with a whole file that holds this rank's part. Images are not read. A
   * version counts if all ranks see it.
   *
   * @param beginning whether the job cannot have written a version yet
   * @return newest first
   */
  List<FileVersion> offers(boolean beginning);

  /** The user's name for it. */
  String name(FileVersion version);

  /** The size of an image. */
  long bytes(FileVersion version, CheckpointId id) throws IOException;

  /** Opens an image for reading. */
  ImageContent open(FileVersion version, CheckpointId id) throws IOException;

  /**
   * The checkpoints that the job may start from if they belong to a different number of ranks,
   * newest first.
   */
  default List<OtherImages> others() {
    return List.of();
  }

  /** Whether a file holds the same image as this one. Compares checksums, and reads no content. */
  boolean holds(FileVersion version, CheckpointId id, MemorySegment image) throws IOException;
}
