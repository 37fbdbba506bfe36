package org.fmi.testkit;

import org.jspecify.annotations.Nullable;

/** A failed simulation. The message holds the seed that repeats it and the stack of each thread. */
public final class SimulationFailure extends AssertionError {
  private static final long serialVersionUID = 1L;

  SimulationFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
