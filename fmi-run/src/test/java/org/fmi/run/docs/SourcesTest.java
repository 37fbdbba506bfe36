package org.fmi.run.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds what no compiler and no formatter looks at in the Java files of all modules. */
final class SourcesTest {
  /** Outside of imports, comments and strings. */
  private static final Pattern FULL_NAME =
      Pattern.compile(
          "^(?! *(?:import |\\*|/[/*]))[^\"]*\\b"
              + "(?:javax?|org\\.(?:fmi|assertj|junit|jspecify)|io\\.netty)"
              + "(?:\\.[a-z]\\w*)*\\.[A-Z].*");

  /** Of the libraries whose checks are off: see checks/pom.xml. */
  private static final Pattern UNCHECKED =
      Pattern.compile(
          "^import (?:static )?(?:androidx?|com\\.(?:google|sun\\.source)|dagger"
              + "|(?:javax|jakarta)\\.inject|io\\.reactivex|junit"
              + "|org\\.(?:joda|junit\\.(?!jupiter|platform)|mockito|robolectric))\\b.*");

  private static final Pattern OPTION_IN_TEXT =
      Pattern.compile("[^\"]*\"(?:[^\"]*[^\"\\w-])?--[a-z].*");

  private static final Pattern PACKAGE_PAGE =
      Pattern.compile("/\\*\\*\\s+(?:\\* )?(?!(?:What|How|Where|Who|When|Which|If|Whether)\\b)\\S");

  @Test
  void classesAreImported() throws IOException {
    search(sources(), FULL_NAME);
  }

  @Test
  void noLibraryIsUsedWhoseChecksAreOff() throws IOException {
    search(sources(), UNCHECKED);
  }

  /** Decisions say what they mean; how it is given on a command line is fmi-run's. */
  @Test
  void decisionsNameNoOptions() throws IOException {
    List<Path> decisions = javaFiles(Markdown.ROOT.resolve("fmi-job/src/main"));
    assertThat(decisions).hasSizeGreaterThan(50);
    search(decisions, OPTION_IN_TEXT);
  }

  /** Between modules the package tells two apart; examples are programs of their own. */
  @Test
  void aModuleHasOneClassOfAName() throws IOException {
    List<String> twice = new ArrayList<>();
    int files = 0;
    try (Stream<Path> modules = Files.list(Markdown.ROOT)) {
      for (Path module : modules.filter(path -> !path.endsWith("examples")).toList()) {
        Set<String> names = new HashSet<>();
        for (Path file : javaFiles(module.resolve("src/main"))) {
          String name = file.getFileName().toString();
          if (!name.equals("package-info.java") && !names.add(name)) {
            twice.add(Markdown.ROOT.relativize(file).toString());
          }
          files++;
        }
      }
    }
    assertThat(twice).isEmpty();
    assertThat(files).isGreaterThan(300);
  }

  /** It begins with what belongs there, not with a clause. */
  @Test
  void eachPackageHasAPage() throws IOException {
    List<String> wrong = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Markdown.ROOT)) {
      for (Path module : modules.filter(path -> !path.endsWith("examples")).toList()) {
        Set<Path> packages = new HashSet<>();
        javaFiles(module.resolve("src/main/java")).forEach(file -> packages.add(file.getParent()));
        for (Path directory : packages) {
          Path page = directory.resolve("package-info.java");
          if (!Files.exists(page) || !PACKAGE_PAGE.matcher(Files.readString(page)).lookingAt()) {
            wrong.add(Markdown.ROOT.relativize(directory).toString());
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void search(List<Path> files, Pattern forbidden) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      for (String line : Files.readAllLines(file)) {
        if (forbidden.matcher(line).matches()) {
          found.add(Markdown.ROOT.relativize(file) + ": " + line.strip());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  /** The Java files of all modules, tests too. */
  static List<Path> sources() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Markdown.ROOT)) {
      for (Path module : modules.toList()) {
        files.addAll(javaFiles(module.resolve("src")));
      }
    }
    assertThat(files).hasSizeGreaterThan(300);
    return files;
  }

  private static List<Path> javaFiles(Path sources) throws IOException {
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(sources)) {
      return all.filter(path -> path.toString().endsWith(".java")).toList();
    }
  }
}
