package org.fmi.run.report;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec;
import org.fmi.run.options.RunOptions.Verbosity;
import org.jspecify.annotations.Nullable;

/**
 * Reports a job's events to the user, to clients and to the event log, on a separate thread, so
 * that reporting never delays a command. Nothing on that thread waits for anything: {@link
 * EventWriter} has another one. Any thread.
 */
public final class Reporter {
  private final Consumer<String> say;
  private final Verbosity verbosity;

  /** Used on the thread. */
  private ProgressLines progress;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("fmi-reporter").factory());

  /** Null if events are not written. */
  private final @Nullable EventWriter log;

  private final Consumer<byte[]> lines;

  /**
   * @param say receives notices; does not wait
   * @param log receives events; closed at the end
   * @param lines takes each event as a line of JSON as well, on the reporter's thread
   */
  public Reporter(
      Consumer<String> say,
      Verbosity verbosity,
      JobSpec spec,
      @Nullable EventLog log,
      Consumer<byte[]> lines) {
    this.say = say;
    this.lines = lines;
    this.verbosity = verbosity;
    this.progress = new ProgressLines(verbosity, spec, say);
    this.log = log == null ? null : new EventWriter(log, EventWriter.MOST_BYTES, say);
  }

  /** Reports events that happened now. */
  public void report(List<Notice> notices) {
    if (!notices.isEmpty()) {
      long nanos = System.nanoTime();
      long timeMillis = System.currentTimeMillis();
      thread.execute(() -> report(notices, timeMillis, nanos));
    }
  }

  /** Reports another job of the program from now on. */
  public void follow(JobSpec next) {
    thread.execute(() -> progress = new ProgressLines(verbosity, next, say));
  }

  /** Prints lines after those of earlier events. */
  public void lines(List<String> lines) {
    if (!lines.isEmpty()) {
      thread.execute(() -> lines.forEach(say));
    }
  }

  /**
   * Closes the event log. Nothing may be reported afterwards.
   *
   * @param millis maximum time to wait for it: its file may be on a server that does not respond
   */
  public void close(long millis) throws InterruptedException {
    thread.shutdown();
    boolean _ = thread.awaitTermination(millis, TimeUnit.MILLISECONDS);
    if (log != null) {
      log.close(millis);
    }
  }

  private void report(List<Notice> notices, long timeMillis, long nanos) {
    for (Notice notice : notices) {
      progress.on(notice, nanos);
      byte[] line = EventLog.line(notice, timeMillis, nanos);
      lines.accept(line);
      if (log != null) {
        log.write(line);
      }
    }
    progress.flush(nanos);
  }
}
