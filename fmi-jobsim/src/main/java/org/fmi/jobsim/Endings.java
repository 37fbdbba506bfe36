package org.fmi.jobsim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.fmi.control.RankMessage;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;

/**
 * Knows whether all ranks have called {@code Fmi.close}, and whether one of them was lost
 * nevertheless: what a job may end for when nothing can be repeated any more.
 */
final class Endings {
  private final SimCluster cluster;
  private final int size;

  /** The ranks that have called it, by epoch. */
  private final Map<Integer, Set<Integer>> closed = new HashMap<>();

  /** Processes that wait for the failure that the user has asked for. */
  private final Set<SimProcess> atFault = new HashSet<>();

  /** Processes that the job has killed although they were never frozen. */
  private final Set<SimProcess> killedForNothing = new HashSet<>();

  private boolean allClosed;
  private boolean lostAfterwards;

  Endings(SimCluster cluster, int size) {
    this.cluster = cluster;
    this.size = size;
  }

  void onSent(SimProcess process, RankMessage message) {
    if (message instanceof RankMessage.Finished m) {
      Set<Integer> ranks = closed.computeIfAbsent(m.epoch(), e -> new HashSet<>());
      ranks.add(process.rank());
      allClosed |= ranks.size() == size;
    } else if (message instanceof RankMessage.Joined) {
      allClosed = false; // a failure preceded the job's notice
    } else if (message instanceof RankMessage.AtFault) {
      atFault.add(process);
    }
  }

  /** The job has a process killed. */
  void onKill(int rank, int incarnation) {
    SimProcess process = cluster.process(rank);
    if (process != null
        && process.incarnation() == incarnation
        && process.alive()
        && process.freezes() == 0
        && !atFault.contains(process)) {
      killedForNothing.add(process);
    }
  }

  /** The job has ended; its processes and nodes are still as they were. */
  void onEnd() {
    lostAfterwards =
        allClosed && IntStream.range(0, size).mapToObj(cluster::process).anyMatch(this::isLost);
  }

  /** Whether a rank was lost after all had called {@code Fmi.close}. */
  boolean lostAfterwards() {
    return lostAfterwards;
  }

  private boolean isLost(SimProcess process) {
    if (!process.hasNode() || !cluster.isUsable(process.node())) {
      return true;
    }
    return !process.alive() && !endedByItself(process) && !killedForNothing.contains(process);
  }

  private boolean endedByItself(SimProcess process) {
    return cluster.exits().stream()
        .anyMatch(
            exit -> exit.rank() == process.rank() && exit.incarnation() == process.incarnation());
  }
}
