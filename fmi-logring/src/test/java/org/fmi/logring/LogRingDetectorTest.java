package org.fmi.logring;

import org.fmi.testkit.contract.DetectorContract;
import org.fmi.testkit.contract.DetectorThreads;

/** The log-ring over real connections, all ranks in one JVM. */
final class LogRingDetectorTest extends DetectorContract {
  @Override
  protected void run(int ranks, Body body) throws Exception {
    DetectorThreads.run(new LogRingDetectorProvider(), transport(), ranks, body);
  }

  @Override
  protected String transport() {
    return TcpLinks.NAME;
  }
}
