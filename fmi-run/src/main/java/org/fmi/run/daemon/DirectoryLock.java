package org.fmi.run.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The lock in a node's directory, which its daemon holds as long as it lives. */
final class DirectoryLock {
  private static final String NAME = "lock";

  private DirectoryLock() {}

  static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /** Makes the lock in a new directory, for this process; it is held until it is closed. */
  static FileChannel make(Path directory) throws IOException {
    FileChannel lock =
        FileChannel.open(in(directory), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      throw new IOException("cannot lock " + directory);
    }
    byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    lock.write(ByteBuffer.wrap(pid));
    return lock;
  }

  /**
   * Returns the daemon of a directory of this user: the process that its lock names, if that holds
   * the lock. Otherwise the daemon is dead, and another process may have its number by now.
   *
   * @return null if there is none, or it is starting or ending
   */
  static @Nullable ProcessHandle holder(Path directory) throws IOException {
    Path lock = in(directory);
    if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    long pid;
    try (InputStream in =
        Files.newInputStream(lock, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      pid = Long.parseLong(new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip());
    } catch (NumberFormatException | NoSuchFileException e) {
      return null;
    }
    // Before the check, because a handle never kills a later process with the same number.
    ProcessHandle named = ProcessHandle.of(pid).orElse(null);
    return named != null && holds(pid, lock, "\nlock:") ? named : null;
  }

  /** Whether a process of this user has a file open. */
  static boolean isOpen(long pid, Path file) {
    return holds(pid, file, "");
  }

  /**
   * Whether a process has a file open.
   *
   * @param how text in the description of the open file: proc_pid_fdinfo(5)
   */
  private static boolean holds(long pid, Path file, String how) {
    Path process = Path.of("/proc", Long.toString(pid));
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        try {
          if (Files.isSameFile(descriptor, file)
              && Files.readString(
                      process.resolve("fdinfo").resolve(descriptor.getFileName()),
                      StandardCharsets.US_ASCII)
                  .contains(how)) {
            return true;
          }
        } catch (NoSuchFileException e) {
          // It has been closed in the meantime.
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // It has ended in the meantime, or is another user's. If file descriptors were missing, the
      // search for processes that follows would fail as well, and report that.
    }
    return false;
  }

  /** Whether no process holds it. */
  static boolean isFree(Path file) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    }
  }
}
