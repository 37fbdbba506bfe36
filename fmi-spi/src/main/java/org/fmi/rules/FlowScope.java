package org.fmi.rules;

import java.util.BitSet;
import java.util.List;

/**
 * The ranks that compute again after a failure has interrupted a {@code flowLoop}. All ranks reach
 * the same decision from the same numbers.
 */
public sealed interface FlowScope {
  /**
   * The ranks of a plan compute again, and the other ranks keep their state.
   *
   * @param plan the way of the lost ranks
   * @param front the number of iterations in the state with which all ranks continue
   * @param lost ranks that have lost their state
   */
  record Some(FlowPlan plan, long front, BitSet lost) implements FlowScope {}

  /**
   * All ranks roll back.
   *
   * @param why a message for the user
   */
  record All(String why) implements FlowScope {}

  /**
   * The progress of a rank's state.
   *
   * @param newest the number of iterations in its newest state
   * @param both whether it also has the state of one iteration earlier
   */
  record Progress(long newest, boolean both) {
    /** The rank has no state: its process is new, or was computing again. */
    public static final Progress LOST = new Progress(-1, false);
  }

  /**
   * Decides which ranks compute again.
   *
   * @param inputs the ranks that each rank reads from
   * @param start the number of iterations in the checkpoint's state
   * @param progress by rank
   * @param limit the most ranks that may compute again
   */
  static FlowScope of(FlowPlan.Inputs inputs, long start, List<Progress> progress, int limit) {
    BitSet lost = new BitSet();
    long front = Long.MAX_VALUE;
    for (int rank = 0; rank < progress.size(); rank++) {
      long newest = progress.get(rank).newest;
      lost.set(rank, newest < 0);
      front = newest < 0 ? front : Math.min(front, newest);
    }
    if (lost.cardinality() == progress.size()) {
      return new All("no rank has kept its state");
    }
    for (int rank = 0; rank < progress.size(); rank++) {
      Progress of = progress.get(rank);
      if (of.newest > front + (of.both ? 1 : 0)) {
        return new All(
            "rank "
                + rank
                + " has computed "
                + of.newest
                + " iterations and another rank "
                + front
                + ", and a rank stores only its last two states");
      }
    }
    FlowPlan plan = FlowPlan.of(inputs, start, front, lost);
    int loading = plan.loading().cardinality();
    if (loading > limit) {
      return new All(
          loading == progress.size()
              ? "the lost data depends on every rank"
              : loading + " ranks would have to recompute, and --flow-limit allows " + limit);
    }
    return new Some(plan, front, lost);
  }
}
