package org.fmi.testkit;

import org.jspecify.annotations.Nullable;

/** A simulation went wrong. The message holds the seed that repeats it and where each thread is. */
public final class SimulationFailure extends AssertionError {
  private static final long serialVersionUID = 1L;

  SimulationFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
