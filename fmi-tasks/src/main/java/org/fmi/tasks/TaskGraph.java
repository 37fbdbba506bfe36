package org.fmi.tasks;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Tasks and what they depend on. Every rank builds the same graph: the same names and dependencies
 * in the same order.
 *
 * <pre>{@code
 * TaskGraph graph = TaskGraph.build(b -> {
 *   Task<double[]> a = b.task("a", in -> load());
 *   b.task("c", in -> multiply(in.of(a)), a);
 * });
 * double[] c = Tasks.run(fmi, graph).of("c", double[].class);
 * }</pre>
 */
public final class TaskGraph {
  /** Makes the tasks of a graph. */
  public static final class Builder {
    private final Map<String, Task<?>> tasks = new LinkedHashMap<>();
    private boolean built;

    private Builder() {}

    /**
     * Adds a task.
     *
     * @param name no other task has it
     * @param body computes its result
     * @param dependencies the tasks whose results it needs
     * @param <T> the result
     * @return the task, for the dependencies of others and for {@link Results#of(Task)}
     * @throws IllegalArgumentException if the name is used, or a dependency is of another graph
     * @throws IllegalStateException if the graph is complete
     */
    public <T extends @Nullable Object> Task<T> task(
        String name, TaskBody<T> body, Task<?>... dependencies) {
      checkOpen(name);
      Task<T> task = new Task<>(this, name, tasks.size(), body);
      if (tasks.putIfAbsent(name, task) != null) {
        throw new IllegalArgumentException(
            "two tasks are named \"" + name + "\": give each its own name");
      }
      for (Task<?> on : dependencies) {
        depend(task, on);
      }
      return task;
    }

    /**
     * Adds a dependency to a task that exists already.
     *
     * @param task it needs the other one's result
     * @param on the other one
     * @throws IllegalArgumentException if either is of another graph
     * @throws IllegalStateException if the graph is complete
     */
    public void depend(Task<?> task, Task<?> on) {
      checkOpen(task.name());
      for (Task<?> each : List.of(task, on)) {
        if (!each.isOf(this)) {
          throw new IllegalArgumentException(
              "task \""
                  + task
                  + "\" cannot depend on \""
                  + on
                  + "\": \""
                  + each
                  + "\" is of another graph; make it with this graph's builder");
        }
      }
      task.dependOn(on);
    }

    private void checkOpen(String name) {
      if (built) {
        throw new IllegalStateException(
            "task \"" + name + "\": the graph is complete; use its builder within build");
      }
    }
  }

  private final Builder builder;
  private final List<Task<?>> tasks;
  private final Dag dag;

  private TaskGraph(Builder builder) {
    this.builder = builder;
    tasks = List.copyOf(builder.tasks.values());
    int[][] dependencies = new int[tasks.size()][];
    for (Task<?> task : tasks) {
      dependencies[task.number()] =
          task.dependencies().stream().mapToInt(Task::number).sorted().toArray();
    }
    List<Integer> cycle = Dag.cycle(dependencies);
    if (cycle != null) {
      List<Integer> closed = new ArrayList<>(cycle);
      closed.add(cycle.getFirst());
      throw new IllegalArgumentException(
          "tasks depend on each other in a cycle, so that none of them can begin: "
              + closed.stream()
                  .map(number -> "\"" + tasks.get(number) + "\"")
                  .collect(Collectors.joining(" needs "))
              + "; remove one of these dependencies");
    }
    dag = new Dag(dependencies);
  }

  /**
   * Builds a graph.
   *
   * @param describes adds the tasks, the same ones on all ranks
   * @return the graph
   * @throws IllegalArgumentException if tasks depend on each other in a cycle, which the message
   *     names
   */
  public static TaskGraph build(Consumer<Builder> describes) {
    Builder builder = new Builder();
    describes.accept(builder);
    builder.built = true;
    return new TaskGraph(builder);
  }

  /**
   * The number of tasks.
   *
   * @return 0 or more
   */
  public int size() {
    return tasks.size();
  }

  Dag dag() {
    return dag;
  }

  Task<?> task(int number) {
    return tasks.get(number);
  }

  /** The task with a name; null if there is none. */
  @Nullable Task<?> named(String name) {
    return builder.tasks.get(name);
  }

  boolean has(Task<?> task) {
    return task.isOf(builder);
  }

  /** A task and its dependencies, as text. */
  String describe(int number) {
    return "\""
        + tasks.get(number)
        + "\" with the dependencies "
        + tasks.get(number).dependencies().stream().map(on -> "\"" + on + "\"").sorted().toList();
  }

  /** A number that differs, most likely, between different graphs. */
  long fingerprint() {
    CRC32C crc = new CRC32C();
    for (int task = 0; task < tasks.size(); task++) {
      crc.update(describe(task).getBytes(StandardCharsets.UTF_8));
    }
    return (long) tasks.size() << Integer.SIZE | crc.getValue();
  }
}
