package org.fmi.tasks;

import org.jspecify.annotations.Nullable;

/**
 * A task has failed, or ranks have different graphs; all ranks get it. Its cause is the task's own
 * exception on the rank that ran the task, and null elsewhere.
 */
public final class TaskException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TaskException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
