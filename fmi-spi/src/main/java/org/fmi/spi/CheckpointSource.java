package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What files hold of a job's checkpoints: one rank's part of what the job begins from, and of what
 * the job itself has written since.
 */
public interface CheckpointSource {
  /** A job that has nothing to do with files. */
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
   * Looks which versions there are with a whole file that holds this rank's part; images are not
   * read. A version counts if all ranks see it.
   *
   * @param beginning whether the job cannot have written any itself yet
   * @return newest first
   */
  List<FileVersion> offers(boolean beginning);

  /** How the user calls it. */
  String name(FileVersion version);

  /** The size of an image. */
  long bytes(FileVersion version, CheckpointId id) throws IOException;

  /** Opens an image, to be read. */
  ImageContent open(FileVersion version, CheckpointId id) throws IOException;

  /** What the job may begin from, if that is of another number of ranks, newest first. */
  default List<OtherImages> others() {
    return List.of();
  }

  /** Whether a file holds the same image as this one, by its checksums: its content is not read. */
  boolean holds(FileVersion version, CheckpointId id, MemorySegment image) throws IOException;
}
