package org.fmi.transport.tcp;

import java.nio.file.Path;
import org.fmi.net.NetIo;
import org.fmi.testkit.contract.TransportContract;
import org.fmi.testkit.contract.TransportThreads;
import org.junit.jupiter.api.io.TempDir;

/** The contract on Java's own sockets, which are used if epoll does not work. */
class NioContractTest extends TransportContract {
  @TempDir Path directory = Path.of("");

  @Override
  public void run(int ranks, Body body) throws Exception {
    TransportThreads.run(new TcpTransportProvider(() -> NetIo.NIO), directory, ranks, body);
  }
}
