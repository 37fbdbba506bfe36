package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.fmi.ckpt.files.Catalog;
import org.fmi.ckpt.files.Generation;
import org.fmi.run.e2e.Fmirun.Result;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A rank, a daemon or fmirun is killed at a system call that it makes while a checkpoint is
 * committed on files: what counts then is whole, the job goes on, and a new one that begins from it
 * computes the same. What writes the files has a test of its own, {@code HelperFaultsIT}.
 */
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class CommitFaultsIT {
  private static final int RANKS = 2;

  /** After which the job stands still, and before the version that is written to files. */
  private static final int BEFORE = 40;

  private static final int WRITTEN = 50;
  private static final int AFTER = 60;

  /** What threads send each second is counted too: later calls are none of the commit. */
  private static final int MOST = 12;

  @TempDir private Path directory;

  /** Which process is killed, and which of its threads is looked at. */
  enum Victim {
    /** The program's thread. */
    RANK("java"),
    /** Of the same process, the one that talks with its daemon. */
    LINK("fmi-link"),
    DAEMON("fmi-daemon"),
    FMIRUN("fmi-control"),
    /** Of fmirun, the one that writes events. */
    REPORTER("fmi-reporter");

    private final String thread;

    Victim(String thread) {
      this.thread = thread;
    }

    long process(Fmirun.Running running) {
      long rank = running.ranks().getFirst();
      return switch (this) {
        case RANK, LINK -> rank;
        case DAEMON -> ProcessHandle.of(rank).flatMap(ProcessHandle::parent).orElseThrow().pid();
        case FMIRUN, REPORTER -> running.process().pid();
      };
    }

    boolean isOfFmirun() {
      return this == FMIRUN || this == REPORTER;
    }

    /**
     * The oldest of those named like this, but for the first one of a virtual machine, which only
     * waits. A new thread is named like the one that makes it, until it names itself.
     */
    long thread(long process) throws IOException {
      try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process + "/task"))) {
        List<Long> named = new ArrayList<>();
        for (Path task : tasks.toList()) {
          if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
            named.add(Long.parseLong(task.getFileName().toString()));
          }
        }
        return named.stream().filter(id -> id != process).min(Long::compare).orElseThrow();
      }
    }
  }

  @BeforeAll
  static void straceTraces() throws IOException, InterruptedException {
    Strace.require();
  }

  /** It has kept the image of one loop, and not that of the other. */
  @Test
  void aRankThatIsKilledWhileItKeepsImagesLeavesWholeVersions() throws Exception {
    assertThat(isKilledAt(Victim.RANK, "link", 2)).isTrue();
  }

  @Wide
  @ParameterizedTest
  @CsvSource({
    "RANK, link",
    "RANK, write",
    "LINK, sendto",
    "DAEMON, sendto",
    "DAEMON, unlink",
    "FMIRUN, sendto",
    "REPORTER, write",
  })
  void killedAtAnyCallItLeavesWholeVersions(Victim victim, String call) throws Exception {
    int number = 1;
    while (number <= MOST && isKilledAt(victim, call, number)) {
      number++;
    }
    assertThat(number).as("it is killed at least once").isGreaterThan(1);
  }

  /** Gives false if it had committed the version before that call. */
  private boolean isKilledAt(Victim victim, String call, int number) throws Exception {
    Path own = Files.createDirectory(directory.resolve(victim + "-" + call + number));
    Path gates = Files.createDirectory(own.resolve("gates"));
    for (int held : new int[] {BEFORE, AFTER}) {
      Files.createFile(gates.resolve("hold-" + held));
    }
    String what = victim + " at " + call + " " + number;
    // As few processes as will do.
    String[] nodes =
        victim == Victim.DAEMON
            ? new String[] {"--ppn", "1", "--spares", "1"}
            : new String[] {"--ppn", "2"};
    try (Fmirun.Running running = job(own, nodes).start()) {
      await(running, event -> isCommitted(event, "CheckpointCommitted", BEFORE));
      long process = victim.process(running);
      ProcessHandle handle = ProcessHandle.of(process).orElseThrow();
      boolean killed;
      try (Strace strace =
          Strace.killAt(process, victim.thread(process), call, number, own.resolve("calls"))) {
        Files.createFile(gates.resolve("gate-" + BEFORE));
        while (handle.isAlive() && !isOnFiles(running)) {
          handle.onExit().completeOnTimeout(handle, 10, TimeUnit.MILLISECONDS).join();
        }
        killed = !handle.isAlive();
        what += ":\n" + strace.seen();
      }
      Files.createFile(gates.resolve("gate-" + AFTER));
      if (victim.isOfFmirun() && killed) {
        running.process().waitFor();
      } else {
        Result result = running.await().succeeded();
        assertThat(result.value("state")).as(what).isEqualTo(LevelsProgram.result(RANKS));
      }
      assertAllWhole(own, what);
      if (!killed) {
        return false;
      }
    } // what fmirun has left behind is killed
    assertAllWhole(own, what);
    Result again = job(own, "--ppn", "2", "--restart-from", "auto").run().succeeded();
    assertThat(again.value("state")).as(what).isEqualTo(LevelsProgram.result(RANKS));
    return true;
  }

  private static boolean isCommitted(Map<String, String> event, String name, int iteration) {
    return name.equals(event.get("event"))
        && "1".equals(event.get("loop"))
        && Integer.toString(iteration).equals(event.get("iteration"));
  }

  private static boolean isOnFiles(Fmirun.Running running) throws IOException {
    return running.events().stream().anyMatch(e -> "Level2Committed".equals(e.get("event")));
  }

  private static void await(Fmirun.Running running, Predicate<Map<String, String>> event)
      throws IOException, InterruptedException {
    while (running.events().stream().noneMatch(event)) {
      assertThat(running.process().isAlive()).as(running.err()).isTrue();
      Thread.sleep(10); // polls a file that another process writes
    }
  }

  private static Fmirun job(Path own, String... options) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-n",
                Integer.toString(RANKS),
                "--interval",
                "10",
                "--l2-every",
                Integer.toString(WRITTEN),
                "--l2-dir",
                own.resolve("ckpt").toString()));
    all.addAll(List.of(options));
    all.addAll(List.of("-cp", "target/test-classes", LevelsProgram.class.getName()));
    all.add(own.resolve("gates").toString());
    return new Fmirun(own, all.toArray(String[]::new));
  }

  /** What counts; what fmi ckpt verify reads. */
  private static void assertAllWhole(Path own, String what) throws IOException {
    Catalog catalog = Catalog.of(own.resolve("ckpt"));
    assertThat(catalog.unusable()).as(what).isEmpty();
    for (Generation each : catalog.generations()) {
      each.verify();
    }
  }
}
