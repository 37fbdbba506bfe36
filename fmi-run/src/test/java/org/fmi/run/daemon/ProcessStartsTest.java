package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProcessStartsTest {
  private static final int SECONDS = 30;

  private final ProcessStarts starts = new ProcessStarts();
  private final BlockingQueue<Process> started = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();

  private void begin(ProcessStarts.Start start) {
    starts.begin("test", start, started::add, refused::add);
  }

  private static Process cat() throws IOException {
    // As ranks are: it dies with the thread that has started it.
    return new ProcessBuilder("setpriv", "--pdeathsig", "KILL", "cat").start();
  }

  private static Process startIn(CountDownLatch directory, CountDownLatch entered)
      throws IOException {
    entered.countDown();
    try {
      directory.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return cat();
  }

  @Test
  void aStartThatHangsDelaysNoOther() throws Exception {
    CountDownLatch hung = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    begin(() -> startIn(hung, entered));
    entered.await();
    begin(ProcessStartsTest::cat);
    Process other = started.take();
    assertThat(starts.close(0)).as("one start has not ended").isFalse();
    hung.countDown();
    assertThat(starts.close(SECONDS)).isTrue();
    Process late = started.take();
    // It is alive until its input ends, as the thread is that has started it.
    for (Process process : new Process[] {other, late}) {
      process.getOutputStream().close();
      assertThat(process.waitFor()).isZero();
    }
  }

  @Test
  void aRefusalHasItsReason() throws Exception {
    begin(
        () -> {
          throw new IOException("no more processes");
        });
    assertThat(refused.take()).isEqualTo("no more processes");
    assertThat(starts.close(SECONDS)).isTrue();
  }
}
