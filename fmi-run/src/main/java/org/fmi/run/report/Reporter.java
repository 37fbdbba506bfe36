package org.fmi.run.report;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec;
import org.fmi.node.Refusal;
import org.fmi.run.options.RunOptions.Verbosity;
import org.jspecify.annotations.Nullable;

/**
 * Reports a job's events to the user and to the event log, on a separate thread, so that reporting
 * never delays a command. Any thread.
 */
public final class Reporter {
  private final Console console;
  private final ProgressLines progress;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("fmi-reporter").factory());

  /** Null if events are not written, or no longer. Used on the reporter's thread. */
  private @Nullable EventLog log;

  private final Consumer<byte[]> lines;

  /**
   * @param log receives events; closed at the end
   * @param lines takes each event as a line of JSON as well, on the reporter's thread
   */
  public Reporter(
      Console console,
      Verbosity verbosity,
      JobSpec spec,
      @Nullable EventLog log,
      Consumer<byte[]> lines) {
    this.console = console;
    this.lines = lines;
    this.progress = new ProgressLines(verbosity, spec, console::line);
    this.log = log;
  }

  /** Reports events that happened now. */
  public void report(List<Notice> notices) {
    if (!notices.isEmpty()) {
      long nanos = System.nanoTime();
      long timeMillis = System.currentTimeMillis();
      thread.execute(() -> report(notices, timeMillis, nanos));
    }
  }

  /** Prints lines after those of earlier events. */
  public void lines(List<String> lines) {
    if (!lines.isEmpty()) {
      thread.execute(() -> lines.forEach(console::line));
    }
  }

  /**
   * Closes the event log. Nothing may be reported afterwards.
   *
   * @param millis maximum time to wait for it: its file may be on a server that does not respond
   */
  public void close(long millis) throws InterruptedException {
    thread.execute(this::closeLog);
    thread.shutdown();
    boolean _ = thread.awaitTermination(millis, TimeUnit.MILLISECONDS);
  }

  private void report(List<Notice> notices, long timeMillis, long nanos) {
    for (Notice notice : notices) {
      progress.on(notice, nanos);
      byte[] line = EventLog.line(notice, timeMillis, nanos);
      lines.accept(line);
      if (log != null) {
        try {
          log.write(line);
        } catch (IOException e) {
          log = null;
          console.line(
              "fmirun: --events: writing failed; no more events are written: " + Refusal.text(e));
        }
      }
    }
    progress.flush(nanos);
  }

  private void closeLog() {
    if (log != null) {
      try {
        log.close();
      } catch (IOException e) {
        console.line("fmirun: --events: the last events were lost: " + Refusal.text(e));
      }
    }
  }
}
