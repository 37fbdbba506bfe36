package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.RankConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real connections, all ranks in one JVM. */
abstract class DetectorContract {
  static final int EPOCH = 3;

  private final String transport;

  /**
   * @param transport what the log-ring is to run over
   */
  DetectorContract(String transport) {
    this.transport = transport;
  }

  static RankConfig config(int rank, int size, String transport, byte[] secret, int timeout) {
    return new RankConfig(
        "test-job",
        secret,
        rank,
        size,
        0,
        "127.0.0.1",
        0,
        "/nowhere",
        size,
        size,
        2,
        new int[] {rank},
        2,
        timeout,
        0,
        new CheckpointInterval.Every(1),
        List.of(transport),
        List.of());
  }

  private RankConfig config(int rank, int size) {
    return config(rank, size, transport, new byte[32], 20_000);
  }

  private record Heard(int failed, int hops) {}

  /** A ring of detectors, connected. */
  private final class Ring implements AutoCloseable {
    final List<FailureDetector> detectors = new ArrayList<>();
    final ConcurrentHashMap<Integer, Heard> heard = new ConcurrentHashMap<>();

    /** Ranks that heard once more, which they may not. */
    final Queue<Integer> heardAgain = new ConcurrentLinkedQueue<>();

    final CountDownLatch left;

    Ring(int size, int toHear) throws IOException {
      left = new CountDownLatch(toHear);
      for (int r = 0; r < size; r++) {
        int rank = r;
        detectors.add(
            new LogRingDetectorProvider()
                .open(
                    config(r, size),
                    EPOCH,
                    (failed, hops, reason) -> {
                      if (heard.putIfAbsent(rank, new Heard(failed, hops)) != null) {
                        heardAgain.add(rank);
                      }
                      left.countDown();
                    }));
      }
    }

    byte[][] endpoints() {
      return detectors.stream().map(FailureDetector::endpoint).toArray(byte[][]::new);
    }

    void connect() throws Exception {
      byte[][] endpoints = endpoints();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> all = new ArrayList<>();
        for (FailureDetector d : detectors) {
          all.add(
              threads.submit(
                  () -> {
                    d.connect(endpoints);
                    return null;
                  }));
        }
        for (Future<?> f : all) {
          f.get(60, TimeUnit.SECONDS);
        }
      }
      assertThat(detectors)
          .allSatisfy(d -> assertThat(d.transport()).isEqualTo(DetectorContract.this.transport));
    }

    @Override
    public void close() {
      detectors.forEach(FailureDetector::close);
      assertThat(heardAgain).as("ranks that heard twice").isEmpty();
    }
  }

  @Test
  void allHearOfALoss() throws Exception {
    try (Ring ring = new Ring(16, 15)) {
      ring.connect();
      ring.detectors.get(3).announce(7, "its data connection broke");
      assertThat(ring.left.await(60, TimeUnit.SECONDS)).as("%s", ring.heard).isTrue();
      assertThat(ring.heard)
          .hasSize(15)
          .allSatisfy((rank, h) -> assertThat(h.failed()).isEqualTo(7));
      assertThat(ring.heard.get(3)).isEqualTo(new Heard(7, 0));
    }
  }

  @Test
  void aGoodbyeIsNoFailure() throws Exception {
    try (Ring ring = new Ring(8, 6)) {
      ring.connect();
      ring.detectors.get(2).close();
      // What follows on the same links arrives after the goodbye.
      ring.detectors.get(3).announce(0, "its data connection broke");
      assertThat(ring.left.await(60, TimeUnit.SECONDS)).as("%s", ring.heard).isTrue();
      assertThat(ring.heard.values()).allSatisfy(h -> assertThat(h.failed()).isZero());
    }
  }

  @Test
  void aPeerThatIsNotThereIsAFailureAndEndsConnect() throws Exception {
    try (Ring ring = new Ring(2, 1)) {
      byte[][] endpoints = ring.endpoints();
      ring.detectors.get(1).close();
      IOException e =
          org.assertj.core.api.Assertions.catchThrowableOfType(
              IOException.class, () -> ring.detectors.get(0).connect(endpoints));
      assertThat(e).hasMessageContaining("rank 1 has failed");
      assertThat(ring.heard.get(0)).isEqualTo(new Heard(1, 0));
    }
  }

  @Test
  @Timeout(120)
  void closeEndsConnect() throws Exception {
    try (Ring ring = new Ring(2, 0)) {
      // rank 1 waits for rank 0 to connect, which never does
      FutureTask<?> waiting =
          new FutureTask<>(
              () -> {
                ring.detectors.get(1).connect(ring.endpoints());
                return null;
              });
      Thread thread = Thread.ofPlatform().daemon().start(waiting);
      while (thread.getState() != Thread.State.WAITING) {
        assertThat(thread.isAlive()).as("it waits").isTrue();
        Thread.sleep(1);
      }
      ring.detectors.get(1).close();
      assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(IOException.class)
          .hasRootCauseMessage("the log-ring of epoch 3 cannot be connected: closed");
    }
  }

  /** The epoch may be revoked between its start and the first connection. */
  @Test
  void connectAfterCloseFails() throws Exception {
    try (Ring ring = new Ring(2, 0)) {
      byte[][] endpoints = ring.endpoints();
      for (FailureDetector d : ring.detectors) {
        d.close();
        assertThatThrownBy(() -> d.connect(endpoints))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("closed");
      }
    }
  }

  @Test
  void oneRankNeedsNobody() throws Exception {
    try (Ring ring = new Ring(1, 0)) {
      ring.connect();
    }
  }
}
