package org.fmi.job.control;

import java.io.IOException;

/** Bytes that are no message of the control plane; whoever sent them is cut off. */
public final class BadMessageException extends IOException {
  private static final long serialVersionUID = 1L;

  BadMessageException(String message) {
    super(message);
  }
}
