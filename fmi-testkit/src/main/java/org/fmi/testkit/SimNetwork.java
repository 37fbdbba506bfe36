package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The simulated network: knows all transports, and which nodes cannot hear each other. */
final class SimNetwork {
  private final SimCluster cluster;
  private final List<SimTransport> transports = new ArrayList<>();
  private final List<SimConnection> held = new ArrayList<>();
  private final Set<Long> cuts = new HashSet<>();

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
  }

  SimTransport open(SimProcess process, int size) {
    SimTransport transport = new SimTransport(process, transports.size(), size);
    transports.add(transport);
    process.opened(transport);
    return transport;
  }

  /** The transport an endpoint names, open or not. */
  SimTransport find(byte[] endpoint) {
    return transports.get(ByteBuffer.wrap(endpoint).getInt());
  }

  long delay() {
    return cluster.model().network().draw(cluster.simulation().random());
  }

  /** Stops everything between two nodes. */
  void cut(int a, int b) {
    cuts.add(link(a, b));
  }

  /** Lets everything between two nodes through again; what was held goes on. */
  void heal(int a, int b) {
    cuts.remove(link(a, b));
    release();
  }

  /** Whether {@code a} and {@code b} cannot hear each other now. */
  boolean silence(SimProcess a, SimProcess b) {
    return a.boot().isolated
        || b.boot().isolated
        || (a.node() != b.node() && cuts.contains(link(a.node(), b.node())));
  }

  /** Keeps a connection that a cut holds up, to go on when it is healed. */
  void hold(SimConnection connection) {
    if (!held.contains(connection)) {
      held.add(connection);
    }
  }

  private void release() {
    List<SimConnection> again = List.copyOf(held);
    held.clear();
    for (SimConnection connection : again) {
      connection.goOn();
    }
  }

  private static long link(int a, int b) {
    return ((long) Math.min(a, b) << 32) | Math.max(a, b);
  }
}
