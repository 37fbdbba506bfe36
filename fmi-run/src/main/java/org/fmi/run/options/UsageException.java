package org.fmi.run.options;

/** Thrown if a job cannot be as the user wants it. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one line: what was asked for, why it cannot be, and what to do instead
   */
  public UsageException(String message) {
    super(message);
  }
}
