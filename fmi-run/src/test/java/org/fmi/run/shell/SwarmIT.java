package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.control.Notice;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobController;
import org.fmi.job.JobEvent;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.Settings;
import org.fmi.run.report.Console;
import org.fmi.testkit.turns.Variants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * fmirun against many daemons: all come up, a node is lost, all run again, and all end. {@code
 * bench/swarm} prints what that took.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
final class SwarmIT {
  private static final String LOOP = "fmi-control";

  /** How many daemons are to be measured, one number after the other, as {@code 63,64}. */
  private static final String MEASURED = "fmi.swarm";

  @TempDir private Path directory;

  /** Decides as always, and sees how far the job is. */
  private static final class Watched implements Job {
    private final JobController job;
    private final Swarm swarm;
    private final long begin = System.nanoTime();
    private final StringBuilder table = new StringBuilder();
    private int running;

    Watched(JobController job, Swarm swarm) {
      this.job = job;
      this.swarm = swarm;
    }

    @Override
    public List<JobCommand> begin() {
      return job.begin();
    }

    @Override
    public List<JobCommand> on(JobEvent event) {
      List<JobCommand> commands = job.on(event);
      for (JobCommand command : commands) {
        if (command instanceof JobCommand.Report report) {
          on(report.notice());
        }
      }
      return commands;
    }

    private void on(Notice notice) {
      switch (notice) {
        case Notice.Started _ -> row("all daemons up");
        case Notice.AllRunning n -> {
          row("all run, epoch " + n.epoch());
          running++;
          if (n.epoch() == 0) {
            swarm.checkpointAndLose();
          } else {
            swarm.finish(n.epoch());
          }
        }
        default -> {}
      }
    }

    private void row(String step) {
      Runtime runtime = Runtime.getRuntime();
      table.append(
          String.format(
              Locale.ROOT,
              "%-20s %8.2f s  loop %6.2f s of CPU  %8.2f MB to daemons  %6.2f MB from them"
                  + "  heap %5d MiB  longest wait %7.1f ms%n",
              step,
              (System.nanoTime() - begin) / 1e9,
              loopSeconds(),
              swarm.bytesFromFmirun() / 1e6,
              swarm.bytesToFmirun() / 1e6,
              (runtime.totalMemory() - runtime.freeMemory()) >> 20,
              swarm.takeLongestNanos() / 1e6));
    }

    private static double loopSeconds() {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long nanos = 0;
      for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
        if (thread != null && thread.getThreadName().startsWith(LOOP)) {
          nanos += threads.getThreadCpuTime(thread.getThreadId());
        }
      }
      return (double) nanos / TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public int recoveries() {
      return job.recoveries();
    }
  }

  @Variants
  @ParameterizedTest
  @ValueSource(ints = {65, 63, 64, 129, 1000})
  void startsRecoversAndEnds(int nodes) throws Exception {
    var _ = survives(nodes);
  }

  @Test
  @EnabledIfSystemProperty(named = MEASURED, matches = ".+")
  void tellsWhatThatTakes() throws Exception {
    for (String nodes : System.getProperty(MEASURED).split(",", -1)) {
      System.out.print(nodes + " daemons\n" + survives(Integer.parseInt(nodes)).table);
    }
  }

  private Watched survives(int nodes) throws Exception {
    List<String> arguments =
        List.of(
            "-n",
            Integer.toString(nodes),
            "--ppn",
            "1",
            "--spares",
            "1",
            "--quiet",
            "--heartbeat",
            "60",
            "-cp",
            "target/test-classes",
            SwarmIT.class.getName());
    RunOptions options =
        RunOptions.of(
            Settings.read(arguments, Map.of(), directory.resolve("none")),
            Map.of(),
            Path.of("").toAbsolutePath(),
            _ -> true);
    try (Swarm swarm = new Swarm(directory, nodes / 2)) {
      Watched job = new Watched(new JobController(options.spec()), swarm);
      Console console = new Console(null, 1 << 20, false, false, () -> {}, () -> {});
      console.start();
      Succession shell =
          new Succession(
              options,
              job,
              new ShellContext(
                  "0123456789ab",
                  "0123456789ab",
                  new byte[32],
                  new JobProgram(
                      List.of(), new ProgramFacts("", List.of(), List.of()), List.of(), null),
                  swarm,
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  _ -> List.of("127.0.0.1"),
                  InputStream.nullInputStream(),
                  console,
                  null,
                  null,
                  null,
                  null));
      int status = shell.run();
      assertThat(status).isZero();
      assertThat(job.running).isEqualTo(2);
      assertThat(job.recoveries()).isEqualTo(1);
      return job;
    }
  }
}
