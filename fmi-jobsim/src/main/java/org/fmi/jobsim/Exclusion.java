package org.fmi.jobsim;

import java.util.Set;
import org.fmi.job.EndCause;
import org.fmi.testkit.SimCluster;

/**
 * Faults that a job does not survive although its data and places exist: the whole list. Below its
 * bound each fault must be survived. {@code ExclusionTest} holds schedules for each row: beyond the
 * bound the job ends with status 70, or kills what is healthy. A schedule that is lost no more
 * fails the test, so that the row goes.
 */
enum Exclusion {
  FMIRUN_SILENT(
      "A1",
      "fmirun stands still, or its line to all daemons is cut",
      "the grace: each daemon then ends, and its node's memory with it",
      EndCause.NO_SPARE,
      EndCause.NO_NODE,
      EndCause.CHECKPOINTS_LOST),
  DAEMON_SILENT(
      "A2",
      "a daemon stands still or cannot be heard",
      "the grace: the node and its memory are given up; two members of one group, or no spare node"
          + " left, then end the job",
      EndCause.NO_SPARE,
      EndCause.NO_NODE,
      EndCause.CHECKPOINTS_LOST),
  ACCUSED(
      "A10",
      "the data connection between two living ranks breaks, or one suspects the other for nothing",
      "the first time within a node, and the second time before a checkpoint else: the accused"
          + " process is killed; the job finishes"),
  KILLED_AGAIN_AND_AGAIN(
      "A5",
      "the system of one node kills a rank at the same iteration each time",
      "more often in a row than --no-progress, or ten times before the other ranks run, where no"
          + " other node has room",
      EndCause.NO_PROGRESS,
      EndCause.NEVER_RAN);

  /** A silence of fmirun, or of a daemon, that lasts this long may end a job. */
  static final long GRACE_NANOS = SimCluster.GRACE_MILLIS * 1_000_000L;

  static final long HEARTBEAT_NANOS = SimCluster.HEARTBEAT_TIMEOUT_MILLIS * 1_000_000L;

  /** A rank that loses this many processes before all ranks run may end a job. */
  static final int LOSSES = 10;

  private final String finding;
  private final String fault;
  private final String bound;

  @SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable
  private final Set<EndCause> causes;

  /**
   * @param finding where it is described
   * @param fault what happens
   * @param bound from which on it ends the job, and why
   * @param causes what the job may then say that it ended for; none if it finishes
   */
  Exclusion(String finding, String fault, String bound, EndCause... causes) {
    this.finding = finding;
    this.fault = fault;
    this.bound = bound;
    this.causes = Set.of(causes);
  }

  /** Whether a job that ended for this cause may have ended through this. */
  boolean fits(EndCause end) {
    return causes.contains(end);
  }

  /** Whether the job finishes all the same, at the cost of processes that were healthy. */
  boolean finishes() {
    return causes.isEmpty();
  }

  /** Whether it ends a job by giving up nodes that live, with what they hold. */
  boolean throwsAway() {
    return this == FMIRUN_SILENT || this == DAEMON_SILENT;
  }

  @Override
  public String toString() {
    return finding + ": " + fault + "; from " + bound;
  }
}
