package org.fmi.tasks;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results of a graph's final tasks, on which no other task depends. Every rank has them. */
public final class Results {
  private final TaskGraph graph;
  private final Map<Integer, @Nullable Object> byTask;
  private final int computed;
  private final boolean first;

  Results(TaskGraph graph, Map<Integer, @Nullable Object> byTask, int computed, boolean first) {
    this.graph = graph;
    this.byTask = byTask;
    this.computed = computed;
    this.first = first;
  }

  /**
   * A final task's result.
   *
   * @param task no other task depends on it
   * @param <T> the result
   * @return the result
   * @throws IllegalArgumentException if the task is of another graph, or another task depends on it
   */
  @SuppressWarnings({"unchecked", "NullAway"}) // what the task has returned
  public <T extends @Nullable Object> T of(Task<T> task) {
    if (!graph.has(task)) {
      throw new IllegalArgumentException("task \"" + task + "\" is of another graph");
    }
    return (T) result(task);
  }

  /**
   * The result of the final task with a name.
   *
   * @param name of a task that no other task depends on
   * @param type the result's class, or one that it extends or implements
   * @param <T> the result
   * @return the result, or null
   * @throws IllegalArgumentException if there is no such task, another task depends on it, or the
   *     result is of another class
   */
  public <T> @Nullable T of(String name, Class<T> type) {
    Task<?> task = graph.named(name);
    if (task == null) {
      throw new IllegalArgumentException("no task is named \"" + name + "\"");
    }
    Object result = result(task);
    if (result != null && !type.isInstance(result)) {
      throw new IllegalArgumentException(
          "the result of task \""
              + name
              + "\" is a "
              + result.getClass().getTypeName()
              + ", not a "
              + type.getTypeName());
    }
    return type.cast(result);
  }

  /**
   * The number of tasks that this process has run.
   *
   * @return 0 or more; tasks that ran again count again
   */
  public int computed() {
    return computed;
  }

  /**
   * Whether this rank is the lowest that was alive when the graph was done: one for whom to print.
   *
   * @return true at one rank
   */
  public boolean isFirst() {
    return first;
  }

  private @Nullable Object result(Task<?> task) {
    if (!byTask.containsKey(task.number())) {
      throw new IllegalArgumentException(
          "task \""
              + task
              + "\" is not final: \""
              + graph.task(graph.dag().dependents(task.number())[0])
              + "\" depends on it, and its result stays where it was computed; add a task that"
              + " returns what is wanted of it");
    }
    return byTask.get(task.number());
  }
}
