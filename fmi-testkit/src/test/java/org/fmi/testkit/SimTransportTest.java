package org.fmi.testkit;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Transport;
import org.fmi.testkit.contract.TransportContract;

/** The simulated transport keeps the contract, in several simulated worlds. */
class SimTransportTest extends TransportContract {
  @Override
  protected void run(int ranks, Body body) {
    for (long seed = 0; seed < 5; seed++) {
      Simulation simulation = new Simulation(seed);
      SimCluster cluster =
          new SimCluster(
              simulation, SimModel.random(simulation.random()).withRemoteMemory(), ranks, 1 << 20);
      byte[][] endpoints = new byte[ranks][];
      AtomicInteger met = new AtomicInteger();
      AtomicInteger arrivals = new AtomicInteger();
      cluster.supervise(
          new QuietSupervisor() {
            @Override
            public void onNodeUp(int node) {
              cluster.spawn(
                  cluster.config(
                      node,
                      node,
                      ranks,
                      0,
                      new int[] {node},
                      1,
                      2,
                      1 << 20,
                      new CheckpointInterval.Every(1),
                      List.of()),
                  process -> {
                    try (Transport t =
                        process
                            .transports()
                            .getFirst()
                            .open(process.config(), TransportContract.EPOCH)) {
                      endpoints[process.rank()] = t.endpoint();
                      Member member = new SimMember(process, t, endpoints, met, arrivals);
                      member.meet();
                      body.run(member);
                    }
                  });
            }
          });
      for (int node = 0; node < ranks; node++) {
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

  /** A simulated process has one. */
  @Override
  protected boolean hasThreads() {
    return false;
  }

  @Override
  protected boolean hasRemoteMemory() {
    return true;
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
