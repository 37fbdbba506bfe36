package org.fmi.run.lifeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.fmi.testkit.support.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With a process of its own that holds one. */
@Timeout(60)
final class LifelineTest {
  @TempDir private Path directory;

  private final List<Process> holders = new ArrayList<>();

  @AfterEach
  void noHolderStays() {
    holders.forEach(Process::destroyForcibly);
  }

  /** Holds a lifeline until it reads a line, or is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      Lifeline lifeline = Lifeline.make(Path.of(args[0]));
      CompletableFuture<Void> held = new CompletableFuture<>();
      lifeline.hold(() -> held.complete(null));
      held.join();
      System.out.println("held");
      if (System.in.read() >= 0) {
        lifeline.end();
      }
    }
  }

  private Process holder() throws IOException {
    Process process = JavaProcess.of(Holder.class, directory.toString()).start();
    holders.add(process);
    assertThat(process.inputReader().readLine()).isEqualTo("held");
    return process;
  }

  private static CompletableFuture<Boolean> died(Lifeline lifeline) {
    CompletableFuture<Boolean> died = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> died.complete(lifeline.died()));
    return died;
  }

  @Test
  void tellsWhenItsHolderIsKilled() throws Exception {
    Process process = holder();
    Lifeline lifeline = Lifeline.adopt(directory, process.pid());
    assertThat(directory).isEmptyDirectory();
    CompletableFuture<Boolean> died = died(lifeline);
    assertThat(process.isAlive()).isTrue();
    assertThat(died).isNotDone();
    process.destroyForcibly();
    assertThat(died.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void tellsOfADeathBeforeItWasWatched() throws Exception {
    Process process = holder();
    Lifeline lifeline = Lifeline.adopt(directory, process.pid());
    process.destroyForcibly();
    process.waitFor();
    assertThat(died(lifeline).get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anExitIsNoDeath() throws Exception {
    Process process = holder();
    Lifeline lifeline = Lifeline.adopt(directory, process.pid());
    CompletableFuture<Boolean> died = died(lifeline);
    process.outputWriter().append('\n').close();
    assertThat(died.get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void cannotBeAdoptedTwice() throws Exception {
    Process process = holder();
    Lifeline.adopt(directory, process.pid());
    assertThatThrownBy(() -> Lifeline.adopt(directory, process.pid()))
        .isInstanceOf(IOException.class);
  }
}
