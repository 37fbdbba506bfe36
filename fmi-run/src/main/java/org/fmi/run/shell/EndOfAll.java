package org.fmi.run.shell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.fmi.job.JobEvent;

/**
 * Waits for a moment when a daemon is told to end by somebody else: whoever ends all processes of
 * the job, as Slurm does when it cancels one, has fmirun in mind too. What happens meanwhile is no
 * failure then. Belongs to the loop's thread.
 */
final class EndOfAll {
  /** How long fmirun's own signal may take to come. */
  private static final int MILLIS = 500;

  private final StackQuestions.Later later;
  private final Consumer<JobEvent> next;
  private final Deque<JobEvent> held = new ArrayDeque<>();
  private boolean holds;

  /**
   * @param next hears of the events, if the end does not come
   */
  EndOfAll(StackQuestions.Later later, Consumer<JobEvent> next) {
    this.later = later;
    this.next = next;
  }

  /** A daemon was told to end. */
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

  /** Passes an event on, now or later. */
  void pass(JobEvent event) {
    if (holds && !(event instanceof JobEvent.Interrupted)) {
      held.add(event);
    } else {
      next.accept(event);
    }
  }
}
