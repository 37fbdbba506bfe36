package org.fmi.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of real processes, each looked at as it is. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StarvationTest {
  private final Process busy = start("while :; do :; done");
  private final Starvation starvation = new Starvation(busy.pid());

  private static Process start(String script) {
    try {
      return new ProcessBuilder("sh", "-c", script).start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void kill() throws InterruptedException {
    busy.destroyForcibly();
    busy.waitFor();
  }

  @Test
  void aBusyProcessIsStarvedAndAStoppedOneIsNot() throws Exception {
    awaitBusy();
    stop();
    starvation.getAsBoolean(); // it may have run since it was last asked
    assertThat(starvation.getAsBoolean()).isFalse();
  }

  @Test
  void oneThatHasRunSinceItWasAskedIsStarved() throws Exception {
    awaitBusy();
    long before = ProcessStat.ticksUsed(busy.pid());
    while (ProcessStat.ticksUsed(busy.pid()) == before) {
      Thread.onSpinWait();
    }
    stop();
    assertThat(starvation.getAsBoolean()).isTrue();
    assertThat(starvation.getAsBoolean()).isFalse();
  }

  @Test
  void oneThatHasEndedIsNot() throws Exception {
    awaitBusy();
    kill();
    assertThat(starvation.getAsBoolean()).isFalse();
    assertThat(new Starvation(0).getAsBoolean()).isFalse();
  }

  private void awaitBusy() {
    while (!starvation.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private void stop() throws Exception {
    Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(busy.pid())).start();
    assertThat(kill.waitFor()).isZero();
    while (!ProcessStat.of(Path.of("/proc/" + busy.pid())).field(3).equals("T")) {
      Thread.onSpinWait();
    }
  }
}
