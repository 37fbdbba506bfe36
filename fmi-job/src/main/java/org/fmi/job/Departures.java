package org.fmi.job;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.job.Ranks.Rank;

/**
 * Decides when ranks leave nodes that live and will be lost before long: behind a checkpoint, which
 * they go on from elsewhere, so that little is computed again. One node at a time, as a group
 * survives few losses at once: the next one leaves behind the first checkpoint after all run again.
 * Ranks for which no other node has room stay, and ranks whose checkpoints their group could not
 * bring back.
 *
 * <p>So do ranks that are beyond the slots of their node, once another one has room for them.
 */
final class Departures {
  private final Placement placement;
  private final Ranks ranks;
  private final FailureLedger ledger;
  private final Outbox out;

  /** Why a node will be lost, by node. */
  private final Map<Integer, String> leaving = new TreeMap<>();

  /** Nodes of which a notice has said that their ranks stay. */
  private final BitSet told = new BitSet();

  private int first;
  private String reason = "";

  Departures(Placement placement, Ranks ranks, FailureLedger ledger, Outbox out) {
    this.placement = placement;
    this.ranks = ranks;
    this.ledger = ledger;
    this.out = out;
  }

  /** A node will be lost. It may be said again and again, and counts once until it is lost. */
  void announced(int node, String why) {
    if (!placement.isLost(node) && leaving.putIfAbsent(node, why) == null) {
      placement.leaving(node);
      out.reportLeaving(node, why);
    }
  }

  /** A node is lost. */
  void lost(int node) {
    leaving.remove(node);
    told.clear(node);
  }

  /**
   * A checkpoint is committed, and all ranks run: the processes of ranks end that are to leave one
   * node.
   *
   * @return whether there are any, so that a recovery is to begin
   */
  boolean begin() {
    for (Map.Entry<Integer, String> each : leaving.entrySet()) {
      int node = each.getKey();
      List<Integer> there = placement.ranksOn(node);
      boolean rebuilt = placement.canBeRebuilt(node);
      if (!there.isEmpty() && rebuilt && placement.isRoomFor(node)) {
        told.clear(node);
        leave(node, there, " is about to be lost: " + each.getValue());
        return true;
      }
      if (!there.isEmpty() && !told.get(node)) {
        told.set(node);
        out.reportStays(node, rebuilt);
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
    those.forEach(r -> end(ranks.get(r)));
  }

  /** For no reason of its own. */
  private void end(Rank rank) {
    ledger.restarted(rank.number());
    ranks.dying(rank);
    out.kill(rank);
  }

  /** One of those that have to move. */
  int first() {
    return first;
  }

  /** Why they have to. */
  String reason() {
    return reason;
  }
}
