package org.fmi.run.daemon;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.fmi.job.control.FlushCodec;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.job.daemon.DaemonEvent;
import org.fmi.run.Installation;
import org.jspecify.annotations.Nullable;

/**
 * The process that writes checkpoints to files for a daemon: one per task, at a low priority. It
 * may hang in the system; nothing waits for it but threads of its own.
 */
final class FlushHelper {
  private static final int BY_SIGNAL = 128;

  private final Installation installation;
  private final Path socket;
  private final FlushTask task;
  private final Consumer<DaemonEvent> events;

  // Guarded by this.
  private @Nullable Process process;
  private boolean killed;

  /**
   * A process to be started.
   *
   * @param socket of the daemon, which marks all processes of the node
   * @param events takes what happens, on any thread; {@link DaemonEvent.HelperEnded} last
   */
  FlushHelper(
      Installation installation, Path socket, FlushTask task, Consumer<DaemonEvent> events) {
    this.installation = installation;
    this.socket = socket;
    this.task = task;
    this.events = events;
  }

  /** Starts it: killed by the system when the thread that starts it ends. */
  void start() {
    try {
      Process started = command().start();
      synchronized (this) {
        process = started;
        if (killed) {
          started.destroyForcibly();
        }
      }
      Thread.ofPlatform().daemon().name("fmi-flush").start(() -> follow(started));
      // Not inherited: whoever reads what the daemon prints would wait for this one, too.
      Thread.ofPlatform()
          .daemon()
          .name("fmi-flush-err")
          .start(() -> started.errorReader().lines().forEach(System.err::println));
    } catch (IOException | OutOfMemoryError e) {
      events.accept(
          new DaemonEvent.HelperEnded(
              new FlushResult.Failed("no process can be started: " + e.getMessage(), false)));
    }
  }

  /** Kills it, now or as soon as it is there. */
  synchronized void kill() {
    killed = true;
    Process started = process;
    if (started != null) {
      started.destroyForcibly();
    }
  }

  private ProcessBuilder command() throws IOException {
    List<String> jars = new ArrayList<>();
    jars.add(System.getProperty("java.class.path"));
    jars.addAll(installation.runJars());
    List<String> command =
        List.of(
            "nice",
            "-n",
            "10",
            "setpriv",
            "--pdeathsig",
            "KILL",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "@" + installation.jvmOptions(),
            "-XX:+UseSerialGC",
            "-Xms8m",
            "-Xmx32m",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-cp",
            String.join(File.pathSeparator, jars),
            "org.fmi.run.flush.FlushMain");
    ProcessBuilder builder = new ProcessBuilder(command);
    // A site's options are for programs; a second collector would be refused.
    RankCommand.OPTION_VARIABLES.forEach(builder.environment()::remove);
    speakEnglish(builder.environment());
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, socket.toString());
    return builder;
  }

  /** What the system says of failures is understood; names of files keep their characters. */
  private static void speakEnglish(Map<String, String> environment) {
    String all = environment.remove("LC_ALL");
    if (all != null && !all.isEmpty()) {
      environment.put("LC_CTYPE", all);
    }
    environment.put("LC_MESSAGES", "C");
  }

  /** Gives it its task, and waits for its end. */
  private void follow(Process started) {
    FlushResult result;
    try {
      byte[] answer = ask(started);
      int status = started.waitFor();
      result =
          status == 0
              ? FlushCodec.decodeResult(ByteBuffer.wrap(answer))
              : new FlushResult.Failed(
                  "the process that wrote them "
                      + (status > BY_SIGNAL
                          ? "was killed by signal " + (status - BY_SIGNAL)
                          : "ended with status " + status),
                  false);
    } catch (IOException e) {
      started.destroyForcibly();
      result =
          new FlushResult.Failed("the process that wrote them broke off: " + e.getMessage(), false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    events.accept(new DaemonEvent.HelperEnded(result));
  }

  /** Returns what it says last. */
  private byte[] ask(Process started) throws IOException {
    try (OutputStream to = started.getOutputStream()) {
      to.write(FlushCodec.encode(task));
    } catch (IOException e) {
      // It has ended already; its status says why.
    }
    InputStream from = started.getInputStream();
    byte[] some = new byte[4096];
    int count;
    while ((count = from.read(some)) > 0) {
      int moves = 0;
      while (moves < count && some[moves] == FlushCodec.MOVED) {
        moves++;
      }
      if (moves > 0) {
        events.accept(new DaemonEvent.HelperMoved());
      }
      if (moves < count) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(some, moves, count - moves);
        from.transferTo(answer);
        return answer.toByteArray();
      }
    }
    return new byte[0];
  }
}
