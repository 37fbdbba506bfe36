package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.fmi.run.process.ProcessStat;
import org.jspecify.annotations.Nullable;

/** The processes of nodes, identified by the socket of their daemon in their environment. */
final class NodeProcesses {
  private static final byte[] MARK =
      (NodeDirectory.SOCKET_VARIABLE + "=").getBytes(StandardCharsets.UTF_8);

  private static final int LOOKS = 20;
  private static final int LONGEST_PAUSE_MILLIS = 16;
  private static final int ENVIRONMENT_BYTES = 1 << 16;

  /** A field of {@link ProcessStat}. */
  private static final int VSIZE = 23;

  /** What a search has found. */
  private enum Found {
    NONE,
    /** A process whose environment cannot be read: for a moment, or for as long as it has none. */
    UNREADABLE,
    SOME
  }

  private NodeProcesses() {}

  /**
   * Kills every process that was started with the socket of one of these directories in its
   * environment: ranks and their descendants, in whatever process group or session.
   *
   * @return whether the last search has found none
   */
  static boolean kill(Set<String> directories) throws IOException {
    // A process may start others during the search, and needs a moment to die: repeat until none is
    // found, nor any that cannot be identified yet.
    int pause = 1;
    Found found = killOnce(directories);
    for (int look = 1; look < LOOKS && found != Found.NONE; look++) {
      try {
        Thread.sleep(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      found = killOnce(directories);
    }
    return found != Found.SOME;
  }

  private static Found killOnce(Set<String> directories) throws IOException {
    Found found = Found.NONE;
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        // Before its environment is read, because a handle never kills a later process with the
        // same number.
        ProcessHandle handle = ProcessHandle.of(pid).orElse(null);
        byte[] environment = environment(process);
        if (environment == null) {
          continue;
        }
        if (environment.length == 0) {
          found = found == Found.NONE && hasMemory(process) ? Found.UNREADABLE : found;
        } else if (handle != null
            && pid != ProcessHandle.current().pid()
            && belongsTo(directories, environment)
            && handle.destroyForcibly()) {
          found = Found.SOME;
        }
      }
    }
    return found;
  }

  /**
   * Whether a process has memory. It has in execve(2), where its environment is unreadable for a
   * moment. Kernel threads and dead processes have none.
   */
  private static boolean hasMemory(Path process) {
    try {
      return !ProcessStat.of(process).field(VSIZE).equals("0");
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  /** Returns null for processes of other users, and for ended ones. */
  private static byte @Nullable [] environment(Path process) {
    try (FileChannel file = FileChannel.open(process.resolve("environ"))) {
      // In one read: between two reads the process may change its program, and the second read
      // would find the old environment at its end.
      ByteBuffer bytes = ByteBuffer.allocate(ENVIRONMENT_BYTES);
      while (file.read(bytes, 0) == bytes.capacity()) {
        bytes = ByteBuffer.allocate(2 * bytes.capacity());
      }
      return Arrays.copyOf(bytes.array(), bytes.position());
    } catch (IOException e) {
      return null;
    }
  }

  /** Whether a process with this environment belongs to a node with one of these directories. */
  private static boolean belongsTo(Set<String> directories, byte[] environment) {
    for (int at = 0, end; at < environment.length; at = end + 1) {
      end = at;
      while (end < environment.length && environment[end] != 0) {
        end++;
      }
      if (end - at > MARK.length
          && Arrays.mismatch(MARK, 0, MARK.length, environment, at, at + MARK.length) < 0) {
        String socket =
            new String(
                environment, at + MARK.length, end - at - MARK.length, StandardCharsets.UTF_8);
        int name = socket.lastIndexOf('/');
        if (name > 0 && directories.contains(socket.substring(0, name))) {
          return true;
        }
      }
    }
    return false;
  }
}
