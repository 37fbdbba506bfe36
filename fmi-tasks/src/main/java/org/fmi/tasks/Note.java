package org.fmi.tasks;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** A message between a {@link Head} and a {@link Worker}, or between two workers. */
sealed interface Note extends Serializable {
  /**
   * To the head, first: the tasks whose results a rank holds.
   *
   * @param words a bit set
   */
  record Held(long[] words) implements Note {}

  /**
   * To a worker: compute a task.
   *
   * @param sources the ranks that hold the results of its dependencies, in their order
   */
  record Run(int task, int[] sources) implements Note {}

  /** To a worker: send a result. */
  record Get(int task) implements Note {}

  /** To a worker: the result that it asked for. */
  record Result(int task, @Nullable Object value) implements Note {}

  /**
   * To the head: a task is done.
   *
   * @param copies the tasks whose results the rank holds since then, too
   */
  record Done(int task, int[] copies) implements Note {}

  /** To the head: a task has thrown. */
  record Broken(int task, String reason) implements Note {}

  /**
   * To a worker: the round is over, and nothing is under way.
   *
   * @param broken the reason for which the graph has failed; null if it has not
   */
  record End(@Nullable String broken) implements Note {}
}
