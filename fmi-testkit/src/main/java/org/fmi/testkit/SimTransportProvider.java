package org.fmi.testkit;

import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;

/** Opens simulated transports for one process. */
final class SimTransportProvider implements TransportProvider {
  private final SimProcess process;

  SimTransportProvider(SimProcess process) {
    this.process = process;
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public int order() {
    return 30;
  }

  @Override
  public Transport open(RankConfig config, int epoch) {
    process.primitive();
    return process.cluster().network().open(process, config.size());
  }
}
