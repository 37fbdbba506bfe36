package org.fmi.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.testkit.SimNode.Boot;

/** The simulated network: all transports, ports, and cuts between nodes. */
final class SimNetwork {
  private final SimCluster cluster;
  private final List<SimTransport> transports = new ArrayList<>();
  private final List<SimPort> ports = new ArrayList<>();
  private final Set<SimStream> streams = new LinkedHashSet<>();
  private final Set<Held> held = new LinkedHashSet<>();

  /** The number of current cuts from one node to another. */
  private final Map<Long, Integer> cuts = new HashMap<>();

  /** The time at which the last cut from one node to another ended. */
  private final Map<Long, Long> healed = new HashMap<>();

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
  }

  /** A connection or stream blocked by a cut. */
  interface Held {
    /** The cut may be over. */
    void resume();
  }

  SimTransport open(SimProcess process, SimTransport.Kind kind, int size, int epoch) {
    SimTransport transport = new SimTransport(process, kind, transports.size(), size, epoch);
    transports.add(transport);
    process.opened(transport);
    return transport;
  }

  /** The transport with a number, open or not. */
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

  /** Blocks all data from one node to another. */
  void cut(int from, int to) {
    cuts.merge(link(from, to), 1, Integer::sum);
    changed();
  }

  /** Ends one cut; if it was the last, blocked connections resume. */
  void heal(int from, int to) {
    cuts.merge(link(from, to), -1, Integer::sum);
    healed.put(link(from, to), cluster.simulation().nanoTime());
    List<Held> again = List.copyOf(held);
    held.clear();
    again.forEach(Held::resume);
    changed();
  }

  /** Each stream checks whether its other end has become silent, or audible again. */
  void changed() {
    List.copyOf(streams).forEach(SimStream::update);
  }

  /** Whether all data from one process to another is blocked now. */
  boolean silence(SimProcess from, SimProcess to) {
    return silence(from.boot(), to.boot());
  }

  private boolean silence(Boot from, Boot to) {
    return !from.equals(to)
        && (from.isolated
            || to.isolated
            || cuts.getOrDefault(link(from.node.number, to.node.number), 0) > 0);
  }

  /** Whether at least one direction between two nodes is blocked. */
  boolean severed(Boot a, Boot b) {
    return silence(a, b) || silence(b, a);
  }

  /** Whether no cut from one node to another has blocked data for this long. */
  boolean isOpen(int from, int to, long nanos) {
    long link = link(from, to);
    Long since = healed.get(link);
    return cuts.getOrDefault(link, 0) == 0
        && (since == null || cluster.simulation().nanoTime() - since > nanos);
  }

  /** Whether at least one direction between two processes is blocked. */
  boolean severed(SimProcess a, SimProcess b) {
    return silence(a, b) || silence(b, a);
  }

  /** Records a connection that a cut blocks, to resume it after the cut. */
  void hold(Held what) {
    held.add(what);
  }

  private static long link(int from, int to) {
    return ((long) from << 32) | to;
  }
}
