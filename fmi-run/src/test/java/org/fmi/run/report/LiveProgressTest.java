package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.fmi.run.options.RunOptions.Verbosity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class LiveProgressTest {
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();

  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @Test
  void aFileGetsALinePerMinuteUnlessItSaysTheSame() throws InterruptedException {
    Console console =
        new Console(
            new Console.Streams(file, file, true, false, null, () -> false, null),
            1 << 20,
            false,
            false,
            () -> {},
            () -> {});
    console.start();
    LiveProgress progress = new LiveProgress(Verbosity.NORMAL, console, 0);
    progress.look(() -> "starting, 5 nodes", TimeUnit.SECONDS.toNanos(59));
    for (int minute = 1; minute < 4; minute++) {
      progress.look(() -> "starting, 5 nodes", TimeUnit.MINUTES.toNanos(minute));
      progress.look(() -> "not yet", TimeUnit.MINUTES.toNanos(minute) + 1);
    }
    progress.look(() -> "iteration 7", TimeUnit.MINUTES.toNanos(4));
    progress.look(() -> "starting, 5 nodes", TimeUnit.MINUTES.toNanos(5));
    console.drain(Long.MAX_VALUE);
    assertThat(file.toString(StandardCharsets.UTF_8))
        .isEqualTo("fmi: starting, 5 nodes\nfmi: iteration 7\nfmi: starting, 5 nodes\n");
  }
}
