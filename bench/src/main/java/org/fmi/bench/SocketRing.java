package org.fmi.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.fmi.Comm;

/**
 * A ring of plain sockets between the ranks of one machine: what the system's TCP gives to programs
 * that do nothing but send to the next and receive from the one before, both at once.
 */
final class SocketRing implements AutoCloseable {
  private final SocketChannel next;
  private final SocketChannel previous;
  private final ExecutorService sender = Executors.newSingleThreadExecutor();

  /** Called by all ranks. */
  SocketRing(Comm world) throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocketChannel server =
        ServerSocketChannel.open().bind(new InetSocketAddress(here, 0))) {
      int[] port = {server.socket().getLocalPort()};
      int[] ports = new int[world.size()];
      world.allGather(port, ports);
      int after = (world.rank() + 1) % ports.length;
      next = SocketChannel.open(new InetSocketAddress(here, ports[after])); // accepted or not
      previous = server.accept();
    }
  }

  /** Sends one direct buffer and fills the other. */
  void shift(ByteBuffer out, ByteBuffer in) {
    Future<?> sent = sender.submit(() -> send(out));
    try {
      while (in.hasRemaining()) {
        if (previous.read(in) < 0) {
          throw new EOFException("the rank before has closed its socket");
        }
      }
      sent.get();
    } catch (Exception e) {
      throw new IllegalStateException("the ring of sockets broke", e);
    }
  }

  private Void send(ByteBuffer out) throws IOException {
    while (out.hasRemaining()) {
      next.write(out);
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    sender.shutdown();
    next.close();
    previous.close();
  }
}
