package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
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
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.JavaProcess;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Strangers, and peers that die. */
@Tag("rdma")
class RdmaFaultsTest {
  static final int EPOCH = 3;
  static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int TICKET_BYTES = Long.BYTES * RemoteMemory.TICKET_LONGS;

  /** So long that the process can be killed amid it. */
  private static final long LONG_BYTES = 16 << 20;

  /** A cache without room for long messages. */
  static final RegistrationCache.Room NOTHING = new RegistrationCache.Room(0, "a test");

  static RankConfig config(int rank, byte[] secret) {
    return config(rank, 2, secret);
  }

  static RankConfig config(int rank, int size, byte[] secret) {
    return RankConfigs.rank(rank, size).secret(secret).ranksOnNode(1).ranksOnMachine(1).build();
  }

  static byte[] secret(int seed) {
    byte[] secret = new byte[32];
    new SplittableRandom(seed).nextBytes(secret);
    return secret;
  }

  static RdmaTransport open(int rank, byte[] secret, int epoch) throws IOException {
    return (RdmaTransport)
        new RdmaTransportProvider().open(config(rank, secret), epoch, Diagnostics.NONE);
  }

  static Frame frame(long sequence) {
    Frame frame = new Frame();
    frame.sequence = sequence;
    return frame;
  }

  static final class Log implements FrameHandler {
    int frames;
    int reads;
    final List<Integer> lost = new ArrayList<>();

    /** The last payload of a ticket's size. */
    final long[] ticket = new long[RemoteMemory.TICKET_LONGS];

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      frames++;
      if (memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD) == TICKET_BYTES) {
        MemorySegment.ofArray(ticket)
            .copyFrom(memory.asSlice(at + FrameLayout.HEADER_BYTES, TICKET_BYTES));
      }
    }

    @Override
    public void onRead(int peer, long id, boolean whole) {
      reads++;
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

  static void connect(RdmaTransport... ranks) {
    byte[][] endpoints = new byte[ranks.length][];
    for (int rank = 0; rank < ranks.length; rank++) {
      endpoints[rank] = ranks[rank].endpoint();
    }
    for (RdmaTransport rank : ranks) {
      rank.start(Endpoints.of(endpoints));
    }
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
  void refusesGarbageAndAcceptsThePeer() throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        RdmaTransport peer = open(1, secret(1), EPOCH);
        Verbs dialler = VerbsProvider.chosen().open(InetAddress.getLoopbackAddress())) {
      dialler.open(new Verbs.Sizes(16, 0, 16, 64));
      Log log = new Log();
      for (int i = 0; i < 20; i++) {
        byte[] garbage = new byte[i % 2 == 0 ? Greeting.REQUEST_BYTES : random.nextInt(57)];
        random.nextBytes(garbage);
        RdmaConnection connection =
            dialler.dial(RdmaEndpoint.of(ours.endpoint()).address(), garbage);
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

  /**
   * The receiver never runs out of buffers, whatever messages cross: the device counts such events.
   */
  @Test
  void everyFrameFindsABuffer() throws Exception {
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
    boolean found = false;
    try (DirectoryStream<Path> devices =
        Files.newDirectoryStream(Path.of("/sys/class/infiniband"))) {
      for (Path device : devices) {
        Path counter = device.resolve("ports/1/hw_counters").resolve(name);
        if (Files.exists(counter)) {
          sum += Long.parseLong(Files.readString(counter).strip());
          found = true;
        }
      }
    }
    assertThat(found).as("a device counts %s", name).isTrue();
    return sum;
  }

  /** The activity of rank 1 until it is killed. */
  private enum Deed {
    /** Sends to rank 0 as fast as it can. */
    SENDS,
    /** Exposes memory full of ones, sends its ticket, and stays silent. */
    EXPOSES,
    /** Reads the memory of the first ticket repeatedly, and sends a message after each read. */
    READS
  }

  /** The process to be killed. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws IOException {
      RdmaTransport transport = open(1, secret(1), EPOCH);
      byte[] other = HexFormat.of().parseHex(args[0]);
      transport.start(Endpoints.of(other, transport.endpoint()));
      System.out.println(HexFormat.of().formatHex(transport.endpoint()));
      Log log = new Log();
      switch (Deed.valueOf(args[1])) {
        case SENDS -> {
          Frame frame = frame(0);
          frame.base = new byte[transport.maxPayload()];
          while (true) {
            frame.payload = frame.payload == 0 ? transport.maxPayload() : 0;
            send(transport, frame, log);
          }
        }
        case EXPOSES -> {
          MemorySegment memory = Arena.global().allocate(LONG_BYTES).fill((byte) 1);
          expose(transport, memory, 0, log);
          while (true) {
            transport.poll(log);
            transport.await(1_000_000);
          }
        }
        case READS -> {
          send(transport, frame(0), log);
          MemorySegment memory = Arena.global().allocate(LONG_BYTES);
          while (log.ticket[0] == 0) {
            transport.poll(log);
          }
          for (int i = 1; ; i++) {
            RemoteMemory remote = transport.remoteMemory();
            if (!remote.read(0, log.ticket, memory, 0, LONG_BYTES, i)) {
              throw new IllegalStateException("cannot read");
            }
            while (log.reads < i) {
              transport.poll(log);
            }
            send(transport, frame(i), log);
          }
        }
      }
    }

    private static void send(Transport transport, Frame frame, Log log) {
      while (!transport.offer(0, frame)) {
        transport.poll(log);
      }
    }
  }

  /** Exposes memory to a peer, and sends the ticket. */
  private static RemoteMemory.Exposure expose(
      RdmaTransport transport, MemorySegment memory, int peer, Log log) {
    Frame frame = frame(0);
    long[] ticket = new long[RemoteMemory.TICKET_LONGS];
    RemoteMemory.Exposure exposure =
        transport.remoteMemory().expose(memory, 0, memory.byteSize(), ticket);
    if (exposure == null) {
      throw new AssertionError("not exposed");
    }
    frame.base = ticket;
    frame.payload = TICKET_BYTES;
    while (!transport.offer(peer, frame)) {
      transport.poll(log);
    }
    return exposure;
  }

  /** Rank 1 in its own process. */
  private record Prey(Process process, BufferedReader out) implements AutoCloseable {
    static Prey start(RdmaTransport ours, Deed deed) throws IOException {
      Process process =
          JavaProcess.of(Victim.class, HexFormat.of().formatHex(ours.endpoint()), deed.name())
              .start();
      Prey prey =
          new Prey(
              process,
              new BufferedReader(
                  new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
      String endpoint = prey.out.readLine();
      assertThat(endpoint).as("endpoint of the victim").isNotNull();
      ours.start(Endpoints.of(ours.endpoint(), HexFormat.of().parseHex(endpoint)));
      return prey;
    }

    void kill() {
      process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
      kill();
      process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
      out.close();
    }
  }

  private static void until(Condition condition, Transport transport, Log log) {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      if (transport.poll(log) == 0) {
        transport.await(1_000_000);
      }
    }
  }

  /** Waits for the loss, relying on await to return without a timeout. */
  private static void awaitLoss(Transport transport, Log log) {
    long begin = System.nanoTime();
    while (log.lost.isEmpty()) {
      assertThat(System.nanoTime() - begin).as("nanoseconds").isLessThan(TIMEOUT_NANOS);
      if (transport.poll(log) == 0) {
        transport.await(Long.MAX_VALUE);
      }
    }
    assertThat(log.lost).containsExactly(1);
  }

  /** Killed before its memory is read, and during a read. */
  @Test
  void aPeerWhoseMemoryIsReadIsKilled() throws Exception {
    for (boolean amid : new boolean[] {false, true}) {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(LONG_BYTES);
        MemorySegment expected = arena.allocate(LONG_BYTES);
        try (RdmaTransport ours = open(0, secret(1), EPOCH);
            Prey prey = Prey.start(ours, Deed.EXPOSES)) {
          Log log = new Log();
          until(() -> log.ticket[0] != 0, ours, log);
          if (!amid) {
            prey.kill();
          }
          assertThat(ours.remoteMemory().read(1, log.ticket, memory, 0, LONG_BYTES, 7)).isTrue();
          if (amid) {
            ours.poll(log);
            prey.kill();
          }
          awaitLoss(ours, log);
          if (log.reads > 0) {
            expected.fill((byte) 1);
            assertThat(memory.mismatch(expected)).as("read whole").isEqualTo(-1);
          }
          ours.remoteMemory().stop();
          memory.fill((byte) 2);
        }
        expected.fill((byte) 2);
        assertThat(memory.mismatch(expected)).as("written after stop").isEqualTo(-1);
      }
    }
  }

  /** Killed while it reads: the owner learns of it, and may free its memory. */
  @Test
  void aPeerThatReadsIsKilled() throws Exception {
    try (RdmaTransport ours = open(0, secret(1), EPOCH);
        Prey prey = Prey.start(ours, Deed.READS)) {
      Log log = new Log();
      until(() -> log.frames > 0, ours, log);
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(LONG_BYTES);
        RemoteMemory.Exposure exposure = expose(ours, memory, 1, log);
        until(() -> log.frames > 1, ours, log);
        prey.kill();
        awaitLoss(ours, log);
        exposure.close();
        ours.remoteMemory().stop();
      }
    }
  }

  /** A key gives access only to its memory, not beside it. */
  @Test
  void aTicketGivesAccessToItsMemoryOnly() throws Exception {
    for (int forged = 0; forged < 4; forged++) {
      try (Arena arena = Arena.ofShared();
          RdmaTransport owner = open(0, secret(1), EPOCH);
          RdmaTransport reader = open(1, secret(1), EPOCH)) {
        connect(owner, reader);
        Log ofOwner = new Log();
        Log ofReader = new Log();
        until(() -> owner.offer(1, frame(0)), owner, ofOwner, reader, ofReader);
        long bytes = 1 << 20;
        MemorySegment all = arena.allocate(3 * bytes, 4096);
        MemorySegment open = all.asSlice(bytes, bytes);
        RemoteMemory.Exposure exposure = expose(owner, open, 1, ofOwner);
        until(() -> ofReader.ticket[0] != 0, owner, ofOwner, reader, ofReader);
        long[] ticket = ofReader.ticket;
        assertThat(ticket[0]).isEqualTo(open.address());
        switch (forged) {
          case 0 -> ticket[0] -= 1;
          case 1 -> ticket[0] += 1;
          case 2 -> ticket[1] ^= 0x1_00;
          default -> owner.remoteMemory().stop();
        }
        MemorySegment memory = arena.allocate(bytes);
        assertThat(reader.remoteMemory().read(0, ticket, memory, 0, bytes, 1)).isTrue();
        if (forged < 3) {
          until(() -> !ofReader.lost.isEmpty(), owner, ofOwner, reader, ofReader);
          exposure.close();
        } else {
          for (int i = 0; i < 100; i++) {
            reader.poll(ofReader);
            reader.await(1_000_000);
          }
        }
        assertThat(ofReader.reads).isZero();
      }
    }
  }

  @Test
  void aPeerThatIsKilledIsLostOnce() throws Exception {
    for (int round = 0; round < 3; round++) {
      try (RdmaTransport ours = open(0, secret(1), EPOCH);
          Prey prey = Prey.start(ours, Deed.SENDS)) {
        Log log = new Log();
        int killAt = 1 + 100 * round;
        until(() -> log.frames >= killAt, ours, log);
        prey.kill();
        long killed = System.nanoTime();
        awaitLoss(ours, log);
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
      }
    }
  }

  /** A rank that sleeps in another transport's await is woken there. */
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
