package org.fmi.core.log;

/**
 * A replay diverged: the program's calls are not the recorded ones, or the record is incomplete.
 * This process cannot catch up with the others, and the whole job must restart.
 */
public final class ReplayMismatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ReplayMismatchException(String message) {
    super(message);
  }
}
