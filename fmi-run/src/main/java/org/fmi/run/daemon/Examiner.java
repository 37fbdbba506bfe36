package org.fmi.run.daemon;

import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.NetLoop;

/**
 * Finds out which other daemons this one reaches: connects to each, which uses the link in both
 * directions. A peer that has connected and is late with its proof is reached: its machine answers,
 * and may just be busy.
 *
 * <p>One examination at a time; a newer one replaces it. Used on the loop's thread.
 */
final class Examiner {
  /** Accepts connections of other daemons, which then close them. */
  static final ConnectionHandler ANSWERING =
      new ConnectionHandler() {
        @Override
        public void onOpen(Connection connection) {
          // the handshake was the answer
        }

        @Override
        public void onFrame(Connection connection, ByteBuffer frame) {
          connection.close();
        }

        @Override
        public void onClosed(Connection connection, Closed closed) {
          // as expected
        }
      };

  private final NetLoop loop;
  private final int node;
  private final Consumer<FromDaemon.Examined> answer;
  private int round = -1;
  private int awaited;
  private final List<Integer> unreached = new ArrayList<>();

  /**
   * @param node the number of this daemon's node
   */
  Examiner(NetLoop loop, int node, Consumer<FromDaemon.Examined> answer) {
    this.loop = loop;
    this.node = node;
    this.answer = answer;
  }

  void examine(ToDaemon.Examine order) {
    round = order.round();
    unreached.clear();
    awaited = 1;
    for (ToDaemon.Peer peer : order.peers()) {
      if (peer.node() != node) {
        awaited++;
        connect(peer, order.withinMillis());
      }
    }
    done();
  }

  private void connect(ToDaemon.Peer peer, int millis) {
    byte[] identity = ByteBuffer.allocate(Integer.BYTES).putInt(node).array();
    try {
      loop.connect(
          new Endpoint(peer.host(), peer.port()).address(),
          identity,
          millis,
          millis,
          new Attempt(round, peer.node()));
    } catch (UnknownHostException e) {
      // Daemons give numbers, not names.
      throw new IllegalArgumentException(peer + " has no address", e);
    }
  }

  private void done() {
    if (--awaited == 0) {
      answer.accept(new FromDaemon.Examined(round, unreached));
    }
  }

  private final class Attempt implements ConnectionHandler {
    private final int of;
    private final int peer;

    Attempt(int of, int peer) {
      this.of = of;
      this.peer = peer;
    }

    @Override
    public void onOpen(Connection connection) {
      connection.close();
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      connection.close();
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      if (of != round) {
        return;
      }
      // A daemon that has ended answers no examination, and is not judged: a refusal is a
      // firewall's.
      if (closed.why() == Closed.Why.UNREACHABLE || closed.why() == Closed.Why.NO_LISTENER) {
        unreached.add(peer);
      }
      done();
    }
  }
}
