package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Vectors are reduced that are much longer than the heap. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LongReductionsIT {
  @TempDir private Path directory;

  private void assertSums(int mebibytes) throws Exception {
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                "2",
                "-J",
                "-Xmx64m",
                "-cp",
                "target/test-classes",
                LongReductionsProgram.class.getName(),
                Integer.toString(mebibytes))
            .run();
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(result.out()).isEqualTo("right\n");
  }

  @Test
  void ofFourTimesTheHeap() throws Exception {
    assertSums(256);
  }

  /** 4 GiB of memory. */
  @Wide
  @Test
  void of2GiB() throws Exception {
    assertSums(2048);
  }
}
