package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** The client of ssh through which a daemon was started is killed: it is not the daemon. */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
final class SshClientIT {
  @TempDir private Path directory;

  /** What ssh does, as far as processes see it: the daemon is no part of the client. */
  private String ssh() throws IOException {
    return FakeSsh.path(
        directory,
        """
        case $3 in *--fence*) exec sh -c "$3" ;; esac
        mkfifo '%1$s'/$$
        setsid sh -c "$3" <&0 >'%1$s'/$$ 2>&1 &
        echo $$ >>'%1$s'/clients
        exec cat '%1$s'/$$
        """
            .formatted(directory));
  }

  @Test
  void theJobContinuesAndMayStillLoseAProcessThere() throws Exception {
    Fmirun fmirun =
        new Fmirun(
            directory,
            "-n",
            "2",
            "--ppn",
            "1",
            "--launcher",
            "ssh",
            "--hosts",
            "127.0.0.1,127.0.0.2",
            "--interval",
            "10",
            "--kill",
            "rank1@400",
            Fmirun.example("heat2d"),
            "--size",
            "100",
            "--iterations",
            "500");
    fmirun.env("PATH", ssh());
    try (Fmirun.Running running = fmirun.start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      List<ProcessHandle> daemons = new ArrayList<>();
      for (long pid : running.daemons()) {
        ProcessHandle daemon = ProcessHandle.of(pid).orElseThrow();
        daemons.add(daemon);
        daemons.add(daemon.parent().orElseThrow()); // the shell that sshd would run
      }
      assertThat(daemons).hasSize(4);
      List<String> clients = Files.readAllLines(directory.resolve("clients"));
      assertThat(clients).hasSize(2);
      for (String client : clients) {
        ProcessHandle handle = ProcessHandle.of(Long.parseLong(client)).orElseThrow();
        handle.destroyForcibly();
        handle.onExit().join();
      }
      assertThat(running.process().waitFor(120, TimeUnit.SECONDS)).isTrue();
      // fmirun waits for its clients, which are gone: daemons end by themselves, a little later.
      for (ProcessHandle daemon : daemons) {
        daemon.onExit().get(10, TimeUnit.SECONDS);
      }
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.count("NodeFailed")).as(result.err()).isZero();
      assertThat(result.count("NodeSilent")).as(result.err()).isZero();
      assertThat(result.count("RecoveryBegun")).as(result.err()).isEqualTo(1);
    }
  }
}
