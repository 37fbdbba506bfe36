package org.fmi.jobsim;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.testkit.Simulation;

/**
 * Users who ask a simulated job for checkpoints at times drawn by chance, soon after something has
 * happened to it, and some of whom do not wait for the answer. Each is answered once.
 */
final class Askers {
  /** Later than that nothing of what has happened is under way. */
  private static final long MOST_NANOS = 400_000;

  /** The share of events after which a user asks: one in this many. */
  private static final int ONE_IN = 3;

  private static final int ONE_IN_WITHDRAWS = 4;

  private final Simulation simulation;
  private final Predicate<JobEvent> way;
  private final SplittableRandom random;
  private final Set<Long> open = new HashSet<>();
  private int left;
  private long next;
  private int taken;

  /**
   * @param way passes a request to the job; false if the job has ended
   */
  Askers(long seed, Simulation simulation, Predicate<JobEvent> way) {
    this.simulation = simulation;
    this.way = way;
    this.random = new SplittableRandom(seed ^ 0x5eed);
  }

  /** Sets the number of users that ask, if enough events happen. */
  void allow(int most) {
    left = most;
  }

  /** Something has happened to the job. */
  void happened() {
    if (left > 0 && random.nextInt(ONE_IN) == 0) {
      left--;
      long asker = next++;
      boolean files = random.nextBoolean();
      simulation.after(
          random.nextLong(MOST_NANOS), "ask for a checkpoint", asker, () -> ask(asker, files));
    }
  }

  private void ask(long asker, boolean files) {
    open.add(asker);
    if (!way.test(new JobEvent.CheckpointAsked(asker, files))) {
      open.remove(asker);
    } else if (random.nextInt(ONE_IN_WITHDRAWS) == 0) {
      simulation.after(random.nextLong(MOST_NANOS), "withdraw", asker, () -> withdraw(asker));
    }
  }

  private void withdraw(long asker) {
    if (open.remove(asker)) {
      boolean _ = way.test(new JobEvent.CheckpointWithdrawn(asker)); // it may have ended
    }
  }

  void taken(JobCommand.Checkpointed answer) {
    answered(answer.asker());
    taken++;
  }

  void refused(JobCommand.NotCheckpointed answer) {
    answered(answer.asker());
  }

  private void answered(long asker) {
    if (!open.remove(asker)) {
      throw new AssertionError("an answer to asker " + asker + ", who does not wait for one");
    }
  }

  /** The job has ended. */
  void check() {
    if (!open.isEmpty()) {
      throw new AssertionError("not answered: " + open);
    }
  }

  /** Returns the number of requests that were fulfilled. */
  int taken() {
    return taken;
  }
}
