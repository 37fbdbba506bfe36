package org.fmi.core.p2p;

import java.nio.file.Path;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.contract.TransportContract;
import org.fmi.testkit.contract.TransportThreads;

/** The network of this module's tests keeps the contract of transports. */
class MemoryNetworkTest extends TransportContract {
  Options options() {
    return Options.PLAIN;
  }

  @Override
  public void run(int ranks, Body body) throws InterruptedException {
    MemoryNetwork network = new MemoryNetwork(ranks, ranks, options());
    TransportProvider provider =
        new TransportProvider() {
          @Override
          public String name() {
            return "memory";
          }

          @Override
          public int order() {
            return 0;
          }

          @Override
          public Transport open(RankConfig config, int epoch, Diagnostics diagnostics) {
            return network.transport(config.rank());
          }
        };
    TransportThreads.run(provider, Path.of("/nowhere"), ranks, body);
  }

  @Override
  public boolean hasRemoteMemory() {
    return options().remote();
  }
}
