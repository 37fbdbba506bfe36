package org.fmi.run.report;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.fmi.run.options.RunOptions.Verbosity;

/**
 * Shows how far a job has come: by a live line on a terminal, elsewhere by a line each minute. Used
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
   * @param nanos now, by the monotonic clock
   */
  public LiveProgress(Verbosity verbosity, Console console, long nanos) {
    this.silent = verbosity == Verbosity.QUIET;
    this.console = console;
    this.begunNanos = nanos;
    this.nextNanos = nanos + PAUSE;
  }

  /**
   * Shows it, if it is time to.
   *
   * @param progress how far it has come, in a line
   * @param nanos now
   */
  public void look(Supplier<String> progress, long nanos) {
    if (silent) {
      return;
    }
    if (console.isLive()) {
      // A short job is not worth a line that comes and goes.
      if (nanos - begunNanos >= FIRST) {
        console.live("fmi: " + progress.get());
      }
    } else if (nanos - nextNanos >= 0) {
      nextNanos = nanos + PAUSE;
      String line = progress.get();
      // A file that is read later gains nothing from the same again.
      if (!line.equals(last)) {
        last = line;
        console.line("fmi: " + line);
      }
    }
  }

  /** There is nothing to be shown any more. */
  public void end() {
    if (!silent) {
      console.live("");
    }
  }
}
