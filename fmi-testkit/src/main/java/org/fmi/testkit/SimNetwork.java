package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The simulated network: knows all transports and ports, and which nodes cannot hear which. */
final class SimNetwork {
  private final SimCluster cluster;
  private final List<SimTransport> transports = new ArrayList<>();
  private final List<SimPort> ports = new ArrayList<>();
  private final Set<SimStream> streams = new LinkedHashSet<>();
  private final Set<Held> held = new LinkedHashSet<>();

  /** How many cuts there are now from one node to another. */
  private final Map<Long, Integer> cuts = new HashMap<>();

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
  }

  /** Something that a cut holds up. */
  interface Held {
    /** The cut may be over. */
    void goOn();
  }

  SimTransport open(SimProcess process, SimTransport.Kind kind, int size, int epoch) {
    SimTransport transport = new SimTransport(process, kind, transports.size(), size, epoch);
    transports.add(transport);
    process.opened(transport);
    return transport;
  }

  /** The transport of this number, open or not. */
  SimTransport find(int number) {
    return transports.get(number);
  }

  SimPort listen(SimProcess process, SimPort.Acceptor acceptor) {
    SimPort port = new SimPort(process, ports.size(), acceptor);
    ports.add(port);
    return port;
  }

  SimPort port(byte[] endpoint) {
    return ports.get(ByteBuffer.wrap(endpoint).getInt());
  }

  void opened(SimStream stream) {
    streams.add(stream);
  }

  void closed(SimStream stream) {
    streams.remove(stream);
  }

  /** The open ends of a process' streams. */
  List<SimStream> streams(SimProcess process) {
    return streams.stream().filter(stream -> stream.process().equals(process)).toList();
  }

  long delay() {
    return cluster.model().network().draw(cluster.simulation().random());
  }

  /** Stops everything from one node to another. */
  void cut(int from, int to) {
    cuts.merge(link(from, to), 1, Integer::sum);
    changed();
  }

  /** Ends one cut; what was held goes on if it was the last. */
  void heal(int from, int to) {
    cuts.merge(link(from, to), -1, Integer::sum);
    List<Held> again = List.copyOf(held);
    held.clear();
    again.forEach(Held::goOn);
    changed();
  }

  /** Whoever hears another process, or did, looks whether that has changed. */
  void changed() {
    List.copyOf(streams).forEach(SimStream::update);
  }

  /** Whether nothing comes from one process to another now. */
  boolean silence(SimProcess from, SimProcess to) {
    return !from.boot().equals(to.boot())
        && (from.boot().isolated
            || to.boot().isolated
            || cuts.getOrDefault(link(from.node(), to.node()), 0) > 0);
  }

  /** Whether two processes cannot hear each other in at least one direction. */
  boolean severed(SimProcess a, SimProcess b) {
    return silence(a, b) || silence(b, a);
  }

  /** Keeps what a cut holds up, to go on when it is healed. */
  void hold(Held what) {
    held.add(what);
  }

  private static long link(int from, int to) {
    return ((long) from << 32) | to;
  }
}
