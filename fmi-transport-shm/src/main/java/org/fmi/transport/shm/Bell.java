package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * The place where a rank sleeps if it has no other transport to sleep in: a datagram to its port
 * wakes it.
 */
final class Bell implements AutoCloseable {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The most datagrams that are taken in one wait. */
  static final int MOST_RINGS = 64;

  private final Selector selector;
  private final DatagramChannel channel;
  private final ByteBuffer ring = ByteBuffer.allocate(1);
  private final int port;

  Bell() {
    try {
      channel = DatagramChannel.open();
      try {
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        selector = channel.provider().openSelector();
        channel.register(selector, SelectionKey.OP_READ);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot open a UDP port for wake-ups", e);
    }
  }

  int port() {
    return port;
  }

  /**
   * Sleeps for at most {@code maxNanos}, and at least a millisecond, the shortest timeout of a
   * selector.
   */
  void await(long maxNanos) {
    // An interrupt belongs to the program: it must not make every later call return at once.
    boolean interrupted = Thread.interrupted();
    try {
      if (selector.select(Math.max(1, maxNanos / NANOS_PER_MILLI)) > 0) {
        selector.selectedKeys().clear();
        // Many datagrams at once, as they mean the same; not all, as any process may send them.
        for (int i = 0; i < MOST_RINGS && channel.receive(ring.clear()) != null; i++) {
          // The next wait ends at once if there are more.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot wait", e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends {@link #await} now, or the next one. Any thread, even after {@link #close}. */
  void wakeup() {
    selector.wakeup();
  }

  @Override
  public void close() throws IOException {
    channel.close();
    selector.close();
  }
}
