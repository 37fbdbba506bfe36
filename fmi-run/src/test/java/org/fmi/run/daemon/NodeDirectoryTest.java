package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.fmi.job.control.Bootstrap;
import org.fmi.run.energy.CpuFrequencies;
import org.fmi.testkit.support.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeDirectoryTest {
  /** More than other tests write while a method is called. */
  private static final long OTHER_FILES = 1 << 28;

  private static final int HOLDERS_NODE = 0;
  private static final int NOBODY = 65534;

  private static final byte[] SECRET = new byte[32];

  private final String job = UUID.randomUUID().toString().replace("-", "").substring(0, 12);

  /** Nor what belongs to it. */
  @AfterEach
  void noDirectoryOfAnotherProcessStays() throws IOException {
    fence(HOLDERS_NODE);
  }

  private void fence(int node) throws IOException {
    NodeFence.fence(job, node, 1, SECRET);
  }

  private String name(int node) {
    return String.valueOf(NodePaths.of(job, node, 0, SECRET).getFileName());
  }

  private static Process start(Path directory) throws IOException {
    // In a session of its own, as a rank's child that wants to get away.
    ProcessBuilder builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, directory + "/daemon.sock");
    builder.environment().put("FMI_TEST_LONG", "x".repeat(100_000));
    return builder.start();
  }

  private Bootstrap onDisk(Path disk, int generation) {
    return new Bootstrap(
        job, 3, generation, generation, SECRET, List.of(), 0, disk.toString(), 1000, 1000, 1000);
  }

  @Test
  void theOneOnADiskIsLikeTheOneInMemory(@TempDir Path disk) throws IOException {
    NodeDirectory directory = NodeDirectory.createOnDisk(onDisk(disk, 0));
    assertThat(directory.path().getParent()).isEqualTo(disk);
    assertThat(Files.getPosixFilePermissions(directory.path()))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    long before = Files.getFileStore(disk).getUsableSpace();
    long free = directory.free();
    long after = Files.getFileStore(disk).getUsableSpace();
    // Other tests write files meanwhile.
    assertThat(free)
        .isBetween(Math.min(before, after) - OTHER_FILES, Math.max(before, after) + OTHER_FILES);
    Files.createFile(directory.path().resolve("piece"));
    // Of a daemon after it.
    NodeFence.fence(onDisk(disk, 1));
    assertThat(disk).isEmptyDirectory();
  }

  /** As a daemon that ends does with the thread that copies the program. */
  @Test
  void leavesNothingWhenItIsInterrupted(@TempDir Path disk) {
    Thread.currentThread().interrupt();
    try {
      assertThatIOException()
          .isThrownBy(() -> NodeDirectory.createForProgram(job, 3, 0, SECRET, disk.toString(), 1))
          .withMessageContaining("cannot be used");
    } finally {
      Thread.interrupted();
    }
    assertThat(disk).isEmptyDirectory();
  }

  /** Its daemon may have been killed while they were slow. */
  @Test
  void coresGetBackWhatTheyHad(@TempDir Path cpus) throws IOException {
    Path frequency = Files.createDirectories(cpus.resolve("cpu0/cpufreq"));
    Path most = Files.writeString(frequency.resolve("scaling_max_freq"), "3200000");
    Files.writeString(frequency.resolve("cpuinfo_min_freq"), "1200000");
    NodeDirectory directory = NodeDirectory.create(job, 3, 0, SECRET);
    new CpuFrequencies(cpus, directory.path()).slowDown(List.of(0), 1);
    assertThat(most).hasContent("1200000");
    fence(3);
    assertThat(most).hasContent("3200000");
    assertThat(directory.path()).doesNotExist();
  }

  @Test
  void whatADeadJobHasLeftOnADiskIsDeleted(@TempDir Path disk) throws Exception {
    String another = new StringBuilder(job).reverse().toString();
    Process dead = JavaProcess.of(Holder.class, another, "0", "3", disk.toString()).start();
    Path left;
    try (var out = dead.inputReader()) {
      left = Path.of(String.valueOf(out.readLine()));
    }
    assertThat(left.getParent()).isEqualTo(disk);
    dead.destroyForcibly().waitFor();
    NodeDirectory directory = NodeDirectory.createOnDisk(onDisk(disk, 1));
    assertThat(left).doesNotExist();
    directory.delete();
    assertThat(disk).isEmptyDirectory();
  }

  /** That of a killed fmirun: no daemon has made it. */
  @ParameterizedTest
  @CsvSource({"false, 1", "false, 1000000000", "true, 1"})
  void theProgramOfADeadJobIsDeleted(boolean named, String bytes, @TempDir Path disk)
      throws Exception {
    String where = named ? disk.toString() : "";
    String run = Integer.toString(NodeDirectory.FMIRUN);
    Process dead = JavaProcess.of(Holder.class, job, "0", run, where, bytes).start();
    Path left;
    try (var out = dead.inputReader()) {
      left = Path.of(String.valueOf(out.readLine()));
    }
    assertThat(left).isDirectory();
    DeadJobs.sweep("", where);
    assertThat(left).as("it is locked").isDirectory();
    dead.destroyForcibly().waitFor();
    DeadJobs.sweep("", where);
    assertThat(left).doesNotExist();
  }

  @Test
  void aDiskWhereOthersMayDeleteItIsRefused(@TempDir Path disk) throws IOException {
    Path shared = Files.createDirectory(disk.resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatIOException()
        .isThrownBy(() -> NodeDirectory.createOnDisk(onDisk(shared, 0)))
        .withMessage(
            "--node-dir %s: other users may delete its contents; name a directory that only you may"
                + " write to, or one with the sticky bit, such as /tmp",
            shared);
    Path missing = disk.resolve("missing");
    assertThatIOException()
        .isThrownBy(() -> NodeDirectory.createOnDisk(onDisk(missing, 0)))
        .withMessage(
            "--node-dir %s: no such directory on this node; create it on each node", missing);
    assertThat(shared).isEmptyDirectory();
  }

  @Test
  void whatOneRankHasKeptGoesButForWhatIsKnown() throws IOException {
    NodeDirectory directory = NodeDirectory.create(job, 3, 0, SECRET);
    try {
      for (String name : List.of("l2-r1-a", "l2-r1-b", "l2-r10-a", "l2-r2-a", "ckpt-r1-0")) {
        Files.createFile(directory.path().resolve(name));
      }
      directory.deleteKept("l2-r1-", Set.of("l2-r1-b"));
      try (Stream<Path> left = Files.list(directory.path())) {
        assertThat(left.map(path -> path.getFileName().toString()))
            .containsExactlyInAnyOrder("l2-r1-b", "l2-r10-a", "l2-r2-a", "ckpt-r1-0", "lock");
      }
    } finally {
      directory.destroy();
    }
  }

  @Test
  void isForItsOwnerOnlyAndGoesWithAllThatBelongsToIt() throws Exception {
    NodeDirectory directory = NodeDirectory.create(job, 3, 0, SECRET);
    Process process = start(directory.path());
    try {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())))
          .isEqualTo("rwx------");
      Files.createDirectory(directory.path().resolve("sub"));
      Files.writeString(directory.path().resolve("sub/piece"), "x");
      directory.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(directory.path()).doesNotExist();
    } finally {
      process.destroyForcibly();
      directory.destroy();
    }
  }

  @Test
  void aProcessThatIsChangingItsProgramDoesNotGetAway(@TempDir Path scripts) throws Exception {
    Path script = scripts.resolve("again");
    Files.writeString(script, "#!/bin/sh\nexec \"$0\"\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    Path path = NodePaths.of(job, 5, 0, SECRET);
    for (int i = 0; i < 200; i++) {
      ProcessBuilder builder = new ProcessBuilder(script.toString());
      builder.environment().put(NodeDirectory.SOCKET_VARIABLE, path + "/daemon.sock");
      Process process = builder.start();
      try {
        fence(5);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("round " + i).isTrue();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void oneOfALivingJobIsNotSweptButCanBeFenced() throws Exception {
    Path path;
    Process daemon = JavaProcess.of(Holder.class, job, "0").start();
    try (var out = daemon.inputReader()) {
      path = Path.of(String.valueOf(out.readLine()));
      assertThat(path).exists();
      DeadJobs.sweep();
      assertThat(path).exists();
      Process rank = start(path);
      fence(HOLDERS_NODE);
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(path).doesNotExist();
      fence(HOLDERS_NODE);
    } finally {
      daemon.destroyForcibly();
    }
  }

  @Test
  void oneOfADeadJobIsSwept() throws Exception {
    Process daemon = JavaProcess.of(Holder.class, job, "0").start();
    try (var out = daemon.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      daemon.destroyForcibly();
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      DeadJobs.sweep();
      assertThat(path).doesNotExist();
    } finally {
      daemon.destroyForcibly();
    }
  }

  /** A new daemon of its node may take its checkpoints over. */
  @ParameterizedTest
  @ValueSource(ints = {NodeDirectory.FMIRUN, 1})
  void oneOfADeadDaemonStaysWhileItsJobLives(int alive) throws Exception {
    Process daemon = JavaProcess.of(Holder.class, job, "0").start();
    Process other = JavaProcess.of(Holder.class, job, "0", "" + alive).start();
    try (var out = daemon.inputReader();
        var otherOut = other.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      Path locked = Path.of(String.valueOf(otherOut.readLine()));
      daemon.destroyForcibly().waitFor();
      DeadJobs.sweep();
      assertThat(path).exists();
      assertThat(locked).exists();
      other.destroyForcibly().waitFor();
      DeadJobs.sweep(job, "");
      assertThat(path).as("this process has the job").exists();
      DeadJobs.sweep();
      assertThat(path).doesNotExist();
      assertThat(locked).doesNotExist();
    } finally {
      daemon.destroyForcibly();
      other.destroyForcibly();
    }
  }

  /** It holds the secret of a job whose fmirun is gone. */
  @Test
  void theMeetingPlaceOfALentNodesScriptIsSweptOnceTheScriptIsDead() throws Exception {
    Process script =
        new ProcessBuilder(
                "sh",
                "-c",
                "d=$(mktemp -d /dev/shm/fmi-lent-"
                    + job
                    + "-$$-XXXXXXXX) && mkfifo $d/out"
                    + " && exec 3<>$d/out && echo secret >$d/word && touch -d '1 hour ago' $d"
                    + " && echo $d && read line <&3")
            .start();
    try (var out = script.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      assertThat(path).exists();
      DeadJobs.sweep();
      assertThat(path).as("of a script that runs").exists();
      script.destroyForcibly().waitFor();
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
      DeadJobs.sweep();
      assertThat(path).as("that others may enter").exists();
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
      DeadJobs.sweep();
      assertThat(path).doesNotExist();
    } finally {
      script.destroyForcibly();
    }
  }

  private static Map<String, Path> ofRunning() throws IOException {
    return FmirunDirectory.ofRunning().stream()
        .collect(Collectors.toMap(FmirunDirectory::jobId, FmirunDirectory::path));
  }

  @Test
  void theJobsOfThisUserAreThoseWhoseFmirunLives() throws Exception {
    Process fmirun = JavaProcess.of(Holder.class, job, "0", "" + NodeDirectory.FMIRUN).start();
    try (var out = fmirun.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      assertThat(ofRunning()).containsEntry(job, path);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x---"));
      assertThat(ofRunning()).doesNotContainKey(job);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
      fmirun.destroyForcibly();
      assertThat(fmirun.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(ofRunning()).doesNotContainKey(job);
      DeadJobs.sweep();
      assertThat(path).doesNotExist();
    } finally {
      fmirun.destroyForcibly();
    }
  }

  /** A name alone proves nothing: it is the system that says whose a directory is. */
  @Test
  void aJobOfAnotherUserIsNotListed() throws Exception {
    assumeThat((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).isZero();
    Process fmirun = JavaProcess.of(Holder.class, job, "0", "" + NodeDirectory.FMIRUN).start();
    try (var out = fmirun.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      Files.setAttribute(path, "unix:uid", NOBODY);
      assertThat(ofRunning()).doesNotContainKey(job);
      Files.setAttribute(path, "unix:uid", 0);
      assertThat(ofRunning()).containsKey(job);
    } finally {
      fmirun.destroyForcibly().waitFor();
      DeadJobs.sweep();
    }
  }

  private static Path make(String name, String mode) throws IOException {
    Path path = Path.of("/dev/shm", name);
    Files.createDirectory(path);
    Files.writeString(path.resolve("data"), "x");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    return path;
  }

  private static void delete(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      Files.delete(path);
      return;
    }
    for (String name : List.of("data", "lock")) {
      Files.deleteIfExists(path.resolve(name));
    }
    Files.deleteIfExists(path);
  }

  @ParameterizedTest
  @CsvSource({
    "fmi-thesis-%s, rwx------, true", // not a name that we give
    "fmi-%s-0-0123456789abcdef, rwx------, false", // without the lock that ours have
    "fmi-%s-0-0123456789abcdef, rwxr-xr-x, true", // open to others
    ".fmi-cache-%s, rwx------, false",
    ".fmi-1%s, rwx------, true", // ours holds only the lock until it gets its name
  })
  void whatTheUserHasThereIsNotSwept(String name, String mode, boolean lock) throws Exception {
    Path path =
        make(name.formatted(name.startsWith(".fmi-1") ? "0" + System.nanoTime() : job), mode);
    try {
      if (lock) {
        Files.writeString(path.resolve("lock"), "1");
        Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
      }
      DeadJobs.sweep();
      assertThat(path.resolve("data")).exists();
    } finally {
      delete(path);
    }
  }

  @Test
  void oneThatCannotBeLookedAtDoesNotStopTheSweep() throws Exception {
    // In the order in which they are made they are found, or in the opposite one.
    Path before = make(name(1), "rwx------");
    Path path = make(name(2), "rwx------");
    Path after = make(name(3), "rwx------");
    Path lock = path.resolve("lock");
    Process process = null;
    try {
      Files.createFile(before.resolve("lock"));
      Files.createFile(after.resolve("lock"));
      // Not even the superuser may write to a program that runs.
      Files.copy(Path.of("/bin/sleep"), lock, StandardCopyOption.COPY_ATTRIBUTES);
      assumeThat(Files.isExecutable(lock)).as("/dev/shm allows programs").isTrue();
      process = new ProcessBuilder(lock.toString(), "1000").start();
      DeadJobs.sweep();
      assertThat(lock).exists();
      assertThat(before).doesNotExist();
      assertThat(after).doesNotExist();
    } finally {
      if (process != null) {
        process.destroyForcibly().waitFor();
      }
      delete(before);
      delete(path);
      delete(after);
    }
  }

  @Test
  void itsNameIsKnownToThoseWhoKnowTheSecret() {
    byte[] other = SECRET.clone();
    other[31] = 1;
    Path path = NodePaths.of(job, 1, 2, SECRET);
    assertThat(path)
        .isEqualTo(NodePaths.of(job, 1, 2, SECRET.clone()))
        .isNotEqualTo(NodePaths.of(job, 1, 2, other))
        .isNotEqualTo(NodePaths.of(job, 1, 3, SECRET));
    assertThat(name(1)).startsWith("fmi-" + job + "-1-");
  }

  /** An old daemon that is slow to die neither hinders its successor nor harms it. */
  @Test
  void anOldDaemonLeavesItsSuccessorAlone() throws Exception {
    Process daemon = JavaProcess.of(Holder.class, job, "1").start();
    NodeDirectory old = NodeDirectory.create(job, HOLDERS_NODE, 0, SECRET);
    try (var out = daemon.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      Process rank = start(path);
      Process oldRank = start(old.path());
      old.destroy();
      assertThat(oldRank.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(old.path()).doesNotExist();
      assertThat(path).exists();
      assertThat(daemon.isAlive()).isTrue();
      assertThat(rank.isAlive()).isTrue();
      fence(HOLDERS_NODE);
      assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(path).doesNotExist();
    } finally {
      daemon.destroyForcibly();
      old.destroy();
    }
  }

  /** What another user may have made where a node's directory is to be. */
  enum Foreign {
    OPEN,
    OTHER_OWNER,
    /** To a directory that is ours, with its daemon: that of another job. */
    LINK,
    LINKED_LOCK,
    /** All is ours, but the process that holds the lock is not the one that is named. */
    NAMES_ANOTHER
  }

  @ParameterizedTest
  @EnumSource
  void aProcessThatAForeignDirectoryNamesSurvives(Foreign kind, @TempDir Path elsewhere)
      throws Exception {
    Path path = NodePaths.of(job, 7, 0, SECRET);
    Process named = new ProcessBuilder("sleep", "1000").start();
    Process holder = null;
    try {
      Path directory = kind == Foreign.LINK ? elsewhere.resolve("d") : path;
      Files.createDirectory(directory);
      Files.writeString(directory.resolve("data"), "x");
      Path lock = kind == Foreign.LINKED_LOCK ? elsewhere.resolve("l") : directory.resolve("lock");
      Files.writeString(lock, Long.toString(named.pid()));
      switch (kind) {
        case LINK -> Files.createSymbolicLink(path, directory);
        case LINKED_LOCK -> Files.createSymbolicLink(path.resolve("lock"), lock);
        case OPEN, OTHER_OWNER, NAMES_ANOTHER -> {}
      }
      Files.setPosixFilePermissions(
          directory,
          PosixFilePermissions.fromString(kind == Foreign.OPEN ? "rwxr-xr-x" : "rwx------"));
      if (kind == Foreign.OTHER_OWNER) {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Files.setAttribute(directory, "unix:uid", NOBODY);
      }
      holder = JavaProcess.of(LockHolder.class, lock.toString()).start();
      assertThat(holder.inputReader().readLine()).isEqualTo("locked");
      if (kind == Foreign.LINK) {
        Files.writeString(lock, Long.toString(holder.pid()));
      }

      fence(7);
      DeadJobs.sweep();

      assertThat(named.isAlive()).isTrue();
      assertThat(holder.isAlive()).isTrue();
      // What the job may have made itself is deleted.
      boolean ours = kind == Foreign.LINKED_LOCK || kind == Foreign.NAMES_ANOTHER;
      assertThat(Files.exists(directory.resolve("data"))).isEqualTo(!ours);
      assertThat(Files.exists(lock)).isEqualTo(kind != Foreign.NAMES_ANOTHER);
    } finally {
      named.destroyForcibly();
      if (holder != null) {
        holder.destroyForcibly();
      }
      delete(path);
    }
  }

  /** A process that has a file locked. */
  static final class LockHolder {
    private LockHolder() {}

    public static void main(String[] args) throws Exception {
      try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        System.out.println(lock.isValid() ? "locked" : "not locked");
        Thread.sleep(Long.MAX_VALUE);
      }
    }
  }

  /** A process that has a directory and does nothing. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      int node = args.length > 2 ? Integer.parseInt(args[2]) : HOLDERS_NODE;
      int generation = Integer.parseInt(args[1]);
      NodeDirectory directory =
          switch (args.length) {
            case 5 ->
                NodeDirectory.createForProgram(
                    args[0], node, generation, SECRET, args[3], Long.parseLong(args[4]));
            case 4 ->
                NodeDirectory.createOnDisk(
                    new Bootstrap(
                        args[0],
                        node,
                        generation,
                        generation,
                        SECRET,
                        List.of(),
                        0,
                        args[3],
                        1000,
                        1000,
                        1000));
            default -> NodeDirectory.create(args[0], node, generation, SECRET);
          };
      System.out.println(directory.path());
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
