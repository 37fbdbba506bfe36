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

/** The processes of nodes, which are known by the socket of their daemon in their environment. */
final class NodeProcesses {
  private static final byte[] MARK =
      (NodeDirectory.SOCKET_VARIABLE + "=").getBytes(StandardCharsets.UTF_8);

  private static final int LOOKS = 20;
  private static final int LONGEST_PAUSE_MILLIS = 16;
  private static final int ENVIRONMENT_BYTES = 1 << 16;

  /** Of {@link ProcessStat}. */
  private static final int VSIZE = 23;

  private NodeProcesses() {}

  /**
   * Kills every process that was started with the socket of one of these directories in its
   * environment: ranks, and what they have started, whatever process group or session it has moved
   * to.
   */
  static void kill(Set<String> directories) throws IOException {
    // A process may start others while it is being looked for, and needs a moment to die: until
    // none is found, nor one that cannot be told yet.
    int pause = 1;
    for (int look = 0; look < LOOKS && killOnce(directories); look++) {
      try {
        Thread.sleep(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Whether it has to be done once more. */
  private static boolean killOnce(Set<String> directories) throws IOException {
    boolean again = false;
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        // Before its environment is read, for a handle never kills a later process of the number.
        ProcessHandle handle = ProcessHandle.of(pid).orElse(null);
        byte[] environment = environment(process);
        if (environment == null) {
          continue;
        }
        if (environment.length == 0) {
          again |= hasMemory(process);
        } else if (handle != null
            && pid != ProcessHandle.current().pid()
            && belongsTo(directories, environment)) {
          again |= handle.destroyForcibly();
        }
      }
    }
    return again;
  }

  /**
   * Whether a process has memory, as it has in execve(2), where for a moment its environment cannot
   * be read. The system's own processes and dead ones have none.
   */
  private static boolean hasMemory(Path process) {
    try {
      return !ProcessStat.of(process).field(VSIZE).equals("0");
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  /** Null for processes of others, and those that are gone. */
  private static byte @Nullable [] environment(Path process) {
    try (FileChannel file = FileChannel.open(process.resolve("environ"))) {
      // In one read: between two of them the process may change its program, and then the second
      // one finds the old environment at its end.
      ByteBuffer bytes = ByteBuffer.allocate(ENVIRONMENT_BYTES);
      while (file.read(bytes, 0) == bytes.capacity()) {
        bytes = ByteBuffer.allocate(2 * bytes.capacity());
      }
      return Arrays.copyOf(bytes.array(), bytes.position());
    } catch (IOException e) {
      return null;
    }
  }

  /** Whether a process with this environment is one of the nodes with these directories. */
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
