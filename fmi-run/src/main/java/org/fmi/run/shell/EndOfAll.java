package org.fmi.run.shell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.fmi.job.JobEvent;

/**
 * Delays events for a moment when a daemon is terminated from outside the job. A program that ends
 * all processes of the job, as Slurm does when it cancels a job, also ends fmirun, and then the
 * events are no failures. Belongs to the loop's thread.
 */
final class EndOfAll {
  /** Maximum delay of fmirun's own signal. */
  private static final int MILLIS = 500;

  private final StackQuestions.Later later;
  private final Consumer<JobEvent> next;
  private final Deque<JobEvent> held = new ArrayDeque<>();
  private boolean holds;

  /**
   * @param next receives the events, if the job does not end
   */
  EndOfAll(StackQuestions.Later later, Consumer<JobEvent> next) {
    this.later = later;
    this.next = next;
  }

  /** Notes that a daemon was terminated. */
  void begins() {
    if (!holds) {
      holds = true;
      later.run(MILLIS, this::didNotCome);
    }
  }

  private void didNotCome() {
    holds = false;
    JobEvent event;
    while (!holds && (event = held.poll()) != null) {
      next.accept(event);
    }
  }

  /** Forwards an event, now or later. */
  void pass(JobEvent event) {
    if (holds && !(event instanceof JobEvent.Interrupted)) {
      held.add(event);
    } else {
      next.accept(event);
    }
  }
}
