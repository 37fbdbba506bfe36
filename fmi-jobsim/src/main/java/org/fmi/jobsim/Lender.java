package org.fmi.jobsim;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.testkit.Simulation;

/** A site that lends nodes to jobs that ask for one; it has none unless configured. */
final class Lender {
  private final Simulation simulation;
  private final Supplier<JobSpec.Node> node;
  private final Predicate<JobEvent> job;

  /** Requests that were not answered yet. */
  private final Set<Integer> open = new HashSet<>();

  private long nanos = 1;
  private boolean lends;
  private int requests;

  /**
   * @param node the one that there is
   * @param job hears of answers, if it has not ended
   */
  Lender(Simulation simulation, Supplier<JobSpec.Node> node, Predicate<JobEvent> job) {
    this.simulation = simulation;
    this.node = node;
    this.job = job;
  }

  /**
   * Sets the answers to requests.
   *
   * @param after that time
   * @param one whether the first one is granted; all others are refused
   */
  void answers(long after, boolean one) {
    nanos = after;
    lends = one;
  }

  /** The job asks for a node. */
  void asked() {
    int request = requests++;
    open.add(request);
    simulation.after(nanos, "a request is answered", -1, () -> answer(request));
  }

  /** Withdraws the job's request. */
  void withdrawn() {
    open.clear();
  }

  private void answer(int request) {
    if (open.remove(request)) {
      boolean lent = lends;
      lends = false;
      boolean _ =
          job.test(
              lent
                  ? new JobEvent.NodeGranted(node.get())
                  : new JobEvent.NodeRefused("there is none"));
    }
  }

  /** Returns the number of nodes that the job has asked for. */
  int requests() {
    return requests;
  }
}
