package org.fmi.job;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Decides when ranks leave live nodes that are about to be lost: after a checkpoint, from which
 * they continue elsewhere, so that little is recomputed. Handles one node at a time, because a
 * group survives few losses at once; the next node follows at the first checkpoint after all ranks
 * run again. Ranks without room elsewhere stay, as do ranks whose checkpoints their group could not
 * rebuild.
 *
 * <p>Ranks beyond the slots of their node leave in the same way, once another node has room for
 * them.
 */
final class Departures {
  private final Placement placement;
  private final Ranks ranks;
  private final Kills kills;
  private final Outbox out;

  /** Whether ranks can leave a node: not without checkpoints to continue from. */
  private final boolean moves;

  /** The reason why a node is about to be lost, by node. */
  private final Map<Integer, String> leaving = new TreeMap<>();

  /** Leaving nodes that are lost in a moment. */
  private final BitSet urgent = new BitSet();

  /** Nodes for which a notice has said that their ranks stay. */
  private final BitSet reported = new BitSet();

  private int first;
  private String reason = "";

  /**
   * @param moves whether ranks can leave a node
   */
  Departures(Placement placement, Ranks ranks, Kills kills, Outbox out, boolean moves) {
    this.moves = moves;
    this.placement = placement;
    this.ranks = ranks;
    this.kills = kills;
    this.out = out;
  }

  /** Notes that a node is about to be lost. Repeated announcements count once until it is lost. */
  void announced(int node, String why, boolean soon) {
    if (placement.isLost(node)) {
      return;
    }
    if (soon) {
      urgent.set(node);
    }
    if (leaving.putIfAbsent(node, why) == null) {
      placement.leaving(node);
      out.reportLeaving(node, why, moves);
    }
  }

  /** Whether ranks can leave a node that is lost in a moment. */
  boolean isUrgent() {
    return urgent.stream().anyMatch(node -> placement.load(node) > 0 && canLeave(node));
  }

  private boolean canLeave(int node) {
    return moves && placement.canBeRebuilt(node) && placement.isRoomFor(node);
  }

  /** Notes that a node is not about to be lost any more: it is a place for ranks again. */
  void revoked(int node, String why) {
    if (leaving.remove(node) != null) {
      urgent.clear(node);
      reported.clear(node);
      placement.staying(node);
      out.reportUsedAgain(node, why);
    }
  }

  /** Notes that a node is lost. */
  void lost(int node) {
    leaving.remove(node);
    urgent.clear(node);
    reported.clear(node);
  }

  /**
   * Ends the processes of ranks that are to leave one node, after a checkpoint while all ranks run.
   *
   * @return whether there are any, so that a recovery begins
   */
  boolean begin() {
    for (Map.Entry<Integer, String> each : leaving.entrySet()) {
      int node = each.getKey();
      List<Integer> there = placement.ranksOn(node);
      if (!there.isEmpty() && canLeave(node)) {
        reported.clear(node);
        leave(node, there, " is about to be lost: " + each.getValue());
        return true;
      }
      if (!there.isEmpty() && !reported.get(node)) {
        reported.set(node);
        out.reportStays(node, placement.canBeRebuilt(node));
      }
    }
    for (int node = 0; placement.isCrowded() && node < placement.nodes(); node++) {
      List<Integer> beyondSlots = placement.movable(node);
      if (!beyondSlots.isEmpty()) {
        leave(node, beyondSlots, " has more ranks than slots, and another node has room");
        return true;
      }
    }
    return false;
  }

  private void leave(int node, List<Integer> those, String why) {
    first = those.getFirst();
    reason = placement.name(node) + why;
    those.forEach(r -> kills.restart(ranks.get(r)));
  }

  /** Returns one of the ranks that have to move. */
  int first() {
    return first;
  }

  /** Returns the reason why they have to move. */
  String reason() {
    return reason;
  }
}
