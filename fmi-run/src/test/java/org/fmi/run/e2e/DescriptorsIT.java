package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that has no file descriptor left is replaced, whatever it needs one for. */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
final class DescriptorsIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"tcp, dials", "tcp, accepts", "shm, dials", "shm, accepts"})
  void theJobContinues(String transport, String side) throws Exception {
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                Integer.toString(NoMoreFilesProgram.RANKS),
                "--transport",
                transport,
                "--heartbeat",
                "1",
                "--interval",
                "5",
                "-cp",
                "target/test-classes:../fmi-testkit/target/classes",
                NoMoreFilesProgram.class.getName(),
                directory.resolve("marker").toString(),
                side)
            .run()
            .succeeded();
    int ranks = NoMoreFilesProgram.RANKS;
    long sum = 0;
    for (int n = 0; n < NoMoreFilesProgram.ITERATIONS; n++) {
      sum += ranks * n + ranks * (ranks - 1) / 2 + (n < NoMoreFilesProgram.BEGIN ? 0 : n);
    }
    for (int rank = 0; rank < ranks; rank++) {
      assertThat(result.out()).contains("rank " + rank + " has " + sum);
    }
    assertThat(result.count("RecoveryBegun")).as(result.err()).isEqualTo(1);
    assertThat(result.events("RankFailed"))
        .singleElement()
        .asString()
        .contains("cannot continue: " + transport, "Too many open files");
  }
}
