package org.fmi.run.options;

/** Thrown if a job cannot run as the user wants. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one line: the value, the reason, and the remedy
   */
  public UsageException(String message) {
    super(message);
  }
}
