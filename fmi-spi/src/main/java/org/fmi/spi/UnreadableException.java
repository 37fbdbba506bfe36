package org.fmi.spi;

import java.io.IOException;

/** The source of an image is unreadable. The message gives the reason. */
public final class UnreadableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception with the reason of its cause. */
  public UnreadableException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
