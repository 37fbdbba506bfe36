package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs with {@code --check}. */
final class CheckIT {
  @TempDir private Path directory;

  private Fmirun.Result run(String... args) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "2", "--check", "--interval", "3"));
    all.addAll(List.of("--kill", "rank1@20", "--kill", "rank1@99"));
    all.addAll(List.of("-cp", "target/test-classes", CheckedProgram.class.getName()));
    all.addAll(List.of(args));
    return new Fmirun(directory, all.toArray(String[]::new)).run();
  }

  /** Iterations 18 and 19 are computed again after the loss of a rank. */
  @Test
  void aRightProgramPrintsWhatItPrints() throws IOException, InterruptedException {
    Fmirun.Result result = run().succeeded();
    List<Integer> expected =
        IntStream.concat(IntStream.range(0, 20), IntStream.range(18, 30)).boxed().toList();
    assertThat(result.out().lines().map(line -> Integer.valueOf(line.split(" ")[1])))
        .isEqualTo(expected);
    assertThat(result.err().lines().filter(line -> line.startsWith("told of")).count())
        .isEqualTo(expected.size());
    assertThat(result.err())
        .contains("iterations of loop 0 were repeated: state and messages were the same")
        .contains("--kill rank1@99 never happened: the longest loop had 30 iterations");
  }

  @Test
  void aWrongOneIsToldWhatIsWrong() throws IOException, InterruptedException {
    Fmirun.Result result = run("forgets");
    assertThat(result.status()).as(result.err()).isEqualTo(1);
    assertThat(result.err())
        .contains("behaves differently when iterations are repeated from a checkpoint");
    assertThat(result.out().lines()).as("lines of the iterations before").hasSizeLessThan(20);
  }
}
