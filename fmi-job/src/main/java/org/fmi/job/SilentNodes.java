package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.fmi.control.Notice;
import org.fmi.job.Ranks.Rank;
import org.fmi.job.control.ToDaemon;

/**
 * Nodes whose daemons are not heard. Their ranks have stopped, and their memory is kept: either
 * they return, or they are lost. Ranks of such a node are replaced at once if their groups can
 * rebuild their checkpoints and other nodes have free slots for them; otherwise all ranks wait. If
 * most nodes are silent, fmirun's own network is to blame and nothing is replaced.
 *
 * <p>When a node returns, processes that were replaced are killed before the others continue.
 */
final class SilentNodes {
  /** A silent node. */
  private static final class Silent {
    /** Whether most other nodes are heard. */
    final boolean alone;

    /** Processes to be killed if it returns. */
    final List<ToDaemon.KillRank> replaced = new ArrayList<>();

    Silent(boolean alone) {
      this.alone = alone;
    }
  }

  private final Placement placement;
  private final Outbox out;
  private final TreeMap<Integer, Silent> silent = new TreeMap<>();

  SilentNodes(Placement placement, Outbox out) {
    this.placement = placement;
    this.out = out;
  }

  /**
   * Notes that a node is silent.
   *
   * @param alone whether most other nodes are heard
   * @return whether it was up
   */
  boolean add(int epoch, int node, boolean alone) {
    if (!placement.silent(node)) {
      return false;
    }
    silent.put(node, new Silent(alone));
    out.report(new Notice.NodeSilent(epoch, node, placement.name(node), alone));
    return true;
  }

  /**
   * Notes that a node is heard again, and kills its replaced processes.
   *
   * @return whether it was silent
   */
  boolean heard(int epoch, int node) {
    Silent returned = silent.remove(node);
    if (returned == null) {
      return false;
    }
    placement.heard(node);
    out.report(new Notice.NodeHeard(epoch, node, placement.name(node)));
    returned.replaced.forEach(kill -> out.add(new JobCommand.ToNode(node, kill)));
    return true;
  }

  /** Notes that a node is lost. */
  void lost(int node) {
    silent.remove(node);
  }

  /** Whether a rank is on a silent node. */
  boolean hold(int rank) {
    int node = placement.nodeOf(rank);
    return node >= 0 && silent.containsKey(node);
  }

  /**
   * Returns a node whose ranks are to be replaced now, or a negative number.
   *
   * @param hasCheckpoints whether there may be checkpoints
   */
  int replaceable(boolean hasCheckpoints) {
    for (var each : silent.entrySet()) {
      int node = each.getKey();
      if (each.getValue().alone
          && placement.load(node) > 0
          && placement.isRoomFor(node)
          && (!hasCheckpoints || placement.canBeRebuilt(node))) {
        return node;
      }
    }
    return -1;
  }

  /** Notes that the process of a rank on a silent node is replaced. */
  void replaced(int node, Rank rank) {
    silent.get(node).replaced.add(new ToDaemon.KillRank(rank.number(), rank.incarnation()));
  }
}
