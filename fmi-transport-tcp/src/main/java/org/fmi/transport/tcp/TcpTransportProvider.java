package org.fmi.transport.tcp;

import java.io.IOException;
import java.util.function.Supplier;
import org.fmi.net.NetIo;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;

/** Creates TCP transports, on epoll where it works, else on NIO. */
public final class TcpTransportProvider implements TransportProvider {
  private final Supplier<NetIo> net;

  /** A provider that chooses the kind of sockets when it creates its first transport. */
  public TcpTransportProvider() {
    this(NetIo::best);
  }

  TcpTransportProvider(Supplier<NetIo> net) {
    this.net = net;
  }

  @Override
  public String name() {
    return TcpTransport.NAME;
  }

  @Override
  public int order() {
    return 30;
  }

  @Override
  public Transport open(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException {
    return new TcpTransport(config, epoch, net.get(), diagnostics);
  }
}
