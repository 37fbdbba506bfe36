package org.fmi;

import java.util.Objects;

/**
 * State of a loop that is the same on all ranks: sums that all have computed by an all-reduce, for
 * instance. With it a job can go on from files with another number of ranks ({@code fmirun
 * --restart-from}): all take it from rank 0, after it was compared with that of the others. In all
 * else it is what it is made of.
 */
public final class Same {
  private final Object state;

  private Same(Object state) {
    this.state = Objects.requireNonNull(state);
  }

  /**
   * State that is the same on all ranks.
   *
   * @param state whatever can be state of a loop
   * @return a new one
   */
  public static Same of(Object state) {
    return new Same(state);
  }

  /**
   * What is the same.
   *
   * @return what was given
   */
  public Object state() {
    return state;
  }
}
