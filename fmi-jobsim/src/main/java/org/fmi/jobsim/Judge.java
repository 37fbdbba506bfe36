package org.fmi.jobsim;

import java.util.Set;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.testkit.SimObserver;

/**
 * Observer that knows the true state of a simulated job and what the job commands, checks the
 * invariants while it runs, and judges whether it was allowed to end as it did.
 */
interface Judge extends SimObserver {
  /** The judgement of a job's end, with its reason. */
  record Verdict(boolean allowed, String text) {}

  /** Checks the invariants between any two events. */
  void check();

  /** The job has decided something: its commands follow. */
  void onDecision();

  /** Notes that the job has a process started. */
  void onSpawn(int rank, int node, int[] group);

  /** Notes that the job has a process killed. */
  void onKill(int rank, int incarnation);

  /** Notes that the job has given up a node. */
  void onGivenUp(int node, String reason);

  /** Notes that the job has one more node. */
  void onNodeAdded();

  void onNotice(Notice notice);

  /** Notes a new epoch. */
  void onRecovering();

  void onSentToAll(JobMessage message);

  /** Notes the end of the job: its processes have to end from now on. */
  void onEnd();

  /**
   * Judges whether the job was allowed to end as it did.
   *
   * @param answer the right answer
   */
  Verdict judge(Outcome outcome, long answer);

  /** Returns the exclusions without which a demand would have been broken. */
  Set<Exclusion> needed();

  /** Returns the longest time that the job did not compute after a fault, without excused ones. */
  long longestOutage();

  Reached reached();
}
