package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.fmi.core.spi.CheckpointInterval;
import org.fmi.core.spi.FrameHandler;
import org.fmi.core.spi.RankConfig;
import org.fmi.core.spi.Transport;
import org.fmi.core.wire.Frame;
import org.fmi.verbs.Connection;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.NativeVerbs;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Strangers, and peers that die. */
@Tag("rdma")
class RdmaFaultsTest {
  static final int EPOCH = 3;
  static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  static RankConfig config(int rank, byte[] secret) {
    return new RankConfig(
        "job",
        secret,
        rank,
        2,
        0,
        "127.0.0.1",
        0,
        "/nowhere",
        1,
        2,
        new int[] {rank},
        2,
        10_000,
        0,
        new CheckpointInterval.Every(1),
        List.of(),
        List.of());
  }

  static byte[] secret(int seed) {
    byte[] secret = new byte[32];
    new SplittableRandom(seed).nextBytes(secret);
    return secret;
  }

  static RdmaTransport open(int rank, byte[] secret, int epoch) throws IOException {
    return (RdmaTransport) new RdmaTransportProvider().open(config(rank, secret), epoch);
  }

  static Frame frame(long sequence) {
    Frame frame = new Frame();
    frame.sequence = sequence;
    return frame;
  }

  static final class Log implements FrameHandler {
    int frames;
    final List<Integer> lost = new ArrayList<>();

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      System.out.println("lost rank " + peer + ": " + reason);
      lost.add(peer);
    }
  }

  private interface Condition {
    boolean holds();
  }

  /** Polls both until the condition holds. */
  private static void until(Condition condition, Transport a, Log ofA, Transport b, Log ofB) {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      if (a.poll(ofA) + b.poll(ofB) == 0) {
        a.await(100_000);
      }
    }
  }

  static void connect(RdmaTransport a, RdmaTransport b) {
    byte[][] endpoints = {a.endpoint(), b.endpoint()};
    a.start(endpoints);
    b.start(endpoints);
  }

  private void strangerIsRefused(byte[] secret, int epoch) throws IOException {
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        RdmaTransport stranger = open(1, secret, epoch)) {
      connect(ours, stranger);
      Log log = new Log();
      Log strangersLog = new Log();
      until(
          () -> {
            stranger.offer(0, frame(0));
            return !strangersLog.lost.isEmpty();
          },
          ours,
          log,
          stranger,
          strangersLog);
      assertThat(ours.isConnected(1)).isFalse();
      assertThat(log.frames).isZero();
      assertThat(log.lost).isEmpty();
      assertThat(strangersLog.lost).containsExactly(0);
    }
  }

  @Test
  void aWrongSecretIsRefused() throws Exception {
    strangerIsRefused(secret(2), EPOCH);
  }

  @Test
  void aWrongEpochIsRefused() throws Exception {
    strangerIsRefused(secret(1), EPOCH - 1);
  }

  @Test
  void garbageIsRefusedAndTheRightPeerComesThrough() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        RdmaTransport peer = open(1, secret(1), EPOCH);
        Verbs dialler = new NativeVerbs(InetAddress.getLoopbackAddress())) {
      dialler.open(new Verbs.Sizes(16, 0, 16, 64));
      Log log = new Log();
      for (int i = 0; i < 20; i++) {
        byte[] garbage = new byte[i % 2 == 0 ? Greeting.REQUEST_BYTES : random.nextInt(57)];
        random.nextBytes(garbage);
        Connection connection = dialler.dial(RdmaEndpoint.of(ours.endpoint()).address(), garbage);
        Verbs.Event event;
        long begin = System.nanoTime();
        while ((event = dialler.nextEvent()) == null) {
          assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
          ours.poll(log);
        }
        assertThat(event.kind()).isEqualTo(Verbs.Event.Kind.REJECTED);
        assertThat(Greeting.refused(event.greeting())).isZero();
        connection.close();
      }
      assertThat(log.lost).isEmpty();
      connect(ours, peer);
      Log peersLog = new Log();
      until(() -> peer.offer(0, frame(0)), ours, log, peer, peersLog);
      until(() -> log.frames == 1, ours, log, peer, peersLog);
    }
  }

  /** The receiver never runs dry, whatever crosses: the device counts when one does. */
  @Test
  void nobodyEverSendsWithoutABuffer() throws Exception {
    long before = counted("rcvd_rnr_err") + counted("send_rnr_err");
    try (RdmaTransport a = open(0, secret(1), EPOCH);
        RdmaTransport b = open(1, secret(1), EPOCH)) {
      connect(a, b);
      Log ofA = new Log();
      Log ofB = new Log();
      SplittableRandom random = new SplittableRandom(11);
      Frame frame = new Frame();
      byte[] payload = new byte[a.maxPayload()];
      frame.base = payload;
      int[] sent = new int[2];
      int frames = 3000;
      long begin = System.nanoTime();
      while (ofA.frames < frames || ofB.frames < frames) {
        assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(3 * TIMEOUT_NANOS);
        for (int i = random.nextInt(80); i > 0; i--) {
          frame.payload = random.nextInt(3) == 0 ? random.nextInt(payload.length) : 8;
          if (sent[0] < frames && a.offer(1, frame)) {
            sent[0]++;
          }
        }
        for (int i = random.nextInt(80); i > 0; i--) {
          frame.payload = random.nextInt(3) == 0 ? random.nextInt(payload.length) : 8;
          if (sent[1] < frames && b.offer(0, frame)) {
            sent[1]++;
          }
        }
        if (random.nextInt(3) != 0) {
          a.poll(ofA);
        }
        if (random.nextInt(3) != 0) {
          b.poll(ofB);
        }
      }
      assertThat(ofA.lost).isEmpty();
      assertThat(ofB.lost).isEmpty();
    }
    assertThat(counted("rcvd_rnr_err") + counted("send_rnr_err"))
        .as("messages that found no buffer")
        .isEqualTo(before);
  }

  private static long counted(String name) throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> devices =
        Files.newDirectoryStream(Path.of("/sys/class/infiniband"))) {
      for (Path device : devices) {
        Path counter = device.resolve("ports/1/hw_counters").resolve(name);
        if (Files.exists(counter)) {
          sum += Long.parseLong(Files.readString(counter).strip());
        }
      }
    }
    return sum;
  }

  /** The process to be killed: rank 1, which sends to rank 0 as fast as it can. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws IOException {
      RdmaTransport transport = open(1, secret(1), EPOCH);
      byte[] other = HexFormat.of().parseHex(args[0]);
      transport.start(new byte[][] {other, transport.endpoint()});
      System.out.println(HexFormat.of().formatHex(transport.endpoint()));
      Log log = new Log();
      Frame frame = frame(0);
      frame.base = new byte[transport.maxPayload()];
      while (true) {
        frame.payload = frame.payload == 0 ? transport.maxPayload() : 0;
        while (!transport.offer(0, frame)) {
          transport.poll(log);
        }
      }
    }
  }

  @Test
  void aPeerThatIsKilledIsLostOnce() throws Exception {
    for (int round = 0; round < 3; round++) {
      try (RdmaTransport ours = open(0, secret(1), EPOCH)) {
        Process victim =
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Victim.class.getName(),
                    HexFormat.of().formatHex(ours.endpoint()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
            new BufferedReader(
                new InputStreamReader(victim.getInputStream(), StandardCharsets.UTF_8))) {
          String endpoint = out.readLine();
          assertThat(endpoint).as("endpoint of the victim").isNotNull();
          ours.start(new byte[][] {ours.endpoint(), HexFormat.of().parseHex(endpoint)});
          Log log = new Log();
          long begin = System.nanoTime();
          int killAt = 1 + 100 * round;
          while (log.frames < killAt) {
            assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
            if (ours.poll(log) == 0) {
              ours.await(1_000_000);
            }
          }
          victim.destroyForcibly();
          long killed = System.nanoTime();
          while (log.lost.isEmpty()) {
            assertThat(System.nanoTime() - killed).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
            if (ours.poll(log) == 0) {
              ours.await(Long.MAX_VALUE); // it must end by itself
            }
          }
          System.out.println(
              "lost after "
                  + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - killed)
                  + " us, "
                  + log.frames
                  + " frames");
          for (int i = 0; i < 1000; i++) {
            ours.poll(log);
          }
          assertThat(log.lost).containsExactly(1);
          assertThat(ours.offer(1, frame(0))).isFalse();
        } finally {
          victim.destroyForcibly();
          assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
      }
    }
  }

  /** A rank that sleeps in another transport's await is rung there. */
  @Test
  void anArrivalRingsAnothersBell() throws Exception {
    try (RdmaTransport a = open(0, secret(1), EPOCH);
        RdmaTransport b = open(1, secret(1), EPOCH);
        Sleeper elsewhere = new Sleeper()) {
      connect(a, b);
      Log ofA = new Log();
      Log ofB = new Log();
      until(() -> a.offer(1, frame(0)), a, ofA, b, ofB);
      until(() -> ofB.frames == 1, a, ofA, b, ofB);
      for (int i = 1; i <= 50; i++) {
        int expected = i + 1;
        boolean sent = false;
        while (ofB.frames < expected) {
          if (b.poll(ofB) == 0) {
            boolean armed = b.arm(elsewhere.bell());
            if (!sent) {
              until(() -> a.offer(1, frame(0)), a, ofA, b, ofB);
              sent = true;
            }
            if (armed) {
              elsewhere.sleep(Long.MAX_VALUE);
            }
          }
        }
      }
    }
  }

  @Test
  void anEndpointIsReadAsItWasWritten() throws Exception {
    try (RdmaTransport a = open(0, secret(1), EPOCH)) {
      RdmaEndpoint endpoint = RdmaEndpoint.of(a.endpoint());
      assertThat(endpoint.bytes()).isEqualTo(a.endpoint());
      assertThat(endpoint.address().getPort()).isPositive();
      assertThat(Arrays.equals(endpoint.nonce(), new byte[RdmaEndpoint.NONCE_BYTES])).isFalse();
    }
  }
}
