package org.fmi.logring;

import org.fmi.spi.Detection;
import org.fmi.testkit.contract.DetectorThreads;
import org.fmi.testkit.contract.SilenceContract;

/** The heart ring over real connections, all ranks in one JVM. */
final class HeartRingDetectorTest extends SilenceContract {
  @Override
  protected void run(int ranks, Setup setup, Body body) throws Exception {
    DetectorThreads.run(new RingDetectorProvider(), transport(), ranks, setup, body);
  }

  @Override
  protected Detection detection(int periodMillis) {
    return new Detection(Detection.Overlay.HEARTRING, periodMillis, false);
  }

  @Override
  protected String transport() {
    return TcpLinks.NAME;
  }
}
