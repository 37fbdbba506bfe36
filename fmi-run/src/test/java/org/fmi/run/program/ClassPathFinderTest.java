package org.fmi.run.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassPathFinderTest {
  @TempDir private Path directory;

  /** A jar whose manifest names others. */
  private Path jar(String name, String others) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (!others.isEmpty()) {
      manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, others);
    }
    Path jar = directory.resolve(name);
    Files.createDirectories(jar.getParent());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream _ = new JarOutputStream(out, manifest)) {
      return jar;
    }
  }

  private List<String> paths(Path... classPath) throws IOException {
    return find(classPath).stream()
        .map(entry -> directory.relativize(Path.of(entry.path())).toString())
        .toList();
  }

  private static List<ProgramEntry> find(Path... classPath) throws IOException {
    return ClassPathFinder.find(
        List.of(classPath).stream().map(Path::toString).toList(), List.of());
  }

  @Test
  void whatAManifestNamesFollowsTheJarAsInTheJvm() throws IOException {
    Path last = jar("last.jar", "");
    jar("lib/b.jar", "c.jar ../app.jar");
    jar("lib/c.jar", "");
    Path app = jar("app.jar", "lib/b.jar lib/missing.jar classes/ last.jar");
    Files.createDirectory(directory.resolve("classes"));
    assertThat(paths(app, last))
        .containsExactly("app.jar", "lib/b.jar", "lib/c.jar", "classes", "last.jar");
    // The first mention counts.
    assertThat(paths(last, app))
        .containsExactly("last.jar", "app.jar", "lib/b.jar", "lib/c.jar", "classes");
  }

  /** The JVM finds them from a copy as well, before any copy of them. */
  @Test
  void whatAManifestNamesAbsolutelyIsUsedWhereItIs() throws IOException {
    jar("lib/c.jar", "");
    Path b = jar("lib/b.jar", "c.jar");
    Path app = jar("app.jar", "file:" + b);
    List<ProgramEntry> found = find(app);
    assertThat(found.stream().map(ProgramEntry::kind))
        .containsExactly(Kind.COPIED, Kind.IN_PLACE, Kind.IN_PLACE);
    assertThat(found.get(1).digest()).isEqualTo(ProgramCopy.digest(found.get(1))).hasSize(64);
    assertThat(found.get(2).digest()).isNotEmpty();
  }

  @Test
  void namesInManifestsMayBeEncodedOrNonsense() throws IOException {
    jar("a b.jar", "");
    Path app = jar("app.jar", "a%20b.jar http://example.org/x.jar x.jar?y [x].jar //x/y");
    assertThat(paths(app)).containsExactly("app.jar", "a b.jar");
  }

  @Test
  void ofALargeDirectoryOnlyTheProgramFilesAreCopied() throws IOException {
    Path classes = Files.createDirectories(directory.resolve("classes/META-INF/services"));
    Files.writeString(classes.resolve("S"), "Impl");
    Path root = directory.resolve("classes");
    Files.write(root.resolve("A.class"), new byte[10]);
    Files.write(root.resolve("data"), new byte[100]);
    assertThat(ClassPathFinder.find(List.of(root.toString()), List.of(), 114))
        .containsExactly(new ProgramEntry(root.toString(), Kind.COPIED, 114, ""));
    assertThat(ClassPathFinder.find(List.of(root.toString()), List.of(), 113))
        .containsExactly(
            new ProgramEntry(root.toString(), Kind.PROGRAM_FILES, 14, ""),
            ProgramEntry.inPlace(root.toString()));
  }

  @Test
  void nobodyLooksThroughAMillionFiles() throws IOException {
    for (int i = 0; i < 9; i++) {
      Files.createFile(directory.resolve("data" + i));
    }
    Files.createSymbolicLink(directory.resolve("again"), directory);
    assertThat(FoundFile.in(directory, 11)).hasSize(9); // with the directory and the link
    assertThatIOException()
        .isThrownBy(() -> FoundFile.in(directory, 10))
        .withMessageStartingWith("holds more than 10 files");
  }

  /** Ranks have them already, from their own installation. */
  @Test
  void jarsOfFmiAreNotCopied() throws IOException {
    Path fmi = jar("fmi/lib/fmi.jar", "other.jar");
    jar("fmi/lib/other.jar", "");
    Path link = Files.createSymbolicLink(directory.resolve("fmi.jar"), fmi);
    assertThat(ClassPathFinder.find(List.of(link.toString()), List.of(fmi.toString(), "/none")))
        .containsExactly(ProgramEntry.inPlace(link.toString()));
  }

  @Test
  void whatIsMissingIsNamed() {
    Path none = directory.resolve("none.jar");
    assertThatIOException().isThrownBy(() -> find(none)).withMessageStartingWith(none + ": ");
  }
}
