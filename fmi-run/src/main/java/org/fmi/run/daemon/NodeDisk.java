package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node's directory on disk, for data too large for its memory. */
final class NodeDisk {
  /** Only owners may delete in such a directory: see inode(7). */
  private static final int STICKY = 0_1000;

  private static final int WRITABLE_BY_OTHERS = 0_022;

  private NodeDisk() {}

  /**
   * Checks that other users cannot replace files in a directory.
   *
   * @param name for the user
   */
  static void requireSafe(String name, Path disk) throws IOException {
    String what = name + ": ";
    if (!Files.isDirectory(disk)) {
      throw new IOException(what + "no such directory on this node; create it on each node");
    }
    if (!Files.isWritable(disk)) {
      throw new IOException(what + "not writable; name a writable directory");
    }
    int mode = (int) Files.getAttribute(disk, "unix:mode");
    boolean ownersOnly = (mode & STICKY) != 0 || (mode & WRITABLE_BY_OTHERS) == 0;
    int owner = (int) Files.getAttribute(disk, "unix:uid");
    int me = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (!ownersOnly || (owner != me && owner != 0)) {
      throw new IOException(
          what
              + "other users may delete its contents; name a directory that only you may write to,"
              + " or one with the sticky bit, such as /tmp");
    }
  }
}
