package org.fmi.run.daemon;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.fmi.job.control.Bootstrap;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;

/**
 * Connects a daemon to fmirun: tries the addresses that fmirun has given it, in order. Used on the
 * loop's thread.
 */
final class FmirunDialler {
  private static final int CONNECT_MILLIS = 5000;

  private final Bootstrap bootstrap;
  private final NetLoop loop;
  private final Line line;

  /** Receives the results. */
  interface Line {
    /** Fmirun has authenticated itself at one of its addresses. */
    void opened(Connection connection, InetSocketAddress address);

    void received(ByteBuffer frame);

    /** The connection that was opened is closed. */
    void closed(Closed closed);

    /** Fmirun has authenticated itself at none of its addresses. */
    void unreachable();
  }

  FmirunDialler(Bootstrap bootstrap, NetLoop loop, Line line) {
    this.bootstrap = bootstrap;
    this.loop = loop;
    this.line = line;
  }

  void dial() {
    dial(0);
  }

  private void dial(int index) {
    if (index == bootstrap.addresses().size()) {
      line.unreachable();
      return;
    }
    InetSocketAddress address =
        new InetSocketAddress(bootstrap.addresses().get(index), bootstrap.port());
    byte[] identity =
        ByteBuffer.allocate(2 * Integer.BYTES)
            .putInt(bootstrap.node())
            .putInt(bootstrap.generation())
            .array();
    loop.connect(
        address, identity, CONNECT_MILLIS, bootstrap.proofMillis(), new Attempt(index, address));
  }

  private final class Attempt implements ConnectionHandler {
    private final int index;
    private final InetSocketAddress address;
    private boolean opened;

    Attempt(int index, InetSocketAddress address) {
      this.index = index;
      this.address = address;
    }

    @Override
    public void onOpen(Connection connection) {
      opened = true;
      line.opened(connection, address);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      line.received(frame);
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      if (opened) {
        line.closed(closed);
      } else {
        dial(index + 1);
      }
    }
  }
}
