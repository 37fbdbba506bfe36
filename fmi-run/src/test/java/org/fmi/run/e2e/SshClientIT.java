package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** The client of ssh through which a daemon was started ends before the daemon, or with it. */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
final class SshClientIT {
  private static final Path FMI = Path.of("target/fmi/bin/fmi").toAbsolutePath();

  @TempDir private Path directory;

  /** What ssh does, as far as processes see it: the daemon is no part of the client. */
  private String ssh() throws IOException {
    return FakeSsh.path(
        directory,
        """
        case $3 in
          *--fence*) exec sh -c "$3" ;;
          *--dead*) sh -c "$3"; touch '%1$s'/asked; exit ;;
        esac
        mkfifo '%1$s'/$$
        setsid sh -c "$3" <&0 >'%1$s'/$$ 2>&1 &
        echo $$ >>'%1$s'/clients
        exec cat '%1$s'/$$
        """
            .formatted(directory));
  }

  private Fmirun job(int iterations, String... options) throws IOException {
    List<String> words = new ArrayList<>(List.of("-n", "2", "--ppn", "1", "--launcher", "ssh"));
    words.addAll(List.of("--hosts", "127.0.0.1,127.0.0.2", "--interval", "10"));
    words.addAll(List.of(options));
    words.addAll(List.of(Fmirun.example("heat2d"), "--size", "100", "--iterations"));
    words.add(Integer.toString(iterations));
    return new Fmirun(directory, words.toArray(String[]::new)).env("PATH", ssh());
  }

  private static List<ProcessHandle> daemons(Fmirun.Running running) throws IOException {
    List<ProcessHandle> daemons = new ArrayList<>();
    for (long pid : running.daemons()) {
      ProcessHandle daemon = ProcessHandle.of(pid).orElseThrow();
      daemons.add(daemon);
      daemons.add(daemon.parent().orElseThrow()); // the shell that sshd would run
    }
    assertThat(daemons).hasSize(4);
    return daemons;
  }

  /** fmirun waits for its clients, which are gone: daemons end by themselves, a little later. */
  private static void awaitEnd(Fmirun.Running running, List<ProcessHandle> daemons)
      throws Exception {
    assertThat(running.process().waitFor(120, TimeUnit.SECONDS)).isTrue();
    for (ProcessHandle daemon : daemons) {
      daemon.onExit().get(10, TimeUnit.SECONDS);
    }
  }

  private void killClients() throws IOException {
    List<String> clients = Files.readAllLines(directory.resolve("clients"));
    assertThat(clients).hasSize(2);
    for (String client : clients) {
      ProcessHandle handle = ProcessHandle.of(Long.parseLong(client)).orElseThrow();
      handle.destroyForcibly();
      handle.onExit().join();
    }
  }

  @Test
  void theJobContinuesAndMayStillLoseAProcessThere() throws Exception {
    try (Fmirun.Running running = job(500, "--kill", "rank1@400").start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      List<ProcessHandle> daemons = daemons(running);
      killClients();
      awaitEnd(running, daemons);
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.count("NodeFailed")).as(result.err()).isZero();
      assertThat(result.count("NodeSilent")).as(result.err()).isZero();
      assertThat(result.count("RecoveryBegun")).as(result.err()).isEqualTo(1);
    }
  }

  /** Its connection shows no end: fmirun has given it up before. */
  @Test
  void theNodeOfADaemonThatDiesWhileItIsSilentIsNotAwaited() throws Exception {
    try (Fmirun.Running running = job(3000, "--heartbeat", "1", "--grace", "3600").start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      long daemon = running.daemons().get(1);
      Traces.signal("STOP", daemon);
      running.awaitEvent("NodeSilent", 1);
      Traces.signal("KILL", daemon);
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.count("NodeFailed")).as(result.err()).isEqualTo(1);
    }
  }

  /** As after a crash that ends no connection, once the node is repaired. */
  @Test
  void aSilentNodeThatIsAddedIsStartedAgainOnceItIsLost() throws Exception {
    try (Fmirun.Running running =
        job(3000, "--heartbeat", "1", "--grace", "5", "--on-no-spare", "share").start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      Traces.signal("STOP", running.daemons().get(1));
      running.awaitEvent("NodeSilent", 1);
      String job = String.valueOf(running.events().getFirst().get("job"));
      String node =
          running.events().stream()
              .filter(event -> event.containsValue("NodeSilent"))
              .map(event -> event.get("name"))
              .findFirst()
              .orElseThrow();
      Process add =
          new ProcessBuilder(FMI.toString(), "add", job, node).redirectErrorStream(true).start();
      String text = new String(add.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(text).isEqualTo(node + ": is silent; fmirun restarts it if it does not return\n");
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.count("NodeFailed")).as(result.err()).isEqualTo(1);
      assertThat(result.count("NodeReady")).as(result.err()).isEqualTo(3);
    }
  }

  @Test
  void aSilentDaemonWhoseClientDiesIsAwaited() throws Exception {
    try (Fmirun.Running running = job(3000, "--heartbeat", "1", "--grace", "3600").start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      List<ProcessHandle> daemons = daemons(running);
      long daemon = running.daemons().get(1);
      Traces.signal("STOP", daemon);
      running.awaitEvent("NodeSilent", 1);
      killClients();
      while (!Files.exists(directory.resolve("asked"))) {
        assertThat(running.process().isAlive()).as(running.err()).isTrue();
        Thread.sleep(10); // polls what another process does
      }
      Traces.signal("CONT", daemon);
      awaitEnd(running, daemons);
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.count("NodeHeard")).as(result.err()).isEqualTo(1);
      assertThat(result.count("NodeFailed")).as(result.err()).isZero();
    }
  }
}
