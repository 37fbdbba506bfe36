package org.fmi.runtime;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.fmi.Fmi;

/** The place of this process in a job, until {@code Fmi.init} takes it. */
public final class Seat {
  /** The way into a job. */
  @FunctionalInterface
  public interface Job {
    /**
     * Joins the job; returns when the program may begin.
     *
     * @throws IOException if a required transport, detector or memory is not available
     */
    Fmi join() throws IOException;
  }

  /** The seat of the process, not of a thread, as a process joins one job in its life. */
  static final Seat OF_PROCESS = new Seat();

  private static final Job TAKEN =
      () -> {
        throw new IllegalStateException("Fmi.init was called before in this process");
      };

  private final AtomicReference<Job> job = new AtomicReference<>(JobOfOne::join);

  Seat() {}

  /** Gives this process a place in a job. Called before the program's main method. */
  public static void offer(Job job) {
    OF_PROCESS.job.set(job);
  }

  /**
   * Joins the offered job, or else a job of this process alone.
   *
   * @throws IllegalStateException if the seat was taken before
   */
  Fmi take() throws IOException {
    return job.getAndSet(TAKEN).join();
  }
}
