package org.fmi.ckpt.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The steps of a commit. Each may fail, and the process may die between any two. Steps that need
 * room fail with {@link FullException} if there is none.
 */
public interface Target {
  /** The number of attempts to write a file that does not reach the medium. */
  int MOST_TRIES = 3;

  /** A new file being written. */
  interface Output extends Closeable {
    /** Writes all of a buffer at the end of the file. */
    void append(ByteBuffer bytes) throws IOException;

    /** Writes all of a buffer over existing content. */
    void replace(long at, ByteBuffer bytes) throws IOException;

    /**
     * Returns when all written data would survive a loss of power.
     *
     * @throws NotStoredException if they would not; the file is useless then
     */
    void force() throws IOException;
  }

  /** Creates a directory that only its owner can use, unless it exists. */
  void makeDirectory(Path directory) throws IOException;

  /**
   * Creates a file that only its owner can use.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is a file of this name
   */
  Output create(Path file) throws IOException;

  /** Renames a file, replacing any file of the new name. */
  void rename(Path from, Path to) throws IOException;

  /** Returns when the names in a directory would survive a loss of power. */
  void forceDirectory(Path directory) throws IOException;

  /** Deletes a file, if it exists. */
  void delete(Path file) throws IOException;

  /**
   * Deletes a directory, if it exists.
   *
   * @return false if it is not empty
   */
  boolean deleteDirectory(Path directory) throws IOException;

  /** Fills a file, and returns a result. May be called again for a new attempt. */
  interface Content<T> {
    T writeTo(Output output) throws IOException;
  }

  /**
   * Writes a file under a temporary name, and renames it when all of it is on the medium; if it
   * does not get there, tries another file. Does not force the directory.
   *
   * @throws IOException if writing fails; then, if possible, nothing is left
   */
  default <T> T write(Path file, Content<T> content) throws IOException {
    for (int tries = 1; ; tries++) {
      Path temporary = Names.temporary(file);
      try {
        T result;
        try (Output output = create(temporary)) {
          result = content.writeTo(output);
          output.force();
        }
        rename(temporary, file);
        return result;
      } catch (IOException | RuntimeException e) {
        try {
          delete(temporary);
        } catch (IOException again) {
          e.addSuppressed(again);
        }
        if (!(e instanceof NotStoredException) || tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }
}
