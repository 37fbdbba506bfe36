package org.fmi.spi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Node memory has no room. Other than an error of the system, it is expected: a checkpoint is
 * skipped, and a rank whose checkpoints are to be restored needs another node.
 */
public final class NoRoomException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean here;

  /**
   * No room for this process.
   *
   * @param message how much was requested, how much is free and where, and what would help
   */
  public NoRoomException(String message, @Nullable Throwable cause) {
    super(message, cause);
    this.here = true;
  }

  private NoRoomException(String message) {
    super(message);
    this.here = false;
  }

  /** No room for another rank. */
  public static NoRoomException elsewhere(int rank, String reason) {
    return new NoRoomException("rank " + rank + ": " + reason);
  }

  /** Whether this process has no room, rather than another one. */
  public boolean isHere() {
    return here;
  }
}
