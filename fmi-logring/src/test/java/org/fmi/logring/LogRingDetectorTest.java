package org.fmi.logring;

final class LogRingDetectorTest extends DetectorContract {
  LogRingDetectorTest() {
    super(TcpLinks.NAME);
  }
}
