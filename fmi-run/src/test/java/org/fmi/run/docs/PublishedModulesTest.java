package org.fmi.run.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The modules that fmi-bom names are enough for a program, and an installation has all of them. */
final class PublishedModulesTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<dependency>\\s*<groupId>org\\.fmi</groupId>(.*?)</dependency>", Pattern.DOTALL);

  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");

  private static final Pattern INSTALLED =
      Pattern.compile("<file><source>\\.\\./([^/]+)/pom\\.xml</source>");

  @Test
  void theBomNamesAllThatItsModulesNeed() throws IOException {
    Set<String> published = published();
    assertThat(published).contains("fmi-api", "fmi-runtime", "fmi-junit");
    for (String module : published) {
      for (String dependency : dependencies(module)) {
        if (!dependency.contains("<scope>test</scope>") && !dependency.contains("fmi-codec")) {
          assertThat(published).as(module).contains(artifact(dependency));
        }
      }
    }
  }

  @Test
  void theInstallationsRepositoryHasThem() throws IOException {
    Set<String> expected = published();
    expected.add("fmi-bom");
    Path assembly = Markdown.ROOT.resolve("fmi-run/src/package/assembly.xml");
    assertThat(INSTALLED.matcher(Files.readString(assembly)).results().map(m -> m.group(1)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  /** Maven Central asks for a name, and it is not inherited. */
  @Test
  void eachHasAName() throws IOException {
    for (String module : published()) {
      assertThat(pom(module)).as(module).contains("<name>").contains("<description>");
    }
  }

  private static Set<String> published() throws IOException {
    Set<String> names = new TreeSet<>();
    dependencies("fmi-bom").forEach(dependency -> names.add(artifact(dependency)));
    return names;
  }

  private static List<String> dependencies(String module) throws IOException {
    return DEPENDENCY.matcher(pom(module)).results().map(m -> m.group(1)).toList();
  }

  private static String artifact(String dependency) {
    return ARTIFACT.matcher(dependency).results().findFirst().orElseThrow().group(1);
  }

  private static String pom(String module) throws IOException {
    return Files.readString(Markdown.ROOT.resolve(module).resolve("pom.xml"));
  }
}
