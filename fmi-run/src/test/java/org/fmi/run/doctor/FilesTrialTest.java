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
            begin
                + "/nothing: does not exist on this machine; create it, or mount its file system");
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(findings(file, REAL))
        .containsExactly(begin + "/file: not a directory; name a directory");
    Files.delete(file);
    assertThat(failed(new FullException(file, "No space left on device")))
        .isEqualTo(begin + ": is full; delete old checkpoints with 'fmi ckpt prune'");
    assertThat(failed(new AccessDeniedException("x")))
        .isEqualTo(begin + ": is not writable by this user; name a writable directory");
    assertThat(failed(new FileSystemException("x", null, "Read-only file system")))
        .isEqualTo(begin + ": Read-only file system; name a directory that is writable from here");
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
                + ": holds files that are not FMI checkpoints, such as results.txt; use a dedicated"
                + " directory");
  }

  @Test
  void whatBelongsToSomebodyElseIsNamed() throws IOException {
    Path foreign = Path.of("/tmp");
    assumeThat(Files.getOwner(foreign)).isNotEqualTo(Files.getOwner(Path.of("/proc/self")));
    assertThat(findings(foreign, REAL)).anyMatch(line -> line.contains(": belongs to "));
  }
}
