package org.fmi.core.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.control.AddressTable;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.progress.ParkingClock;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.RankConfigs;
import org.fmi.wire.Frame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rank's transports in an epoch, when some cannot be opened. */
final class LifecycleTest {
  @TempDir Path directory = Path.of("");

  private final Ways fast = new Ways("fast", 20);
  private final Ways sure = new Ways("sure", 30);
  private final Job job = new Job();

  /** The transports that the detector may use, by epoch. */
  private final List<List<String>> detectors = new ArrayList<>();

  /** Failures reported to the detector. */
  private final List<String> announced = new ArrayList<>();

  /** Opens transports, or fails. */
  private static final class Ways implements TransportProvider {
    private final String name;
    private final int order;
    boolean broken;
    boolean refused;
    int open;

    Ways(String name, int order) {
      this.name = name;
      this.order = order;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int order() {
      return order;
    }

    @Override
    public Transport open(RankConfig config, int epoch, Diagnostics diagnostics)
        throws IOException {
      if (broken) {
        throw new IOException(name + ": the port is down");
      }
      if (refused) {
        throw new IllegalStateException(name + ": no more files");
      }
      open++;
      return new Way();
    }

    /** Carries no messages. */
    private final class Way implements Transport {
      @Override
      public String name() {
        return name;
      }

      @Override
      public byte[] endpoint() {
        return new byte[] {1};
      }

      @Override
      public void start(Endpoints endpoints) {
        assertThat(endpoints.size()).isEqualTo(1);
        assertThat(endpoints.get(0)).isEqualTo(endpoint());
      }

      @Override
      public boolean reaches(int peer) {
        return true;
      }

      @Override
      public int maxPayload() {
        return 64;
      }

      @Override
      public int eagerLimit() {
        return 64;
      }

      @Override
      public boolean offer(int peer, Frame frame) {
        return false;
      }

      @Override
      public int poll(FrameHandler handler) {
        return 0;
      }

      @Override
      public void await(long maxNanos) {}

      @Override
      public int bell() {
        return 0;
      }

      @Override
      public boolean arm(int bell) {
        return false;
      }

      @Override
      public void wakeup() {}

      @Override
      public void close() {
        open--;
      }
    }
  }

  /** Starts each epoch as soon as its only rank has joined. */
  private static final class Job implements JobLink {
    Listener listener = message -> {};
    final List<Map<String, byte[]>> joined = new ArrayList<>();
    final List<String> lines = new ArrayList<>();

    @Override
    public void report(String line) {
      lines.add(line);
    }

    @Override
    public void send(RankMessage message) {
      if (message instanceof RankMessage.Joined m) {
        joined.add(m.addresses());
        listener.onMessage(
            new JobMessage.Start(m.epoch(), false, AddressTable.of(List.of(m.addresses()))));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void listen(Listener newListener) {
      listener = newListener;
    }
  }

  private Lifecycle lifecycle(String... transports) {
    JobSettings settings = RankConfigs.job(1).transports(List.of(transports)).build();
    RankConfig config =
        RankConfigs.rank(0, settings).incarnation(1).nodeDirectory(directory.toString()).build();
    Messenger messenger = new Messenger(0, 1, new WaitStrategy(1, 1), (peer, reason) -> {});
    Lifecycle lifecycle =
        new Lifecycle(
            config,
            job,
            List.of(fast, sure),
            (forConfig, epoch, listener, diagnostics) -> {
              detectors.add(forConfig.job().transports());
              return new Detector();
            },
            messenger,
            _ -> {},
            new ParkingClock());
    job.listen(lifecycle);
    return lifecycle;
  }

  /** Ignores all events. */
  private final class Detector implements FailureDetector {
    @Override
    public byte[] endpoint() {
      return new byte[] {2};
    }

    @Override
    public void connect(Endpoints endpoints) {}

    @Override
    public String transport() {
      return "sure";
    }

    @Override
    public void announce(int rank, String reason) {
      announced.add("rank " + rank + ": " + reason);
    }

    @Override
    public void close() {}
  }

  private void recover(Lifecycle lifecycle, int epoch, String... without) throws IOException {
    lifecycle.onMessage(new JobMessage.Revoke(epoch, JobMessage.Revoke.NONE, List.of(without)));
    lifecycle.join(Position.FRESH, Standing.NONE);
  }

  @Test
  void leavesOutAFailedTransportUntilItIsBack() throws IOException {
    Lifecycle lifecycle = lifecycle();
    lifecycle.join(Position.FRESH, Standing.NONE);
    fast.broken = true;
    recover(lifecycle, 1);
    assertThat(fast.open).isZero();
    fast.broken = false;
    recover(lifecycle, 2);
    assertThat(job.joined)
        .extracting(Map::keySet)
        .extracting(List::copyOf)
        .satisfiesExactly(
            names -> assertThat(names).containsExactlyInAnyOrder("fast", "sure", "detector"),
            names -> assertThat(names).containsExactlyInAnyOrder("sure", "detector"),
            names -> assertThat(names).containsExactlyInAnyOrder("fast", "sure", "detector"));
    assertThat(detectors)
        .containsExactly(List.of("fast", "sure"), List.of("sure"), List.of("fast", "sure"));
    assertThat(fast.open).isEqualTo(1);
    assertThat(sure.open).isEqualTo(1);
  }

  @Test
  void leavesOutTransportsAsTheJobSaysExceptTheLastResort() throws IOException {
    Lifecycle lifecycle = lifecycle();
    recover(lifecycle, 1, "fast");
    recover(lifecycle, 2, "fast", "sure");
    assertThat(detectors).containsExactly(List.of("sure"), List.of("sure"));
    assertThat(fast.open).isZero();
  }

  @Test
  void doesNotLeaveOutARequestedTransport() throws IOException {
    Lifecycle lifecycle = lifecycle("fast", "sure");
    recover(lifecycle, 1, "fast");
    assertThat(detectors).containsExactly(List.of("fast", "sure"));
  }

  @Test
  void reportsALeftOutTransportOncePerNode() throws IOException {
    fast.broken = true;
    Lifecycle lifecycle = lifecycle();
    lifecycle.join(Position.FRESH, Standing.NONE);
    recover(lifecycle, 1);
    lifecycle().join(Position.FRESH, Standing.NONE); // another process of the node
    directory = Files.createDirectory(directory.resolve("another node"));
    lifecycle().join(Position.FRESH, Standing.NONE);
    String line =
        "continues without fast: fast: the port is down (as seen by rank 0, node 0, 127.0.0.1)";
    assertThat(job.lines).containsExactly(line, line);
  }

  @Test
  void reportsToAllRanksWhyADataConnectionBroke() throws IOException {
    Lifecycle lifecycle = lifecycle();
    lifecycle.join(Position.FRESH, Standing.NONE);
    lifecycle.peerLost(3, "mlx5_0 port 1: the port is down");
    assertThat(announced)
        .containsExactly("rank 3: its data connection broke: mlx5_0 port 1: the port is down");
  }

  @Test
  void keepsARequestedCheckpoint() {
    fast.broken = true;
    Lifecycle lifecycle = lifecycle("fast", "sure");
    assertThatThrownBy(() -> lifecycle.join(Position.FRESH, Standing.NONE))
        .hasMessage("fast: the port is down");
  }

  /** The job replaces the rank then. */
  @Test
  void anyFailureToOpenATransportIsReportedAsOneOfTheSystem() {
    sure.refused = true;
    Lifecycle lifecycle = lifecycle();
    assertThatIOException()
        .isThrownBy(() -> lifecycle.join(Position.FRESH, Standing.NONE))
        .withMessage("java.lang.IllegalStateException: sure: no more files");
    assertThat(fast.open).as("what was opened before is closed").isZero();
  }

  @Test
  void theLastTransportIsNotLeftOut() {
    sure.broken = true;
    Lifecycle lifecycle = lifecycle();
    assertThatThrownBy(() -> lifecycle.join(Position.FRESH, Standing.NONE))
        .hasMessage("sure: the port is down");
    assertThat(fast.open).as("what was opened before is closed").isZero();
  }
}
