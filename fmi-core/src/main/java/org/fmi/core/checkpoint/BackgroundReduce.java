package org.fmi.core.checkpoint;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Request;

/**
 * An asynchronous all-reduce over all ranks: up a binomial tree, and down again. One reduction runs
 * at a time; all ranks perform the same reductions in the same order, each at its own time.
 */
public final class BackgroundReduce {
  private static final int UP = 100;
  private static final int DOWN = 101;

  private final Comm comm;
  private final List<Integer> children = new ArrayList<>();
  private final int parent;

  /** Contributions of the children, in their order; {@link #added} of them are added. */
  private final List<long[]> contributions = new ArrayList<>();

  private final List<Request> receiving = new ArrayList<>();
  private int added;

  /** Pending sends, whose data must not change. */
  private final List<Request> sending = new ArrayList<>();

  private long[] values = {};
  private int sums;
  private boolean contributed;
  private boolean down;

  BackgroundReduce(Comm comm) {
    this.comm = comm;
    int rank = comm.rank();
    int span = rank == 0 ? comm.size() : Integer.lowestOneBit(rank);
    for (int step = 1; step < span && rank + step < comm.size(); step *= 2) {
      children.add(rank + step);
    }
    parent = rank - Integer.lowestOneBit(rank);
  }

  /**
   * Begins a reduction. An earlier one is complete, or abandoned as the epoch is over.
   *
   * @param mine contribution, of equal length on all ranks
   * @param summed number of leading values that are added; of the other values the maximum is taken
   */
  void begin(long[] mine, int summed) {
    values = mine.clone();
    sums = summed;
    contributions.clear();
    receiving.clear();
    sending.clear();
    added = 0;
    contributed = false;
    down = false;
    for (int child : children) {
      long[] theirs = new long[values.length];
      contributions.add(theirs);
      receiving.add(comm.irecv(theirs, child, UP));
    }
  }

  /** Advances as far as possible without waiting. Returns whether it did. */
  boolean advance() {
    boolean moved = false;
    while (added < children.size() && receiving.get(added).status() != null) {
      add(contributions.get(added));
      added++;
      moved = true;
    }
    if (added < children.size()) {
      return moved;
    }
    if (!contributed) {
      contributed = true;
      moved = true;
      if (comm.rank() == 0) {
        handDown();
      } else {
        sending.add(comm.isend(values.clone(), parent, UP));
        receiving.add(comm.irecv(values, parent, DOWN));
      }
    }
    if (!down && receiving.getLast().status() != null) {
      handDown();
      moved = true;
    }
    return moved;
  }

  private void add(long[] theirs) {
    for (int i = 0; i < values.length; i++) {
      values[i] = i < sums ? values[i] + theirs[i] : Math.max(values[i], theirs[i]);
    }
  }

  private void handDown() {
    down = true;
    for (int child : children) {
      sending.add(comm.isend(values, child, DOWN));
    }
  }

  /**
   * Whether this rank has sent the contribution of its subtree: other ranks may continue without
   * it.
   */
  boolean hasContributed() {
    return contributed;
  }

  /** Whether {@link #values} are those of all ranks, and are on their way to all ranks. */
  boolean isComplete() {
    return down && sending.stream().allMatch(each -> each.status() != null);
  }

  long[] values() {
    return values;
  }
}
