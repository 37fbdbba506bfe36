package org.fmi.tasks;

import java.util.Map;
import java.util.function.Supplier;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.provider.TaskPlaces;
import org.jspecify.annotations.Nullable;

/** Runs tasks at this rank, and makes of each result what another rank would receive. */
final class TaskRunner {
  private static final int TAG = 0;

  private final Fmi fmi;
  private final TaskGraph graph;
  private final Supplier<? extends Map<Integer, @Nullable Object>> results;
  private final Comm self;
  private @Nullable TaskException failure;
  private int computed;

  /**
   * @param results supplies what this rank holds, by task
   * @param self a communicator of this rank alone
   */
  TaskRunner(
      Fmi fmi,
      TaskGraph graph,
      Supplier<? extends Map<Integer, @Nullable Object>> results,
      Comm self) {
    this.fmi = fmi;
    this.graph = graph;
    this.results = results;
    this.self = self;
  }

  /**
   * Computes a task whose inputs are here.
   *
   * @throws TaskException if the task throws, or returns what cannot be sent
   */
  @Nullable Object run(int number) {
    Task<?> task = graph.task(number);
    if (fmi instanceof TaskPlaces places) {
      places.beforeTask(computed);
    }
    computed++;
    return asReceived(task, resultOf(task));
  }

  /** The number of tasks that it has run. */
  int computed() {
    return computed;
  }

  /** The failure of a task that ran here; null if there was none. */
  @Nullable TaskException failure() {
    return failure;
  }

  private @Nullable Object resultOf(Task<?> task) {
    try {
      return task.run(new Checked(task));
    } catch (Exception e) {
      throw failed(task, "has failed at rank " + rank() + ": " + e, e);
    }
  }

  /** A result may be used here or at another rank; both see the same. */
  private @Nullable Object asReceived(Task<?> task, @Nullable Object result) {
    if (result == null || isPlain(result)) {
      return result;
    }
    Request sent;
    try {
      sent = self.isendObject(result, 0, TAG);
    } catch (FmiException e) {
      if (e.errorClass() != ErrorClass.TYPE) {
        throw e;
      }
      throw failed(
          task, "has returned at rank " + rank() + " what cannot be sent: " + e.getMessage(), e);
    }
    Object received = self.recvObject(Object.class, 0, TAG);
    sent.waitFor();
    return received;
  }

  private int rank() {
    return fmi.world().rank();
  }

  private static boolean isPlain(Object result) {
    Class<?> type = result.getClass();
    return result instanceof String
        || (result instanceof Number && type.getPackageName().equals("java.lang"))
        || (type.isArray() && type.componentType().isPrimitive());
  }

  private TaskException failed(Task<?> task, String why, Exception cause) {
    failure = new TaskException("task \"" + task + "\" " + why, cause);
    return failure;
  }

  /** The inputs of one task. */
  private final class Checked implements Inputs {
    private final Task<?> task;

    Checked(Task<?> task) {
      this.task = task;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // what the dependency has returned
    public <T extends @Nullable Object> T of(Task<T> other) {
      if (!task.dependsOn(other)) {
        throw new IllegalArgumentException(
            "it takes the result of \""
                + other
                + "\", which is not among its dependencies: name it when the task is made");
      }
      return (T) results.get().get(other.number());
    }
  }
}
