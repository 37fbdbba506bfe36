package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight ranks exchange random messages and call random collectives: through shared memory, through
 * TCP, both mixed, and with failures; the checksum is always the same. {@code
 * -Dfmi.soak.iterations} makes it longer.
 */
final class SoakIT {
  private static final String ITERATIONS = System.getProperty("fmi.soak.iterations", "60");

  @TempDir private Path directory;

  private Fmirun soak(long seed, String... options) {
    List<String> all = new ArrayList<>(List.of("-n", "8", "--interval", "10"));
    all.addAll(List.of(options));
    all.addAll(
        List.of("-cp", "target/test-classes", SoakProgram.class.getName(), "" + seed, ITERATIONS));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  @Test
  void theSameHoweverMessagesTravelAndWhateverFails() throws IOException, InterruptedException {
    long seed = System.nanoTime() % 1_000_000;
    List<Fmirun> runs =
        List.of(
            soak(seed),
            soak(seed, "--transport", "tcp"),
            soak(seed, "--ppn", "4", "--spares", "1", "--kill", "rank5@25", "--kill", "rank0@35"),
            soak(seed, "--ppn", "4", "--spares", "1", "--kill", "node0@45"));
    String expected = "";
    for (Fmirun run : runs) {
      Fmirun.Result result = run.run().succeeded();
      expected = expected.isEmpty() ? result.value("checksum") : expected;
      assertThat(result.value("checksum"))
          .as("seed %d\n%s", seed, result.err())
          .isEqualTo(expected);
    }
  }
}
