package org.fmi.run.shell;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.fmi.job.JobCommand;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether a job is ending, with which status, and what the end still waits for. Belongs to
 * the loop's thread, except where a method says otherwise.
 */
final class Ending {
  /** FMI itself failed, or data was lost. */
  static final int FAILED = JobCommand.End.FAILED;

  /** The time that the user gave the job is over; as of timeout(1). */
  static final int TIMED_OUT = 124;

  /** The user has stopped it where another job can go on; as EX_TEMPFAIL of sysexits.h. */
  static final int STOPPED = 75;

  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  /** Launches and fences under way, and the processes of daemons that run. */
  private final Set<Object> unfinished = new HashSet<>();

  /** The first signal by which somebody asked for the end; 0 if nobody did. */
  private volatile int signal;

  private @Nullable Integer status;

  /** Whether the job is ending. */
  boolean begun() {
    return status != null;
  }

  /** Begins the end, which is over when all that was {@link #started} has finished. */
  void begin(int exitStatus) {
    assert !begun() : "a job ends once";
    status = exitStatus;
  }

  /** Something begins that the end has to wait for. */
  void started(Object task) {
    unfinished.add(task);
  }

  /** It has finished. */
  void finished(Object task) {
    unfinished.remove(task);
    completeIfIdle();
  }

  /** Everything is over, if the job is ending and waits for nothing. */
  void completeIfIdle() {
    if (begun() && unfinished.isEmpty()) {
      complete();
    }
  }

  /** Everything is over, whatever has not finished. */
  void complete() {
    result.complete(exitStatus());
  }

  private int exitStatus() {
    if (status == null) {
      return FAILED;
    }
    // Ctrl-C reaches all in the foreground: a daemon that is being started may have failed first.
    return status != 0 && signal != 0 ? 128 + signal : status;
  }

  /** Waits until everything is over, and returns the exit status. Any thread but the loop's. */
  int await() {
    return result.join();
  }

  /** Whether everything is over. Any thread. */
  boolean isComplete() {
    return result.isDone();
  }

  /**
   * Somebody wants the job to end. Any thread.
   *
   * @param number of the signal; the first one decides the status: what follows may be its
   *     consequence, such as that nobody reads the output any more
   */
  void interrupt(int number) {
    if (signal == 0) {
      signal = number;
    }
  }

  /** Whether somebody wants it to end. Any thread. */
  boolean interrupted() {
    return signal != 0;
  }
}
