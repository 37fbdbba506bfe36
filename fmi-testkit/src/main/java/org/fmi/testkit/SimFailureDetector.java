package org.fmi.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.RankConfig;

/**
 * A failure detector that behaves as a log-ring does: the neighbours of a dead rank see its
 * connection break, those of a silent one miss its heartbeats, and whoever hears tells its own
 * neighbours, hop by hop.
 */
final class SimFailureDetector implements FailureDetector {
  private final SimDetectors detectors;
  private final SimProcess process;
  private final RankConfig config;
  private final int epoch;
  private final int id;
  private final Listener listener;
  private final SimSignal signal;

  /** Those it has or expects a connection with; empty before {@link #connect}. */
  private final List<SimFailureDetector> neighbours = new ArrayList<>();

  private boolean open = true;
  private boolean heard;

  SimFailureDetector(
      SimDetectors detectors,
      SimProcess process,
      RankConfig config,
      int epoch,
      int id,
      Listener listener) {
    this.detectors = detectors;
    this.process = process;
    this.config = config;
    this.epoch = epoch;
    this.id = id;
    this.listener = listener;
    this.signal = new SimSignal(process);
  }

  @Override
  public byte[] endpoint() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(id).array();
  }

  @Override
  public String transport() {
    return "simulation";
  }

  @Override
  public void connect(byte[][] endpoints) throws IOException {
    process.primitive();
    int size = endpoints.length;
    int own = config.rank();
    boolean[] added = new boolean[size];
    for (long step = 1; step < size; step *= config.logRingBase()) {
      add((int) ((own + step) % size), endpoints, added);
      add((int) ((own - step + size) % size), endpoints, added);
    }
    for (SimFailureDetector neighbour : neighbours) {
      pause(detectors.cluster().network().delay());
      reach(neighbour);
    }
    checkConnecting();
  }

  private void add(int rank, byte[][] endpoints, boolean[] added) throws IOException {
    if (rank == config.rank() || added[rank]) {
      return;
    }
    added[rank] = true;
    SimFailureDetector neighbour = detectors.find(endpoints[rank]);
    if (neighbour.rank() != rank || neighbour.epoch != epoch) {
      throw new IOException("this is not the endpoint of rank " + rank + " in epoch " + epoch);
    }
    neighbours.add(neighbour);
  }

  private void reach(SimFailureDetector neighbour) throws IOException {
    SimProcess other = neighbour.process;
    if (unreachable(other)) {
      pause(timeout());
      if (unreachable(other)) {
        seen(neighbour.rank(), "silent");
      }
    }
    if (!neighbour.open) {
      if (!other.alive()) {
        seen(neighbour.rank(), "connection refused");
      }
      // It lives and has left this epoch, so that this one will be told to leave it, too.
      awaitEnd();
    }
  }

  /** The connecting thread found a failure; the listener hears of it on the detector's thread. */
  private void seen(int failed, String reason) throws IOException {
    process.post(0, "failure seen", () -> hear(failed, 0, reason));
    awaitEnd();
  }

  private void awaitEnd() throws IOException {
    while (true) {
      checkConnecting();
      signal.await(Long.MAX_VALUE);
    }
  }

  private boolean unreachable(SimProcess other) {
    return other.silentlyDead()
        || other.frozen()
        || detectors.cluster().network().silence(process, other);
  }

  /** Lets time go by, unless there is no point in connecting any more. */
  private void pause(long nanos) throws IOException {
    checkConnecting();
    signal.await(nanos);
    checkConnecting();
  }

  private void checkConnecting() throws IOException {
    if (!open) {
      throw new IOException("closed while connecting");
    }
    if (heard) {
      throw new IOException("a failure was heard of while connecting");
    }
  }

  @Override
  public void announce(int rank, String reason) {
    process.primitive();
    hear(rank, 0, reason);
  }

  @Override
  public void close() {
    if (!process.gone()) {
      shut();
    }
  }

  void shut() {
    open = false;
    detectors.closed(this);
    signal.signal();
  }

  SimProcess process() {
    return process;
  }

  int rank() {
    return config.rank();
  }

  /** Whether this one would notice if {@code other} were gone. */
  boolean watches(SimFailureDetector other) {
    return neighbours.contains(other);
  }

  /** News from {@code source} are on their way to this one. */
  void hearAfter(long nanos, SimProcess source, int failed, int hops, String reason) {
    process.post(
        nanos,
        "failure heard",
        () -> {
          if (!detectors.cluster().network().silence(source, process)) {
            hear(failed, hops, reason);
          }
        });
  }

  /** This one misses another's heartbeats, if that is {@code still} silent when it counts. */
  void missAfterTimeout(SimFailureDetector other, BooleanSupplier still) {
    process.post(
        timeout(),
        "heartbeats missed",
        () -> {
          if (still.getAsBoolean()) {
            hear(other.rank(), 0, "silent");
          }
        });
  }

  private long timeout() {
    return detectors.cluster().timeout(config);
  }

  private void hear(int failed, int hops, String reason) {
    if (!open || heard) {
      return;
    }
    heard = true;
    forward(failed, hops + 1, reason);
    signal.signal();
    listener.onFailure(failed, hops, reason);
  }

  private void forward(int failed, int hops, String reason) {
    for (SimFailureDetector neighbour : neighbours) {
      if (neighbour.rank() != failed) {
        neighbour.hearAfter(detectors.cluster().network().delay(), process, failed, hops, reason);
      }
    }
  }
}
