package org.fmi.run.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.fmi.job.control.ProgramEntry;
import org.fmi.job.control.ProgramEntry.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProgramCopyTest {
  /** Of {@code abc}, as in FIPS 180-4. */
  private static final String ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path directory;
  private Path classes = directory;
  private Path copies = directory;

  @BeforeEach
  void classes() throws IOException {
    classes = Files.createDirectory(directory.resolve("classes"));
    copies = Files.createDirectory(directory.resolve("copies"));
    Files.createDirectories(classes.resolve("org/example"));
    Files.createDirectories(classes.resolve("META-INF/services"));
    Files.writeString(classes.resolve("org/example/A.class"), "A");
    Files.writeString(classes.resolve("org/example/a.properties"), "x=1");
    Files.writeString(classes.resolve("META-INF/services/S"), "org.example.A");
    Files.writeString(classes.resolve("libx.so"), "native");
  }

  private ProgramEntry entry(Kind kind) {
    return new ProgramEntry(classes.toString(), kind, 0, "");
  }

  @Test
  void aJarIsCopiedWithTheDigestOfTheCopy() throws IOException {
    Path jar = Files.writeString(directory.resolve("app.jar"), "abc");
    ProgramEntry entry = new ProgramEntry(jar.toString(), Kind.COPIED, 3, "");
    ProgramCopy.Copied copy = ProgramCopy.copy(entry, 7, copies);
    assertThat(copy.digest()).isEqualTo(ABC).isEqualTo(ProgramCopy.digest(entry));
    assertThat(Path.of(copy.path())).isEqualTo(copies.resolve("7/app.jar")).hasContent("abc");
    // In place, as cp does it: a link would follow.
    Files.writeString(jar, "abd");
    assertThat(Path.of(copy.path())).hasContent("abc");
    assertThat(ProgramCopy.digest(entry)).isNotEqualTo(ABC);
  }

  @Test
  void aDirectoryIsCopiedWithItsResources() throws IOException {
    ProgramCopy.Copied copied = ProgramCopy.copy(entry(Kind.COPIED), 0, copies);
    Path copy = Path.of(copied.path());
    assertThat(copy.resolve("org/example/A.class")).hasContent("A");
    assertThat(copy.resolve("org/example/a.properties")).hasContent("x=1");
    assertThat(copy.resolve("META-INF/services/S")).hasContent("org.example.A");
    assertThat(copied.digest()).isEqualTo(ProgramCopy.digest(entry(Kind.PROGRAM_FILES)));
  }

  /** As {@code -cp .} names it. */
  @ParameterizedTest
  @ValueSource(strings = {".", "org/..", "org/example/../.."})
  void aDirectoryIsCopiedThatIsNamedByDots(String dots) throws IOException {
    ProgramEntry entry = new ProgramEntry(classes.resolve(dots).toString(), Kind.COPIED, 0, "");
    ProgramCopy.Copied copied = ProgramCopy.copy(entry, 0, copies);
    assertThat(Path.of(copied.path())).isEqualTo(copies.resolve("0/classes"));
    assertThat(Path.of(copied.path(), "org/example/A.class")).hasContent("A");
    assertThat(copied.digest()).isEqualTo(ProgramCopy.digest(entry(Kind.COPIED)));
  }

  /** A directory in memory may be one that nothing can be executed in. */
  @Test
  void aNativeLibraryStaysWhereItIs() throws IOException {
    Path copy = Path.of(ProgramCopy.copy(entry(Kind.COPIED), 0, copies).path());
    assertThat(copy.resolve("libx.so")).isSymbolicLink().hasContent("native");
    assertThat(copy.resolve("libx.so").toRealPath())
        .isEqualTo(classes.resolve("libx.so").toRealPath());
  }

  @Test
  void ofALargeDirectoryOnlyTheProgramIsCopied() throws IOException {
    Path copy = Path.of(ProgramCopy.copy(entry(Kind.PROGRAM_FILES), 0, copies).path());
    assertThat(copy.resolve("org/example/A.class")).hasContent("A");
    assertThat(copy.resolve("META-INF/services/S")).hasContent("org.example.A");
    assertThat(copy.resolve("org/example/a.properties")).doesNotExist();
    assertThat(copy.resolve("libx.so")).doesNotExist();
  }

  /** In the current directory there is the output of this job, and of others. */
  @Test
  void onlyProgramFilesMakeAnotherProgram() throws IOException {
    String digest = ProgramCopy.digest(entry(Kind.COPIED));
    Files.writeString(classes.resolve("org/example/a.properties"), "x=2");
    Files.writeString(classes.resolve("slurm-1.out"), "output");
    assertThat(ProgramCopy.digest(entry(Kind.COPIED))).isEqualTo(digest);
    for (String name : List.of("org/example/B.class", "META-INF/services/T")) {
      Path added = Files.writeString(classes.resolve(name), "");
      assertThat(ProgramCopy.digest(entry(Kind.COPIED))).as(name).isNotEqualTo(digest);
      Files.delete(added);
    }
    Files.writeString(classes.resolve("org/example/A.class"), "B");
    assertThat(ProgramCopy.digest(entry(Kind.COPIED))).isNotEqualTo(digest);
  }

  @Test
  void aLinkedClassIsPartOfTheProgram() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("C.class"), "C");
    Files.createSymbolicLink(classes.resolve("linked"), elsewhere);
    Path copy = Path.of(ProgramCopy.copy(entry(Kind.COPIED), 0, copies).path());
    Files.writeString(elsewhere.resolve("C.class"), "another");
    assertThat(copy.resolve("linked/C.class")).hasContent("C");
  }
}
