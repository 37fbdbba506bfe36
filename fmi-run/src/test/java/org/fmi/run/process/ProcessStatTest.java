package org.fmi.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.rules.TimeWithCore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ProcessStatTest {
  @Test
  void aBusyProcessWantsACoreAndHasHadOneAndAWaitingOneDoesNot() throws Exception {
    Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
    Process waiting = new ProcessBuilder("cat").start();
    try {
      TimeWithCore.Look look = ProcessStat.look(busy.pid());
      while (!look.wantsCore() || look.coreNanos() < 20_000_000) {
        Thread.onSpinWait();
        look = ProcessStat.look(busy.pid());
      }
      while (ProcessStat.look(waiting.pid()).wantsCore()) {
        Thread.onSpinWait(); // it starts
      }
    } finally {
      busy.destroyForcibly().waitFor();
      waiting.destroyForcibly().waitFor();
    }
    assertThat(ProcessStat.look(busy.pid())).isEqualTo(TimeWithCore.Look.UNSEEN);
  }

  /** The child of one that does not wait for it is there for as long as its parent is. */
  @Test
  void aProcessThatHasDiedIsDyingAndOneThatLivesIsNot() throws Exception {
    // A shell would wait for it: it ends only when another program is in the shell's place.
    Process parent =
        new ProcessBuilder("sh", "-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 60").start();
    try (BufferedReader output = parent.inputReader()) {
      Path child = Path.of("/proc", output.readLine());
      while (!Files.readString(Path.of("/proc/" + parent.pid() + "/comm")).equals("sleep\n")) {
        Thread.onSpinWait();
      }
      parent.getOutputStream().close();
      while (!ProcessStat.of(child).field(3).equals("Z")) {
        Thread.onSpinWait();
      }
      assertThat(ProcessStat.isDying(Long.parseLong(child.getFileName().toString()))).isTrue();
      assertThat(ProcessStat.isDying(parent.pid())).isFalse();
    } finally {
      parent.destroyForcibly();
    }
    parent.waitFor();
    assertThat(ProcessStat.isDying(parent.pid())).isTrue();
  }
}
