package org.fmi.ckpt.files;

import java.io.IOException;

/**
 * A file or directory is not what a checkpoint must be: damaged, cut short, of somebody else, or of
 * a newer format. The message is a line for the user, which begins with the path.
 */
public final class UnusableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Of something at a path. */
  public UnusableException(Object path, String what) {
    super(path + ": " + what);
  }
}
