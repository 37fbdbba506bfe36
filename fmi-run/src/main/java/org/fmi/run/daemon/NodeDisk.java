package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a node keeps on its disk what is too large for its memory. */
final class NodeDisk {
  /** Only owners may delete in such a directory: of inode(7). */
  private static final int STICKY = 0_1000;

  private static final int WRITABLE_BY_OTHERS = 0_022;

  private NodeDisk() {}

  /**
   * Others who may write to it could put something else in the place of what is made in it.
   *
   * @param name for the user
   */
  static void requireSafe(String name, Path disk) throws IOException {
    String what = name + ": ";
    if (!Files.isDirectory(disk)) {
      throw new IOException(what + "no such directory on this node; make it on each node");
    }
    if (!Files.isWritable(disk)) {
      throw new IOException(what + "cannot be written to; name a directory that can be");
    }
    int mode = (int) Files.getAttribute(disk, "unix:mode");
    boolean ownersOnly = (mode & STICKY) != 0 || (mode & WRITABLE_BY_OTHERS) == 0;
    int owner = (int) Files.getAttribute(disk, "unix:uid");
    int me = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (!ownersOnly || (owner != me && owner != 0)) {
      throw new IOException(
          what
              + "others may delete what is in it; name a directory of your own that only you may"
              + " write to, or one that is as /tmp");
    }
  }
}
