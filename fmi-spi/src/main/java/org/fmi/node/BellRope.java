package org.fmi.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Rings the bells of ranks on this node: see {@link org.fmi.spi.Transport#bell}. Used by one
 * thread.
 */
public final class BellRope implements AutoCloseable {
  private final DatagramChannel channel;
  private final ByteBuffer datagram = ByteBuffer.allocateDirect(1);
  private InetSocketAddress last = new InetSocketAddress(0);

  /**
   * A rope for any number of bells.
   *
   * @throws IOException if no socket can be opened
   */
  public BellRope() throws IOException {
    channel = DatagramChannel.open();
    channel.configureBlocking(false);
  }

  /** Rings at a UDP port of the loopback address. */
  public void ring(int port) throws IOException {
    if (last.getPort() != port) {
      last = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
    channel.send(datagram.clear(), last);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
