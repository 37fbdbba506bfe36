package org.fmi.run.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.fmi.ckpt.files.FullException;
import org.fmi.ckpt.files.PosixTarget;
import org.fmi.ckpt.files.Target;
import org.fmi.spi.Finding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesTrialTest {
  private static final PosixTarget REAL = new PosixTarget();

  @TempDir private Path directory;

  private List<String> findings(Path of, Target target) {
    return new FilesTrial(of, target).findings().stream().map(Finding::toString).toList();
  }

  /** Of a target on which no file can be made. */
  private String failed(IOException why) {
    List<String> lines =
        findings(
            directory,
            new Target() {
              @Override
              public void makeDirectory(Path made) {}

              @Override
              public Output create(Path file) throws IOException {
                throw why;
              }

              @Override
              public void rename(Path from, Path to) {}

              @Override
              public void forceDirectory(Path forced) {}

              @Override
              public void delete(Path file) {}

              @Override
              public boolean deleteDirectory(Path deleted) {
                return true;
              }
            });
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }

  @Test
  void whereAllIsWellNothingIsLeftBehind() throws IOException {
    assertThat(findings(directory, REAL))
        .singleElement()
        .satisfies(
            line ->
                assertThat(line)
                    .startsWith("ok       --l2-dir " + directory + ": 5 MiB written, forced"));
    try (var all = Files.list(directory)) {
      assertThat(all).isEmpty();
    }
  }

  @Test
  void whatIsWrongIsALine() throws IOException {
    String begin = "failed:  --l2-dir " + directory;
    assertThat(findings(directory.resolve("nothing"), REAL))
        .containsExactly(
            begin + "/nothing: not there on this machine; make it, or mount what it is on");
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(findings(file, REAL)).containsExactly(begin + "/file: not a directory; name one");
    Files.delete(file);
    assertThat(failed(new FullException(file, "No space left on device")))
        .isEqualTo(begin + ": there is no room; 'fmi ckpt prune' deletes old checkpoints");
    assertThat(failed(new AccessDeniedException("x")))
        .isEqualTo(begin + ": may not be written to by this user; name one that may");
    assertThat(failed(new FileSystemException("x", null, "Read-only file system")))
        .isEqualTo(begin + ": Read-only file system; name one that can be written to from here");
  }

  @Test
  void whatIsNotOursIsNamed() throws IOException {
    Files.createDirectories(directory.resolve("job/v0000000001"));
    assertThat(findings(directory, REAL)).hasSize(1);
    Files.createFile(directory.resolve("results.txt"));
    assertThat(findings(directory, REAL))
        .last()
        .isEqualTo(
            "missing: --l2-dir "
                + directory
                + ": holds what is no checkpoint of FMI, such as results.txt; a directory of its"
                + " own is easier to look after");
  }

  @Test
  void whatBelongsToSomebodyElseIsNamed() throws IOException {
    Path foreign = Path.of("/tmp");
    assumeThat(Files.getOwner(foreign)).isNotEqualTo(Files.getOwner(Path.of("/proc/self")));
    assertThat(findings(foreign, REAL)).anyMatch(line -> line.contains(": belongs to "));
  }
}
