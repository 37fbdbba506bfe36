package org.fmi.job;

import java.util.BitSet;
import org.fmi.control.Notice;

/**
 * Takes in nodes that a user gives to a job that runs. When one is up, it is a spare: ranks that
 * wait for a node get it, and those that are beyond the slots of theirs move as {@link Departures}
 * decides.
 */
final class Arrivals {
  private final Placement placement;
  private final Outbox out;

  /** New ones that were neither up nor lost, by number: whoever added them waits to hear that. */
  private final BitSet awaited = new BitSet();

  Arrivals(Placement placement, Outbox out) {
    this.placement = placement;
    this.out = out;
  }

  /** A user adds a node. */
  void add(JobSpec.Node node) {
    boolean isNew = placement.find(node.name()) < 0;
    int number = take(node, placement, out);
    awaited.set(number, isNew || awaited.get(number));
  }

  /** A node is up. */
  void up(int node) {
    String name = placement.name(node);
    out.report(new Notice.NodeReady(node, name));
    if (awaited.get(node)) {
      awaited.clear(node);
      out.add(new JobCommand.Added(name));
    }
  }

  /** A node is lost, and the job goes on. */
  void lost(int node, String reason) {
    if (awaited.get(node)) {
      awaited.clear(node);
      out.add(new JobCommand.NotAdded(placement.name(node), reason));
    }
  }

  /**
   * A node is added; one of this name that was lost is started again. Others stay what they are.
   *
   * @return its number
   */
  static int take(JobSpec.Node node, Placement placement, Outbox out) {
    int known = placement.find(node.name());
    if (known < 0) {
      int number = placement.add(node);
      // Before anything else of it: whoever keeps something by node learns its number here.
      int slots = placement.capacity(number);
      out.report(new Notice.NodeAdded(number, node.name(), slots));
      out.add(new JobCommand.AddNode(number, node.name(), slots));
      out.add(new JobCommand.Launch(number));
      return number;
    }
    if (placement.isLost(known)) {
      placement.await(known);
      out.add(new JobCommand.Launch(known));
    }
    return known;
  }
}
