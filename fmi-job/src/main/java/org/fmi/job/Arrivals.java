package org.fmi.job;

/**
 * Takes in nodes that a user gives to a job that runs. When one is up, it is a spare: ranks that
 * wait for a node get it, and those that are beyond the slots of theirs move as {@link Departures}
 * decides.
 */
final class Arrivals {
  private Arrivals() {}

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
      out.report(new Notice.NodeAdded(number, node.name(), placement.capacity(number)));
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
