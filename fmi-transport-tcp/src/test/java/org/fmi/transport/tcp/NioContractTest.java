package org.fmi.transport.tcp;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.core.spi.RankConfig;
import org.fmi.core.spi.Transport;
import org.fmi.core.spi.TransportProvider;
import org.fmi.net.NetIo;
import org.fmi.testkit.contract.TransportContract;
import org.fmi.testkit.contract.TransportThreads;
import org.junit.jupiter.api.io.TempDir;

/** The contract on Java's own sockets, which serve where epoll does not work. */
class NioContractTest extends TransportContract {
  @TempDir Path directory = Path.of("");

  @Override
  protected void run(int ranks, Body body) throws Exception {
    TransportThreads.run(new OnNio(), directory, ranks, body);
  }

  private static final class OnNio implements TransportProvider {
    @Override
    public String name() {
      return TcpTransport.NAME;
    }

    @Override
    public int order() {
      return 30;
    }

    @Override
    public Transport open(RankConfig config, int epoch) throws IOException {
      return new TcpTransport(config, epoch, NetIo.NIO);
    }
  }
}
