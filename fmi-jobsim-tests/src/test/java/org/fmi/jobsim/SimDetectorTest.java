package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.Simulation;
import org.fmi.testkit.Supervisor;
import org.fmi.testkit.contract.DetectorContract;
import org.fmi.testkit.contract.DetectorThreads;
import org.jspecify.annotations.Nullable;

/** The log-ring over simulated links keeps the contract, in several simulated worlds. */
final class SimDetectorTest extends DetectorContract {
  private static final int WORLDS = 5;

  @Override
  protected String transport() {
    return "sim";
  }

  @Override
  protected void run(int ranks, Setup setup, Body body) {
    runInWorlds(ranks, setup, body);
  }

  static void runInWorlds(int ranks, Setup setup, Body body) {
    for (long seed = 0; seed < WORLDS; seed++) {
      runIn(seed, ranks, setup, body);
    }
  }

  private static void runIn(long seed, int ranks, Setup setup, Body body) {
    Simulation simulation = new Simulation(seed);
    SimCluster cluster =
        new SimCluster(simulation, SimModel.random(simulation.random()), ranks, 1 << 20);
    byte[][] endpoints = new byte[ranks][];
    List<Silence> silences = new ArrayList<>();
    AtomicInteger met = new AtomicInteger();
    cluster.supervise(
        new Supervisor() {
          @Override
          public void onNodeUp(int node) {
            RankConfig plain = cluster.config(node, node, ranks, 0);
            JobSettings job = setup.of(node, plain.job().toBuilder()).build();
            cluster.spawn(
                plain.toBuilder().job(job).build(),
                process -> live(process, endpoints, met, silences, body));
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

  private static void live(
      SimProcess process, byte[][] endpoints, AtomicInteger met, List<Silence> silences, Body body)
      throws Exception {
    List<Heard> heard = new ArrayList<>();
    try (FailureDetector detector =
        SimLinks.detectors(process)
            .open(
                process.config(),
                EPOCH,
                new DetectorThreads.Findings(heard, silences),
                process.jobLink())) {
      endpoints[process.rank()] = detector.endpoint();
      SimMember member = new SimMember(process, detector, endpoints, met, heard, silences);
      member.meet();
      body.run(member);
    }
  }

  private static final class SimMember implements Member {
    private final SimProcess process;
    private final FailureDetector detector;
    private final byte[][] endpoints;
    private final AtomicInteger met;
    private final List<Heard> heard;
    private final List<Silence> silences;
    private int meetings;

    SimMember(
        SimProcess process,
        FailureDetector detector,
        byte[][] endpoints,
        AtomicInteger met,
        List<Heard> heard,
        List<Silence> silences) {
      this.process = process;
      this.detector = detector;
      this.endpoints = endpoints;
      this.met = met;
      this.heard = heard;
      this.silences = silences;
    }

    @Override
    public int rank() {
      return process.rank();
    }

    @Override
    public FailureDetector detector() {
      return detector;
    }

    @Override
    public byte[][] endpoints() {
      return endpoints;
    }

    @Override
    public @Nullable Heard heard() {
      assertThat(heard).hasSizeLessThanOrEqualTo(1);
      return heard.isEmpty() ? null : heard.getFirst();
    }

    @Override
    public List<Heard> failures() {
      return List.copyOf(heard);
    }

    @Override
    public List<Silence> silences() {
      return silences;
    }

    @Override
    public void meet() {
      met.incrementAndGet();
      int all = endpoints.length * ++meetings;
      until(() -> met.get() >= all);
    }

    @Override
    public void until(BooleanSupplier condition) {
      while (!condition.getAsBoolean()) {
        process.compute(10_000);
      }
    }

    @Override
    public void elsewhere(Runnable action) {
      process.execute(action);
    }
  }
}
