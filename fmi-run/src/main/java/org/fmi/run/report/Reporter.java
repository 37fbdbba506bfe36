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
 * Tells the user of a job's events and writes them to the event log. It does so on a thread of its
 * own: reporting never delays a command. Methods may be called by any thread.
 */
public final class Reporter {
  private final Console console;
  private final ProgressLines progress;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("fmi-reporter").factory());

  /** Null if events are not written, or no longer. Used on the thread. */
  private @Nullable EventLog log;

  private final Consumer<byte[]> lines;

  /**
   * @param log where to write events; closed at the end
   * @param lines takes each event as a line too, on the reporter's thread
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
  public void tell(List<Notice> notices) {
    if (!notices.isEmpty()) {
      long nanos = System.nanoTime();
      long timeMillis = System.currentTimeMillis();
      thread.execute(() -> report(notices, timeMillis, nanos));
    }
  }

  /** Writes lines behind those of the events before them. */
  public void lines(List<String> lines) {
    if (!lines.isEmpty()) {
      thread.execute(() -> lines.forEach(console::line));
    }
  }

  /**
   * Closes the event log. Nothing may be reported afterwards.
   *
   * @param millis how long to wait for it: its file may be on a server that does not answer
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
          console.line("fmirun: --events: no more events are written: " + Refusal.text(e));
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
