package org.fmi.tasks;

import org.jspecify.annotations.Nullable;

/** The results of the tasks that a task depends on. */
@FunctionalInterface
public interface Inputs {
  /**
   * A dependency's result.
   *
   * @param task one that was named as a dependency
   * @param <T> its result
   * @return the result, which must not be changed
   * @throws IllegalArgumentException if the task is no dependency
   */
  <T extends @Nullable Object> T of(Task<T> task);
}
