package org.fmi.run.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Writes the output of each rank to separate files, {@code rank-3.out} and {@code rank-3.err}.
 * Replaces files from before the job. Used by one thread.
 */
public final class OutputFiles {
  /** Maximum number of open files: a job may have more ranks than a process may have files. */
  private static final int MOST_OPEN = 128;

  private final Path directory;

  /** The open files; the last used one is at the end. */
  private final Map<String, OutputStream> open = new LinkedHashMap<>(16, 0.75f, true);

  /** Files that this job has begun. */
  private final Set<String> begun = new HashSet<>();

  /**
   * @throws IOException if the directory cannot be made or written to
   */
  public OutputFiles(Path directory) throws IOException {
    this.directory = directory;
    Files.createDirectories(directory);
    stream(name(0, false));
  }

  private static String name(int rank, boolean error) {
    return "rank-" + rank + (error ? ".err" : ".out");
  }

  /** Returns the file of a stream, for messages. */
  Path file(int rank, boolean error) {
    return directory.resolve(name(rank, error));
  }

  void write(int rank, boolean error, byte[] bytes) throws IOException {
    stream(name(rank, error)).write(bytes);
  }

  private OutputStream stream(String name) throws IOException {
    OutputStream known = open.get(name);
    if (known != null) {
      return known;
    }
    if (open.size() == MOST_OPEN) {
      String oldest = open.keySet().iterator().next();
      OutputStream last = open.remove(oldest);
      if (last != null) {
        last.close();
      }
    }
    OutputStream made =
        Files.newOutputStream(
            directory.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            begun.contains(name)
                ? StandardOpenOption.APPEND
                : StandardOpenOption.TRUNCATE_EXISTING);
    begun.add(name);
    open.put(name, made);
    return made;
  }
}
