package org.fmi;

/**
 * Thrown by communication calls in a loop once a failure is known: the work since the last
 * checkpoint is void. The body of {@link Fmi#loop(long, LoopBody, Object...)} lets it pass.
 *
 * <p>It is an {@link Error}, so that a program's {@code catch (Exception e)} does not swallow it; a
 * program must not catch {@link Throwable} around communication calls, and must not leave a {@code
 * finally} block by {@code return} or another exception. Outside of loops, calls of {@link Comm}
 * never return instead.
 */
public final class Rollback extends Error {
  private static final long serialVersionUID = 1L;

  /**
   * Made by the runtime, without a stack trace of its own.
   *
   * @param message says what has failed
   */
  public Rollback(String message) {
    super(message, null, false, false);
  }
}
