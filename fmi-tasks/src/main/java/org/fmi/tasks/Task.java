package org.fmi.tasks;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link TaskGraph}.
 *
 * @param <T> its result
 */
public final class Task<T extends @Nullable Object> {
  private final TaskGraph.Builder builder;
  private final String name;
  private final int number;
  private final TaskBody<T> body;
  private final Set<Task<?>> dependencies = new LinkedHashSet<>();

  Task(TaskGraph.Builder builder, String name, int number, TaskBody<T> body) {
    this.builder = builder;
    this.name = name;
    this.number = number;
    this.body = body;
  }

  /**
   * Its name, which messages use.
   *
   * @return the name given to {@link TaskGraph.Builder#task}
   */
  public String name() {
    return name;
  }

  /**
   * Its number in the order in which tasks were made.
   *
   * @return 0 or more
   */
  public int number() {
    return number;
  }

  boolean isOf(TaskGraph.Builder other) {
    return builder == other;
  }

  void dependOn(Task<?> other) {
    dependencies.add(other);
  }

  boolean dependsOn(Task<?> other) {
    return dependencies.contains(other);
  }

  /** The tasks that this one depends on, each once. */
  List<Task<?>> dependencies() {
    return List.copyOf(dependencies);
  }

  T run(Inputs in) throws Exception {
    return body.run(in);
  }

  @Override
  public String toString() {
    return name;
  }
}
