package org.fmi.spi;

/** A checkpoint is lost for good. The message says which, and whose. */
public final class UnrecoverableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnrecoverableException(String message) {
    super(message);
  }
}
