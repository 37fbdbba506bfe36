package org.fmi.testkit;

import org.fmi.spi.TransportProvider;

/** The simulated transport within a node keeps the contract. */
final class SimNearTransportTest extends SimTransportTest {
  @Override
  TransportProvider provider(SimProcess process) {
    return process.transports().getFirst();
  }

  @Override
  int node(int rank) {
    return 0;
  }

  @Override
  public boolean hasRemoteMemory() {
    return false;
  }
}
