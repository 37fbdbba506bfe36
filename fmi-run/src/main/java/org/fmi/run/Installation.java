package org.fmi.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The installation of FMI.
 *
 * <pre>
 *   bin/fmirun, fmi, fmi-daemon   scripts that find a JDK
 *   lib/*.jar                     for ranks and daemons
 *   lib/chronicle/*.jar           only for ranks with state that implements BytesMarshallable
 *   lib/meters/*.jar              only for programs with meters and jobs with metrics
 *   lib/metrics/*.jar             only for fmirun, in jobs with metrics
 *   lib/disni/*.jar               only for ranks that use RDMA through DiSNI
 *   lib/json/*.jar                only for fmirun, helpers of daemons, and ranks whose checkpoints are in files
 *   lib/run/*.jar                 only for fmirun and helpers of daemons
 *   lib/native/*.so               Netty's libraries, so that no process unpacks them
 *   lib/maven/                    a repository of the modules for programs and their tests
 *   lib/jvm.options               options of all JVMs
 *   lib/aot/*.aot                 AOT caches, made by lib/make-aot-caches
 *   conf/fmi.conf                 the site's settings
 * </pre>
 */
public record Installation(Path home) {
  /** Returns the installation from which this process was started. */
  public static Installation current() {
    String home = System.getProperty("fmi.home");
    if (home == null) {
      throw new IllegalStateException("fmi.home is not set: start FMI by its scripts in bin");
    }
    return new Installation(Path.of(home));
  }

  public Path daemon() {
    return home.resolve("bin/fmi-daemon");
  }

  public Path settings() {
    return home.resolve("conf/fmi.conf");
  }

  public Path jvmOptions() {
    return home.resolve("lib/jvm.options");
  }

  public Path nativeLibraries() {
    return home.resolve("lib/native");
  }

  /**
   * Returns the jars that follow a program's own on the class path.
   *
   * @param files whether its checkpoints are written to files
   * @param disni whether to include the jars of DiSNI
   */
  public List<String> lastJars(boolean files, boolean disni) throws IOException {
    List<String> jars = new ArrayList<>();
    addJars("chronicle", jars);
    addJars("meters", jars);
    if (files) {
      addJars("json", jars);
    }
    if (disni) {
      addJars("disni", jars);
    }
    return jars;
  }

  /**
   * Returns the command of the helper that writes checkpoints to files.
   *
   * @param classPath class path of daemons. With the jars of fmirun after it, it begins like
   *     fmirun's, whose AOT cache serves the helper, too
   * @param caches the directory of AOT caches; null to start without
   */
  public List<String> flushCommand(String classPath, @Nullable String caches) throws IOException {
    List<String> jars = new ArrayList<>(List.of(classPath));
    addJars("json", jars);
    addJars("run", jars);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + jvmOptions());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xms8m", "-Xmx32m"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
    command.add("-Djdk.reflect.useNativeAccessorOnly=true");
    command.addAll(aotOptions("fmirun", caches));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, jars)));
    command.add("org.fmi.run.flush.FlushMain");
    return command;
  }

  /** Adds jars in the order of {@code lib/launch.sh}, to which AOT caches are bound. */
  private void addJars(String directory, List<String> jars) throws IOException {
    List<String> all = new ArrayList<>();
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(home.resolve("lib").resolve(directory), "*.jar")) {
      found.forEach(jar -> all.add(jar.toString()));
    }
    Collections.sort(all);
    jars.addAll(all);
  }

  /**
   * Returns the directory of the AOT caches; null if there are none made by this process's own JDK,
   * which the starting script decides.
   */
  public static @Nullable String aotCaches() {
    return System.getProperty("fmi.aot");
  }

  /**
   * Returns options with which a JVM starts from an AOT cache; none without caches.
   *
   * @param kind kind of process: the class path begins like that of the cache
   */
  public static List<String> aotOptions(String kind, @Nullable String caches) {
    return caches == null
        ? List.of()
        : List.of("-XX:AOTCache=" + caches + "/" + kind + ".aot", "-Xlog:aot=off", "-Xlog:cds=off");
  }
}
