package org.fmi.job;

import java.util.TreeMap;
import org.fmi.control.Notice;

/**
 * Nodes whose daemons are not heard. Their ranks have stopped, and their memory is kept: either
 * they return, or they are lost. Ranks of such a node are replaced at once if their groups can
 * rebuild their checkpoints and other nodes have free slots for them; otherwise all ranks wait. If
 * most nodes are silent, fmirun's own network is to blame and nothing is replaced.
 *
 * <p>What is sent to a silent node arrives when it returns, in order and before its ranks continue:
 * first of all, that processes which were replaced are to be killed.
 */
final class SilentNodes {
  private final Placement placement;
  private final Outbox out;

  /** Whether most other nodes were heard, by silent node. */
  private final TreeMap<Integer, Boolean> silent = new TreeMap<>();

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
    silent.put(node, alone);
    out.report(new Notice.NodeSilent(epoch, node, placement.name(node), alone));
    return true;
  }

  /**
   * Notes that a node is heard again.
   *
   * @return whether it was silent
   */
  boolean heard(int epoch, int node) {
    if (silent.remove(node) == null) {
      return false;
    }
    placement.heard(node);
    out.report(new Notice.NodeHeard(epoch, node, placement.name(node)));
    return true;
  }

  /** Notes that a node is lost. */
  void lost(int node) {
    silent.remove(node);
  }

  /** Whether a rank is on a silent node. */
  boolean hold(int rank) {
    return silent.containsKey(placement.nodeOf(rank));
  }

  /**
   * Returns a node whose ranks are to be replaced now, or a negative number.
   *
   * @param hasCheckpoints whether there may be checkpoints
   */
  int replaceable(boolean hasCheckpoints) {
    for (var each : silent.entrySet()) {
      int node = each.getKey();
      if (each.getValue()
          && placement.load(node) > 0
          && placement.isRoomFor(node)
          && (!hasCheckpoints || placement.canBeRebuilt(node))) {
        return node;
      }
    }
    return -1;
  }
}
