package org.fmi.rules;

import java.util.BitSet;
import java.util.List;

/**
 * Which ranks compute again after a failure has interrupted a {@code flowLoop}. All ranks decide it
 * alike, from the same numbers.
 */
public sealed interface FlowScope {
  /**
   * The ranks of a plan compute again, and the others keep what they have.
   *
   * @param plan the way of the lost ranks
   * @param front the iterations of the state with which all continue
   * @param lost ranks that have no state any more
   */
  record Some(FlowPlan plan, long front, BitSet lost) implements FlowScope {}

  /**
   * All ranks roll back.
   *
   * @param why for the user
   */
  record All(String why) implements FlowScope {}

  /**
   * How far a rank's state is.
   *
   * @param newest the iterations that its newest state has had
   * @param both whether it has the state one iteration before that, too
   */
  record Progress(long newest, boolean both) {
    /** It has none: its process is new, or was computing again. */
    public static final Progress LOST = new Progress(-1, false);
  }

  /**
   * Decides.
   *
   * @param inputs what each rank reads from
   * @param line the iterations that the checkpoint's state has had
   * @param progress by rank
   * @param limit the most ranks that may compute again
   */
  static FlowScope of(FlowPlan.Inputs inputs, long line, List<Progress> progress, int limit) {
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
                + " iterations and another one "
                + front
                + ", and keeps the states of the last two");
      }
    }
    FlowPlan plan = FlowPlan.of(inputs, line, front, lost);
    int loading = plan.loading().cardinality();
    if (loading > limit) {
      return new All(
          loading == progress.size()
              ? "each has something that the lost data came from"
              : loading + " ranks would have to compute again, and --flow-limit allows " + limit);
    }
    return new Some(plan, front, lost);
  }
}
