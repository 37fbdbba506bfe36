package org.fmi.core.log;

/**
 * The program's calls during a replay are not those that were recorded, or the record holds no
 * more: this process cannot catch up with the others, and all must be restarted.
 */
public final class ReplayMismatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ReplayMismatchException(String message) {
    super(message);
  }
}
