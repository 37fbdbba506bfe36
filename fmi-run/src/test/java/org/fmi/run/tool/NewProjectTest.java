package org.fmi.run.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code fmi new} makes; dev/standalone builds, tests and runs it. */
final class NewProjectTest {
  @TempDir private Path directory;

  @Test
  void itIsOfItsNameAndThisInstallation() throws IOException {
    Path project = directory.resolve("my-solver");
    NewProject.make(project, Path.of("/opt/fmi"), "7.1");
    List<String> files;
    try (Stream<Path> all = Files.walk(project)) {
      files =
          all.filter(Files::isRegularFile).map(f -> project.relativize(f) + "").sorted().toList();
    }
    assertThat(files)
        .containsExactly(
            "pom.xml",
            "run",
            "src/main/java/mysolver/Main.java",
            "src/test/java/mysolver/MainTest.java");
    assertThat(project.resolve("run")).isExecutable().content().contains("/opt/fmi", "my-solver");
    assertThat(project.resolve("pom.xml"))
        .content()
        .contains("<fmi.version>7.1</fmi.version>", "<fmi.home>/opt/fmi</fmi.home>");
    for (String file : files) {
      assertThat(project.resolve(file)).content().doesNotContainPattern("@[A-Z]+@");
    }
  }

  @Test
  void aNameThatMavenOrJavaRefusesIsRefused() {
    for (String name : List.of("heat", "my-solver", "new-class", "record", "k2")) {
      assertThat(NewProject.problem(name)).as(name).isNull();
    }
    for (String name : List.of("Heat", "2d", "a_b", "-a", "../a", "")) {
      assertThat(NewProject.problem(name)).as(name).contains("lower-case letters");
    }
    for (String name : List.of("class", "int", "true", "sw-itch")) {
      assertThat(NewProject.problem(name)).as(name).contains("a Java keyword");
    }
  }

  @Test
  void nothingIsOverwritten() throws IOException {
    Path project = Files.createDirectory(directory.resolve("heat"));
    assertThatThrownBy(() -> NewProject.make(project, directory, "1"))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(project).isEmptyDirectory();
  }
}
