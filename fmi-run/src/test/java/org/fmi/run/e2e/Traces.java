package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Finds what belongs to one test's job: its processes, and its directories in node memory. They are
 * known by a mark that all processes of the job inherit; other jobs on the machine do not matter.
 */
final class Traces {
  private static final String VARIABLE = "TEST_MARK";

  private final String mark = UUID.randomUUID().toString();

  /** Marks what is started with this environment, and keeps the tester's own settings out. */
  void mark(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("FMI_"));
    environment.put(VARIABLE, mark);
  }

  /** Process ids of all that the job has started, and that has this in its command line. */
  List<Long> processes(String what) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(ProcessHandle::pid)
          .filter(this::isOurs)
          .filter(pid -> read(pid, "cmdline").contains(what))
          .toList();
    }
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

  /** Node directories, but for those with a living daemon of another job. */
  private List<Path> directories() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      return files
          .filter(f -> f.getFileName().toString().startsWith("fmi-"))
          .filter(f -> !isOfAnother(f))
          .toList();
    }
  }

  private boolean isOfAnother(Path directory) {
    try {
      long daemon = Long.parseLong(Files.readString(directory.resolve("lock")));
      return !read(daemon, "environ").isEmpty() && !isOurs(daemon);
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether all processes and directories of the job are gone. */
  boolean gone() throws IOException {
    return processes("").isEmpty() && directories().isEmpty();
  }

  /** The job is over: nothing may be left of it. */
  void assertGone(String output) throws IOException {
    assertThat(directories()).as("left in node memory; output:%n%s", output).isEmpty();
    assertThat(commandLines()).as("processes left; output:%n%s", output).isEmpty();
  }

  /** Sends a signal to a process, or, its number negated, to the group that it leads. */
  static void signal(String name, long pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, "--", Long.toString(pid)).start().waitFor())
        .isZero();
  }
}
