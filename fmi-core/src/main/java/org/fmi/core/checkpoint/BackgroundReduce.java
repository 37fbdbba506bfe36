package org.fmi.core.checkpoint;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Request;

/**
 * An all-reduce of all ranks that nobody waits for: up a binomial tree, and down again. One at a
 * time; all ranks do the same ones, in the same order, each when it comes to it.
 */
public final class BackgroundReduce {
  private static final int UP = 100;
  private static final int DOWN = 101;

  private final Comm comm;
  private final List<Integer> children = new ArrayList<>();
  private final int parent;

  /** What the children tell, in their order; and which of them is added next. */
  private final List<long[]> told = new ArrayList<>();

  private final List<Request> receiving = new ArrayList<>();
  private int added;

  /** What is on its way to others, and has to stay as it is. */
  private final List<Request> sending = new ArrayList<>();

  private long[] values = {};
  private int sums;
  private boolean handedUp;
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
   * Begins one. Whatever was under way before is given up, as the epoch is over, or is complete.
   *
   * @param mine of equal length on all ranks
   * @param summed so many of the first are added; of the others the largest is taken
   */
  void begin(long[] mine, int summed) {
    values = mine.clone();
    sums = summed;
    told.clear();
    receiving.clear();
    sending.clear();
    added = 0;
    handedUp = false;
    down = false;
    for (int child : children) {
      long[] theirs = new long[values.length];
      told.add(theirs);
      receiving.add(comm.irecv(theirs, child, UP));
    }
  }

  /** Goes on as far as that is possible; gives whether it did. */
  boolean advance() {
    boolean moved = false;
    while (added < children.size() && receiving.get(added).status() != null) {
      add(told.get(added));
      added++;
      moved = true;
    }
    if (added < children.size()) {
      return moved;
    }
    if (!handedUp) {
      handedUp = true;
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

  /** Whether this rank has told what it adds, and those below it: others may go on without it. */
  boolean isHandedUp() {
    return handedUp;
  }

  /** Whether {@link #values} are those of all ranks, and all others will get them. */
  boolean isComplete() {
    return down && sending.stream().allMatch(each -> each.status() != null);
  }

  long[] values() {
    return values;
  }
}
