package org.fmi.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files of a directory in which a rank reports its progress to a script beside the job. */
record Notes(Path directory) {
  /** Under another name first: who finds the file finds all of it. */
  void add(String name, String content) {
    try {
      Path temporary = Files.writeString(directory.resolve(name + ".tmp"), content);
      Files.move(temporary, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of this process, under the number of its rank. */
  void addProcess(int rank) {
    add(Integer.toString(rank), Long.toString(ProcessHandle.current().pid()));
  }
}
