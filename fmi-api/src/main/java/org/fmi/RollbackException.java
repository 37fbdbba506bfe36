package org.fmi;

/**
 * Thrown by communication calls once a failure is known: the work since the last checkpoint is
 * void. Programs that use {@link Fmi#loop(long, LoopBody, Object...)} never see it and must not
 * swallow it.
 */
public final class RollbackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Made by the runtime, without a stack trace of its own. */
  public RollbackException(String message) {
    super(message, null, false, false);
  }
}
