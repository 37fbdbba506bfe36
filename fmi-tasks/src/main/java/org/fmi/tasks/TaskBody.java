package org.fmi.tasks;

import org.jspecify.annotations.Nullable;

/**
 * The computation of a task. It may run on any rank, and again on another one when its result is
 * lost, so it computes the same each time: from its inputs and from what is the same on all ranks.
 * It must not communicate, and must not change its inputs.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface TaskBody<T extends @Nullable Object> {
  /**
   * Computes the result.
   *
   * @param in the results of the tasks that this one depends on
   * @return {@link java.io.Serializable}, or null; must not be changed afterwards
   * @throws Exception ends the graph on all ranks
   */
  T run(Inputs in) throws Exception;
}
