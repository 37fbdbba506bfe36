package org.fmi.verbs;

import java.io.IOException;

/**
 * The kernel keeps this memory from devices, however much of it may be locked: that of a mapped
 * file, for one, if the file is only read or lies on certain file systems.
 */
public final class UnpinnableMemoryException extends IOException {
  private static final long serialVersionUID = 1;

  public UnpinnableMemoryException(String message) {
    super(message);
  }
}
