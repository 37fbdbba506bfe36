package org.fmi.ckpt.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The steps of which a commit is made. Each may fail, and the process may die between any two.
 * Those that need room fail with {@link FullException} if there is none.
 */
public interface Target {
  /** How many files are written before one is given up that does not reach the medium. */
  int MOST_TRIES = 3;

  /** A new file that is being written. */
  interface Output extends Closeable {
    /** Writes all of a buffer at its end. */
    void append(ByteBuffer bytes) throws IOException;

    /** Writes all of a buffer over what was written before. */
    void replace(long at, ByteBuffer bytes) throws IOException;

    /**
     * Returns when all that was written would survive the loss of power.
     *
     * @throws NotStoredException if it would not; nothing more can be done with this file
     */
    void force() throws IOException;
  }

  /** Makes a directory that its owner alone may use, unless it is there. */
  void makeDirectory(Path directory) throws IOException;

  /**
   * Creates a file that its owner alone may use.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one of this name
   */
  Output create(Path file) throws IOException;

  /** Gives a file another name, in place of another file if there is one. */
  void rename(Path from, Path to) throws IOException;

  /** Returns when the names in a directory would survive the loss of power. */
  void forceDirectory(Path directory) throws IOException;

  /** Deletes a file, if it exists. */
  void delete(Path file) throws IOException;

  /**
   * Deletes a directory, if it exists.
   *
   * @return false if there is something in it
   */
  boolean deleteDirectory(Path directory) throws IOException;

  /** Fills a file, and tells something of it. It may be asked to do so again. */
  interface Content<T> {
    T writeTo(Output output) throws IOException;
  }

  /**
   * Writes a file under another name, and gives it its own when all of it is on the medium; if it
   * does not get there, another file is tried. Its directory is not forced.
   *
   * @throws IOException if that fails; then nothing is left behind, as far as that is possible
   */
  default <T> T write(Path file, Content<T> content) throws IOException {
    for (int tries = 1; ; tries++) {
      Path temporary = Names.temporary(file);
      try {
        T told;
        try (Output output = create(temporary)) {
          told = content.writeTo(output);
          output.force();
        }
        rename(temporary, file);
        return told;
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
