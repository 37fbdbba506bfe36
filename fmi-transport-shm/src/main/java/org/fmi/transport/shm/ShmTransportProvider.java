package org.fmi.transport.shm;

import java.io.IOException;
import java.util.List;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Finding;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;

/** Creates shared memory transports, in the node's directory. */
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
  public List<Finding> diagnose() {
    String refusal = ReadPermission.refusal();
    return List.of(
        refusal == null
            ? Finding.ok("shm: ranks can read long messages from each other's memory")
            : Finding.missing(
                "shm: ranks cannot read long messages from each other's memory, and make an extra"
                    + " copy; "
                    + refusal));
  }

  @Override
  public Transport open(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException {
    return new ShmTransport(config, epoch, diagnostics);
  }
}
