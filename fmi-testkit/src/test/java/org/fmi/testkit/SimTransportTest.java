package org.fmi.testkit;

import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.contract.TransportContract;

/** The simulated transport keeps the contract, in several simulated worlds. */
class SimTransportTest extends TransportContract {
  /** The transport of a process under test. */
  TransportProvider provider(SimProcess process) {
    return process.transports().getLast();
  }

  /** The node of a rank. */
  int node(int rank) {
    return rank;
  }

  @Override
  public void run(int ranks, Body body) {
    for (long seed = 0; seed < 5; seed++) {
      Simulation simulation = new Simulation(seed);
      SimCluster cluster =
          new SimCluster(
              simulation, SimModel.random(simulation.random()).withEverything(), ranks, 1 << 20);
      byte[][] endpoints = new byte[ranks][];
      AtomicInteger met = new AtomicInteger();
      AtomicInteger arrivals = new AtomicInteger();
      cluster.supervise(
          new Supervisor() {
            @Override
            public void onNodeUp(int node) {
              for (int rank = 0; rank < ranks; rank++) {
                if (node(rank) == node) {
                  spawn(cluster, rank, endpoints, met, arrivals, body);
                }
              }
            }
          });
      for (int node = 0; node <= node(ranks - 1); node++) {
        cluster.launch(node);
      }
      simulation.run(() -> cluster.exits().size() == ranks);
      for (SimCluster.Exit exit : cluster.exits()) {
        if (exit.cause() != null) {
          throw new AssertionError("seed " + seed + ": " + exit, exit.cause());
        }
      }
    }
  }

  private void spawn(
      SimCluster cluster,
      int rank,
      byte[][] endpoints,
      AtomicInteger met,
      AtomicInteger arrivals,
      Body body) {
    cluster.spawn(
        cluster.config(node(rank), rank, endpoints.length, 0),
        process -> {
          try (Transport t = provider(process).open(process.config(), EPOCH, process.jobLink())) {
            endpoints[rank] = t.endpoint();
            Member member = new SimMember(process, t, endpoints, met, arrivals);
            member.meet();
            body.run(member);
          }
        });
  }

  /** A simulated process has one thread. */
  @Override
  public boolean hasThreads() {
    return false;
  }

  @Override
  public boolean hasRemoteMemory() {
    return true;
  }

  /** A read of any size has as many pieces, and takes as long. */
  @Override
  public long longRead() {
    return 64 << 10;
  }

  @Override
  public boolean readsIntoArrays() {
    return hasRemoteMemory();
  }

  private static final class SimMember implements Member {
    private final SimProcess process;
    private final Transport transport;
    private final byte[][] endpoints;
    private final AtomicInteger met;
    private final AtomicInteger arrivals;
    private int meetings;

    SimMember(
        SimProcess process,
        Transport transport,
        byte[][] endpoints,
        AtomicInteger met,
        AtomicInteger arrivals) {
      this.process = process;
      this.transport = transport;
      this.endpoints = endpoints;
      this.met = met;
      this.arrivals = arrivals;
    }

    @Override
    public int rank() {
      return process.rank();
    }

    @Override
    public Transport transport() {
      return transport;
    }

    @Override
    public byte[][] endpoints() {
      return endpoints;
    }

    @Override
    public void meet() {
      met.incrementAndGet();
      int all = endpoints.length * ++meetings;
      while (met.get() < all) {
        process.compute(10_000);
      }
    }

    @Override
    public AtomicInteger arrivals() {
      return arrivals;
    }

    @Override
    public void elsewhere(Runnable action) {
      process.post(50_000, "elsewhere", action);
    }
  }
}
