package org.fmi.run.options;

/** The user asked for what cannot be; the message names the value, the reason and the way out. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one line: what was asked for, why it cannot be, and what to do instead
   */
  public UsageException(String message) {
    super(message);
  }
}
