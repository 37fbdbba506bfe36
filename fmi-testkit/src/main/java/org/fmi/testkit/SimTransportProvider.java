package org.fmi.testkit;

import org.fmi.core.spi.RankConfig;
import org.fmi.core.spi.Transport;
import org.fmi.core.spi.TransportProvider;

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
