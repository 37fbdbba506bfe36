package org.fmi.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    int[] last = {last(Affinity.ofCaller())};
    assertThat(Affinity.bind(process.pid(), last)).isTrue();
    assertThat(Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")))
        .contains("Cpus_allowed_list:\t" + CoreList.format(last));
  }

  private static int last(int[] cores) {
    return cores[cores.length - 1];
  }

  @Test
  void bindsAThreadAndNoOtherButThoseItStarts() throws Exception {
    int[] all = Affinity.ofCaller();
    int[] one = {last(all)};
    List<int[]> seen = new ArrayList<>();
    Thread bound =
        Thread.ofPlatform()
            .start(
                () -> {
                  assertThat(Affinity.bindCaller(one)).isTrue();
                  seen.add(Affinity.ofCaller());
                  started(seen);
                  assertThat(Affinity.bindCaller(all)).isTrue();
                  seen.add(Affinity.ofCaller());
                  started(seen);
                });
    bound.join();
    assertThat(seen).containsExactly(one, one, all, all);
    assertThat(Affinity.ofCaller()).isEqualTo(all);
  }

  /** What a thread that this one starts is bound to. */
  private static void started(List<int[]> seen) {
    Thread thread = Thread.ofPlatform().start(() -> seen.add(Affinity.ofCaller()));
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void saysThatTheSystemDoesNotAllowAThreadToBeBound() {
    int[] all = Affinity.ofCaller();
    assertThat(Affinity.bindCaller(new int[] {NO_CORE})).isFalse();
    assertThat(Affinity.ofCaller()).isEqualTo(all);
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
