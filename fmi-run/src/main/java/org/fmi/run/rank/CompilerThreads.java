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
 * The threads of this JVM that compile. Whether one of them has work is asked of the system: the
 * JVM itself counts what it compiles only together with much that costs time.
 */
final class CompilerThreads {
  /** A name is cut by the system, to 15 characters. */
  private static final String NAME = "C[12] CompilerThre";

  private final List<RandomAccessFile> states;
  private final byte[] line = new byte[64];

  private CompilerThreads(List<RandomAccessFile> states) {
    this.states = states;
  }

  /** The compiler threads that there are now; none where the system does not show them. */
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
      return ""; // it has ended meanwhile
    }
  }

  /** Whether one of them runs, or would run if it had a core. Takes some 5 µs each. */
  boolean anyRuns() {
    for (RandomAccessFile state : states) {
      if (runs(state)) {
        return true;
      }
    }
    return false;
  }

  /** Of "7 (C2 CompilerThre) R ...", proc(5). */
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
