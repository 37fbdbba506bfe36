package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.fmi.transport.rdma.RdmaFaultsTest.EPOCH;
import static org.fmi.transport.rdma.RdmaFaultsTest.NOTHING;
import static org.fmi.transport.rdma.RdmaFaultsTest.TIMEOUT_NANOS;
import static org.fmi.transport.rdma.RdmaFaultsTest.config;
import static org.fmi.transport.rdma.RdmaFaultsTest.connect;
import static org.fmi.transport.rdma.RdmaFaultsTest.frame;
import static org.fmi.transport.rdma.RdmaFaultsTest.open;
import static org.fmi.transport.rdma.RdmaFaultsTest.secret;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.testkit.support.JavaProcess;
import org.fmi.transport.rdma.RdmaFaultsTest.Log;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures while a connection is set up. */
@Tag("rdma")
class RdmaSetupTest {
  private static final Verbs.Sizes SMALL = new Verbs.Sizes(16, 0, 16, 64);

  /** The stage at which the peer, rank 1, waits to be killed. */
  enum Stage {
    /** Its request has reached this side, which has not polled. */
    HAS_DIALLED,
    /** This side has answered, and the peer has not polled. */
    WAS_ANSWERED,
    /** The peer knows that its connection is up. It sends nothing. */
    KNOWS_IT_STANDS,
    /** This side's request has reached the peer, which has not polled. */
    IS_DIALLED,
    /** The peer has read the request. */
    HAS_READ,
    /** The peer has answered, and this side has not polled. */
    HAS_ANSWERED,
    /** Both sides know that the connection is up. No message was sent. */
    ESTABLISHED;

    boolean peerDials() {
      return compareTo(IS_DIALLED) < 0;
    }
  }

  private static Verbs verbs() throws IOException {
    return VerbsProvider.chosen().open(InetAddress.getLoopbackAddress());
  }

  private static boolean readable(int descriptor, long maxNanos) throws IOException {
    try (Sleeper sleeper = new Sleeper(descriptor)) {
      return sleeper.sleep(maxNanos);
    }
  }

  private static Verbs.Event event(Verbs verbs) throws IOException {
    while (true) {
      Verbs.Event event = verbs.nextEvent();
      if (event != null) {
        return event;
      }
      assertThat(readable(verbs.eventDescriptor(), TIMEOUT_NANOS)).as("an event").isTrue();
    }
  }

  private static Greeting greeting() {
    return new Greeting(secret(1), "job", EPOCH);
  }

  static byte[] request(RdmaTransport to, long nonce) {
    byte[] listener = RdmaEndpoint.of(to.endpoint()).nonce();
    return greeting().request(new Greeting.Request(1, 0, ReceivePool.BASE, nonce), listener);
  }

  /** The process to be killed. It prints its address, and then the stage that it has reached. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      Stage stage = Stage.valueOf(args[0]);
      RdmaEndpoint other = RdmaEndpoint.of(HexFormat.of().parseHex(args[1]));
      Verbs verbs = verbs();
      verbs.open(SMALL);
      RdmaEndpoint own = new RdmaEndpoint(new byte[RdmaEndpoint.NONCE_BYTES], verbs.address());
      System.out.println(HexFormat.of().formatHex(own.bytes()));
      if (stage.peerDials()) {
        dial(stage, verbs, other);
      } else {
        listen(stage, verbs, own);
      }
      System.out.println("there");
      Thread.sleep(Long.MAX_VALUE);
    }

    private static void dial(Stage stage, Verbs verbs, RdmaEndpoint to) throws IOException {
      Greeting.Request request = new Greeting.Request(1, 0, ReceivePool.BASE, 1);
      verbs.dial(to.address(), greeting().request(request, to.nonce()));
      if (stage == Stage.KNOWS_IT_STANDS) {
        await(Verbs.Event.Kind.ESTABLISHED, verbs);
        return;
      }
      while (System.in.available() == 0) {
        verbs.nextEvent();
        readable(verbs.eventDescriptor(), 1_000_000);
      }
      if (stage == Stage.WAS_ANSWERED) {
        System.out.println("looks no more");
        readable(verbs.eventDescriptor(), Long.MAX_VALUE);
      }
    }

    private static void listen(Stage stage, Verbs verbs, RdmaEndpoint own) throws IOException {
      readable(verbs.eventDescriptor(), Long.MAX_VALUE);
      if (stage == Stage.IS_DIALLED) {
        return;
      }
      Verbs.Event asked = await(Verbs.Event.Kind.REQUEST, verbs);
      if (stage == Stage.HAS_READ) {
        return;
      }
      if (stage == Stage.HAS_ANSWERED) {
        System.out.println("has read");
        System.in.read();
      }
      Greeting.Request request = greeting().request(asked.greeting(), own.nonce());
      if (request == null) {
        throw new IOException("a wrong request");
      }
      asked.connection().accept(greeting().answer(request, ReceivePool.BASE, own.nonce()));
      if (stage == Stage.ESTABLISHED) {
        await(Verbs.Event.Kind.ESTABLISHED, verbs);
      }
    }

    private static Verbs.Event await(Verbs.Event.Kind kind, Verbs verbs) throws IOException {
      Verbs.Event event = event(verbs);
      if (event.kind() != kind) {
        throw new IOException("not " + kind + ": " + event);
      }
      return event;
    }
  }

  private static void tell(Process victim) throws IOException {
    OutputStream in = victim.getOutputStream();
    in.write('\n');
    in.flush();
  }

  private static void pollUntilItSpeaks(RdmaTransport ours, Log log, BufferedReader out)
      throws IOException {
    long begin = System.nanoTime();
    while (!out.ready()) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      if (ours.poll(log) == 0) {
        ours.await(10_000_000);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Stage.class)
  void aPeerThatIsKilledWhileAConnectionIsMadeIsLost(Stage stage) throws Exception {
    Verbs verbs = verbs();
    try (RdmaTransport ours =
        new RdmaTransport(config(0, secret(1)), EPOCH, verbs, NOTHING, w -> {}, Diagnostics.NONE)) {
      Process victim =
          JavaProcess.of(Victim.class, stage.name(), HexFormat.of().formatHex(ours.endpoint()))
              .start();
      Log log = new Log();
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(victim.getInputStream(), StandardCharsets.UTF_8))) {
        String endpoint = out.readLine();
        assertThat(endpoint).as("endpoint of the victim").isNotNull();
        ours.start(Endpoints.of(ours.endpoint(), HexFormat.of().parseHex(endpoint)));
        if (stage == Stage.HAS_DIALLED || stage == Stage.WAS_ANSWERED) {
          assertThat(readable(verbs.eventDescriptor(), TIMEOUT_NANOS)).as("a request").isTrue();
          tell(victim);
        }
        if (stage == Stage.WAS_ANSWERED) {
          assertThat(out.readLine()).isEqualTo("looks no more");
        }
        if (stage != Stage.HAS_DIALLED) {
          if (!stage.peerDials()) {
            assertThat(ours.offer(1, frame(0))).isFalse();
          }
          pollUntilItSpeaks(ours, log, out);
        }
        if (stage == Stage.HAS_ANSWERED) {
          assertThat(out.readLine()).isEqualTo("has read");
          tell(victim);
          assertThat(readable(verbs.eventDescriptor(), TIMEOUT_NANOS)).as("an answer").isTrue();
        }
        assertThat(out.readLine()).isEqualTo("there");
      } finally {
        victim.destroyForcibly();
        assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      long killed = System.nanoTime();
      while (log.lost.isEmpty()) {
        assertThat(System.nanoTime() - killed).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
        ours.offer(1, frame(0));
        if (ours.poll(log) == 0) {
          ours.await(Long.MAX_VALUE); // await must return without a timeout
        }
      }
      System.out.println(
          stage
              + ": lost after "
              + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - killed)
              + " us");
      for (int i = 0; i < 1000; i++) {
        ours.poll(log);
      }
      assertThat(log.lost).containsExactly(1);
      assertThat(log.frames).isZero();
      assertThat(ours.isConnected(1)).isFalse();
      assertThat(ours.offer(1, frame(0))).isFalse();
    }
  }

  /** More attempts than buffers: an attempt that fails midway must return its buffers. */
  @Test
  void attemptsThatEndHalfWayLeaveNothing() throws Exception {
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        RdmaTransport peer = open(1, secret(1), EPOCH)) {
      Log log = new Log();
      SplittableRandom random = new SplittableRandom(3);
      for (int i = 0; i < 60; i++) {
        try (Verbs dialler = verbs()) {
          dialler.open(SMALL);
          dialler.dial(RdmaEndpoint.of(ours.endpoint()).address(), request(ours, i));
          // It never polls for the answer.
          int looks = random.nextInt(100);
          for (int look = 0; look < looks && !ours.isConnecting(1); look++) {
            assertThat(dialler.nextEvent()).isNull();
            ours.poll(log);
          }
        }
        for (int look = random.nextInt(100); look > 0; look--) {
          ours.poll(log);
        }
      }
      connect(ours, peer);
      exchange(ours, peer, random, 100);
      assertThat(ours.connections()).isOne();
      assertThat(log.lost).isEmpty();
    }
  }

  /** Checks that frames arrive in the order sent. */
  private static final class Sequence implements FrameHandler {
    final List<Long> sequences = new ArrayList<>();

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      sequences.add(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE));
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      throw new AssertionError("lost rank " + peer + ": " + reason);
    }
  }

  /** Sends {@code frames} frames both ways; both ranks start at about the same time. */
  private static void exchange(
      RdmaTransport a, RdmaTransport b, SplittableRandom random, long frames) {
    Sequence ofA = new Sequence();
    Sequence ofB = new Sequence();
    long fromA = 0;
    long fromB = 0;
    int first = random.nextInt(3);
    int pause = random.nextInt(200);
    long begin = System.nanoTime();
    while (ofA.sequences.size() < frames || ofB.sequences.size() < frames) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      boolean both = pause-- < 0;
      if ((both || first != 0) && fromA < frames && a.offer(1, frame(fromA))) {
        fromA++;
      }
      if ((both || first != 1) && fromB < frames && b.offer(0, frame(fromB))) {
        fromB++;
      }
      for (int i = random.nextInt(10); i > 0; i--) {
        a.poll(ofA);
      }
      for (int i = random.nextInt(10); i > 0; i--) {
        b.poll(ofB);
      }
    }
    List<Long> all = LongStream.range(0, frames).boxed().toList();
    assertThat(ofA.sequences).isEqualTo(all);
    assertThat(ofB.sequences).isEqualTo(all);
  }

  @Test
  void crossingDialsLeaveOneConnection() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 40; round++) {
      try (RdmaTransport a = open(0, secret(1), EPOCH);
          RdmaTransport b = open(1, secret(1), EPOCH)) {
        connect(a, b);
        exchange(a, b, random, 5);
        assertThat(a.isConnected(1)).isTrue();
        assertThat(b.isConnected(0)).isTrue();
        assertThat(a.connections()).isOne();
        assertThat(b.connections()).isOne();
      }
    }
  }

  /** Dials like rank 1, and returns the final event. */
  private static Verbs.Event answerTo(byte[] words, Verbs dialler, RdmaTransport ours, Log log)
      throws IOException {
    dialler.dial(RdmaEndpoint.of(ours.endpoint()).address(), words);
    long begin = System.nanoTime();
    Verbs.Event event;
    while ((event = dialler.nextEvent()) == null) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      ours.poll(log);
    }
    return event;
  }

  @Test
  void aReplayedRequestIsRefused() throws Exception {
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        RdmaTransport peer = open(1, secret(1), EPOCH);
        Verbs dialler = verbs()) {
      dialler.open(SMALL);
      Log log = new Log();
      byte[] seen = request(ours, 1);
      try (Verbs first = verbs()) {
        first.open(SMALL);
        first.dial(RdmaEndpoint.of(ours.endpoint()).address(), seen);
        long begin = System.nanoTime();
        while (!ours.isConnecting(1)) {
          assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
          assertThat(first.nextEvent()).isNull();
          ours.poll(log);
        }
      }
      assertRefused(answerTo(seen, dialler, ours, log));
      // Nor is a request that was meant for another rank.
      assertRefused(answerTo(request(peer, 2), dialler, ours, log));
      assertThat(log.lost).isEmpty();
      connect(ours, peer);
      exchange(ours, peer, new SplittableRandom(1), 5);
    }
  }

  private static void assertRefused(Verbs.Event event) {
    assertThat(event.kind()).isEqualTo(Verbs.Event.Kind.REJECTED);
    assertThat(Greeting.refused(event.greeting())).as("a reason").isZero();
  }

  /** A request that rdma_cm cannot carry ends the attempt, and nothing else. */
  @Test
  void anOverlongRequestIsNotSent() throws Exception {
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        Verbs dialler = verbs()) {
      dialler.open(SMALL);
      Log log = new Log();
      for (int bytes : new int[] {57, 196, 255}) {
        Verbs.Event event = answerTo(new byte[bytes], dialler, ours, log);
        assertThat(event.kind()).as("%s bytes", bytes).isEqualTo(Verbs.Event.Kind.FAILED);
      }
      assertThat(log.lost).isEmpty();
    }
  }

  /** Garbage of any length is rejected, even if it is longer than a real answer. */
  @Test
  void garbageForAnAnswerIsNotBelieved() throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    for (int bytes : new int[] {0, 1, 35, 36, 196}) {
      try (RdmaTransport ours = open(0, secret(1), EPOCH);
          Verbs impostor = verbs()) {
        impostor.open(SMALL);
        ours.start(
            Endpoints.of(
                ours.endpoint(), new RdmaEndpoint(new byte[16], impostor.address()).bytes()));
        Log log = new Log();
        byte[] garbage = new byte[bytes];
        random.nextBytes(garbage);
        long begin = System.nanoTime();
        while (log.lost.isEmpty()) {
          assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
          assertThat(ours.offer(1, frame(0))).isFalse();
          ours.poll(log);
          Verbs.Event event = impostor.nextEvent();
          if (event != null && event.kind() == Verbs.Event.Kind.REQUEST) {
            event.connection().accept(garbage);
          }
        }
        assertThat(log.lost).containsExactly(1);
        assertThat(ours.connections()).isZero();
      }
    }
  }
}
