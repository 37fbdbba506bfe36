package org.fmi.transport.shm;

import java.io.IOException;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;

/** Makes shared memory transports, in the node's directory. */
public final class ShmTransportProvider implements TransportProvider {
  @Override
  public String name() {
    return ShmTransport.NAME;
  }

  @Override
  public int order() {
    return 10;
  }

  @Override
  public Transport open(RankConfig config, int epoch) throws IOException {
    return new ShmTransport(config, epoch);
  }
}
