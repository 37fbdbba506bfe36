package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.job.control.CoreList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AffinityTest {
  private static final int NO_CORE = 8191;

  private Process process;

  @BeforeEach
  void start() throws IOException {
    process = new ProcessBuilder("sleep", "1000").start();
  }

  @AfterEach
  void stop() {
    process.destroyForcibly();
  }

  @Test
  void bindsAProcess() throws IOException {
    int[] usable = UsableCores.find().numbers();
    int[] last = {usable[usable.length - 1]};
    assertThat(Affinity.bind(process.pid(), last)).isTrue();
    assertThat(Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")))
        .contains("Cpus_allowed_list:\t" + CoreList.format(last));
  }

  @Test
  void saysThatTheSystemDoesNotAllowIt() {
    assertThat(Affinity.bind(process.pid(), new int[] {NO_CORE})).isFalse();
  }

  @Test
  void aProcessThatHasEndedDoesNotMatter() throws InterruptedException {
    process.destroyForcibly().waitFor();
    assertThat(Affinity.bind(process.pid(), new int[] {NO_CORE})).isTrue();
  }
}
