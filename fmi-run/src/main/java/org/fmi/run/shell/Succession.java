package org.fmi.run.shell;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.fmi.control.Notice;
import org.fmi.job.Job;
import org.fmi.job.JobController;
import org.fmi.job.JobSpec;
import org.fmi.net.NetLoop;
import org.fmi.run.StandardError;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.metrics.JobMetrics;
import org.fmi.run.options.RunOptions;
import org.fmi.run.report.Reporter;
import org.fmi.run.status.EventFeed;
import org.fmi.spi.EarlierMemory;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program to its end: in one job, or in several ones after each other, each with fewer ranks
 * ({@code --on-no-spare shrink}). The jobs share one event loop, one report and one console. The
 * daemons of a job whose memory is still needed live on until a later job has checkpoints.
 */
final class Succession {
  /** Bytes of events kept for later readers. */
  private static final int EVENT_BYTES = 8 << 20;

  /** Time limit for the last events: their file may be on a server that does not respond. */
  private static final int EVENTS_MILLIS = 10_000;

  /** The same limit, and that of output, when the user stops the job. */
  private static final int REPORT_MILLIS = 200;

  private final RunOptions options;
  private final ShellContext around;
  private final NetLoop loop;
  private final Reporter reporter;
  private final EventFeed events = new EventFeed(EVENT_BYTES);
  private final InputFeed input;
  private final long begunNanos = System.nanoTime();
  private final JobShell first;

  /** Jobs whose daemons still serve their memory. Used on the loop's thread. */
  private final List<JobShell> keepers = new ArrayList<>();

  /** Directories whose locks show on this machine that a later job lives. */
  private final List<NodeDirectory> signs = new ArrayList<>();

  /** The job that runs the program now. */
  private volatile JobShell current;

  /** Whether some of the job's output could not be written. */
  private volatile boolean outputLost;

  /** Recoveries of the jobs that have ended. */
  private int recoveries;

  Succession(RunOptions options, Job job, ShellContext around) {
    this.options = options;
    this.around = around;
    this.reporter =
        new Reporter(
            around.console()::line,
            options.output().verbosity(),
            options.spec(),
            around.events(),
            line -> post(() -> events.add(line)));
    this.loop =
        NetLoop.open(
            "fmi-control", around.secret(), NetLoop.MAX_FRAME, new StandardError()::report);
    this.input =
        new InputFeed(
            around.input(),
            this::post,
            around.console()::line,
            (incarnation, bytes) -> current().input(incarnation, bytes));
    this.first = new JobShell(options, job, around, this, EarlierMemory.NONE, null);
    this.current = first;
  }

  private JobShell current() {
    return current;
  }

  /**
   * Runs the program to its end.
   *
   * @return the exit status
   * @throws IOException if there is no free port for the daemons
   */
  int run() throws IOException {
    first.listen();
    loop.execute(
        () -> {
          reporter.report(List.of(new Notice.Submitted(around.jobId(), options.program().text())));
          first.begin();
        });
    JobMetrics metrics = around.metrics();
    if (metrics != null && metrics.address() != null) {
      post(() -> current().print(List.of("metrics at " + metrics.address())));
    }
    AskedHere asked =
        AskedHere.open(
            loop,
            around,
            options.output().name(),
            (question, answer) -> current().desk().answer(question, answer));
    int status = first.await();
    for (JobShell next = first.next(); next != null; next = next.next()) {
      status = next.await();
    }
    around.program().close();
    current.closeRequests();
    if (metrics != null) {
      metrics.close();
    }
    boolean interrupted = current.isInterrupted();
    try {
      reporter.close(interrupted ? REPORT_MILLIS : EVENTS_MILLIS);
      // All output counts, however slowly it is read, unless the user stops the job.
      around.console().drain(interrupted ? REPORT_MILLIS : Long.MAX_VALUE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    post(
        () -> {
          current().desk().end();
          events.end();
        });
    loop.close();
    for (NodeDirectory sign : signs) {
      sign.delete();
    }
    asked.close();
    return status == 0 && outputLost ? Ending.FAILED : status;
  }

  // ---- from outside, on any thread

  /** Handles output that cannot be written, after a notice. */
  void outputLost() {
    outputLost = true;
    post(() -> current().fail(""));
  }

  /** Handles a signal to end the job; a second one ends it at once. */
  void interrupt(int signal) {
    current.interrupt(signal);
  }

  /** Stops the job at a checkpoint because its time is short. */
  void stopSoon(String why) {
    post(() -> current().stopSoon(why));
  }

  /** Handles a node that is about to be lost. */
  void leaving(String name, String why) {
    post(() -> current().leaving(name, why));
  }

  /** Handles a node that is not about to be lost any more. */
  void stays(String name, String why) {
    post(() -> current().stays(name, why));
  }

  /** Runs a task on the loop, or drops it once the loop is closed. Any thread. */
  void post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The loop is closed.
    }
  }

  // ---- for the jobs, on the loop's thread

  NetLoop loop() {
    return loop;
  }

  Reporter reporter() {
    return reporter;
  }

  EventFeed events() {
    return events;
  }

  InputFeed input() {
    return input;
  }

  /** The time at which the program was started, on the monotonic clock. */
  long begunNanos() {
    return begunNanos;
  }

  /** Recoveries of earlier jobs. */
  int recoveries() {
    return recoveries;
  }

  boolean isCurrent(JobShell shell) {
    return shell.equals(current);
  }

  /**
   * Begins the job that follows a job whose ranks have ended.
   *
   * @param next its specification
   * @param memory the memory that it begins from; {@link EarlierMemory#NONE} if there is none
   * @param keeper the job that has left this memory; null if there is none
   * @param files its files; null if it uses none
   * @throws IOException if there is no free port for its daemons, or no room for its directory
   */
  void follow(
      JobShell last,
      JobSpec next,
      EarlierMemory memory,
      @Nullable JobShell keeper,
      String jobId,
      @Nullable Level2Files files)
      throws IOException {
    if (options.where().isLocal()) {
      // Otherwise other jobs may delete what a daemon has left for the next one on its node.
      signs.add(
          NodeDirectory.createForProgram(jobId, NodeDirectory.FMIRUN, 0, around.secret(), "", 0));
    }
    recoveries += last.recoveries();
    JobShell shell =
        new JobShell(
            options.with(next),
            new JobController(next),
            around.with(jobId, files),
            this,
            memory,
            keeper);
    shell.listen();
    reporter.follow(next);
    around.console().shrunk();
    shell.desk().follow(last.desk());
    last.followedBy(shell);
    current = shell;
    keepers.add(last);
    for (JobShell each : List.copyOf(keepers)) {
      if (!each.equals(keeper)) {
        release(each);
      }
    }
    shell.begin();
    shell.desk().askAgain(last.desk());
  }

  /** Ends the daemons of all earlier jobs: the current job has checkpoints, or ends. */
  void releaseAll() {
    List.copyOf(keepers).forEach(this::release);
  }

  private void release(JobShell keeper) {
    keepers.remove(keeper);
    keeper.release();
  }

  /** Handles an injected loss of a node: the daemons of earlier jobs on it are lost, too. */
  void nodeLost(String name, String reason) {
    keepers.forEach(keeper -> keeper.nodeLost(name, reason));
  }

  /** Makes the public name of a job. */
  static String newJobId() {
    byte[] bytes = new byte[6];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
