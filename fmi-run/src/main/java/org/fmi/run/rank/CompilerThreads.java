package org.fmi.run.rank;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The compiler threads of this JVM. The system reports whether one of them has work, because the
 * JVM counts its compilations only together with expensive data.
 */
final class CompilerThreads {
  /** The system cuts names to 15 characters. */
  private static final String NAME = "C[12] CompilerThre";

  private final List<RandomAccessFile> states;
  private final byte[] line = new byte[64];

  private CompilerThreads(List<RandomAccessFile> states) {
    this.states = states;
  }

  /** Returns the current compiler threads; none if the system does not show them. */
  static CompilerThreads ofThisProcess() {
    List<RandomAccessFile> states = new ArrayList<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path thread : threads) {
        if (name(thread).matches(NAME)) {
          states.add(new RandomAccessFile(thread.resolve("stat").toFile(), "r"));
        }
      }
    } catch (IOException e) {
      return new CompilerThreads(List.of());
    }
    return new CompilerThreads(states);
  }

  private static String name(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).strip();
    } catch (IOException e) {
      return ""; // it has ended in the meantime
    }
  }

  /** Whether one of them runs, or would run if it had a core. Takes about 5 µs each. */
  boolean anyRuns() {
    for (RandomAccessFile state : states) {
      if (runs(state)) {
        return true;
      }
    }
    return false;
  }

  /** Parses "7 (C2 CompilerThre) R ...", proc(5). */
  private boolean runs(RandomAccessFile state) {
    try {
      state.seek(0);
      int length = Math.max(0, state.read(line));
      String text = new String(line, 0, length, StandardCharsets.US_ASCII);
      return text.startsWith("R", text.indexOf(')') + 2);
    } catch (IOException e) {
      return false; // it has ended
    }
  }
}
