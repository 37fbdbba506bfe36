package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;

/** Sends and checks frames whose every byte follows from sender, receiver and number. */
final class ContractPeer implements FrameHandler {
  /** A condition that a rank waits for. */
  interface Condition {
    boolean holds();
  }

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long SEED = 20_260_101;
  private static final byte KIND = 5;
  private static final byte RAW = 6;

  final int[] received;
  final List<Integer> lost = new ArrayList<>();
  final List<byte[]> raw = new ArrayList<>();

  /** The ids of completed reads. */
  final List<Long> read = new ArrayList<>();

  /** The reads in flight, with the code that repeats each. */
  private final Map<Long, Runnable> begun = new HashMap<>();

  /** Whether all frames have the maximum length. */
  boolean longest;

  private final TransportRanks.Member member;
  private final Transport transport;
  private final Frame frame = new Frame();
  private final byte[] buffer;
  private final long begin = System.nanoTime();

  ContractPeer(TransportRanks.Member member, int ranks) {
    this.member = member;
    this.transport = member.transport();
    this.received = new int[ranks];
    this.buffer = new byte[transport.maxPayload() + 64];
  }

  void start() {
    transport.start(Endpoints.of(member.endpoints()));
  }

  /** Offers frame number {@code n} to a rank. */
  boolean offer(int to, int n) {
    SplittableRandom random = content(member.rank(), to, n);
    frame.kind = KIND;
    frame.epoch = TransportContract.EPOCH;
    frame.context = random.nextInt();
    frame.tag = random.nextLong();
    frame.sequence = n;
    frame.length = random.nextLong();
    frame.loop = random.nextLong();
    frame.payload = length(random);
    frame.baseOffset = n % 64;
    frame.base = buffer;
    fill(random, buffer, n % 64, frame.payload);
    boolean accepted = transport.offer(to, frame);
    if (accepted) {
      // The frame and its payload belong to the caller again.
      for (int i = 0; i < buffer.length; i++) {
        buffer[i] = -1;
      }
      frame.tag = -1;
    }
    return accepted;
  }

  void send(int to, int n) {
    while (!offer(to, n)) {
      progress(true);
    }
  }

  void sendRaw(Object base, long offset, int bytes) {
    frame.kind = RAW;
    frame.epoch = TransportContract.EPOCH;
    frame.base = base;
    frame.baseOffset = offset;
    frame.payload = bytes;
    while (!transport.offer(1 - member.rank(), frame)) {
      progress(true);
    }
  }

  /** Exposes memory to the other rank, and sends the ticket. */
  RemoteMemory.Exposure expose(RemoteMemory remote, MemorySegment memory, long offset, long bytes) {
    long[] ticket = new long[RemoteMemory.TICKET_LONGS];
    RemoteMemory.Exposure exposure = remote.expose(memory, offset, bytes, ticket);
    while (exposure == null) {
      exposure = remote.expose(memory, offset, bytes, ticket);
    }
    sendRaw(ticket, 0, Long.BYTES * ticket.length);
    return exposure;
  }

  /** Reads the memory that the n-th ticket names. */
  void read(RemoteMemory remote, Object base, long offset, long bytes, int n) {
    long[] ticket = new long[RemoteMemory.TICKET_LONGS];
    MemorySegment.ofArray(ticket).copyFrom(MemorySegment.ofArray(raw.get(n)));
    begun.put((long) n, () -> read(remote, base, offset, bytes, n));
    boolean accepted = false;
    while (!accepted) {
      accepted = remote.read(1 - member.rank(), ticket, base, offset, bytes, n);
    }
  }

  @Override
  public void onRead(int peer, long id, boolean whole) {
    assertThat(peer).isEqualTo(1 - member.rank());
    Runnable again = Objects.requireNonNull(begun.remove(id));
    if (whole) {
      read.add(id);
    } else {
      again.run();
    }
  }

  int poll() {
    return transport.poll(this);
  }

  void progress(boolean wait) {
    assertThat(System.nanoTime() - begin)
        .as("nanoseconds, rank %s has received %s and lost %s", member.rank(), received, lost)
        .isLessThan(TIMEOUT_NANOS);
    if (poll() == 0 && wait) {
      transport.await(1_000_000);
    }
  }

  void until(Condition condition) {
    while (!condition.holds()) {
      progress(true);
    }
  }

  /** Does the same as {@link #until}, but relies on await to return without a timeout. */
  void untilForever(Condition condition) {
    while (!condition.holds()) {
      if (poll() == 0 && !condition.holds()) {
        transport.await(Long.MAX_VALUE);
      }
    }
  }

  boolean receivedFromAll(int frames) {
    for (int from = 0; from < received.length; from++) {
      if (from != member.rank() && received[from] < frames) {
        return false;
      }
    }
    return true;
  }

  /**
   * Keeps polling until all ranks have received all messages sent to them: only then has each
   * message left its sender, and a transport that is closed earlier drops unwritten messages. So a
   * rank calls this when it has received everything.
   */
  void drainUntilAllAreDone() throws Exception {
    int all = arrive();
    until(() -> member.arrivals().get() >= all);
    member.meet();
  }

  /**
   * Counts this rank as one that has received everything.
   *
   * @return the count of arrivals once all ranks have arrived this time; no rank arrives again
   *     before, as all ranks then meet
   */
  int arrive() {
    int ranks = received.length;
    return Math.ceilDiv(member.arrivals().incrementAndGet(), ranks) * ranks;
  }

  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    byte kind = memory.get(FrameLayout.BYTE, at + FrameLayout.KIND);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    if (kind == RAW) {
      raw.add(
          memory.asSlice(at + FrameLayout.HEADER_BYTES, payload).toArray(ValueLayout.JAVA_BYTE));
      return;
    }
    assertThat(kind).isEqualTo(KIND);
    int n = received[peer]++;
    String what = "frame " + n + " from " + peer + " to " + member.rank();
    SplittableRandom random = content(peer, member.rank(), n);
    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE)).as(what).isEqualTo(n);
    assertThat(memory.get(FrameLayout.INT, at + FrameLayout.EPOCH))
        .as(what)
        .isEqualTo(TransportContract.EPOCH);
    assertThat(memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT))
        .as(what)
        .isEqualTo(random.nextInt());
    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.TAG))
        .as(what)
        .isEqualTo(random.nextLong());
    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH))
        .as(what)
        .isEqualTo(random.nextLong());
    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.LOOP))
        .as(what)
        .isEqualTo(random.nextLong());
    assertThat(payload).as(what).isEqualTo(length(random));
    byte[] expected = new byte[payload];
    fill(random, expected, 0, payload);
    MemorySegment bytes = memory.asSlice(at + FrameLayout.HEADER_BYTES, payload);
    assertThat(bytes.mismatch(MemorySegment.ofArray(expected)))
        .as("first wrong byte of " + what + " of " + payload + " bytes")
        .isEqualTo(-1);
  }

  @Override
  public void onPeerLost(int peer, String reason) {
    assertThat(reason).isNotNull();
    lost.add(peer);
  }

  private static SplittableRandom content(int from, int to, int n) {
    return new SplittableRandom(SEED + from * 1_000_003L + to * 10_007L + n * 31_000_000_007L);
  }

  private int length(SplittableRandom random) {
    int max = transport.maxPayload();
    return switch (longest ? 0 : random.nextInt(8)) {
      case 0 -> max;
      case 1 -> 0;
      case 2 -> random.nextInt(max + 1);
      default -> random.nextInt(Math.min(max, 256) + 1);
    };
  }

  private static void fill(SplittableRandom random, byte[] into, int at, int bytes) {
    long value = random.nextLong();
    for (int i = 0; i < bytes; i++) {
      into[at + i] = (byte) (value >>> (i & 56));
      value = (i & 7) == 7 ? value * 0x5851f42d4c957f2dL + 1 : value;
    }
  }
}
