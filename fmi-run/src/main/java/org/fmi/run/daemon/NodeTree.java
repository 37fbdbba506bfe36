package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.fmi.run.energy.CpuFrequencies;

/** Deletes the directory of a node with its content. */
final class NodeTree {
  private static final int DELETIONS = 20;

  private NodeTree() {}

  /** Deletes the lock last: a partly deleted directory must still be recognizable. */
  static void delete(Path root) throws IOException {
    CpuFrequencies.restore(root);
    Path lock = DirectoryLock.in(root);
    for (int i = 0; ; i++) {
      try {
        deleteAllIn(root, lock);
        Files.deleteIfExists(lock);
        Files.deleteIfExists(root);
        return;
      } catch (DirectoryNotEmptyException e) {
        // A dying process has written once more.
        if (i == DELETIONS) {
          throw e;
        }
      }
    }
  }

  /** Uses one file descriptor at a time: a process at its limit may have no more. */
  private static void deleteAllIn(Path directory, Path but) throws IOException {
    // A stream of Files uses two.
    String[] names = directory.toFile().list();
    if (names == null) {
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(directory + " cannot be read");
      }
      return; // another process deletes it, too
    }
    for (String name : names) {
      Path file = directory.resolve(name);
      if (file.equals(but)) {
        continue;
      }
      if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
        deleteAllIn(file, but);
      }
      Files.deleteIfExists(file);
    }
  }
}
