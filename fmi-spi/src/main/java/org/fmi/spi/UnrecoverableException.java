package org.fmi.spi;

/** A checkpoint is lost for good. The message says which one, and whose. */
public final class UnrecoverableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnrecoverableException(String message) {
    super(message);
  }
}
