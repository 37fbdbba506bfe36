package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.FileFacts;
import org.fmi.ckpt.files.Generation;
import org.fmi.ckpt.files.Manifest;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.run.options.UsageException;
import org.fmi.spi.CheckpointId;
import org.junit.jupiter.api.Test;

class RestartChoiceTest {
  private static final ProgramFacts PROGRAM = program("ab");

  private static ProgramFacts program(String digest) {
    return new ProgramFacts(
        "org.example.Main",
        List.of(new ProgramFacts.Jar("app.jar", digest.repeat(32))),
        List.of("--iterations", "8"));
  }

  private static Generation generation(String job, long version, String lineage) {
    return generation(job, version, lineage, 2, PROGRAM);
  }

  private static Generation generation(
      String job, long version, String lineage, int size, ProgramFacts program) {
    return new Generation(
        Path.of("/ckpt", job),
        new Manifest(
            job,
            size,
            new CheckpointId(version, 0, 10 * version, false),
            List.of(),
            program,
            lineage,
            null,
            List.of(new FileFacts("n0000-e0.fmi", 10, 1, List.of(0, 1)))));
  }

  private static List<String> choose(String wanted, Generation... all) throws UsageException {
    return RestartChoice.of(catalog(all), wanted, "/ckpt", 2, PROGRAM).stream()
        .map(each -> each.manifest().name())
        .toList();
  }

  private static Catalog catalog(Generation... all) {
    return new Catalog(
        List.of(all), List.of(), List.of("/ckpt/a/v0000000009/n0000-e0.fmi: damaged: it is"));
  }

  @Test
  void latestIsTheNewestOfALine() throws UsageException {
    assertThat(
            choose(
                "latest",
                generation("a", 3, "a"),
                generation("a", 7, "a"),
                generation("b", 8, "a"),
                generation("c", 5, "a")))
        .containsExactly("b/v8", "a/v7", "c/v5", "a/v3");
  }

  @Test
  void theOneThatIsNamedHasNoneBehindIt() throws UsageException {
    assertThat(choose("a/v3", generation("a", 3, "a"), generation("b", 8, "b")))
        .containsExactly("a/v3");
    assertThat(choose("a/v7", generation("a", 3, "a"), generation("a", 7, "a")))
        .containsExactly("a/v7");
  }

  /** It could not follow: its program or its number of ranks is another one. */
  @Test
  void whatIsOlderAndDoesNotFitIsLeftOut() throws UsageException {
    assertThat(
            choose(
                "latest",
                generation("a", 3, "a"),
                generation("a", 5, "a", 2, program("cd")),
                generation("a", 6, "a", 3, PROGRAM),
                generation("a", 7, "a")))
        .containsExactly("a/v7", "a/v3");
  }

  @Test
  void twoLinesAreNotMixed() {
    assertThatThrownBy(() -> choose("latest", generation("a", 3, "a"), generation("b", 8, "b")))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "--restart-from latest: /ckpt holds generations of unrelated jobs: a/v3 and b/v8; name"
                + " the generation to start from");
  }

  @Test
  void withoutOneOnlyAutoBeginsAnew() throws UsageException {
    assertThat(choose("auto")).isEmpty();
    assertThatThrownBy(() -> choose("latest"))
        .hasMessageStartingWith("--restart-from latest: no usable generation in /ckpt");
  }

  @Test
  void aNameThatIsNotThereOrDamagedIsRefused() {
    assertThatThrownBy(() -> choose("a/v4", generation("a", 3, "a")))
        .hasMessageStartingWith("--restart-from a/v4: no such generation in /ckpt");
    assertThatThrownBy(() -> choose("a/v9", generation("a", 3, "a")))
        .hasMessageStartingWith(
            "--restart-from a/v9: /ckpt/a/v0000000009/n0000-e0.fmi: damaged: it is");
  }

  /** Those that the same number could go on from are another way: the program would not begin. */
  @Test
  void behindAnotherNumberOfRanksAreOthersOfAnotherNumber() throws UsageException {
    Generation newest = generation("a", 7, "a", 3, PROGRAM);
    Generation older = generation("a", 5, "a", 4, PROGRAM);
    assertThat(choose("latest", generation("a", 3, "a"), older, newest))
        .containsExactly("a/v7", "a/v5");
    assertThat(choose("a/v7", newest)).containsExactly("a/v7");
  }

  @Test
  void anotherProgramIsRefusedWithWhatDiffers() {
    assertThatThrownBy(
            () ->
                RestartChoice.of(
                    catalog(generation("a", 3, "a")), "auto", "/ckpt", 2, program("cd")))
        .hasMessage(
            "--restart-from auto: a/v3 was written by a different program: app.jar has another"
                + " content (SHA-256 cdcdcdcdcdcd..., was abababababab... of app.jar); run the"
                + " program that wrote it");
  }
}
