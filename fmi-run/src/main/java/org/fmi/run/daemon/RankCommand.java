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

/** Knows the command line and environment of a rank's process. */
final class RankCommand {
  /** The JVM refuses a second collector. */
  private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC\\b");

  /** Variables from which the JVM takes options too. */
  static final List<String> OPTION_VARIABLES =
      List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private final NodeSetup setup;
  private final NodeProgram program;
  private final Installation installation;
  private final Path socket;
  private final int cores;
  private final boolean hugePages;
  private final String classPath;

  /** The part of the memory that may be used, in percent. */
  private final double memory;

  /**
   * @param program the program's files on this node
   * @param socket where the rank finds its daemon
   * @param cores of this machine
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
    // FMI's own jars, as the daemon has them, first: the AOT cache asks for that.
    Set<String> entries =
        new LinkedHashSet<>(
            List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
    entries.addAll(program.classPath());
    String verbs = variable(VerbsProvider.VARIABLE);
    entries.addAll(installation.lastJars(VerbsProvider.DISNI.equals(verbs)));
    this.classPath = String.join(File.pathSeparator, entries);
  }

  /** Of the machine, or of the control group if that has less. */
  private static long totalMemory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  /**
   * The process to start: killed by the system when the thread that starts it ends. It makes a
   * process group of its own before it runs the program.
   *
   * @param ranksOnMachine how many share the machine; sizes heap and threads
   * @param jvmOptions for this one alone, after those of all
   * @throws IOException if the program is not the one any more that the job began with
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
      // Faster memory; and the system, which closes a killed process' connections only after it has
      // cleared its memory away, page by page, lets the others know sooner.
      command.add("-XX:+UseTransparentHugePages");
    }
    // Half of the memory is left to checkpoints, message buffers and the system. As shares of what
    // the JVM finds that it may use: all else that is said of the heap, in any form, wins over
    // them.
    double heap = memory / 2 / ranksOnMachine;
    command.add("-XX:MaxRAMPercentage=" + heap);
    // The JVM would begin as if the machine were its own, and use all of that before it collects.
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

  /** As a rank will see it. */
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

  /** Whether the system gives huge pages to those who ask; without, the JVM would warn. */
  private static boolean hugePages() throws IOException {
    try {
      return !Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
          .contains("[never]");
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
