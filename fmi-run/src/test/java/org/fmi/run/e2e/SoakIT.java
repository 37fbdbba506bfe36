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

  private Fmirun.Result soak(long seed, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "8", "--interval", "10"));
    all.addAll(List.of(options));
    all.addAll(
        List.of("-cp", "target/test-classes", SoakProgram.class.getName(), "" + seed, ITERATIONS));
    return new Fmirun(directory, all.toArray(String[]::new)).run().succeeded();
  }

  @Test
  void theSameHoweverMessagesTravelAndWhateverFails() throws IOException, InterruptedException {
    long seed = System.nanoTime() % 1_000_000;
    String expected = soak(seed).value("checksum");
    Fmirun.Result tcp = soak(seed, "--transport", "tcp");
    Fmirun.Result ranksLost =
        soak(seed, "--ppn", "4", "--spares", "1", "--kill", "rank5@25", "--kill", "rank0@35");
    Fmirun.Result nodeLost = soak(seed, "--ppn", "4", "--spares", "1", "--kill", "node0@45");
    for (Fmirun.Result result : List.of(tcp, ranksLost, nodeLost)) {
      assertThat(result.value("checksum"))
          .as("seed %d\n%s", seed, result.err())
          .isEqualTo(expected);
    }
    for (Fmirun.Result result : List.of(ranksLost, nodeLost)) {
      assertThat(Integer.parseInt(result.value("recoveries")))
          .as("seed %d\n%s", seed, result.err())
          .isPositive();
    }
  }
}
