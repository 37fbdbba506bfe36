package org.fmi.spi;

import java.io.IOException;

/** What an image is to be read from does not give it, and says why in its message. */
public final class UnreadableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With what was wrong. */
  public UnreadableException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
