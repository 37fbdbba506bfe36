package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.file.Path;

/** There is no more room, or the user may not have more of it. */
public final class FullException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param path what was being written
   * @param reason as the system says it
   */
  public FullException(Path path, String reason) {
    super(path + ": " + reason);
  }
}
