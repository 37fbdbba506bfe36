package org.fmi.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds where Linux shows the limits of control groups. */
public final class ControlGroup {
  /** Where groups are to be seen: of version 2, or those of version 1 by controller. */
  public static final Path MOUNT = Path.of("/sys/fs/cgroup");

  /** The groups of this process, a line each: {@code number:controllers:path}. */
  public static final Path OWN = Path.of("/proc/self/cgroup");

  private ControlGroup() {}

  /**
   * The directories of a group and of all above it, whose limits hold too.
   *
   * @param mount where groups are to be seen; in a container it may not be the group's own root
   * @param path of the group, as in {@link #OWN}
   */
  public static List<Path> upwards(Path mount, String path) {
    List<Path> directories = new ArrayList<>();
    Path directory = mount.resolve(path.substring(1)).normalize();
    while (directory != null && directory.startsWith(mount)) {
      directories.add(directory);
      directory = directory.getParent();
    }
    return directories;
  }

  /** What is in a file; nothing if the group has no such limit. */
  public static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
