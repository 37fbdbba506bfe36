package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.testkit.turns.Variants;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Ranks exchange random messages and call random collectives: through shared memory, through TCP,
 * both mixed, and with failures; the checksum is always the same. A wide build takes eight ranks;
 * {@code -Dfmi.soak.iterations} makes it longer.
 */
@Isolated("its ranks keep two cores busy by themselves")
final class SoakIT {
  private static final String ITERATIONS = System.getProperty("fmi.soak.iterations", "60");

  private static final int RANKS = Boolean.getBoolean("fmi.tests.wide") ? 8 : 4;

  private static final long SEED = System.nanoTime() % 1_000_000;

  private static String expected = "";

  @TempDir private Path directory;

  private static Fmirun.Result soak(Path directory, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "" + RANKS, "--interval", "10"));
    all.addAll(List.of(options));
    all.addAll(
        List.of("-cp", "target/test-classes", SoakProgram.class.getName(), "" + SEED, ITERATIONS));
    // With all that compilers do to the code of a long job.
    return new Fmirun(directory, all.toArray(String[]::new))
        .env("FMI_JVM_OPTIONS", "")
        .run()
        .succeeded();
  }

  @BeforeAll
  static void throughSharedMemory(@TempDir Path directory)
      throws IOException, InterruptedException {
    expected = soak(directory).value("checksum");
  }

  @Variants
  @ParameterizedTest
  @CsvSource({
    "--ppn 2 --spares 1 --kill rank3@25 --kill rank0@35 --kill node0@45, 3",
    "--transport tcp, 0",
    "--rollback local --ppn 2 --spares 1 --kill rank3@25 --kill rank0@35 --kill node0@45, 3",
    "--rollback local --ppn 1 --transport tcp --kill rank2@33, 1"
  })
  void theSameHoweverMessagesTravelAndWhateverFails(String options, int leastRecoveries)
      throws IOException, InterruptedException {
    Fmirun.Result result = soak(directory, options.split(" "));
    assertThat(result.value("checksum")).as("seed %d%n%s", SEED, result.err()).isEqualTo(expected);
    assertThat(Integer.parseInt(result.value("recoveries")))
        .as("seed %d%n%s", SEED, result.err())
        .isGreaterThanOrEqualTo(leastRecoveries);
  }
}
