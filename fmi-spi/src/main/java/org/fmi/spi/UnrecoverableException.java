package org.fmi.spi;

/** A checkpoint is lost for good. The message says which, whose, and what would have helped. */
public final class UnrecoverableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnrecoverableException(String message) {
    super(message);
  }
}
