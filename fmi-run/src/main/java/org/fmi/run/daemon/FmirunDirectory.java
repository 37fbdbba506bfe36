package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * The directory of an fmirun of this user on this machine, which holds the socket of its job.
 *
 * @param fmirun its process; null if that has died without deleting the directory
 */
public record FmirunDirectory(String jobId, Path path, @Nullable ProcessHandle fmirun) {
  private static final String NAME = "name";

  /** Returns all directories, ordered by the jobs' ids. */
  public static List<FmirunDirectory> all() throws IOException {
    return all(NodePaths.base());
  }

  /** Returns the directories whose fmirun runs. */
  public static List<FmirunDirectory> ofRunning() throws IOException {
    return all().stream().filter(each -> each.fmirun != null).toList();
  }

  static List<FmirunDirectory> all(Path base) throws IOException {
    List<FmirunDirectory> all = new ArrayList<>();
    String glob = NodePaths.PREFIX + "*-" + NodePaths.RUN + "-*";
    try (DirectoryStream<Path> found = Files.newDirectoryStream(base, glob)) {
      for (Path path : found) {
        Matcher name = NodePaths.FINISHED_NAME.matcher(path.getFileName().toString());
        if (name.matches() && NodeDirectory.isOwn(path)) {
          all.add(new FmirunDirectory(name.group(1), path, DirectoryLock.holder(path)));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    all.sort((a, b) -> a.jobId.compareTo(b.jobId));
    return all;
  }

  /** Writes the user's name for the job into fmirun's directory. */
  public static void name(NodeDirectory directory, String name) throws IOException {
    Files.writeString(directory.path().resolve(NAME), name);
  }

  /** Returns the user's name for the job; empty if it has none, or has just ended. */
  public String name() throws IOException {
    try {
      return Files.readString(path.resolve(NAME));
    } catch (NoSuchFileException e) {
      return "";
    }
  }
}
