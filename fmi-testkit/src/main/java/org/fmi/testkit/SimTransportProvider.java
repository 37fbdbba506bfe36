package org.fmi.testkit;

import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;

/** Opens simulated transports for one process. */
final class SimTransportProvider implements TransportProvider {
  private final SimProcess process;
  private final SimTransport.Kind kind;

  SimTransportProvider(SimProcess process, SimTransport.Kind kind) {
    this.process = process;
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind.text;
  }

  @Override
  public int order() {
    return kind.order;
  }

  @Override
  public Transport open(RankConfig config, int epoch, Diagnostics diagnostics) {
    process.primitive();
    return process.cluster().network().open(process, kind, config.size(), epoch);
  }
}
