package org.fmi;

/**
 * Thrown by communication calls in a loop once a failure is known: the work since the last
 * checkpoint is void. The body of {@link Fmi#loop(long, LoopBody, Object...)} lets it pass, through
 * its {@code catch} and {@code finally} blocks too. Outside of loops calls of {@link Comm} do not
 * return instead.
 */
public final class RollbackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Made by the runtime, without a stack trace of its own. */
  public RollbackException(String message) {
    super(message, null, false, false);
  }
}
