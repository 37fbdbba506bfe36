package org.fmi.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A class that does one thing fits into a few hundred lines. The few that do not say in their
 * Javadoc why they are one class nevertheless.
 *
 * <p>Classes of tests are exempt: they are tables of cases, of which each is read alone, and which
 * stay together as what they test does.
 */
final class ClassSizeTest {
  private static final int MOST_LINES = 600;
  private static final int MOST_EXCEPTIONS = 5;

  /**
   * Classes that are longer and should be. The Javadoc of each has a sentence that begins with "One
   * class because".
   */
  private static final Set<String> EXCEPTIONS = Set.of("org.fmi.Comm");

  private static final String REASON = "One class because";

  private static final Pattern JAVADOC =
      Pattern.compile("^/\\*\\*(.*?)\\*/", Pattern.DOTALL | Pattern.MULTILINE);

  /** The text of each source file of each module, by the name of its class. */
  private static final Map<String, String> SOURCES = new HashMap<>();

  @BeforeAll
  static void read() throws IOException {
    Path root = Path.of("..").toRealPath();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.toList()) {
        Path sources = module.resolve("src/main/java");
        if (Files.isDirectory(sources)) {
          read(sources);
        }
      }
    }
    assertThat(SOURCES).hasSizeGreaterThan(100);
  }

  private static void read(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String name = sources.relativize(file).toString().replace('/', '.');
        SOURCES.put(name.substring(0, name.length() - ".java".length()), Files.readString(file));
      }
    }
  }

  private static Map<String, Long> longClasses() {
    Map<String, Long> found = new TreeMap<>();
    SOURCES.forEach(
        (name, text) -> {
          long lines = text.lines().count();
          if (lines > MOST_LINES) {
            found.put(name, lines);
          }
        });
    return found;
  }

  @Test
  void noOtherClassIsLong() {
    Map<String, Long> found = longClasses();
    found.keySet().removeAll(EXCEPTIONS);
    assertThat(found).as("classes of over %s lines", MOST_LINES).isEmpty();
  }

  @Test
  void thereAreFewExceptions() {
    assertThat(EXCEPTIONS).hasSizeLessThanOrEqualTo(MOST_EXCEPTIONS);
    assertThat(longClasses().keySet()).as("exceptions that are needed").containsAll(EXCEPTIONS);
  }

  @Test
  void eachExceptionGivesItsReason() {
    for (String name : EXCEPTIONS) {
      Matcher javadoc = JAVADOC.matcher(SOURCES.getOrDefault(name, ""));
      assertThat(javadoc.find() ? javadoc.group(1).replaceAll("\\s*\\n \\*\\s*", " ") : "")
          .as(name)
          .contains(REASON);
    }
  }
}
