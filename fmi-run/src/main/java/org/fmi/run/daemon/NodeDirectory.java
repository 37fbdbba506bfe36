package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.fmi.control.Pinned;
import org.fmi.job.control.Bootstrap;
import org.fmi.node.FreeMemory;
import org.fmi.node.Refusal;
import org.fmi.spi.NodeMemory;

/**
 * A node's directory in memory: its daemon's socket and the checkpoints of its ranks. Lives as long
 * as the daemon, which holds a lock in it; a directory that is not locked may be deleted.
 *
 * <p>Other users may write to its parent. So its name is derived from the job's secret, which keeps
 * other users from taking the name first, and a directory is trusted only if it is as made by
 * {@link #create}: this user's, of mode 0700, not a link. Then only this user writes in it. Each
 * daemon of a node has a separate directory, so that an old daemon cannot affect the directory or
 * the processes of its successor, which may take over its checkpoints ({@link NodeAdoption}).
 *
 * <p>{@link NodePaths} has the names, {@link DirectoryLock} the lock; {@link DeadJobs} deletes
 * leftovers of dead jobs, and {@link NodeFence} removes a lost node.
 *
 * <pre>
 *   /dev/shm/fmi-JOB-NODE-CODE/   mode 0700
 *     lock                        locked by the daemon, holds its process number
 *     daemon.sock                 where ranks connect
 *     warm-PID                    directory of a standby that warms up
 *     frequencies                 original frequencies of slow cores
 *     addresses-EPOCH             addresses of all ranks
 *     ...                         checkpoints
 *   /dev/shm/fmi-JOB-run-CODE/    directory of fmirun, also locked
 *     fmi.sock                    socket for requests
 *     name                        the job's --name, if there is one
 *   /dev/shm/fmi-JOB-programNODE-CODE/, or programrun on the machine of local nodes; on a disk if large
 *     0, 1 ...                    copies of the program's class path entries
 * </pre>
 */
public final class NodeDirectory {
  /** The variable that holds a rank's daemon socket; marks all processes of the node. */
  public static final String SOCKET_VARIABLE = "FMI_DAEMON_SOCKET";

  /** The largest program that is kept in memory, in bytes. */
  public static final long PROGRAM_IN_MEMORY_BYTES = 16 << 20;

  /** The node number in the name of fmirun's own directory, which holds its socket. */
  public static final int FMIRUN = -1;

  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rwx------");
  private static final String NODE_DIR = "--node-dir ";

  private final Path path;
  private final FileChannel lock;

  private NodeDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** Whether there is a memory file system for it; otherwise it is on a disk. */
  public static boolean inMemory() {
    return NodePaths.inMemory();
  }

  /**
   * Makes it and locks it.
   *
   * @param generation the number of daemons that the job had on the node before
   */
  public static NodeDirectory create(String jobId, int node, int generation, byte[] secret)
      throws IOException {
    Path base = NodePaths.base();
    return create(base.toString(), base, NodePaths.of(base, jobId, node, generation, secret));
  }

  /**
   * Makes a directory for checkpoints alone, on a disk, and deletes leftovers of dead jobs there.
   *
   * @throws IOException if it cannot be made in the user's place, or other users could replace it
   */
  static NodeDirectory createOnDisk(Bootstrap bootstrap) throws IOException {
    Path disk = Path.of(bootstrap.pieces());
    NodeDisk.requireSafe(NODE_DIR + disk, disk);
    DeadJobs.sweepIn(disk, bootstrap.jobId());
    return create(NODE_DIR + disk, disk, NodePaths.onDisk(bootstrap, bootstrap.generation()));
  }

  /**
   * Makes a directory for the program.
   *
   * @param node the node's number, or {@link #FMIRUN} for all nodes of this machine
   * @param disk the user's directory for large data; empty if none
   * @param bytes size of the program
   * @throws IOException if it cannot be made, or other users could replace it
   */
  public static NodeDirectory createForProgram(
      String jobId, int node, int generation, byte[] secret, String disk, long bytes)
      throws IOException {
    Path base =
        disk.isEmpty()
            ? bytes > PROGRAM_IN_MEMORY_BYTES ? NodePaths.TEMPORARY : NodePaths.base()
            : Path.of(disk);
    String what = disk.isEmpty() ? base.toString() : NODE_DIR + disk;
    if (!base.equals(NodePaths.base())) {
      NodeDisk.requireSafe(what, base);
    }
    return create(what, base, NodePaths.ofProgram(base, jobId, node, generation, secret));
  }

  private static NodeDirectory create(String what, Path base, Path path) throws IOException {
    try {
      return create(base, path);
    } catch (IOException e) {
      throw new IOException(what + ": cannot be used (" + Refusal.text(e) + ")", e);
    }
  }

  private static NodeDirectory create(Path base, Path path) throws IOException {
    // Locked before it gets its name, so that it never looks abandoned.
    Path unfinished =
        Files.createTempDirectory(
            base, NodePaths.UNFINISHED, PosixFilePermissions.asFileAttribute(MODE));
    FileChannel lock;
    try {
      lock = DirectoryLock.make(unfinished);
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // An interrupt, for example, because the daemon ends.
      NodeTree.delete(unfinished);
      throw e;
    }
    assert isOwn(path) : path;
    return new NodeDirectory(path, lock);
  }

  public Path path() {
    return path;
  }

  Path socket() {
    return path.resolve("daemon.sock");
  }

  /** Returns the directory in which the process of this number warms up as a standby. */
  Path warmUp(long pid) {
    return path.resolve("warm-" + pid);
  }

  /** Deletes the warm-up directory of a process that ended before it was ready. */
  void deleteWarmUp(long pid) throws IOException {
    NodeTree.delete(warmUp(pid));
  }

  /** Deletes a piece that a rank has pinned, if it exists. */
  void deleteKept(String piece) throws IOException {
    if (piece.startsWith(Pinned.PREFIX) && piece.indexOf('/') < 0) {
      Files.deleteIfExists(path.resolve(piece));
    }
  }

  /** Deletes pinned pieces with this prefix, except some. */
  void deleteKept(String prefix, Set<String> but) throws IOException {
    for (String name : names(prefix)) {
      if (!but.contains(name)) {
        deleteKept(name);
      }
    }
  }

  /** Deletes the checkpoints of a rank that is not on the node. */
  void deleteCheckpoints(int rank) throws IOException {
    for (String name : names(NodeMemory.prefix(rank))) {
      Files.deleteIfExists(path.resolve(name));
    }
  }

  /** Moves all checkpoints of another directory of the same node here. */
  void takeCheckpoints(Path from) throws IOException {
    for (String name : names(from, NodeMemory.PREFIX)) {
      Files.move(from.resolve(name), path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private List<String> names(String prefix) throws IOException {
    return names(path, prefix);
  }

  private static List<String> names(Path path, String prefix) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> pieces = Files.newDirectoryStream(path, prefix + "*")) {
      pieces.forEach(each -> names.add(each.getFileName().toString()));
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  /** Returns the bytes that checkpoints may use in its place. */
  public long free() throws IOException {
    return FreeMemory.bytes(path);
  }

  /** Kills all processes that belong to it, then deletes it. */
  public void destroy() throws IOException {
    NodeProcesses.kill(Set.of(path.toString()));
    NodeTree.delete(path);
    lock.close();
  }

  /** Deletes it, when no process belongs to it. */
  public void delete() throws IOException {
    try {
      NodeTree.delete(path);
    } catch (IOException e) {
      // The lock's may be the file descriptor that a process at its limit lacks.
      lock.close();
      NodeTree.delete(path);
    }
    lock.close();
  }

  /** Whether it is a directory as made by {@link #create}, which no other user can have made. */
  static boolean isOwn(Path path) throws IOException {
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isDirectory()
          && attributes.permissions().equals(MODE)
          && attributes.owner().equals(Files.getOwner(Path.of("/proc/self")));
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
