package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.file.Path;

/** There is no more room, or the user's quota is used up. */
public final class FullException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param path the file being written
   * @param reason the system's reason
   */
  public FullException(Path path, String reason) {
    super(path + ": " + reason);
  }
}
