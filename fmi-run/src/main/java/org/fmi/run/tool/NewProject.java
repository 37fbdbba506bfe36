package org.fmi.run.tool;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;
import org.fmi.run.Installation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command that creates a first project: a Maven project that finds FMI in this installation, a
 * test that kills a rank, and a script that runs it.
 */
final class NewProject {
  private static final int USAGE = 64;
  private static final int FAILED = 70;

  /** The name of a directory, a Maven artifact and, without hyphens, a Java package. */
  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

  private NewProject() {}

  static CommandSpec spec() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] =
        FmiTool.command(
            () -> make(self[0].positionalParameters().getFirst().getValue()),
            "Creates a directory with a first program: a Maven project, a main class with a loop, a"
                + " test that kills a rank, and a script that builds and runs the program.");
    self[0].addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .paramLabel("NAME")
            .arity("1")
            .type(String.class)
            .description(
                "Name of the directory and the program: lower-case letters, digits and hyphens.")
            .build());
    return self[0];
  }

  private static int make(String name) {
    String problem = problem(name);
    if (problem != null) {
      System.err.println("fmi: " + name + ": " + problem);
      return USAGE;
    }
    String version = FmiTool.class.getPackage().getImplementationVersion();
    try {
      make(Path.of(name), Installation.current().home(), Objects.requireNonNull(version));
    } catch (FileAlreadyExistsException e) {
      System.err.println("fmi: " + name + " already exists; use another name");
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmi: " + name + " cannot be created: " + e);
      return FAILED;
    }
    System.out.printf(
        """
        %1$s is a program that computes pi. Next:
          cd %1$s
          mvn test                                        # its test kills a rank
          ./run -n 4 --interval 100 --kill rank2@555      # builds and runs it, and kills a rank
        """,
        name);
    return 0;
  }

  /** Returns why a program cannot have this name; null if it can. */
  static @Nullable String problem(String name) {
    if (!VALID.matcher(name).matches()) {
      return "use lower-case letters, digits and hyphens, as in heat or my-solver";
    }
    return SourceVersion.isName(packageOf(name))
        ? null
        : "not a package name, because it is a Java keyword; use another name";
  }

  private static String packageOf(String name) {
    return name.replace("-", "");
  }

  /**
   * Creates the project.
   *
   * @param directory must not exist yet
   * @param home directory of FMI
   */
  static void make(Path directory, Path home, String version) throws IOException {
    String name = directory.getFileName().toString();
    String pack = packageOf(name);
    Map<String, Path> files = new LinkedHashMap<>();
    files.put("pom.xml", Path.of("pom.xml"));
    files.put("Main.java.txt", Path.of("src/main/java", pack, "Main.java"));
    files.put("MainTest.java.txt", Path.of("src/test/java", pack, "MainTest.java"));
    files.put("run.txt", Path.of("run"));
    Files.createDirectory(directory);
    for (Map.Entry<String, Path> file : files.entrySet()) {
      Path to = directory.resolve(file.getValue());
      Files.createDirectories(to.getParent());
      Files.writeString(
          to,
          template(file.getKey())
              .replace("@NAME@", name)
              .replace("@PACKAGE@", pack)
              .replace("@VERSION@", version)
              .replace("@HOME@", home.toString()));
    }
    Files.setPosixFilePermissions(
        directory.resolve("run"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String template(String name) throws IOException {
    try (InputStream in = NewProject.class.getResourceAsStream("new/" + name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
