package org.fmi.run.report;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.fmi.run.options.RunOptions.Verbosity;

/**
 * Shows the progress of a job: on a live line of a terminal, elsewhere on a line per minute. Used
 * by one thread.
 */
public final class LiveProgress {
  private static final long FIRST = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

  private final boolean silent;
  private final Console console;
  private final long begunNanos;
  private long nextNanos;
  private String last = "";

  /**
   * @param nanos the time, from the monotonic clock
   */
  public LiveProgress(Verbosity verbosity, Console console, long nanos) {
    this.silent = verbosity == Verbosity.QUIET;
    this.console = console;
    this.begunNanos = nanos;
    this.nextNanos = nanos + PAUSE;
  }

  /**
   * Shows the progress, if that is due.
   *
   * @param progress the progress, on one line
   * @param nanos the time
   */
  public void look(Supplier<String> progress, long nanos) {
    if (silent) {
      return;
    }
    if (console.isLive()) {
      // A short job is not worth a line that appears and disappears.
      if (nanos - begunNanos >= FIRST) {
        console.live("fmi: " + progress.get());
      }
    } else if (nanos - nextNanos >= 0) {
      nextNanos = nanos + PAUSE;
      String line = progress.get();
      // A repetition adds nothing to a file.
      if (!line.equals(last)) {
        last = line;
        console.line("fmi: " + line);
      }
    }
  }

  /** Removes the live line at the end. */
  public void end() {
    if (!silent) {
      console.live("");
    }
  }
}
