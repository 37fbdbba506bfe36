package org.fmi;

import java.util.Objects;

/**
 * State of a loop that is the same on all ranks, such as the results of an all-reduce. With it a
 * job can continue from files with another number of ranks ({@code fmirun --restart-from}): all
 * ranks take rank 0's state, after it was compared with the state of every other rank. In every
 * other respect it behaves as the state that it wraps.
 */
public final class Replicated {
  private final Object state;

  private Replicated(Object state) {
    this.state = Objects.requireNonNull(state);
  }

  /**
   * State that is the same on all ranks.
   *
   * @param state any object that can be state of a loop
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
