package org.fmi.bench.unprotected;

import org.fmi.spi.Diagnostics;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.RankConfig;

/**
 * Takes the log-ring's place: notices no failure and reports none. For measuring what its absence
 * would save.
 */
public final class NoDetectorProvider implements FailureDetectorProvider {
  @Override
  public FailureDetector open(
      RankConfig config, int epoch, FailureDetector.Listener listener, Diagnostics diagnostics) {
    return FailureDetector.NONE;
  }
}
