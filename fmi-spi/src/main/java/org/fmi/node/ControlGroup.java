package org.fmi.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the limits of Linux control groups. */
public final class ControlGroup {
  /** The mount point: of version 2, or of the controllers of version 1. */
  public static final Path MOUNT = Path.of("/sys/fs/cgroup");

  /** The groups of this process, one line each: {@code number:controllers:path}. */
  public static final Path OWN = Path.of("/proc/self/cgroup");

  private ControlGroup() {}

  /**
   * The directories of a group and of its ancestors, whose limits apply too.
   *
   * @param mount the mount point; in a container it may not be the group's own root
   * @param path the group's path, as in {@link #OWN}
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

  /** The lines of a file; none if the group has no such limit. */
  public static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
