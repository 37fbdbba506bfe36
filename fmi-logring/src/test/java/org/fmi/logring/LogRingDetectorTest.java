package org.fmi.logring;

import org.fmi.testkit.contract.DetectorThreads;
import org.fmi.testkit.contract.SilenceContract;

/** The log-ring over real connections, all ranks in one JVM. */
final class LogRingDetectorTest extends SilenceContract {
  @Override
  protected void run(int ranks, Setup setup, Body body) throws Exception {
    DetectorThreads.run(new RingDetectorProvider(), transport(), ranks, setup, body);
  }

  @Override
  protected String transport() {
    return TcpLinks.NAME;
  }
}
