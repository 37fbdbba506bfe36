package org.fmi.run.rank;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard input of rank 0, which fmirun reads only if the program does, because the script, loop
 * or shell that called fmirun shares it.
 */
final class RankInput extends FilterInputStream {
  /** The number of the system call that reads (asm-generic/unistd.h, or the table of x86-64). */
  private static final String READ =
      System.getProperty("os.arch", "").equals("amd64") ? "0 " : "63 ";

  private static final Path SELF = Path.of("/proc/self");
  private static final Path THREADS = SELF.resolve("task");

  private final Runnable onRead;

  private RankInput(InputStream in, Runnable onRead) {
    super(in);
    this.onRead = onRead;
  }

  /**
   * Replaces {@link System#in} before the program first uses it.
   *
   * @param onRead called before each read of input
   */
  static void install(Runnable onRead) {
    System.setIn(new BufferedInputStream(new RankInput(System.in, onRead)));
  }

  @Override
  public int read() throws IOException {
    onRead.run();
    return in.read();
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    onRead.run();
    return in.read(bytes, offset, length);
  }

  @Override
  public long skip(long count) throws IOException {
    onRead.run();
    return in.skip(count);
  }

  @Override
  public int available() throws IOException {
    onRead.run();
    return in.available();
  }

  /**
   * Whether the program reads standard input by other means than {@link System#in}: a thread waits
   * in a read of it, under any descriptor, or a process that the program has started has inherited
   * it.
   */
  static boolean isRead() {
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      Path input = file(SELF, 0);
      for (Path thread : threads) {
        if (reads(thread, input) || hasHeir(thread, input)) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return false; // the system does not show it
    }
    return false;
  }

  private static boolean reads(Path thread, Path input) {
    try {
      String call = Files.readString(thread.resolve("syscall"));
      return call.startsWith(READ) && file(SELF, Long.decode(call.split(" ", 3)[1])).equals(input);
    } catch (IOException | NumberFormatException e) {
      return false; // the thread or the call has ended
    }
  }

  /** Whether a process started by a thread has this input. */
  private static boolean hasHeir(Path thread, Path input) {
    try {
      for (String child : Files.readString(thread.resolve("children")).split(" ")) {
        if (!child.isBlank() && file(Path.of("/proc", child.strip()), 0).equals(input)) {
          return true;
        }
      }
    } catch (IOException e) {
      return false; // it has ended
    }
    return false;
  }

  private static Path file(Path process, long descriptor) throws IOException {
    return Files.readSymbolicLink(process.resolve("fd").resolve(Long.toString(descriptor)));
  }
}
