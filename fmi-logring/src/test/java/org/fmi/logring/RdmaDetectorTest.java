package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.contract.DetectorContract;
import org.fmi.testkit.contract.DetectorThreads;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The log-ring over RDMA; strangers and peers that behave badly. */
@Tag("rdma")
final class RdmaDetectorTest extends DetectorContract {
  private static final int TIMEOUT_SECONDS = 60;
  private static final byte[] OURS = new byte[32];
  private static final byte[] ANOTHER = Arrays.copyOf(new byte[] {1}, 32);

  @Override
  protected void run(int ranks, Setup setup, Body body) throws Exception {
    DetectorThreads.run(new RingDetectorProvider(), transport(), ranks, setup, body);
  }

  @Override
  protected String transport() {
    return RdmaLinks.NAME;
  }

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  /** Opens one of two ranks; rank 0 dials rank 1. */
  private LogRingDetector open(int rank, byte[] secret, int epoch, int timeoutMillis)
      throws IOException {
    RankConfig config = DetectorThreads.config(rank, 2, RdmaLinks.NAME, secret, timeoutMillis);
    return (LogRingDetector)
        new RingDetectorProvider()
            .open(
                config,
                epoch,
                (failed, hops, reason) ->
                    heard.add("rank " + rank + " heard of " + failed + ": " + reason),
                Diagnostics.NONE);
  }

  private LogRingDetector open(int rank) throws IOException {
    return open(rank, OURS, EPOCH, 60_000);
  }

  private static byte[][] endpoints(LogRingDetector rank0, LogRingDetector rank1) {
    return new byte[][] {rank0.endpoint(), rank1.endpoint()};
  }

  private static RdmaEndpoint rdma(LogRingDetector detector) {
    return RdmaEndpoint.of(Offer.of(detector.endpoint()).endpoint(RdmaLinks.NAME));
  }

  private @Nullable String next() throws InterruptedException {
    return heard.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private void strangerIsRefused(byte[] secret, int epoch) throws Exception {
    try (LogRingDetector ours = open(1);
        LogRingDetector stranger = open(0, secret, epoch, 60_000)) {
      assertThatThrownBy(() -> stranger.connect(Endpoints.of(endpoints(stranger, ours))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("rank 1 has failed: refused by the peer");
      assertThat(next()).startsWith("rank 0 heard of 1");
      assertThat(heard).as("the one dialled").isEmpty();
    }
  }

  @Test
  void aWrongSecretIsRefused() throws Exception {
    strangerIsRefused(ANOTHER, EPOCH);
  }

  @Test
  void aWrongEpochIsRefused() throws Exception {
    strangerIsRefused(OURS, EPOCH - 1);
  }

  /** A dialler that the test controls. */
  private static Verbs rawVerbs() throws IOException {
    Verbs verbs = VerbsProvider.chosen().open(InetAddress.getLoopbackAddress());
    verbs.open(new Verbs.Sizes(16, 0, 16, 64));
    // For the heartbeats of the peer.
    MemorySegment memory = Arena.global().allocate((long) Window.FRAMES * RingLinks.MAX_FRAME);
    int key = verbs.register(memory).key();
    for (int buffer = 0; buffer < Window.FRAMES; buffer++) {
      long at = memory.address() + (long) buffer * RingLinks.MAX_FRAME;
      verbs.postReceive(buffer, at, RingLinks.MAX_FRAME, key);
    }
    return verbs;
  }

  private static Verbs.Event await(Verbs verbs) throws IOException {
    long begin = System.nanoTime();
    Verbs.Event event;
    while ((event = verbs.nextEvent()) == null) {
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
          .isLessThan(TIMEOUT_SECONDS);
    }
    return event;
  }

  /** Dials as rank 0, with the secret. */
  private static RdmaConnection dial(Verbs verbs, LogRingDetector to) throws IOException {
    Greeting greeting = new Greeting(OURS, RankConfigs.JOB, EPOCH);
    RdmaEndpoint endpoint = rdma(to);
    RdmaConnection connection =
        verbs.dial(
            endpoint.address(),
            greeting.request(new Greeting.Request(0, 1, Window.FRAMES, 42), endpoint.nonce()));
    assertThat(await(verbs).kind()).isEqualTo(Verbs.Event.Kind.ESTABLISHED);
    return connection;
  }

  @Test
  void refusesGarbageAndAcceptsThePeer() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (LogRingDetector rank0 = open(0);
        LogRingDetector rank1 = open(1);
        Verbs dialler = rawVerbs()) {
      for (int i = 0; i < 10; i++) {
        byte[] garbage = new byte[i % 2 == 0 ? Greeting.REQUEST_BYTES : random.nextInt(57)];
        random.nextBytes(garbage);
        RdmaConnection connection = dialler.dial(rdma(rank1).address(), garbage);
        Verbs.Event event = await(dialler);
        assertThat(event.kind()).isEqualTo(Verbs.Event.Kind.REJECTED);
        assertThat(Greeting.refused(event.greeting())).isZero();
        connection.close();
      }
      rank0.connect(Endpoints.of(endpoints(rank0, rank1)));
      rank1.connect(Endpoints.of(endpoints(rank0, rank1)));
      assertThat(heard).isEmpty();
    }
  }

  @Test
  void distrustsAnswersWithoutTheSecret() throws Exception {
    try (LogRingDetector rank0 = open(0);
        Verbs impostor = rawVerbs()) {
      byte[] endpoint = new RdmaEndpoint(new byte[16], impostor.address()).bytes();
      byte[] offer = new Offer(Map.of(RdmaLinks.NAME, endpoint)).bytes();
      Thread answering =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      await(impostor).connection().accept(new byte[36]);
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      assertThatThrownBy(() -> rank0.connect(Endpoints.of(rank0.endpoint(), offer)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the process that answered does not know the job's secret");
      answering.join();
    }
  }

  @Test
  void aCloseWithoutGoodbyeIsAFailure() throws Exception {
    try (LogRingDetector rank1 = open(1);
        Verbs verbs = rawVerbs()) {
      RdmaConnection connection = dial(verbs, rank1);
      connection.disconnect();
      assertThat(next()).isEqualTo("rank 1 heard of 0: disconnected by the peer");
      // Its first link was up: it gets no second one, even with the right greeting.
      Greeting greeting = new Greeting(OURS, RankConfigs.JOB, EPOCH);
      RdmaEndpoint endpoint = rdma(rank1);
      verbs.dial(
          endpoint.address(),
          greeting.request(new Greeting.Request(0, 1, Window.FRAMES, 43), endpoint.nonce()));
      Verbs.Event event = await(verbs);
      while (event.kind() == Verbs.Event.Kind.DISCONNECTED) {
        event = await(verbs); // of the first connection
      }
      assertThat(event.kind()).isEqualTo(Verbs.Event.Kind.REJECTED);
      assertThat(Greeting.refused(event.greeting())).isPositive();
    }
  }

  @Test
  void detectsASilentPeer() throws Exception {
    try (LogRingDetector rank1 = open(1, OURS, EPOCH, 1_500);
        Verbs verbs = rawVerbs()) {
      dial(verbs, rank1);
      assertThat(next()).startsWith("rank 1 heard of 0: silent for ");
    }
  }

  @Test
  void heartbeatsPreventSuspicion() throws Exception {
    try (LogRingDetector rank0 = open(0, OURS, EPOCH, 4_000);
        LogRingDetector rank1 = open(1, OURS, EPOCH, 4_000)) {
      rank0.connect(Endpoints.of(endpoints(rank0, rank1)));
      rank1.connect(Endpoints.of(endpoints(rank0, rank1)));
      assertThat(heard.poll(30, TimeUnit.SECONDS)).isNull();
    }
  }

  /** Both may use both transports, but a third rank has no RDMA. */
  @Test
  void skipsATransportThatARankLacks() throws Exception {
    RankConfig both =
        DetectorThreads.config(0, 2, RdmaLinks.NAME, OURS, 60_000)
            .withTransports(List.of("shm", "rdma", "tcp"));
    try (LogRingDetector rank0 =
            (LogRingDetector)
                new RingDetectorProvider()
                    .open(
                        both,
                        EPOCH,
                        (failed, hops, reason) -> heard.add(reason),
                        Diagnostics.NONE);
        LogRingDetector rank1 =
            (LogRingDetector)
                new RingDetectorProvider()
                    .open(
                        DetectorThreads.config(1, 2, TcpLinks.NAME, OURS, 60_000),
                        EPOCH,
                        (failed, hops, reason) -> heard.add(reason),
                        Diagnostics.NONE)) {
      assertThat(Offer.of(rank0.endpoint())).hasToString("[rdma, tcp]");
      rank0.connect(Endpoints.of(endpoints(rank0, rank1)));
      rank1.connect(Endpoints.of(endpoints(rank0, rank1)));
      assertThat(rank0.transport()).isEqualTo("tcp");
      rank1.announce(0, "by hand");
      assertThat(next()).isEqualTo("by hand");
    }
    assertThat(heard).isEmpty();
  }
}
