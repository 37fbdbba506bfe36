package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Transport} must do. A transport's test extends this class and says in {@link
 * #run} how ranks are run, most likely with {@link TransportThreads}.
 */
public abstract class TransportContract {
  /** The epoch of the transports under test. */
  public static final int EPOCH = 7;

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long SEED = 20_260_101;

  /** One rank under test. Its transport is open and not started, and closed afterwards. */
  public interface Member {
    int rank();

    Transport transport();

    /** Of all ranks. */
    byte[][] endpoints();

    /** Waits until all members have come here; no transport is polled meanwhile. */
    void meet() throws Exception;

    /** How often members have got all that they wait for, of all together. */
    AtomicInteger arrivals();

    /** Runs something soon, on another thread. */
    void elsewhere(Runnable action);
  }

  /** What each rank of a test does. */
  public interface Body {
    void run(Member member) throws Exception;
  }

  /** Runs {@code body} for each of {@code ranks} ranks, all at the same time. */
  protected abstract void run(int ranks, Body body) throws Exception;

  /** Whether a rank may have several threads. */
  protected boolean hasThreads() {
    return true;
  }

  /** Whether a rank can read the memory of others. */
  protected boolean hasRemoteMemory() {
    return false;
  }

  @Test
  void limitsAreSane() throws Exception {
    run(
        1,
        member -> {
          Transport t = member.transport();
          assertThat(t.name()).isNotBlank();
          assertThat(t.maxPayload()).isPositive();
          assertThat(t.maxPayload() % 64).isZero();
          assertThat(t.eagerLimit()).isPositive().isLessThanOrEqualTo(t.maxPayload());
          assertThat(t.endpoint()).isNotEmpty();
          assertThat(t.remoteMemory() != null).isEqualTo(hasRemoteMemory());
        });
  }

  @Test
  void framesArriveWholeOnceAndInOrder() throws Exception {
    int ranks = 3;
    int frames = 300;
    run(
        ranks,
        member -> {
          Peer peer = new Peer(member, ranks);
          peer.start();
          int[] sent = new int[ranks];
          boolean all = false;
          while (!all) {
            boolean accepted = false;
            all = true;
            for (int to = 0; to < ranks; to++) {
              if (to != member.rank() && sent[to] < frames) {
                if (peer.offer(to, sent[to])) {
                  sent[to]++;
                  accepted = true;
                }
                all &= sent[to] == frames;
              }
            }
            peer.progress(!accepted && !all);
          }
          peer.until(() -> peer.receivedFromAll(frames));
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  void everyKindOfMemoryIsSent() throws Exception {
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          if (member.rank() == 0) {
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment bytes = arena.allocate(64);
              for (int i = 0; i < 64; i++) {
                bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 3));
              }
              peer.sendRaw(bytes, 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_BYTE), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_SHORT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_CHAR), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_INT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_LONG), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_FLOAT), 8, 16);
              peer.sendRaw(bytes.toArray(ValueLayout.JAVA_DOUBLE), 8, 16);
            }
          } else {
            peer.until(() -> peer.raw.size() == 8);
            byte[] expected = new byte[16];
            for (int i = 0; i < 16; i++) {
              expected[i] = (byte) ((i + 8) * 3);
            }
            assertThat(peer.raw).allSatisfy(bytes -> assertThat(bytes).isEqualTo(expected));
          }
          peer.drainUntilAllAreDone();
        });
  }

  /** However often it is tried, by a program that has closed the arena too early. */
  @Test
  void aPayloadThatIsNotThereAnyMoreCostsNothing() throws Exception {
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          if (member.rank() == 0) {
            byte[] there = new byte[16];
            peer.sendRaw(there, 0, there.length);
            int bytes = member.transport().maxPayload();
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
              closed = arena.allocate(bytes);
            }
            for (int i = 0; i < 300; i++) {
              assertThatThrownBy(() -> peer.sendRaw(closed, 0, bytes))
                  .isInstanceOf(IllegalStateException.class);
            }
            peer.sendRaw(there, 0, there.length);
          } else {
            peer.until(() -> peer.raw.size() == 2);
            assertThat(peer.raw).allSatisfy(bytes -> assertThat(bytes).isEqualTo(new byte[16]));
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  void aReceiverThatDoesNotPollStopsTheSenderOnlyUntilItPolls() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.longest = true;
          peer.start();
          Transport t = member.transport();
          if (member.rank() == 0) {
            peer.send(1, 0);
            peer.until(() -> peer.received[1] == 1);
            member.meet();
            int sent = 1;
            int refused = 0;
            while (refused < 300) {
              if (peer.offer(1, sent)) {
                sent++;
                refused = 0;
                assertThat((long) sent * t.maxPayload())
                    .as("bytes accepted though nobody receives")
                    .isLessThan(1L << 30);
              } else {
                refused++;
                peer.poll();
                t.await(100_000);
              }
            }
            accepted.set(sent);
            member.meet();
            peer.send(1, sent);
          } else {
            peer.until(() -> peer.received[0] == 1);
            peer.send(0, 0);
            member.meet();
            member.meet();
            peer.until(() -> peer.received[0] == accepted.get() + 1);
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  void whatIsHandedOverArrivesThoughItsSenderCallsNoMore() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.longest = true;
          peer.start();
          if (member.rank() == 0) {
            peer.send(1, 0);
            peer.until(() -> peer.received[1] == 1);
            member.meet();
            int sent = 1;
            int refused = 0;
            while (refused < 100) {
              if (peer.offer(1, sent)) {
                sent++;
                refused = 0;
              } else {
                refused++;
                peer.poll();
              }
            }
            accepted.set(sent);
            member.meet();
            peer.until(() -> member.transport().handedOver(1));
          } else {
            peer.until(() -> peer.received[0] == 1);
            peer.send(0, 0);
            member.meet();
            member.meet();
            peer.until(() -> peer.received[0] == accepted.get());
          }
          member.meet();
          peer.drainUntilAllAreDone();
        });
  }

  /** One at a time, but not always the same. */
  @Test
  void threadsTakeTurns() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.longest = true;
          peer.start();
          int other = 1 - member.rank();
          for (int i = 0; i < 6; i++) {
            int number = i;
            FutureTask<?> turn =
                new FutureTask<>(
                    () -> {
                      peer.send(other, number);
                      peer.untilForever(() -> peer.received[other] > number);
                      return null;
                    });
            Thread.ofPlatform().start(turn);
            turn.get();
          }
          peer.drainUntilAllAreDone();
        });
  }

  /** It connects, sleeps, and is still interrupted afterwards. */
  @Test
  void anInterruptedThreadMayGoOn() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          int other = 1 - member.rank();
          Thread.currentThread().interrupt();
          peer.send(other, 0);
          peer.untilForever(() -> peer.receivedFromAll(1));
          member.transport().await(1_000_000);
          assertThat(Thread.interrupted()).isTrue();
          peer.drainUntilAllAreDone();
        });
  }

  /** The program hears of it when it asks; the wait goes on. */
  @Test
  void anInterruptInAwaitIsKept() throws Exception {
    assumeThat(hasThreads()).isTrue();
    run(
        1,
        member -> {
          new Peer(member, 1).start();
          Transport t = member.transport();
          Thread waiting = Thread.currentThread();
          for (int i = 0; i < 20; i++) {
            AtomicInteger done = new AtomicInteger();
            member.elsewhere(
                () -> {
                  // It sleeps by now, most often.
                  LockSupport.parkNanos(1_000_000);
                  waiting.interrupt();
                  done.set(1);
                  t.wakeup();
                });
            while (done.get() == 0) {
              t.await(Long.MAX_VALUE);
            }
            assertThat(Thread.interrupted()).isTrue();
          }
        });
  }

  @Test
  void anArrivalEndsAwait() throws Exception {
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          int other = 1 - member.rank();
          for (int i = 0; i < 200; i++) {
            int expected = i + 1;
            if (member.rank() == 0) {
              peer.send(other, i);
            }
            peer.untilForever(() -> peer.received[other] >= expected);
            if (member.rank() == 1) {
              peer.send(other, i);
            }
          }
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  void aWakeupEndsAwaitAndOneBeforeItCounts() throws Exception {
    run(
        1,
        member -> {
          new Peer(member, 1).start();
          Transport t = member.transport();
          t.wakeup();
          t.await(Long.MAX_VALUE);
          for (int i = 1; i <= 50; i++) {
            int expected = i;
            AtomicInteger value = new AtomicInteger();
            member.elsewhere(
                () -> {
                  value.set(expected);
                  t.wakeup();
                });
            while (value.get() != expected) {
              t.await(Long.MAX_VALUE);
            }
          }
        });
  }

  @Test
  void awaitEndsAfterItsTime() throws Exception {
    run(
        1,
        member -> {
          new Peer(member, 1).start();
          for (long nanos : new long[] {-1, 0, 1, 1000, 2_000_000}) {
            member.transport().await(nanos);
          }
        });
  }

  /** Both ranks read messages of many lengths out of each other's memory, amid frames. */
  @Test
  void exposedMemoryIsRead() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
          long least = Math.max(1, remote.leastBytes());
          long[] lengths = {least, 3 << 20, least + 13, 5 * least + 1, least, (1 << 20) + 7};
          try (Arena arena = Arena.ofShared()) {
            List<RemoteMemory.Exposure> exposures = new ArrayList<>();
            List<MemorySegment> read = new ArrayList<>();
            for (int i = 0; i < lengths.length; i++) {
              MemorySegment out = arena.allocate(lengths[i] + 40, 8);
              fill(out.asSlice(40), member.rank() * 100 + i);
              exposures.add(peer.expose(remote, out, 40, lengths[i]));
              peer.send(1 - member.rank(), i);
            }
            for (int i = 0; i < lengths.length; i++) {
              int tickets = i + 1;
              peer.until(() -> peer.raw.size() >= tickets);
              MemorySegment in = arena.allocate(lengths[i] + 24, 8);
              peer.read(remote, in, 24, lengths[i], i);
              read.add(in);
            }
            peer.until(() -> peer.read.size() == lengths.length);
            peer.until(() -> peer.receivedFromAll(lengths.length));
            assertThat(peer.read).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
            for (int i = 0; i < lengths.length; i++) {
              MemorySegment expected = arena.allocate(lengths[i] + 24, 8);
              fill(expected.asSlice(24), (1 - member.rank()) * 100 + i);
              assertThat(read.get(i).mismatch(expected)).as("message " + i).isEqualTo(-1);
            }
            peer.drainUntilAllAreDone();
            exposures.forEach(RemoteMemory.Exposure::close);
          }
        });
  }

  /** Memory that lies where other memory lay before is read as it is now. */
  @Test
  void memoryThatWasFreedIsForgotten() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
          long bytes = Math.max(1 << 20, remote.leastBytes());
          Set<Long> addresses = new HashSet<>();
          int rounds = 20;
          for (int round = 0; round < rounds; round++) {
            int expected = round + 1;
            try (Arena arena = Arena.ofShared()) {
              // So large that it is mapped when it is allocated, and unmapped when it is freed.
              MemorySegment memory = arena.allocate(bytes, 8);
              addresses.add(memory.address());
              if (member.rank() == 0) {
                fill(memory, round);
                try (RemoteMemory.Exposure exposure = peer.expose(remote, memory, 0, bytes)) {
                  assertThat(exposure).isNotNull();
                  peer.until(() -> peer.received[1] == expected);
                }
              } else {
                peer.until(() -> peer.raw.size() == expected);
                peer.read(remote, memory, 0, bytes, round);
                peer.until(() -> peer.read.size() == expected);
                MemorySegment filled = MemorySegment.ofArray(new byte[(int) bytes]);
                fill(filled, round);
                assertThat(memory.mismatch(filled)).as("round " + round).isEqualTo(-1);
                peer.send(0, round);
              }
            }
          }
          assertThat(addresses)
              .as("memory came to lie where other had lain")
              .hasSizeLessThan(rounds);
          peer.drainUntilAllAreDone();
        });
  }

  /** One rank stops at some moment while the other reads its memory; then both use theirs. */
  @Test
  void memoryOfOneThatStopsIsItsOwnAgain() throws Exception {
    assumeThat(hasRemoteMemory()).isTrue();
    for (int polls = 0; polls < 64; polls += 1 + polls / 2) {
      int after = polls;
      run(
          2,
          member -> {
            Peer peer = new Peer(member, 2);
            peer.start();
            RemoteMemory remote = Objects.requireNonNull(member.transport().remoteMemory());
            long bytes = Math.max(4 << 20, remote.leastBytes());
            try (Arena arena = Arena.ofShared()) {
              MemorySegment out = arena.allocate(bytes, 8).fill((byte) 1);
              MemorySegment in = arena.allocate(bytes, 8);
              peer.expose(remote, out, 0, bytes);
              peer.until(() -> peer.raw.size() == 1);
              peer.read(remote, in, 0, bytes, 0);
              for (int i = 0; i < (member.rank() == 0 ? after : 0); i++) {
                peer.poll();
              }
              if (member.rank() == 0) {
                remote.stop();
                remote.stop();
                out.fill((byte) 2);
                in.fill((byte) 3);
                member.meet();
                member.meet();
                MemorySegment expected = arena.allocate(bytes, 8).fill((byte) 3);
                assertThat(in.mismatch(expected)).as("written after stop").isEqualTo(-1);
              } else {
                member.meet();
                for (int i = 0; i < 30; i++) {
                  peer.poll();
                  member.transport().await(10_000_000);
                }
                MemorySegment expected = arena.allocate(bytes, 8).fill((byte) 1);
                if (!peer.read.isEmpty()) {
                  assertThat(in.mismatch(expected)).as("read after stop").isEqualTo(-1);
                }
                assertThat(peer.lost).as("a rank that stops is not taken for dead").isEmpty();
                remote.stop();
                member.meet();
              }
              member.transport().close();
            }
          });
    }
  }

  @Test
  void aPeerThatClosesIsLostOnceAndOthersAreNot() throws Exception {
    run(
        3,
        member -> {
          Peer peer = new Peer(member, 3);
          peer.start();
          for (int to = 0; to < 3; to++) {
            if (to != member.rank()) {
              peer.send(to, 0);
            }
          }
          peer.until(() -> peer.receivedFromAll(1));
          peer.drainUntilAllAreDone();
          if (member.rank() == 2) {
            member.transport().close();
            peer.arrive();
            member.meet();
            return;
          }
          int other = 1 - member.rank();
          peer.until(() -> !peer.lost.isEmpty());
          for (int i = 1; i < 50; i++) {
            int expected = i + 1;
            peer.send(other, i);
            peer.until(() -> peer.received[other] >= expected);
          }
          assertThat(peer.lost).containsExactly(2);
          peer.drainUntilAllAreDone();
        });
  }

  @Test
  void aPeerThatIsGoneBeforeTheFirstFrameIsLost() throws Exception {
    run(
        2,
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          if (member.rank() == 1) {
            member.transport().close();
            member.meet();
            return;
          }
          member.meet();
          peer.until(
              () -> {
                if (peer.lost.isEmpty()) {
                  peer.offer(1, 0);
                }
                return !peer.lost.isEmpty();
              });
          assertThat(peer.lost).containsExactly(1);
        });
  }

  @Test
  void aRankWithoutAnEndpointIsNotReached() throws Exception {
    run(
        2,
        member -> {
          byte[][] endpoints = member.endpoints().clone();
          endpoints[1 - member.rank()] = new byte[0];
          member.transport().start(endpoints);
          assertThat(member.transport().reaches(1 - member.rank())).isFalse();
        });
  }

  @Test
  void nothingToDoIsNoWork() throws Exception {
    run(
        1,
        member -> {
          new Peer(member, 1).start();
          int work = 0;
          for (int i = 0; i < 100; i++) {
            work = member.transport().poll(new Peer(member, 1));
          }
          assertThat(work).isZero();
        });
  }

  @Test
  void aClosedTransportTakesLateWakeups() throws Exception {
    run(
        1,
        member -> {
          new Peer(member, 1).start();
          member.transport().close();
          member.transport().wakeup();
          member.transport().close();
        });
  }

  @Test
  void closeReleasesThreadsAndFiles() throws Exception {
    Body exchange =
        member -> {
          Peer peer = new Peer(member, 2);
          peer.start();
          peer.send(1 - member.rank(), 0);
          peer.until(() -> peer.receivedFromAll(1));
          peer.drainUntilAllAreDone();
        };
    for (int i = 0; i < 5; i++) {
      run(2, exchange);
    }
    int files = openFiles();
    int threads = Thread.activeCount();
    for (int i = 0; i < 20; i++) {
      run(2, exchange);
    }
    assertThat(openFiles()).as("open files").isLessThan(files + 10);
    assertThat(Thread.activeCount()).as("threads").isLessThan(threads + 10);
  }

  private static int openFiles() {
    String[] files = new File("/proc/self/fd").list();
    return files == null ? 0 : files.length;
  }

  private static void fill(MemorySegment memory, long seed) {
    byte[] block = new byte[4096];
    SplittableRandom random = new SplittableRandom(SEED + seed);
    for (long at = 0; at < memory.byteSize(); at += block.length) {
      random.nextBytes(block);
      int bytes = (int) Math.min(block.length, memory.byteSize() - at);
      MemorySegment.copy(block, 0, memory, ValueLayout.JAVA_BYTE, at, bytes);
    }
  }

  private interface Condition {
    boolean holds();
  }

  /** Sends and checks frames whose every byte follows from sender, receiver and number. */
  private static final class Peer implements FrameHandler {
    private static final byte KIND = 5;
    private static final byte RAW = 6;

    final int[] received;
    final List<Integer> lost = new ArrayList<>();
    final List<byte[]> raw = new ArrayList<>();

    /** What has been read. */
    final List<Long> read = new ArrayList<>();

    /** Whether all frames are as long as they can be. */
    boolean longest;

    private final Member member;
    private final Transport transport;
    private final Frame frame = new Frame();
    private final byte[] buffer;
    private final long begin = System.nanoTime();

    Peer(Member member, int ranks) {
      this.member = member;
      this.transport = member.transport();
      this.received = new int[ranks];
      this.buffer = new byte[transport.maxPayload() + 64];
    }

    void start() {
      transport.start(member.endpoints());
    }

    /** Offers frame number {@code n} to a rank. */
    boolean offer(int to, int n) {
      SplittableRandom random = content(member.rank(), to, n);
      frame.kind = KIND;
      frame.epoch = EPOCH;
      frame.context = random.nextInt();
      frame.source = member.rank();
      frame.tag = random.nextInt();
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
      frame.epoch = EPOCH;
      frame.source = member.rank();
      frame.base = base;
      frame.baseOffset = offset;
      frame.payload = bytes;
      while (!transport.offer(1 - member.rank(), frame)) {
        progress(true);
      }
    }

    /** Exposes memory to the other rank, and sends the ticket. */
    RemoteMemory.Exposure expose(
        RemoteMemory remote, MemorySegment memory, long offset, long bytes) {
      long[] ticket = new long[RemoteMemory.TICKET_LONGS];
      RemoteMemory.Exposure exposure = remote.expose(memory, offset, bytes, ticket);
      while (exposure == null) {
        exposure = remote.expose(memory, offset, bytes, ticket);
      }
      sendRaw(ticket, 0, Long.BYTES * ticket.length);
      return exposure;
    }

    /** Reads what the n-th ticket names. */
    void read(RemoteMemory remote, MemorySegment memory, long offset, long bytes, int n) {
      long[] ticket = new long[RemoteMemory.TICKET_LONGS];
      MemorySegment.ofArray(ticket).copyFrom(MemorySegment.ofArray(raw.get(n)));
      boolean begun = false;
      while (!begun) {
        begun = remote.read(1 - member.rank(), ticket, memory, offset, bytes, n);
      }
    }

    @Override
    public void onRead(int peer, long id) {
      assertThat(peer).isEqualTo(1 - member.rank());
      read.add(id);
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

    /** As {@link #until}, relying on await to end by itself. */
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
     * Keeps polling until all ranks have received all that was sent to them: only then has it left
     * its sender, and a transport closed before drops what is not yet written. So a rank comes here
     * when it has received everything.
     */
    void drainUntilAllAreDone() throws Exception {
      int all = arrive();
      until(() -> member.arrivals().get() >= all);
      member.meet();
    }

    /**
     * This rank has received everything.
     *
     * @return how many arrivals there are when all ranks have come so far; as they meet then, there
     *     are no more before
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
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.EPOCH)).as(what).isEqualTo(EPOCH);
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT))
          .as(what)
          .isEqualTo(random.nextInt());
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.SOURCE)).as(what).isEqualTo(peer);
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.TAG))
          .as(what)
          .isEqualTo(random.nextInt());
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
}
