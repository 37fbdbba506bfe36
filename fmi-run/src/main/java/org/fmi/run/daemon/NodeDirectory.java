package org.fmi.run.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.fmi.control.Pinned;
import org.fmi.job.control.Bootstrap;
import org.fmi.net.Hmac;
import org.fmi.node.FreeMemory;
import org.fmi.node.Refusal;
import org.fmi.run.energy.CpuFrequencies;
import org.jspecify.annotations.Nullable;

/**
 * A node's directory in memory: its daemon's socket and the checkpoints of its ranks. Lives as long
 * as the daemon, which holds a lock in it; whoever finds one that is not locked may delete it.
 *
 * <p>Others may write to where it lies. So its name follows from the job's secret, that nobody can
 * take it before; and none is trusted that is not as {@link #create} makes it: this user's, of mode
 * 0700, not a link. In it, then, only this user writes. Each daemon of a node has one of its own:
 * whatever an old daemon still does to its directory and its processes does not touch those of its
 * successor.
 *
 * <pre>
 *   /dev/shm/fmi-JOB-NODE-CODE/   mode 0700
 *     lock                        locked by the daemon, holds its process number
 *     daemon.sock                 where ranks connect
 *     warm-PID                    where a standby gets ready
 *     frequencies                 what cores had that run slowly
 *     addresses-EPOCH             where all ranks can be reached
 *     ...                         checkpoints
 *   /dev/shm/fmi-JOB-run-CODE/    that of fmirun, with a lock too
 *     fmi.sock                    where it is asked
 *     name                        what the user calls the job, if there is a --name
 *   /dev/shm/fmi-JOB-programNODE-CODE/, or programrun on the machine of local nodes; on a disk if large
 *     0, 1 ...                    the entries of the program's class path, as the job began with them
 * </pre>
 */
public final class NodeDirectory {
  /** The variable that tells a rank its daemon's socket; marks all processes of the node. */
  public static final String SOCKET_VARIABLE = "FMI_DAEMON_SOCKET";

  private static final Path MEMORY = Path.of("/dev/shm");

  /** On a disk, as a rule. */
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));

  /** The largest program that is kept in memory, in bytes. */
  public static final long PROGRAM_IN_MEMORY_BYTES = 16 << 20;

  static final String PREFIX = "fmi-";
  private static final String UNFINISHED = ".fmi-";

  /** The node's number in the directory that fmirun itself has, to be asked about the job. */
  public static final int FMIRUN = -1;

  /** In place of that number. */
  static final String RUN = "run";

  /** Before it, where the program is kept. */
  private static final String PROGRAM = "program";

  /** With the job's id as fmirun makes it. */
  static final Pattern FINISHED_NAME =
      Pattern.compile(
          PREFIX + "([0-9a-f]{12})-(?:" + PROGRAM + ")?(?:[0-9]+|" + RUN + ")-[0-9a-f]{16}");

  /** Bytes of the code in the name. */
  private static final int CODE_BYTES = 8;

  private static final byte[] CODE_PURPOSE =
      "fmi node directory".getBytes(StandardCharsets.US_ASCII);

  /** As temporary directories are named. */
  private static final Pattern UNFINISHED_NAME =
      Pattern.compile(Pattern.quote(UNFINISHED) + "[0-9]+");

  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rwx------");
  private static final String LOCK = "lock";

  private static final String NODE_DIR = "--node-dir ";
  private static final int DELETIONS = 20;

  private final Path path;
  private final FileChannel lock;

  private NodeDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** Whether there is a memory file system to put it in; if not it lies on a disk. */
  public static boolean inMemory() {
    return Files.isDirectory(MEMORY) && Files.isWritable(MEMORY);
  }

  static Path base() {
    return inMemory() ? MEMORY : TEMPORARY;
  }

  /**
   * Where there may be directories of programs.
   *
   * @param disk that the user has named; empty if none
   */
  private static Set<Path> programBases(String disk) {
    return disk.isEmpty() ? new LinkedHashSet<>(List.of(base(), TEMPORARY)) : Set.of(Path.of(disk));
  }

  /** Where the directory of a daemon is, or was, or will be. */
  static Path path(String jobId, int node, int generation, byte[] secret) {
    return path(base(), jobId, node, generation, secret);
  }

  private static Path path(Path base, String jobId, int node, int generation, byte[] secret) {
    return path(base, jobId, "", node, generation, secret);
  }

  private static Path path(
      Path base, String jobId, String what, int node, int generation, byte[] secret) {
    byte[] daemon = ByteBuffer.allocate(2 * Integer.BYTES).putInt(node).putInt(generation).array();
    byte[] code = new Hmac(secret).over(CODE_PURPOSE, daemon);
    return base.resolve(
        PREFIX
            + jobId
            + "-"
            + what
            + (node == FMIRUN ? RUN : node)
            + "-"
            + HexFormat.of().formatHex(code, 0, CODE_BYTES));
  }

  /**
   * Makes it and locks it.
   *
   * @param generation how many daemons the job had on the node before
   */
  public static NodeDirectory create(String jobId, int node, int generation, byte[] secret)
      throws IOException {
    Path base = base();
    return create(base.toString(), base, path(base, jobId, node, generation, secret));
  }

  /**
   * Makes another one for checkpoints alone, on a disk, and deletes what dead jobs have left there.
   *
   * @throws IOException if it cannot be made where the user wants it, or others could replace it
   */
  static NodeDirectory createOnDisk(Bootstrap bootstrap) throws IOException {
    Path disk = Path.of(bootstrap.pieces());
    NodeDisk.requireSafe(NODE_DIR + disk, disk);
    sweepDead(disk);
    return create(NODE_DIR + disk, disk, onDisk(bootstrap, bootstrap.generation()));
  }

  /**
   * Makes another one for the program.
   *
   * @param node the node's number, or {@link #FMIRUN} for all nodes of this machine
   * @param disk where the user wants what is large; empty if that was not said
   * @param bytes what the program takes
   * @throws IOException if it cannot be made, or others could replace it
   */
  public static NodeDirectory createForProgram(
      String jobId, int node, int generation, byte[] secret, String disk, long bytes)
      throws IOException {
    Path base =
        disk.isEmpty() ? bytes > PROGRAM_IN_MEMORY_BYTES ? TEMPORARY : base() : Path.of(disk);
    String what = disk.isEmpty() ? base.toString() : NODE_DIR + disk;
    if (!base.equals(base())) {
      NodeDisk.requireSafe(what, base);
    }
    return create(what, base, path(base, jobId, PROGRAM, node, generation, secret));
  }

  private static Path onDisk(Bootstrap b, int generation) {
    return path(Path.of(b.pieces()), b.jobId(), b.node(), generation, b.secret());
  }

  private static NodeDirectory create(String what, Path base, Path path) throws IOException {
    try {
      return create(base, path);
    } catch (IOException e) {
      throw new IOException(what + ": cannot be used (" + Refusal.text(e) + ")", e);
    }
  }

  private static NodeDirectory create(Path base, Path path) throws IOException {
    // Locked before it gets its name, so that nobody takes it for a dead one.
    Path unfinished =
        Files.createTempDirectory(base, UNFINISHED, PosixFilePermissions.asFileAttribute(MODE));
    FileChannel lock =
        FileChannel.open(
            unfinished.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      throw new IOException("cannot lock " + unfinished);
    }
    byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    lock.write(ByteBuffer.wrap(pid));
    Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
    assert isOwn(path) : path;
    return new NodeDirectory(path, lock);
  }

  public Path path() {
    return path;
  }

  Path socket() {
    return path.resolve("daemon.sock");
  }

  /** Where the process of this number gets ready to stand by. */
  Path warmUp(long pid) {
    return path.resolve("warm-" + pid);
  }

  /** Deletes what a process has left that has ended before it was ready. */
  void deleteWarmUp(long pid) throws IOException {
    deleteTree(warmUp(pid));
  }

  /** Deletes a piece that a rank has kept, if it is there. */
  void deleteKept(String piece) throws IOException {
    if (piece.startsWith(Pinned.PREFIX) && piece.indexOf('/') < 0) {
      Files.deleteIfExists(path.resolve(piece));
    }
  }

  /** Deletes what ranks have kept under names that begin so, but for some. */
  void deleteKept(String prefix, Set<String> but) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> kept = Files.newDirectoryStream(path, prefix + "*")) {
      kept.forEach(each -> names.add(each.getFileName().toString()));
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    for (String name : names) {
      if (!but.contains(name)) {
        deleteKept(name);
      }
    }
  }

  /** Bytes that checkpoints may take where it lies. */
  public long free() throws IOException {
    return FreeMemory.bytes(path);
  }

  /** Kills all processes that belong to it, then deletes it. */
  public void destroy() throws IOException {
    NodeProcesses.kill(Set.of(path.toString()));
    deleteTree(path);
    lock.close();
  }

  /** Deletes it, where no process belongs to it. */
  public void delete() throws IOException {
    try {
      deleteTree(path);
    } catch (IOException e) {
      // The lock's may be the file descriptor that a process at its limit lacks.
      lock.close();
      deleteTree(path);
    }
    lock.close();
  }

  /** Deletes what dead jobs of this user have left, as far as it can: the new one must not fail. */
  static void sweepDead() {
    sweepDead("");
  }

  /**
   * The same, in another directory too.
   *
   * @param disk that the user has named; empty if none
   */
  static void sweepDead(String disk) {
    Set<Path> bases = new LinkedHashSet<>(programBases(""));
    bases.addAll(programBases(disk));
    bases.forEach(NodeDirectory::sweepDead);
  }

  private static void sweepDead(Path base) {
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(base, "{" + PREFIX + "," + UNFINISHED + "}*")) {
      for (Path path : found) {
        sweep(path);
      }
    } catch (IOException | DirectoryIteratorException e) {
      System.err.println("fmi-daemon: cannot look for what dead jobs have left: " + e);
    }
  }

  private static void sweep(Path path) {
    try {
      if (isAbandoned(path)) {
        NodeProcesses.kill(Set.of(path.toString()));
        deleteTree(path);
      }
    } catch (IOException e) {
      System.err.println("fmi-daemon: cannot delete what a dead job has left: " + e);
    }
  }

  /**
   * Makes an end of a node, as its last daemon knew it, with what it has on a disk. May be called
   * when there is nothing left of it.
   */
  public static void fence(Bootstrap last) throws IOException {
    fence(last.jobId(), last.node(), last.generation(), last.secret());
    for (int g = 0; g <= last.generation(); g++) {
      Set<Path> paths = new LinkedHashSet<>();
      for (Path base : programBases(last.pieces())) {
        paths.add(path(base, last.jobId(), PROGRAM, last.node(), g, last.secret()));
      }
      if (!last.pieces().isEmpty()) {
        paths.add(onDisk(last, g));
      }
      for (Path path : paths) {
        if (isOwn(path)) {
          deleteTree(path);
        }
      }
    }
  }

  /**
   * Makes an end of a node: kills its daemons and all processes of its ranks, and deletes their
   * directories. May be called when there is nothing left of it.
   *
   * @param generation the last daemon that the job had there; it is done to those before it too
   */
  static void fence(String jobId, int node, int generation, byte[] secret) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    List<Path> own = new ArrayList<>();
    for (int g = 0; g <= generation; g++) {
      Path path = path(jobId, node, g, secret);
      names.add(path.toString());
      if (isOwn(path)) {
        own.add(path);
        ProcessHandle daemon = daemon(path);
        if (daemon != null) {
          daemon.destroyForcibly();
        }
      }
    }
    NodeProcesses.kill(names);
    for (Path path : own) {
      deleteTree(path);
    }
  }

  /** Whether it is a directory as {@link #create} makes it, which nobody else can have made. */
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

  /**
   * The daemon of a directory of ours: the process that its lock names, if it is the one that holds
   * the lock. If not the daemon is dead, and another process may have its number by now.
   *
   * @return null if there is none, or it is on its way in or out
   */
  static @Nullable ProcessHandle daemon(Path directory) throws IOException {
    Path lock = directory.resolve(LOCK);
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
    // Before the look, for a handle never kills a later process of the same number.
    ProcessHandle named = ProcessHandle.of(pid).orElse(null);
    return named != null && holds(pid, lock) ? named : null;
  }

  /** Whether a process has a file open and locked: proc_pid_fdinfo(5). */
  private static boolean holds(long pid, Path file) {
    Path process = Path.of("/proc", Long.toString(pid));
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        try {
          if (Files.isSameFile(descriptor, file)
              && Files.readString(
                      process.resolve("fdinfo").resolve(descriptor.getFileName()),
                      StandardCharsets.US_ASCII)
                  .contains("\nlock:")) {
            return true;
          }
        } catch (NoSuchFileException e) {
          // It has been closed meanwhile.
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // It has ended meanwhile, or is another user's. Were it for lack of file descriptors, the
      // search for processes that follows would fail too, and say so.
    }
    return false;
  }

  /**
   * Whether this is a node's directory without a daemon. Where they lie others may have directories
   * of similar names: all must be as {@link #create} makes it.
   */
  private static boolean isAbandoned(Path path) throws IOException {
    String name = path.getFileName().toString();
    boolean finished = FINISHED_NAME.matcher(name).matches();
    if ((!finished && !UNFINISHED_NAME.matcher(name).matches()) || !isOwn(path)) {
      return false;
    }
    try {
      Path lock = path.resolve(LOCK);
      if (finished && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
        return canLock(lock);
      }
      // Being made or deleted, unless it is old; it holds nothing but the lock.
      Instant changed = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant();
      return changed.isBefore(Instant.now().minus(Duration.ofMinutes(1)))
          && isEmptyBut(lock, path)
          && (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS) || canLock(lock));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static boolean isEmptyBut(Path lock, Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.allMatch(lock::equals);
    }
  }

  private static boolean canLock(Path file) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    }
  }

  /** The lock last: one that is not deleted to the end must still be known for what it is. */
  private static void deleteTree(Path root) throws IOException {
    CpuFrequencies.restore(root);
    Path lock = root.resolve(LOCK);
    for (int i = 0; ; i++) {
      try {
        deleteAllIn(root, lock);
        Files.deleteIfExists(lock);
        Files.deleteIfExists(root);
        return;
      } catch (DirectoryNotEmptyException e) {
        // A process that was dying has written once more.
        if (i == DELETIONS) {
          throw e;
        }
      }
    }
  }

  /** Has one file descriptor at a time: a process at its limit may have no more. */
  private static void deleteAllIn(Path directory, Path but) throws IOException {
    // A stream of Files has two.
    String[] names = directory.toFile().list();
    if (names == null) {
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(directory + " cannot be read");
      }
      return; // another process deletes it too
    }
    for (String name : names) {
      Path file = directory.resolve(name);
      if (file.equals(but)) {
        continue;
      }
      if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
        deleteAllIn(file, but);
      }
      Files.deleteIfExists(file);
    }
  }
}
