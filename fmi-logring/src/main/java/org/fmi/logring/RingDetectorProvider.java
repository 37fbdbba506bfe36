package org.fmi.logring;

import java.io.IOException;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.RankConfig;

/**
 * Creates the detectors of ranks: log-rings over RDMA if messages use it and all ranks can, else
 * over TCP; heart rings over TCP.
 */
public final class RingDetectorProvider implements FailureDetectorProvider {
  @Override
  public FailureDetector open(
      RankConfig config, int epoch, FailureDetector.Listener listener, Diagnostics diagnostics)
      throws IOException {
    return switch (config.job().detection().overlay()) {
      case LOGRING -> logRing(config, epoch, listener, diagnostics);
      case HEARTRING -> heartRing(config, epoch, listener, diagnostics);
    };
  }

  private static FailureDetector heartRing(
      RankConfig config, int epoch, FailureDetector.Listener listener, Diagnostics diagnostics)
      throws IOException {
    HeartRingDetector detector = new HeartRingDetector(config, epoch, listener);
    detector.open(TcpLinks.silent(diagnostics));
    return detector;
  }

  private static FailureDetector logRing(
      RankConfig config, int epoch, FailureDetector.Listener listener, Diagnostics diagnostics)
      throws IOException {
    LogRingDetector detector = new LogRingDetector(config, epoch, listener);
    boolean rdma = config.job().transports().contains(RdmaLinks.NAME);
    boolean tcp = !rdma || config.job().transports().contains(TcpLinks.NAME);
    try {
      if (rdma) {
        offerRdma(detector, config, tcp, diagnostics);
      }
      if (tcp) {
        detector.offer(TcpLinks.beating(diagnostics));
      }
    } catch (IOException e) {
      detector.close();
      throw e;
    }
    return detector;
  }

  private static void offerRdma(
      LogRingDetector detector, RankConfig config, boolean mayFail, Diagnostics diagnostics)
      throws IOException {
    try {
      detector.offer(RdmaLinks::new);
    } catch (IOException e) {
      if (!mayFail) {
        throw e;
      }
      diagnostics.report(
          "rank " + config.rank() + " runs the log-ring without RDMA: " + e.getMessage());
    }
  }
}
