package org.fmi.run.daemon;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;

/**
 * Connects a daemon to fmirun: tries the addresses that fmirun has given it, in order. Later, when
 * the connection is closed, it tries the address that has worked until fmirun answers or is known
 * to be gone. Used on the loop's thread.
 */
final class FmirunDialler {
  private static final int CONNECT_MILLIS = 5000;

  /** A new attempt sends a packet at once; the system waits longer and longer. */
  private static final int REDIAL_MILLIS = 1000;

  /** The pause between two attempts. */
  private static final int PAUSE_MILLIS = 100;

  /** Factor on the heartbeat's timeout: fmirun may wait for a core before its proof. */
  private static final int PATIENCE = 3;

  /** A system without a listener has said so this often before fmirun counts as gone. */
  private static final int REFUSALS = 3;

  private final Bootstrap bootstrap;
  private final NetLoop loop;
  private final Line line;

  /** The addresses to try. */
  private List<InetSocketAddress> addresses;

  private boolean again;
  private int refusals;

  /** Receives the results. */
  interface Line {
    /** Fmirun has authenticated itself at one of its addresses. */
    void opened(Connection connection, InetSocketAddress address);

    void received(Connection connection, ByteBuffer frame);

    /** A connection that was opened is closed. */
    void closed(Connection connection);

    /** Fmirun has authenticated itself at none of its addresses. */
    void unreachable();

    /** Fmirun has ended, or wants no more of this daemon. */
    void gone();
  }

  FmirunDialler(Bootstrap bootstrap, NetLoop loop, Line line) {
    this.bootstrap = bootstrap;
    this.loop = loop;
    this.line = line;
    this.addresses =
        bootstrap.addresses().stream()
            .map(address -> new InetSocketAddress(address, bootstrap.port()))
            .toList();
  }

  /** Makes the first connection. */
  void dial() {
    dial(0);
  }

  /** Makes another connection, after the last one is closed. */
  void redial() {
    again = true;
    refusals = 0;
    dial(0);
  }

  private void dial(int index) {
    if (index == addresses.size()) {
      line.unreachable();
      return;
    }
    InetSocketAddress address = addresses.get(index);
    byte[] identity =
        ByteBuffer.allocate(2 * Integer.BYTES)
            .putInt(bootstrap.node())
            .putInt(bootstrap.generation())
            .array();
    loop.connect(
        address,
        identity,
        again ? REDIAL_MILLIS : CONNECT_MILLIS,
        again ? PATIENCE * bootstrap.heartbeatMillis() : bootstrap.proofMillis(),
        new Attempt(index, address));
  }

  private void redialAfter(Closed closed) {
    refusals = closed.why() == Closed.Why.NO_LISTENER ? refusals + 1 : 0;
    if (closed.why() == Closed.Why.REFUSED || refusals == REFUSALS) {
      line.gone();
      return;
    }
    var _ = loop.schedule(PAUSE_MILLIS, TimeUnit.MILLISECONDS, () -> dial(0));
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
      addresses = List.of(address);
      line.opened(connection, address);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      line.received(connection, frame);
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      if (opened) {
        line.closed(connection);
      } else if (again) {
        redialAfter(closed);
      } else {
        dial(index + 1);
      }
    }
  }
}
