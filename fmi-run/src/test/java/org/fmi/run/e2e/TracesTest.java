package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TracesTest {
  /** Of a process that is no more, as numbers do not become so large. */
  private static final long ENDED = 1L << 40;

  @Test
  void whatAnotherJobHasOfALostNodeIsNotLeftBehind() throws IOException {
    Traces traces = new Traces();
    String job = "/dev/shm/fmi-0123456789ab-";
    Path fmirun = Path.of(job + "run-0123456789abcdef");
    Path lost = Path.of(job + "2-0123456789abcdef");
    try {
      make(fmirun, ProcessHandle.current().pid());
      make(lost, ENDED);
      assertThat(traces.directories()).doesNotContain(fmirun, lost);
    } finally {
      delete(lost);
      delete(fmirun);
    }
  }

  private static void make(Path directory, long process) throws IOException {
    Files.createDirectory(directory);
    Files.writeString(directory.resolve("lock"), Long.toString(process));
  }

  private static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve("lock"));
    Files.deleteIfExists(directory);
  }
}
