package org.fmi.run.cli;

/** The user asked for what cannot be; the message names the value, the reason and the way out. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
