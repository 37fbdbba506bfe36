package org.fmi.ckpt.files;

import java.io.IOException;

/**
 * A file or directory is no valid checkpoint: damaged, cut short, foreign, or of a newer format.
 * The message is for the user, and begins with the path.
 */
public final class UnusableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception about an object at a path. */
  public UnusableException(Object path, String what) {
    super(path + ": " + what);
  }
}
