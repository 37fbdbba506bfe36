package org.fmi.spi;

/** Makes failure detectors; found through {@link java.util.ServiceLoader}. */
public interface FailureDetectorProvider {
  /** Opens the detector of one rank for one epoch. */
  FailureDetector open(RankConfig config, int epoch, FailureDetector.Listener listener)
      throws java.io.IOException;
}
