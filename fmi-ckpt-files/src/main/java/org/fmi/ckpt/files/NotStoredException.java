package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What was written did not reach the medium. The system forgets that once it has said so: whoever
 * forces the same file again may be told that all is well.
 */
public final class NotStoredException extends IOException {
  private static final long serialVersionUID = 1L;

  NotStoredException(Path path, IOException cause) {
    super(path + ": " + cause.getMessage() + ", when it was to be forced to storage", cause);
  }
}
