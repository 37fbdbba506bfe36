package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that has no file descriptor left is replaced, whatever it needs one for. */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
final class DescriptorsIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"dials", "accepts"})
  void theJobContinues(String side) throws Exception {
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                Integer.toString(LeakingProgram.RANKS),
                "--transport",
                "tcp",
                "--heartbeat",
                "1",
                "--interval",
                "5",
                "-cp",
                "target/test-classes",
                LeakingProgram.class.getName(),
                directory.resolve("marker").toString(),
                side)
            .within(List.of("prlimit", "--nofile=400"))
            .run()
            .succeeded();
    int ranks = LeakingProgram.RANKS;
    long sum = 0;
    for (int n = 0; n < LeakingProgram.ITERATIONS; n++) {
      sum += ranks * n + ranks * (ranks - 1) / 2 + (n < LeakingProgram.LEAK ? 0 : n);
    }
    assertThat(result.out()).contains("leaked: /dev/null (Too many open files)");
    for (int rank = 0; rank < ranks; rank++) {
      assertThat(result.out()).contains("rank " + rank + " has " + sum);
    }
    assertThat(result.count("RecoveryBegun")).as(result.err()).isEqualTo(1);
    assertThat(result.events("RankFailed"))
        .singleElement()
        .asString()
        .contains("Too many open files");
  }
}
