package org.fmi.job;

import java.util.BitSet;
import org.fmi.control.Notice;

/**
 * Adds nodes that a user gives to a running job. A node that comes up is a spare: ranks that wait
 * for a node get it, and ranks beyond the slots of their node move as {@link Departures} decides.
 */
final class Arrivals {
  private final Placement placement;
  private final Outbox out;

  /** New nodes that are neither up nor lost, by number; their users wait for the result. */
  private final BitSet awaited = new BitSet();

  /** Nodes that users added while they could still return: they are restarted if they do not. */
  private final BitSet again = new BitSet();

  Arrivals(Placement placement, Outbox out) {
    this.placement = placement;
    this.out = out;
  }

  /** Adds a node for a user. */
  void add(JobSpec.Node node) {
    boolean isNew = placement.find(node.name()) < 0;
    int number = take(node, placement, out);
    awaited.set(number, isNew || awaited.get(number));
    again.set(number, placement.mayReturn(number));
  }

  /** Notes that a node is up. */
  void up(int node) {
    String name = placement.name(node);
    out.report(new Notice.NodeReady(node, name));
    again.clear(node);
    if (awaited.get(node)) {
      awaited.clear(node);
      out.add(new JobCommand.Added(name));
    }
  }

  /** Notes that a silent node was heard. */
  void heard(int node) {
    again.clear(node);
  }

  /** Notes that a node is lost while the job continues. */
  void lost(int node, String reason) {
    if (again.get(node)) {
      again.clear(node);
      restart(node, placement, out);
    }
    if (awaited.get(node)) {
      awaited.clear(node);
      out.add(new JobCommand.NotAdded(placement.name(node), reason));
    }
  }

  /**
   * Adds a node, or restarts a lost one of this name. Nodes in any other state are not changed.
   *
   * @return its number
   */
  static int take(JobSpec.Node node, Placement placement, Outbox out) {
    int known = placement.find(node.name());
    if (known < 0) {
      int number = placement.add(node);
      // First of all: others that keep data per node learn its number here.
      int slots = placement.capacity(number);
      out.report(new Notice.NodeAdded(number, node.name(), slots));
      out.add(new JobCommand.AddNode(number, node.name(), slots));
      out.add(new JobCommand.Launch(number));
      return number;
    }
    if (placement.isLost(known)) {
      restart(known, placement, out);
    }
    return known;
  }

  private static void restart(int lost, Placement placement, Outbox out) {
    placement.await(lost);
    out.add(new JobCommand.Launch(lost));
  }
}
