package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Written data did not reach the medium. The system reports this only once: forcing the same file
 * again may succeed although the data are lost.
 */
public final class NotStoredException extends IOException {
  private static final long serialVersionUID = 1L;

  NotStoredException(Path path, IOException cause) {
    super(path + ": " + cause.getMessage() + " while forcing it to storage", cause);
  }
}
