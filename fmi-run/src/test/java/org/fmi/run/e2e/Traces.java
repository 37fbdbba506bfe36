package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds what belongs to one test's job: its processes, and its directories in node memory. They are
 * known by a mark that all processes of the job inherit; other jobs on the machine do not matter.
 */
final class Traces {
  private static final String VARIABLE = "TEST_MARK";

  /** Of the tester's environment: what changes what a JVM does or says. */
  private static final Set<String> JAVA_OPTIONS =
      Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /** For how long another job may take to delete a directory. */
  private static final Duration VANISHING = Duration.ofSeconds(30);

  /** How often to look whether killed processes are gone. */
  private static final long VANISHED_NANOS = 10_000_000;

  private static final Path MEMORY = Path.of("/dev/shm");

  /** Of a large program. */
  private static final Path DISK = Path.of("/tmp");

  /** Of a node, or of fmirun itself: see {@code NodeDirectory}. */
  private static final Pattern DIRECTORY =
      Pattern.compile("fmi-[0-9a-f]{12}-(?:program)?(?:[0-9]+|run)-[0-9a-f]{16}");

  /**
   * A job of a few seconds ends sooner if little of it is compiled, and if ranks, as daemons do,
   * get the pages of their AOT cache at once; the heap, which they get with them, is small at
   * first. What is called by reflection is called once.
   */
  private static final String JVM_OPTIONS =
      "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=8 -XX:+AlwaysPreTouch -Xms8m"
          + " -Djdk.reflect.useNativeAccessorOnly=true";

  private final String mark = UUID.randomUUID().toString();
  private final Set<Path> before = directories(_ -> true);

  /** The job's name, which is in those of its directories; null until it is known. */
  private @Nullable String job;

  /** The job has told its name. */
  void named(String name) {
    job = name;
  }

  /**
   * Marks what is started with this environment, keeps the tester's own settings out, and sets
   * {@code FMI_JVM_OPTIONS} to what suits a short job.
   */
  void mark(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("FMI_") || JAVA_OPTIONS.contains(name));
    environment.put("FMI_JVM_OPTIONS", JVM_OPTIONS);
    environment.put("LC_ALL", "C.UTF-8"); // messages of the system are in the user's language
    environment.put(VARIABLE, mark);
  }

  /** Process ids of all that the job has started, and that has this in its command line. */
  List<Long> processes(String what) {
    return found(what).map(ProcessHandle::pid).toList();
  }

  /** As {@link #processes}, those that were started first at the front. */
  List<Long> processesByAge(String what) {
    return found(what)
        .sorted(Comparator.comparing(process -> process.info().startInstant().orElseThrow()))
        .map(ProcessHandle::pid)
        .toList();
  }

  private Stream<ProcessHandle> found(String what) {
    return ProcessHandle.allProcesses()
        .filter(process -> isOurs(process.pid()))
        .filter(process -> read(process.pid(), "cmdline").contains(what));
  }

  /** Command lines of all processes of the job. */
  private List<String> commandLines() {
    return processes("").stream()
        .map(pid -> pid + " " + read(pid, "cmdline").replace('\0', ' '))
        .toList();
  }

  private boolean isOurs(long pid) {
    return read(pid, "environ").contains(VARIABLE + "=" + mark);
  }

  private static String read(long pid, String file) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // ended meanwhile, or of somebody else
    }
  }

  /** Directories in node memory that the job may have made. */
  Set<Path> directories() {
    return directories(path -> !before.contains(path) && !isOfAnother(path));
  }

  private static Set<Path> directories(Predicate<Path> which) {
    try (Stream<Path> memory = Files.list(MEMORY);
        Stream<Path> disk = Files.list(DISK)) {
      return Stream.concat(memory, disk)
          .filter(path -> DIRECTORY.matcher(path.getFileName().toString()).matches())
          .filter(which)
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Whether another job has it, as its name says or a living process of that job, its fmirun's at
   * least; or it is gone by now. What another job has left of a node that it lost may stay until
   * that job ends.
   */
  private boolean isOfAnother(Path directory) {
    if (job != null) {
      return !job.equals(job(directory));
    }
    return Files.notExists(directory)
        || directories(path -> job(path).equals(job(directory))).stream()
            .mapToLong(Traces::daemon)
            .anyMatch(process -> !read(process, "environ").isEmpty() && !isOurs(process));
  }

  /** The name of a directory's job. */
  private static String job(Path directory) {
    return directory.getFileName().toString().split("-", -1)[1];
  }

  /** The process that has a directory, or fmirun's own; negative if that cannot be read. */
  private static long daemon(Path directory) {
    try {
      return Long.parseLong(Files.readString(directory.resolve("lock")));
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * Ends what is left of the job, and deletes what that leaves, which would disturb other tests.
   */
  void kill() throws IOException {
    Set<Path> own = directories(path -> isOurs(daemon(path)));
    // A dead process that nobody has waited for has no environment any more: it counts as gone.
    for (List<ProcessHandle> left = found("").toList();
        !left.isEmpty();
        left = found("").toList()) {
      left.forEach(ProcessHandle::destroyForcibly);
      LockSupport.parkNanos(VANISHED_NANOS); // polls what the system deletes
    }
    for (Path directory : own) {
      // Those of other jobs, and their daemons, delete it as well.
      new ProcessBuilder("rm", "-rf", directory.toString()).start().onExit().join();
    }
  }

  /** Whether all processes and directories of the job are gone. */
  boolean gone() {
    return processes("").isEmpty() && directories().isEmpty();
  }

  /** The job is over: nothing may be left of it. */
  void assertGone(String output) throws InterruptedException {
    assertThat(commandLines()).as("processes left; output:%n%s", output).isEmpty();
    // What vanishes now was another job's, which deletes a node: this one has nobody to delete it.
    long limit = System.nanoTime() + VANISHING.toNanos();
    while (!directories().isEmpty() && System.nanoTime() < limit) {
      Thread.sleep(10); // polls what another process deletes
    }
    assertThat(directories()).as("left in node memory; output:%n%s", output).isEmpty();
  }

  /** Sends a signal to a process, or, its number negated, to the group that it leads. */
  static void signal(String name, long pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, "--", Long.toString(pid)).start().waitFor())
        .isZero();
  }
}
