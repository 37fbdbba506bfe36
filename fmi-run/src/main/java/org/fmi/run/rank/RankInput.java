package org.fmi.run.rank;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard input of rank 0, which fmirun reads only if the program does: it is also that of the
 * script, the loop or the shell that has called fmirun.
 */
final class RankInput extends FilterInputStream {
  /** The number of the system call that reads (asm-generic/unistd.h, or the table of x86-64). */
  private static final String READ =
      System.getProperty("os.arch", "").equals("amd64") ? "0 " : "63 ";

  private final Runnable onRead;

  private RankInput(InputStream in, Runnable onRead) {
    super(in);
    this.onRead = onRead;
  }

  /**
   * Takes the place of {@link System#in}, before the program's first look at it.
   *
   * @param onRead called before each look for input
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

  /** The directory in /proc of the thread that calls. */
  static Path thread() {
    try {
      return Path.of("/proc/thread-self").toRealPath();
    } catch (IOException e) {
      return Path.of("/proc/self"); // an old system: that of the process' first thread
    }
  }

  /**
   * Whether a thread waits in a read of standard input, by whatever name: as a descriptor, or as
   * /dev/stdin.
   */
  static boolean isReadBy(Path thread) {
    try {
      String call = Files.readString(thread.resolve("syscall"));
      if (!call.startsWith(READ)) {
        return false;
      }
      long descriptor = Long.decode(call.split(" ", 3)[1]);
      return file(descriptor).equals(file(0));
    } catch (IOException | NumberFormatException e) {
      return false; // it has gone on, or the system does not show what it does
    }
  }

  private static Path file(long descriptor) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/fd", Long.toString(descriptor)));
  }
}
