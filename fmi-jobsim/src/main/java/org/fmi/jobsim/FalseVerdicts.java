package org.fmi.jobsim;

import org.fmi.control.Notice;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.jspecify.annotations.Nullable;

/**
 * Finds nodes that the job gives up and processes that it kills although nothing was wrong with
 * them: processes that live and were never frozen, at a time when nothing was frozen, cut or
 * paused; nodes that fmirun did not miss, and that did not miss it, for longer than the grace.
 */
final class FalseVerdicts {
  /**
   * Faults that are over, and recoveries that have begun, this long ago excuse no verdict. Ranks
   * that leave an epoch close their connections, which those who are late take for their end.
   */
  private static final long AFTERMATH_NANOS = 2 * Exclusion.HEARTBEAT_NANOS;

  private static final int NONE = -1;

  /** The observer of a failure that the rank itself reports. */
  private static final String ITSELF = "itself";

  private final SimCluster cluster;

  /** The end of the newest fault that makes parts of the job silent for each other. */
  private long disturbedUntil = Long.MIN_VALUE / 2;

  /** The rank that the job has reported as failed in this decision, and why. */
  private int failed = NONE;

  private String reason = "";

  FalseVerdicts(SimCluster cluster) {
    this.cluster = cluster;
  }

  /** Notes that something is frozen, cut or paused until then. */
  void disturbed(long until) {
    disturbedUntil = Math.max(disturbedUntil, Math.min(until, Long.MAX_VALUE / 2));
  }

  /** The job has decided something: its notices and commands follow. */
  void onDecision() {
    failed = NONE;
  }

  void onNotice(Notice notice) {
    // A rank that reports itself cannot use its node's memory.
    if (notice instanceof Notice.RankFailed m && !m.by().equals(ITSELF)) {
      failed = m.rank();
      reason = m.by() + ": " + m.reason();
    }
  }

  /**
   * The job has a process killed.
   *
   * @return null, or why it should not have been killed
   */
  @Nullable String onKill(int rank, int incarnation, long now) {
    boolean accused = failed == rank;
    SimProcess process = cluster.process(rank);
    if (!accused
        || process == null
        || process.incarnation() != incarnation
        || !process.alive()
        || !process.hasNode()
        || !cluster.lives(process.node())
        || process.freezes() > 0
        || now < disturbedUntil + AFTERMATH_NANOS) {
      return null;
    }
    return process + " was killed, and nothing is frozen or cut: " + reason;
  }

  /**
   * The job has given up a node.
   *
   * @param heard whether neither has missed the other for longer than the grace
   * @return null, or why it should not have been given up
   */
  @Nullable String onGivenUp(int node, boolean heard, String why) {
    if (!heard || !cluster.lives(node)) {
      return null;
    }
    return "node " + node + " was given up though it was heard within the grace: " + why;
  }
}
