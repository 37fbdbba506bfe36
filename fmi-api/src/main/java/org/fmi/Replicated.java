package org.fmi;

import java.util.Objects;

/**
 * State of a loop that is the same on all ranks: sums that all have computed by an all-reduce, for
 * instance. With it a job can continue from files with another number of ranks ({@code fmirun
 * --restart-from}): all take it from rank 0, after it was compared with that of the others. In
 * every other respect it behaves as the state that it wraps.
 */
public final class Replicated {
  private final Object state;

  private Replicated(Object state) {
    this.state = Objects.requireNonNull(state);
  }

  /**
   * State that is the same on all ranks.
   *
   * @param state whatever can be state of a loop
   * @return a new one
   */
  public static Replicated of(Object state) {
    return new Replicated(state);
  }

  /**
   * The state that is the same.
   *
   * @return what was given
   */
  public Object state() {
    return state;
  }
}
