package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.fmi.transport.rdma.RdmaFaultsTest.EPOCH;
import static org.fmi.transport.rdma.RdmaFaultsTest.config;
import static org.fmi.transport.rdma.RdmaFaultsTest.connect;
import static org.fmi.transport.rdma.RdmaFaultsTest.secret;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Transport;
import org.fmi.testkit.support.Seeds;
import org.fmi.testkit.support.SparseMemory;
import org.junit.jupiter.api.Test;

/**
 * Long messages between two ranks that may die or leave the epoch at any time: in hundreds of
 * orders of reads, arrivals and ends; each by its seed, most of which are new in each run.
 */
class SimulatedRendezvousTest {
  /** For the fresh seeds of each test. */
  private static final int MILLIS = 500;

  /** The number of seeds that are the same in each run, before fresh ones. */
  private static final int FIXED_SEEDS = 20;

  private static final int MAX_STEPS = 200_000;
  private static final int CONTEXT = 0;
  private static final int BYTES = 100_000;

  /** The program's new content of memory that it owns again. */
  private static final byte REUSED = 99;

  private static final RegistrationCache.Room ROOM = new RegistrationCache.Room(1 << 30, "a test");

  /** A rank: its program is the test. */
  private static final class Side implements AutoCloseable {
    final int rank;
    final SimulatedFabric.Device device;
    final RdmaTransport transport;
    final Messenger messenger;
    final List<String> lost = new ArrayList<>();
    final Arena arena = Arena.ofShared();
    final int registrations;
    private long nanos = 1;

    Side(int rank, SimulatedFabric fabric) throws IOException {
      this(rank, fabric.device(), ROOM);
    }

    Side(int rank, SimulatedFabric.Device device, RegistrationCache.Room room) throws IOException {
      this.rank = rank;
      this.device = device;
      transport =
          new RdmaTransport(
              config(rank, secret(1)), EPOCH, device, room, w -> {}, Diagnostics.NONE);
      transport.useClock(() -> nanos += 100_000_000);
      registrations = device.registrations();
      messenger =
          new Messenger(rank, 2, new WaitStrategy(1, 1), (peer, reason) -> lost.add(reason));
      messenger.enter(EPOCH, new Transport[] {transport});
    }

    MemorySegment memory(int content) {
      return arena.allocate(BYTES).fill((byte) content);
    }

    Request send(MemorySegment memory, int tag) {
      return messenger.isend(memory, 0, BYTES, 1 - rank, CONTEXT, tag, Mode.STANDARD);
    }

    Request receive(Object base, int tag) {
      return messenger.irecv(base, 0, BYTES, 1 - rank, CONTEXT, tag);
    }

    /**
     * Leaves the epoch. From this call on the program owns the memory: it writes there, and nothing
     * else does.
     */
    void leave(MemorySegment... memory) {
      messenger.revoke(EPOCH, "a rank has failed");
      assertThatThrownBy(messenger::poll).isInstanceOf(Rollback.class);
      for (MemorySegment m : memory) {
        m.fill(REUSED);
      }
      // Only the buffers of frames remain.
      assertThat(device.registrations()).isEqualTo(registrations);
    }

    @Override
    public void close() {
      device.hurry();
      transport.close();
      messenger.close();
      arena.close();
    }
  }

  private static boolean isFull(MemorySegment memory, int content) {
    // The first byte is the content, and each byte equals the one before it.
    return memory.get(ValueLayout.JAVA_BYTE, 0) == (byte) content
        && memory.asSlice(1).mismatch(memory.asSlice(0, BYTES - 1)) < 0;
  }

  private static boolean has(MemorySegment memory, byte content) {
    for (byte b : memory.toArray(ValueLayout.JAVA_BYTE)) {
      if (b == content) {
        return true;
      }
    }
    return false;
  }

  private interface Moment {
    boolean hasCome();
  }

  private interface Scene {
    void play(SplittableRandom random, SimulatedFabric fabric, Side a, Side b);
  }

  private static void each(Scene scene) throws IOException {
    for (long seed = 0; seed < FIXED_SEEDS; seed++) {
      try {
        play(scene, seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dfmi.seed=" + seed, e);
      }
    }
    Seeds.forMillis(MILLIS, seed -> play(scene, seed));
  }

  private static void play(Scene scene, long seed) throws IOException {
    SimulatedFabric fabric = new SimulatedFabric(seed);
    try (Side a = new Side(0, fabric);
        Side b = new Side(1, fabric)) {
      connect(a.transport, b.transport);
      scene.play(new SplittableRandom(seed), fabric, a, b);
    }
  }

  private static void until(
      Moment moment, SplittableRandom random, SimulatedFabric fabric, Side... sides) {
    for (int i = 0; !moment.hasCome(); i++) {
      if (i >= MAX_STEPS) {
        throw new AssertionError(i + " steps");
      }
      int who = random.nextInt(2 * sides.length);
      if (who < sides.length) {
        sides[who].messenger.poll();
      } else {
        fabric.step();
      }
    }
  }

  private static void settle(SimulatedFabric fabric) {
    while (fabric.step()) {}
  }

  /**
   * The survivor, which continues to communicate, learns of the loss, leaves, and owns its memory
   * again.
   */
  private static void surviveLoss(
      SplittableRandom random, SimulatedFabric fabric, Side survivor, MemorySegment memory) {
    survivor.send(survivor.memory(2), 1);
    until(() -> !survivor.lost.isEmpty(), random, fabric, survivor);
    for (int i = random.nextInt(100); i > 0; i--) {
      survivor.messenger.poll();
      fabric.step();
    }
    assertThat(survivor.lost).hasSize(1);
    survivor.leave(memory);
    settle(fabric);
    assertThat(isFull(memory, REUSED)).as("not written any more").isTrue();
  }

  @Test
  void messagesAreReadWhole() throws IOException {
    each(
        (random, fabric, a, b) -> {
          List<Request> requests = new ArrayList<>();
          List<MemorySegment> received = new ArrayList<>();
          for (int tag = 0; tag < 6; tag++) {
            Side from = random.nextBoolean() ? a : b;
            Side to = from == a ? b : a;
            MemorySegment memory = to.memory(0);
            received.add(memory);
            requests.add(from.send(from.memory(tag + 1), tag));
            requests.add(to.receive(memory, tag));
          }
          until(() -> requests.stream().allMatch(Request::test), random, fabric, a, b);
          for (int tag = 0; tag < 6; tag++) {
            assertThat(isFull(received.get(tag), tag + 1)).as("message %s", tag).isTrue();
          }
          assertThat(a.lost).isEmpty();
          assertThat(b.lost).isEmpty();
          assertThat(a.device.registrations()).as("read, not sent in frames").isGreaterThan(2);
        });
  }

  /** Longer than an int can express. The marks are at the ends of pieces. */
  @Test
  void aMessageOverTwoGibibytesIsRead() throws IOException {
    long bytes = (1L << 31) + 1_000;
    long[] marks = {0, 1 << 20, (1L << 31) - 1, 1L << 31, bytes - 1};
    SimulatedFabric fabric = new SimulatedFabric(1);
    RegistrationCache.Room room = new RegistrationCache.Room(2 * bytes, "a test");
    SimulatedFabric.Device[] devices = {fabric.device(), fabric.device()};
    for (SimulatedFabric.Device device : devices) {
      device.setLongestMessage(1 << 20);
      device.setEdge(1 << 10);
    }
    try (Side a = new Side(0, devices[0], room);
        Side b = new Side(1, devices[1], room)) {
      connect(a.transport, b.transport);
      MemorySegment sent = SparseMemory.allocate(bytes, a.arena);
      MemorySegment received = SparseMemory.allocate(bytes, b.arena);
      for (long mark : marks) {
        sent.set(ValueLayout.JAVA_BYTE, mark, (byte) 42);
      }
      Request send = a.messenger.isend(sent, 0, bytes, 1, CONTEXT, 1, Mode.STANDARD);
      Request receive = b.messenger.irecv(received, 0, bytes, 0, CONTEXT, 1);
      until(() -> send.test() && receive.test(), new SplittableRandom(1), fabric, a, b);
      assertThat(receive.status()).isEqualTo(new Status(0, 1, bytes));
      for (long mark : marks) {
        assertThat(received.get(ValueLayout.JAVA_BYTE, mark))
            .as("at %d", mark)
            .isEqualTo((byte) 42);
      }
      assertThat(a.device.registrations()).as("read, not sent in frames").isGreaterThan(2);
    }
  }

  /** The message is complete at the receiver; at the sender the send never will be. */
  @Test
  void theReaderDiesAfterItsReadAndBeforeItsClearToSend() throws IOException {
    each(
        (random, fabric, a, b) -> {
          MemorySegment sent = a.memory(1);
          MemorySegment received = b.memory(0);
          Request send = a.send(sent, 0);
          Request receive = b.receive(received, 0);
          until(receive::test, random, fabric, a, b);
          assertThat(isFull(received, 1)).isTrue();
          b.device.kill();
          surviveLoss(random, fabric, a, sent);
          assertThatThrownBy(send::test).isInstanceOf(Rollback.class);
        });
  }

  /** Into memory on the heap, which a device cannot read into: the first frames have arrived. */
  @Test
  void theSenderDiesAmidItsFrames() throws IOException {
    int[] amid = {0};
    each(
        (random, fabric, a, b) -> {
          byte[] received = new byte[BYTES];
          a.send(a.memory(1), 0);
          Request receive = b.receive(received, 0);
          until(() -> received[0] == 1, random, fabric, a, b);
          amid[0] += received[BYTES - 1] == 0 ? 1 : 0;
          a.device.kill();
          until(() -> !b.lost.isEmpty(), random, fabric, b);
          // The received data equals the sent data, and does not count as the whole message.
          boolean whole = received[BYTES - 1] == 1;
          assertThat(receive.test()).isEqualTo(whole);
          b.leave();
        });
    assertThat(amid[0]).as("seeds that died amid").isGreaterThan(FIXED_SEEDS / 2);
  }

  /** It has announced its message, which the peer has not read yet. */
  @Test
  void theSenderDiesBetweenItsRequestAndTheMatch() throws IOException {
    each(
        (random, fabric, a, b) -> {
          MemorySegment received = b.memory(0);
          a.send(a.memory(1), 0);
          until(() -> b.messenger.iprobe(0, CONTEXT, 0) != null, random, fabric, a, b);
          a.device.kill();
          Request receive = null;
          if (random.nextBoolean()) {
            receive = b.receive(received, 0);
          } else {
            until(() -> !b.lost.isEmpty(), random, fabric, b);
            receive = b.receive(received, 0);
          }
          surviveLoss(random, fabric, b, received);
          assertThatThrownBy(receive::test).isInstanceOf(Rollback.class);
        });
  }

  /** A part of the sender's memory was read. */
  @Test
  void theSenderDiesWhileItsMemoryIsRead() throws IOException {
    each(
        (random, fabric, a, b) -> {
          MemorySegment received = b.memory(0);
          a.send(a.memory(1), 0);
          Request receive = b.receive(received, 0);
          until(() -> received.get(ValueLayout.JAVA_BYTE, 0) == 1, random, fabric, a, b);
          a.device.kill();
          until(() -> !b.lost.isEmpty(), random, fabric, b);
          if (receive.test()) {
            assertThat(isFull(received, 1)).as("read whole").isTrue();
          }
          surviveLoss(random, fabric, b, received);
        });
  }

  /**
   * Both live, and learn at different times that another rank has failed. The first program writes
   * to its memory while the second rank still reads there.
   */
  @Test
  void noRankReadsDataWrittenAfterTheEpoch() throws IOException {
    each(
        (random, fabric, a, b) -> {
          MemorySegment sent = a.memory(1);
          MemorySegment received = b.memory(0);
          MemorySegment[] of = {sent, received};
          a.send(sent, 0);
          Request receive = b.receive(received, 0);
          int steps = random.nextInt(400);
          int[] step = {0};
          until(() -> ++step[0] > steps, random, fabric, a, b);
          Side first = random.nextBoolean() ? a : b;
          Side second = first == a ? b : a;
          first.leave(of[first.rank]);
          step[0] = 0;
          until(() -> ++step[0] > steps, random, fabric, second);
          if (second == b) {
            assertThat(has(received, REUSED)).as("read after the epoch").isFalse();
            if (receive.test()) {
              assertThat(isFull(received, 1)).as("read whole").isTrue();
            }
          }
          second.leave(of[second.rank]);
          settle(fabric);
          assertThat(isFull(sent, REUSED)).isTrue();
          assertThat(isFull(received, REUSED)).isTrue();
        });
  }
}
