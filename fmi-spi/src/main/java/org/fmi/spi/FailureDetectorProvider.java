package org.fmi.spi;

import java.io.IOException;

/** Makes failure detectors; found through {@link java.util.ServiceLoader}. */
public interface FailureDetectorProvider {
  /**
   * Opens the detector of one rank for one epoch.
   *
   * @param diagnostics receives messages for the user
   */
  FailureDetector open(
      RankConfig config, int epoch, FailureDetector.Listener listener, Diagnostics diagnostics)
      throws IOException;
}
