package org.fmi.jobsim;

import org.fmi.spi.Detection;
import org.fmi.testkit.contract.SilenceContract;

/** The heart ring over simulated links keeps the contract, in several simulated worlds. */
final class SimHeartRingTest extends SilenceContract {
  @Override
  protected String transport() {
    return "sim";
  }

  @Override
  protected Detection detection(int periodMillis) {
    return new Detection(Detection.Overlay.HEARTRING, periodMillis, false);
  }

  @Override
  protected int timeoutMillis() {
    return 20;
  }

  @Override
  protected void run(int ranks, Setup setup, Body body) {
    SimDetectorTest.runInWorlds(ranks, setup, body);
  }
}
