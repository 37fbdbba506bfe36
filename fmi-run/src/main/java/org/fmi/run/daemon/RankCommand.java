package org.fmi.run.daemon;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.Installation;
import org.fmi.verbs.VerbsProvider;
import org.jspecify.annotations.Nullable;

/** The command line and environment of a rank's process. */
final class RankCommand {
  /** The JVM refuses a second collector. */
  private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC\\b");

  /** Variables from which the JVM takes options. */
  static final List<String> OPTION_VARIABLES =
      List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private final NodeSetup setup;
  private final NodeProgram program;
  private final Installation installation;
  private final Path socket;
  private final int cores;
  private final boolean hugePages;
  private final String classPath;

  /** The usable part of the memory, in percent. */
  private final double memory;

  /**
   * @param program the program's files on this node
   * @param socket the socket of the rank's daemon
   * @param cores cores of this machine
   */
  RankCommand(
      NodeSetup setup, NodeProgram program, Installation installation, Path socket, int cores)
      throws IOException {
    this.setup = setup;
    this.program = program;
    this.installation = installation;
    this.socket = socket;
    this.cores = cores;
    this.hugePages = hugePages();
    this.memory = 100 * GrantedMemory.share(System.getenv(), RankCommand::totalMemory);
    // FMI's own jars first, as in the daemon: the AOT cache requires that.
    Set<String> entries =
        new LinkedHashSet<>(
            List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
    entries.addAll(program.classPath());
    String verbs = variable(VerbsProvider.VARIABLE);
    boolean files = !setup.level2().directory().isEmpty();
    entries.addAll(installation.lastJars(files, VerbsProvider.DISNI.equals(verbs)));
    this.classPath = String.join(File.pathSeparator, entries);
  }

  /** Returns the memory of the machine, or of the control group if that is less. */
  private static long totalMemory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  /**
   * Returns the process to start. The system kills it when the thread that starts it ends. It makes
   * a process group before it runs the program.
   *
   * @param ranksOnMachine the number of ranks that share the machine; determines heap and threads
   * @param jvmOptions options of this JVM alone, in addition to those of all ranks
   * @throws IOException if the program has changed since the job started
   */
  ProcessBuilder build(int ranksOnMachine, List<String> jvmOptions) throws IOException {
    program.requireUnchanged();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("setpriv", "--pdeathsig", "KILL"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + installation.jvmOptions());
    command.add("-Djava.library.path=" + libraryPath());
    command.add("-XX:-UsePerfData");
    int share = Math.max(1, cores / ranksOnMachine);
    command.add("-XX:ActiveProcessorCount=" + share);
    if (!isCollectorChosen(jvmOptions)) {
      command.add(share == 1 ? "-XX:+UseSerialGC" : "-XX:+UseParallelGC");
    }
    if (hugePages) {
      // Faster memory. It also lets other ranks learn of a death sooner, because the system closes
      // a killed process's connections only after clearing its memory, page by page.
      command.add("-XX:+UseTransparentHugePages");
    }
    // Half of the memory is left to checkpoints, message buffers and the system. As shares of the
    // memory that the JVM finds usable, because any explicit heap option overrides them.
    double heap = memory / 2 / ranksOnMachine;
    command.add("-XX:MaxRAMPercentage=" + heap);
    // Otherwise the JVM would start as if the machine were its own, and use all of that before it
    // collects.
    command.add("-XX:InitialRAMPercentage=" + Math.min(heap / 8, memory / 64));
    command.addAll(Installation.aotOptions("rank", Installation.aotCaches()));
    command.addAll(setup.jvmOptions());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(classPath);
    command.add("org.fmi.run.rank.RankMain");
    command.add(setup.mainClass());
    command.addAll(setup.args());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(new File(setup.workDirectory()));
    Map<String, String> environment = builder.environment();
    environment.putAll(setup.environment());
    environment.put(NodeDirectory.SOCKET_VARIABLE, socket.toString());
    return builder;
  }

  private boolean isCollectorChosen(List<String> jvmOptions) {
    List<String> texts = new ArrayList<>(setup.jvmOptions());
    texts.addAll(jvmOptions);
    for (String name : OPTION_VARIABLES) {
      String set = variable(name);
      if (set != null) {
        texts.add(set);
      }
    }
    return texts.stream().anyMatch(COLLECTOR.asPredicate());
  }

  /** Returns a variable as a rank will see it. */
  private @Nullable String variable(String name) {
    String set = setup.environment().get(name);
    return set == null ? System.getenv(name) : set;
  }

  private String libraryPath() {
    String site = variable("LD_LIBRARY_PATH");
    return installation.nativeLibraries()
        + (site == null || site.isEmpty() ? "" : File.pathSeparator + site)
        + ":/usr/java/packages/lib:/usr/lib64:/lib64:/lib:/usr/lib";
  }

  /**
   * Whether the system gives huge pages on request; without them, the JVM would print a warning.
   */
  private static boolean hugePages() throws IOException {
    try {
      return !Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
          .contains("[never]");
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
