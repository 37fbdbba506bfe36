package org.fmi.logring;

import java.io.IOException;
import org.fmi.core.spi.FailureDetector;
import org.fmi.core.spi.FailureDetectorProvider;
import org.fmi.core.spi.RankConfig;

/** Makes log-ring detectors. */
public final class LogRingDetectorProvider implements FailureDetectorProvider {
  @Override
  public FailureDetector open(RankConfig config, int epoch, FailureDetector.Listener listener)
      throws IOException {
    LogRingDetector detector = new LogRingDetector(config, epoch, listener);
    detector.offer(TcpLinks::new);
    return detector;
  }
}
