package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.job.daemon.DaemonEvent;
import org.fmi.rules.TimeWithCore;
import org.fmi.run.Installation;
import org.fmi.run.process.ProcessStat;
import org.jspecify.annotations.Nullable;

/**
 * The process that writes checkpoints to files for a daemon, at a low priority. One process for all
 * tasks, until it hangs and is killed. It may hang in the system; only dedicated threads wait for
 * it.
 */
final class FlushHelper {
  private static final int BY_SIGNAL = 128;

  /**
   * Priority decrement of its threads (nice(1)): a third of the weight of a rank's. With 10 it is a
   * tenth, and a helper beside fourteen busy threads on two cores took 43 s only to start.
   */
  private static final String NICE = "5";

  private final Installation installation;
  private final Path socket;
  private final Consumer<DaemonEvent> events;

  // No lock: the start of a process may hang, and the daemon's own thread must not wait for it.
  // Whichever of a start and a kill is later sees the other.
  private volatile @Nullable Process process;
  private volatile boolean killed;

  /**
   * Creates a helper, to be started with its first task.
   *
   * @param socket socket of the daemon, which marks all processes of the node
   * @param events receives events, on any thread; {@link DaemonEvent.HelperEnded} last, for each
   *     task
   */
  FlushHelper(Installation installation, Path socket, Consumer<DaemonEvent> events) {
    this.installation = installation;
    this.socket = socket;
    this.events = events;
  }

  /**
   * Gives it a task, when the previous one is over. Starts it if it does not run; the system kills
   * it when the thread that starts it ends.
   */
  void run(FlushTask task) {
    try {
      Process running = running();
      Thread.ofPlatform().daemon().name("fmi-flush").start(() -> follow(running, task));
    } catch (IOException | OutOfMemoryError e) {
      refused(e);
    }
  }

  /** Ends its task, which the system has refused a thread or a process. */
  void refused(Throwable e) {
    ended(new FlushResult.Failed("no process can be started: " + e.getMessage(), false));
  }

  private Process running() throws IOException {
    Process known = process;
    if (known != null && known.isAlive()) {
      return known;
    }
    Process started = command().start();
    process = started;
    if (killed) {
      started.destroyForcibly();
    }
    // Not inherited: a reader of the daemon's output would wait for this process, too.
    Thread.ofPlatform()
        .daemon()
        .name("fmi-flush-err")
        .start(() -> started.errorReader().lines().forEach(System.err::println));
    return started;
  }

  /** Checks whether it has a core. */
  TimeWithCore.Look look() {
    Process started = process;
    return started == null ? TimeWithCore.Look.UNSEEN : ProcessStat.look(started.pid());
  }

  /** Kills it, now or as soon as it has started; it gets no other task. */
  void kill() {
    killed = true;
    Process started = process;
    if (started != null) {
      started.destroyForcibly();
    }
  }

  private ProcessBuilder command() throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("nice", "-n", NICE, "setpriv", "--pdeathsig", "KILL"));
    command.addAll(
        installation.flushCommand(System.getProperty("java.class.path"), Installation.aotCaches()));
    ProcessBuilder builder = new ProcessBuilder(command);
    // A site's options are for programs; a second collector would be refused.
    RankCommand.OPTION_VARIABLES.forEach(builder.environment()::remove);
    speakEnglish(builder.environment());
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, socket.toString());
    return builder;
  }

  /** Makes system errors parsable, while file names keep their characters. */
  private static void speakEnglish(Map<String, String> environment) {
    String all = environment.remove("LC_ALL");
    if (all != null && !all.isEmpty()) {
      environment.put("LC_CTYPE", all);
    }
    environment.put("LC_MESSAGES", "C");
  }

  /** Gives it its task, and waits for the end of the task. */
  private void follow(Process running, FlushTask task) {
    try {
      FlushResult result = ask(running, task);
      ended(result == null ? broken(running.waitFor()) : result);
    } catch (IOException e) {
      running.destroyForcibly();
      ended(
          new FlushResult.Failed("the process that wrote them aborted: " + e.getMessage(), false));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void ended(FlushResult result) {
    events.accept(new DaemonEvent.HelperEnded(result));
  }

  private static FlushResult broken(int status) {
    return new FlushResult.Failed(
        "the process that wrote them "
            + (status > BY_SIGNAL
                ? "was killed by signal " + (status - BY_SIGNAL)
                : "ended with status " + status),
        false);
  }

  /** Returns its final result; null if it ends before. */
  private @Nullable FlushResult ask(Process running, FlushTask task) throws IOException {
    try {
      FlushCodec.write(running.getOutputStream(), task);
    } catch (IOException e) {
      // It has ended already; its status gives the reason.
      return null;
    }
    return FlushCodec.readResult(
        running.getInputStream(), () -> events.accept(new DaemonEvent.HelperMoved()));
  }
}
