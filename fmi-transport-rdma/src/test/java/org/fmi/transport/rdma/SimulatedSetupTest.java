package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.fmi.transport.rdma.RdmaFaultsTest.EPOCH;
import static org.fmi.transport.rdma.RdmaFaultsTest.NOTHING;
import static org.fmi.transport.rdma.RdmaFaultsTest.config;
import static org.fmi.transport.rdma.RdmaFaultsTest.connect;
import static org.fmi.transport.rdma.RdmaFaultsTest.frame;
import static org.fmi.transport.rdma.RdmaFaultsTest.secret;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.testkit.support.Seeds;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;

/**
 * Connections are set up in thousands of orders of events; each by its seed, which is new in each
 * run.
 */
class SimulatedSetupTest {
  /** The time of each of the most revealing tests. */
  private static final int MILLIS = 400;

  /** The time of each other test. */
  private static final int SHORT_MILLIS = 120;

  private static final int MAX_STEPS = 100_000;

  /** The messages that a rank sends and has received. */
  private static final class Side implements FrameHandler, AutoCloseable {
    final int rank;
    final int frames;
    final SimulatedFabric.Device device;
    final RdmaTransport transport;
    final List<Long> sequences = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    final List<Integer> lostPeers = new ArrayList<>();
    long sent;
    private long nanos = 1;

    Side(int rank, int frames, SimulatedFabric fabric) throws IOException {
      this(rank, 2, frames, NOTHING, fabric);
    }

    Side(int rank, int size, int frames, RegistrationCache.Room room, SimulatedFabric fabric)
        throws IOException {
      this(rank, size, frames, room, 256, fabric);
    }

    Side(
        int rank,
        int size,
        int frames,
        RegistrationCache.Room room,
        int inline,
        SimulatedFabric fabric)
        throws IOException {
      this.rank = rank;
      this.frames = frames;
      device = fabric.device();
      device.setInline(inline);
      transport =
          new RdmaTransport(
              config(rank, size, secret(1)), EPOCH, device, room, w -> {}, Diagnostics.NONE);
      // a tenth of a second per poll
      transport.useClock(() -> nanos += 100_000_000);
    }

    void offer() {
      offer(1 - rank);
    }

    /** Returns whether the frame was accepted. */
    boolean offer(int peer) {
      if (sent < frames && transport.offer(peer, frame(sent))) {
        sent++;
        return true;
      }
      return false;
    }

    void poll() {
      transport.poll(this);
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      sequences.add(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE));
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(reason);
      lostPeers.add(peer);
    }

    void hasReceived(long expected) {
      assertThat(sequences).isEqualTo(LongStream.range(0, expected).boxed().toList());
    }

    @Override
    public void close() {
      device.hurry();
      transport.close();
    }
  }

  /** Checks the number of steps. */
  private static void bound(int steps) {
    if (steps >= MAX_STEPS) {
      throw new AssertionError(steps + " steps");
    }
  }

  private static void step(SplittableRandom random, SimulatedFabric fabric, Side a, Side b) {
    switch (random.nextInt(6)) {
      case 0 -> a.offer();
      case 1 -> b.offer();
      case 2 -> a.poll();
      case 3 -> b.poll();
      default -> fabric.step();
    }
  }

  @Test
  void oneConnectionIsMadeAndNoFrameIsLost() throws IOException {
    Seeds.forMillis(MILLIS, SimulatedSetupTest::oneConnectionIsMade);
  }

  /** Each accepts the other's request, which the other has abandoned: one of them dials on. */
  @Test
  void notBothWaitForWhoHasGivenUp() throws IOException {
    oneConnectionIsMade(660_724_648);
  }

  private static void oneConnectionIsMade(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    SimulatedFabric fabric = new SimulatedFabric(seed);
    try (Side a = new Side(0, random.nextInt(40), fabric);
        Side b = new Side(1, random.nextInt(40), fabric)) {
      connect(a.transport, b.transport);
      for (int i = 0; a.sequences.size() < b.frames || b.sequences.size() < a.frames; i++) {
        bound(i);
        step(random, fabric, a, b);
        // Now and then a rank computes for so long that its peer gives up.
        if (seed % 2 == 0 && random.nextInt(20) == 0) {
          fabric.timeOut();
        }
      }
      for (int i = 0; i < 1000; i++) {
        fabric.step();
        a.poll();
        b.poll();
      }
      a.hasReceived(b.frames);
      b.hasReceived(a.frames);
      for (Side side : List.of(a, b)) {
        assertThat(side.lost).as("losses").isEmpty();
        int connections = a.frames + b.frames == 0 ? 0 : 1;
        assertThat(side.transport.connections()).isEqualTo(connections);
        assertThat(side.device.posted()).as("buffers").isEqualTo(64);
      }
    }
  }

  /** For a moment the network does not know a peer's address. */
  @Test
  void dialsAgainWhenThePeerCannotAccept() throws IOException {
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          try (Side a = new Side(0, 10, fabric);
              Side b = new Side(1, 10, fabric)) {
            connect(a.transport, b.transport);
            a.device.stumble(random.nextInt(4));
            b.device.stumble(random.nextInt(4));
            for (int i = 0; a.sequences.size() < b.frames || b.sequences.size() < a.frames; i++) {
              bound(i);
              step(random, fabric, a, b);
            }
            assertThat(a.lost).as("losses").isEmpty();
            assertThat(b.lost).as("losses").isEmpty();
          }
        });
  }

  /** Devices that inline nothing, a header without a payload, and more than is ever needed. */
  @Test
  void framesFitIntoTheWorkRequestOrGoByABuffer() throws IOException {
    int frames = 20;
    for (int inline : new int[] {0, FrameLayout.HEADER_BYTES - 1, FrameLayout.HEADER_BYTES, 256}) {
      SimulatedFabric fabric = new SimulatedFabric(inline);
      try (Side a = new Side(0, 2, frames, NOTHING, inline, fabric);
          Side b = new Side(1, 2, 0, NOTHING, inline, fabric)) {
        connect(a.transport, b.transport);
        SplittableRandom random = new SplittableRandom(inline);
        for (int i = 0; b.sequences.size() < frames; i++) {
          bound(i);
          step(random, fabric, a, b);
        }
        b.hasReceived(frames);
      }
    }
  }

  /** Each registration in turn is refused. */
  @Test
  void aFailedOpenLeavesNothing() throws IOException {
    SimulatedFabric fabric = new SimulatedFabric(1);
    for (int slabs = 0; slabs < 2; slabs++) {
      SimulatedFabric.Device device = fabric.device();
      device.limit((long) slabs * SendPool.FRAMES * Slab.FRAME_BYTES);
      assertThatThrownBy(
              () ->
                  new RdmaTransport(
                      config(0, secret(1)), EPOCH, device, NOTHING, w -> {}, Diagnostics.NONE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot lock");
      assertThat(device.alive()).isZero();
    }
  }

  private static void lacksMemory(Side side, Runnable work) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < MAX_STEPS; i++) {
                work.run();
              }
            })
        .isInstanceOf(UncheckedIOException.class)
        .rootCause()
        .hasMessageContaining("cannot lock");
    assertThat(side.lost).isEmpty();
    assertThatThrownBy(side::poll).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> side.transport.offer(1 - side.rank, frame(0)))
        .isInstanceOf(UncheckedIOException.class);
  }

  /**
   * One of the two ranks, which dials or is dialled, is refused a queue pair: it reports the cause
   * and accuses no peer; nor is it reported as failed while it lives.
   */
  @Test
  void lackOfMemoryIsReportedAndAccusesNoPeer() throws IOException {
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          boolean dials = random.nextBoolean();
          try (Side poor = new Side(0, dials ? 1 : 0, fabric);
              Side rich = new Side(1, dials ? 0 : 1, fabric)) {
            connect(poor.transport, rich.transport);
            poor.device.limit(random.nextLong(SimulatedFabric.PAIR_BYTES));
            lacksMemory(poor, () -> step(random, fabric, poor, rich));
            for (int i = 0; i < 1000; i++) {
              rich.poll();
              rich.offer();
              fabric.step();
            }
            assertThat(rich.lost).as("losses").isEmpty();
          }
        });
  }

  /** Sent memory that the program may send again stays locked only as long as there is room. */
  @Test
  void unusedRegistrationsAreEvicted() throws IOException {
    long message = 1 << 20;
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          boolean dials = random.nextBoolean();
          boolean inUse = random.nextInt(4) == 0;
          RegistrationCache.Room room = new RegistrationCache.Room(2 * message, "a test");
          try (Arena arena = Arena.ofConfined();
              Side poor = new Side(0, 2, dials ? 10 : 0, room, fabric);
              Side rich = new Side(1, dials ? 0 : 10, fabric)) {
            connect(poor.transport, rich.transport);
            RemoteMemory.Exposure exposure =
                poor.transport
                    .remoteMemory()
                    .expose(
                        arena.allocate(message), 0, message, new long[RemoteMemory.TICKET_LONGS]);
            if (exposure == null) {
              throw new AssertionError("not exposed");
            }
            poor.device.limit(random.nextLong(SimulatedFabric.PAIR_BYTES));
            if (inUse) {
              lacksMemory(poor, () -> step(random, fabric, poor, rich));
              assertThat(poor.device.registrations()).as("its buffers").isEqualTo(2);
              return;
            }
            exposure.close();
            for (int i = 0; poor.sequences.size() + rich.sequences.size() < 10; i++) {
              bound(i);
              step(random, fabric, poor, rich);
            }
            assertThat(poor.lost).isEmpty();
            assertThat(rich.lost).isEmpty();
          }
        });
  }

  /** More peers than may have a full window. The fabric asserts that each frame finds a buffer. */
  @Test
  void manyPeersFindBuffers() throws IOException {
    int size = 13;
    int frames = 1000; // the first rank still sends when the last one begins
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          List<Side> sides = new ArrayList<>();
          try {
            for (int rank = 0; rank < size; rank++) {
              sides.add(new Side(rank, size, frames, NOTHING, fabric));
            }
            connect(sides.stream().map(side -> side.transport).toArray(RdmaTransport[]::new));
            Side busy = sides.getFirst();
            for (int round = 0; busy.sequences.size() < (size - 1) * frames; round++) {
              bound(round);
              // Another rank begins, and sends all it may before its peer polls.
              for (int rank = 1; rank < Math.min(size, 2 + round / 2); rank++) {
                Side side = sides.get(rank);
                side.poll();
                while (side.offer(0)) {
                  side.poll();
                }
              }
              while (fabric.step()) {}
              for (int i = random.nextInt(40); i > 0; i--) {
                busy.poll();
              }
            }
            assertThat(busy.lost).as("losses").isEmpty();
            assertThat(busy.device.posted()).isEqualTo(ReceivePool.most(size - 1));
          } finally {
            sides.forEach(Side::close);
          }
        });
  }

  /** Ranks that know each other's endpoints; none has dialled. */
  private static void addAll(List<Side> sides, int size, SimulatedFabric fabric)
      throws IOException {
    for (int rank = 0; rank < size; rank++) {
      sides.add(new Side(rank, size, 1000, NOTHING, fabric));
    }
    connect(sides.stream().map(side -> side.transport).toArray(RdmaTransport[]::new));
  }

  /**
   * All peers are lost, for the device's reason, whether they are connected, are dialled, or dial.
   */
  @Test
  void aDeviceThatFailsLosesAllPeersOnce() throws IOException {
    int size = 5;
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          List<Side> sides = new ArrayList<>();
          try {
            addAll(sides, size, fabric);
            int failing = random.nextInt(size);
            Side failed = sides.get(failing);
            for (int i = random.nextInt(200); i > 0; i--) {
              int peer = (failing + 1 + random.nextInt(size - 1)) % size;
              switch (random.nextInt(4)) {
                case 0 -> failed.offer(peer);
                case 1 -> sides.get(peer).offer(failing);
                case 2 -> sides.get(random.nextInt(size)).poll();
                default -> fabric.step();
              }
            }
            failed.device.fail("the port is down");
            for (int i = 0; i < 100; i++) {
              failed.poll();
            }
            assertThat(failed.lost)
                .hasSize(failed.transport.connections())
                .allMatch("the port is down"::equals);
            for (int i = 0; i < 1000; i++) {
              failed.poll();
              fabric.step();
            }
            assertThat(failed.lostPeers).doesNotHaveDuplicates();
            for (int peer = 0; peer < size; peer++) {
              assertThat(failed.transport.isConnected(peer)).isFalse();
            }
          } finally {
            sides.forEach(Side::close);
          }
        });
  }

  /** All peers that it needs are lost; the program continues with its other transports. */
  @Test
  void aDeviceThatWasRemovedEndsNoProgram() throws IOException {
    int size = 12; // more than the first buffers are for
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          List<Side> sides = new ArrayList<>();
          try {
            addAll(sides, size, fabric);
            Side failed = sides.getFirst();
            for (int i = random.nextInt(200); i > 0; i--) {
              Side peer = sides.get(1 + random.nextInt(size - 1));
              switch (random.nextInt(5)) {
                case 0 -> failed.offer(peer.rank);
                case 1 -> peer.offer(0);
                case 2 -> peer.poll();
                case 3 -> failed.poll();
                default -> fabric.step();
              }
            }
            failed.device.remove("the device was removed");
            for (int i = 0; failed.lost.size() < size - 1; i++) {
              bound(i);
              failed.offer(1 + random.nextInt(size - 1));
              if (random.nextInt(4) == 0) {
                failed.transport.await(1);
              }
              failed.poll();
              fabric.step();
            }
            assertThat(failed.lostPeers).doesNotHaveDuplicates();
            assertThat(failed.lost).allMatch("the device was removed"::equals);
          } finally {
            sides.forEach(Side::close);
          }
        });
  }

  /** A peer that does not poll in time is never suspected. */
  @Test
  void aPeerThatOnlyComputesIsNotLost() throws IOException {
    int patience = 100;
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          int rank = random.nextInt(2);
          try (Side waits = new Side(rank, 10, fabric);
              Side computes = new Side(1 - rank, random.nextInt(2), fabric)) {
            Side first = rank == 0 ? waits : computes;
            connect(first.transport, (first == waits ? computes : waits).transport);
            if (computes.frames > 0) {
              // It has dialled, and polled once or twice before it computes.
              computes.offer();
              for (int i = random.nextInt(10); i > 0; i--) {
                fabric.step();
                computes.poll();
              }
            }
            for (int i = 0; i < patience; i++) {
              waits.offer();
              while (fabric.step()) {}
              waits.poll();
              fabric.timeOut();
            }
            for (int i = 0; computes.sequences.size() < waits.frames; i++) {
              bound(i);
              step(random, fabric, waits, computes);
            }
            assertThat(waits.lost).as("losses").isEmpty();
            assertThat(computes.lost).as("losses").isEmpty();
            computes.hasReceived(waits.frames);
            assertThat(waits.transport.connections()).isOne();
          }
        });
  }

  /** Its machine refuses what nobody listens to, however long the peer answers nothing. */
  @Test
  void aPeerThatComputesForVeryLongIsNotLost() throws IOException {
    SimulatedFabric fabric = new SimulatedFabric(1);
    try (Side waits = new Side(0, 10, fabric);
        Side computes = new Side(1, 0, fabric)) {
      connect(waits.transport, computes.transport);
      for (int i = 0; i < 60_000; i++) {
        waits.offer();
        while (fabric.step()) {}
        waits.poll();
        fabric.timeOut();
      }
      assertThat(fabric.knocks()).isGreaterThan(10);
      assertThat(waits.lost).isEmpty();
      for (int i = 0; computes.sequences.size() < 10; i++) {
        bound(i);
        waits.offer();
        waits.poll();
        computes.poll();
        fabric.step();
      }
      assertThat(waits.transport.connections()).isOne();
    }
  }

  /** Before, while or after it answers a request; neither heartbeats nor an open connection. */
  @Test
  void aPeerThatIsCutOffWhileTheConnectionIsMadeIsLost() throws IOException {
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          int rank = random.nextInt(2);
          try (Side waits = new Side(rank, Integer.MAX_VALUE, fabric);
              Side cut = new Side(1 - rank, random.nextInt(2), fabric)) {
            Side first = rank == 0 ? waits : cut;
            connect(first.transport, (first == waits ? cut : waits).transport);
            for (int i = random.nextInt(40); i > 0 && !waits.transport.isConnected(cut.rank); i--) {
              step(random, fabric, waits, cut);
            }
            cut.device.switchOff();
            notices(waits, fabric);
            works(1000, waits, fabric);
            assertThat(waits.lost).hasSize(1);
            assertThat(waits.device.posted()).as("buffers").isEqualTo(64);
          }
        });
  }

  /** Any process may send requests; frames do not wait for all of them. */
  @Test
  void requestsAreTakenSomeAtATime() throws IOException {
    SimulatedFabric fabric = new SimulatedFabric(1);
    try (Side a = new Side(0, 0, fabric)) {
      connect(a.transport, a.transport);
      Verbs stranger = fabric.device();
      int requests = 2 * LinkSetup.MOST_EVENTS + 10;
      for (int i = 0; i < requests; i++) {
        stranger.dial(a.device.address(), new byte[8]);
      }
      while (fabric.step()) {}
      int refused = 0;
      for (int polls = 0; refused < requests; polls++) {
        bound(polls);
        int before = refused;
        a.poll();
        while (fabric.step()) {}
        while (stranger.nextEvent() != null) {
          refused++;
        }
        assertThat(refused - before).isLessThanOrEqualTo(LinkSetup.MOST_EVENTS);
      }
    }
  }

  /** Works until it has lost a peer. */
  private static void notices(Side side, SimulatedFabric fabric) throws IOException {
    for (int i = 0; side.lost.isEmpty(); i++) {
      bound(i);
      works(1, side, fabric);
    }
  }

  private static void works(int steps, Side side, SimulatedFabric fabric) throws IOException {
    for (int i = 0; i < steps; i++) {
      side.offer();
      side.poll();
      fabric.step();
    }
  }

  /** If the survivor needs the killed peer, it learns of the death. */
  private static void dies(long seed, boolean machine) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    SimulatedFabric fabric = new SimulatedFabric(seed);
    int rank = random.nextInt(2);
    try (Side survivor = new Side(rank, Integer.MAX_VALUE, fabric);
        Side victim = new Side(1 - rank, random.nextInt(3), fabric)) {
      Side first = rank == 0 ? survivor : victim;
      connect(first.transport, (first == survivor ? victim : survivor).transport);
      int steps = random.nextInt(60);
      for (int i = 0; i < steps; i++) {
        // Only a connection's first work is sure to find the peer silent here.
        if (machine && survivor.transport.isConnected(victim.rank)) {
          break;
        }
        step(random, fabric, survivor, victim);
      }
      if (machine) {
        victim.device.switchOff();
      } else {
        victim.device.kill();
      }
      if (!machine) {
        notices(survivor, fabric);
      }
      works(1000, survivor, fabric);
      assertThat(survivor.lost).as("losses").hasSizeLessThanOrEqualTo(1);
      survivor.hasReceived(survivor.sequences.size());
      assertThat(survivor.device.posted()).as("buffers").isEqualTo(64);
      assertThat(survivor.transport.connections()).isLessThanOrEqualTo(1);
      assertThat(survivor.transport.isConnected(victim.rank)).isFalse();
    }
  }

  @Test
  void aPeerThatIsKilledMeanwhileIsLostOnce() throws IOException {
    Seeds.forMillis(
        MILLIS,
        seed -> {
          dies(seed, false);
        });
  }

  /** The victim has answered and does not know yet that its connection is up: it refuses. */
  @Test
  void aPeerThatIsKilledAfterItsAnswerIsLost() throws IOException {
    dies(975322599L, false);
  }

  @Test
  void aMachineThatIsSwitchedOffMeanwhileIsLostAtMostOnce() throws IOException {
    Seeds.forMillis(
        MILLIS,
        seed -> {
          dies(seed, true);
        });
  }

  /** More attempts than buffers: an attempt that fails midway must return its buffers. */
  @Test
  void attemptsThatEndHalfWayLeaveNothing() throws IOException {
    Seeds.forMillis(
        SHORT_MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          try (Side a = new Side(0, 100, fabric);
              Side b = new Side(1, 100, fabric)) {
            connect(a.transport, b.transport);
            for (int attempt = 0; attempt < 100; attempt++) {
              Verbs dialler = fabric.device();
              RdmaConnection connection =
                  dialler.dial(a.device.address(), RdmaSetupTest.request(a.transport, attempt));
              for (int i = random.nextInt(100); i > 0; i--) {
                fabric.step();
                a.poll();
              }
              connection.close();
            }
            while (fabric.step()) {
              a.poll();
            }
            for (int i = 0; a.sequences.size() < b.frames || b.sequences.size() < a.frames; i++) {
              bound(i);
              step(random, fabric, a, b);
            }
            assertThat(a.lost).as("losses").isEmpty();
            a.hasReceived(b.frames);
            b.hasReceived(a.frames);
            assertThat(a.device.posted()).as("buffers").isLessThanOrEqualTo(64);
            assertThat(a.transport.connections()).isOne();
          }
        });
  }

  @Test
  void aReplayedRequestIsRefused() throws IOException {
    SimulatedFabric fabric = new SimulatedFabric(1);
    try (Side a = new Side(0, 0, fabric)) {
      byte[] request = RdmaSetupTest.request(a.transport, 1);
      Verbs first = fabric.device();
      first.dial(a.device.address(), request);
      while (!a.transport.isConnecting(1)) {
        fabric.step();
        a.poll();
      }
      first.close();
      Verbs second = fabric.device();
      second.dial(a.device.address(), request);
      Verbs.Event event;
      while ((event = second.nextEvent()) == null) {
        fabric.step();
        a.poll();
      }
      assertThat(event.kind()).isEqualTo(Verbs.Event.Kind.REJECTED);
      assertThat(event.greeting()).as("a reason").isEmpty();
    }
  }
}
