package org.fmi.job.control;

import java.io.IOException;

/** Bytes that are not a message of the control plane. The connection of the sender is closed. */
public final class BadMessageException extends IOException {
  private static final long serialVersionUID = 1L;

  BadMessageException(String message) {
    super(message);
  }
}
