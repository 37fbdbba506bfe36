package org.fmi.verbs;

import java.io.IOException;

/**
 * The kernel denies devices access to this memory, whatever the limit on locked memory. Mapped
 * files are an example, if they are read-only or on certain file systems.
 */
public final class UnpinnableMemoryException extends IOException {
  private static final long serialVersionUID = 1;

  public UnpinnableMemoryException(String message) {
    super(message);
  }
}
