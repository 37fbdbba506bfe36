package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.node.PrivateFile;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.RankThreads;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShmTransportTest {
  private static final int EPOCH = 3;

  @TempDir Path directory = Path.of("");

  /** The progress of a test of many rounds, which may take long. */
  private final AtomicInteger reached = new AtomicInteger();

  private static RankConfig config(Path directory, int rank, int ranks, int incarnation) {
    return config(directory, rank, ranks, incarnation, 2);
  }

  private static RankConfig config(
      Path directory, int rank, int ranks, int incarnation, int cores) {
    return RankConfigs.rank(rank, ranks)
        .incarnation(incarnation)
        .nodeDirectory(directory.toString())
        .cores(cores)
        .build();
  }

  private Transport open(int rank, int ranks) throws IOException {
    return new ShmTransportProvider()
        .open(config(directory, rank, ranks, 0), EPOCH, Diagnostics.NONE);
  }

  /** A rank's actions with its transport; all transports are started. */
  private interface Body {
    void run(int rank, Transport transport) throws Exception;
  }

  private void run(int ranks, Body body) throws InterruptedException {
    byte[][] endpoints = new byte[ranks][];
    CyclicBarrier barrier = new CyclicBarrier(ranks);
    RankThreads.run(
        ranks,
        reached::get,
        rank -> {
          try (Transport transport = open(rank, ranks)) {
            endpoints[rank] = transport.endpoint();
            barrier.await();
            transport.start(Endpoints.of(endpoints));
            body.run(rank, transport);
            barrier.await();
          }
        });
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  private static final class Counter implements FrameHandler {
    int frames;
    final List<Integer> lost = new ArrayList<>();

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(peer);
    }
  }

  private static Frame frame(int payload) {
    Frame frame = new Frame();
    frame.kind = 1;
    frame.base = new byte[payload];
    frame.payload = payload;
    return frame;
  }

  // ---- files

  @Test
  void memoryForCollectivesIsSharedAndHasNoNameOnceHidden() throws Exception {
    try (Transport a = open(0, 3);
        Transport b = open(1, 3)) {
      byte[][] endpoints = {a.endpoint(), b.endpoint(), new byte[0]};
      a.start(Endpoints.of(endpoints));
      b.start(Endpoints.of(endpoints));
      NodeShare mine = Objects.requireNonNull(a.share());
      NodeShare theirs = Objects.requireNonNull(b.share());
      assertThat(mine.node(1)).isEqualTo(mine.node(0)).isNotNegative();
      assertThat(mine.node(2)).as("a rank without an endpoint here").isNegative();
      MemorySegment written = mine.create(7, 100_000);
      MemorySegment seen = theirs.open(0, 7);
      written.set(ValueLayout.JAVA_LONG, 99_992, 42);
      assertThat(seen.get(ValueLayout.JAVA_LONG, 99_992)).isEqualTo(42);
      assertThatThrownBy(() -> mine.create(7, 8)).isInstanceOf(IOException.class);
      mine.hide(7);
      assertThatThrownBy(() -> theirs.open(0, 7)).isInstanceOf(IOException.class);
      assertThat(seen.get(ValueLayout.JAVA_LONG, 99_992)).isEqualTo(42);
      mine.create(7, 8);
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aReplacementDeletesAKilledRanksRegions() throws Exception {
    Transport killed = open(0, 2);
    Objects.requireNonNull(killed.share()).create(7, 8);
    assertThat(files()).hasSize(2);
    new ShmTransportProvider()
        .open(config(directory, 0, 2, 1), EPOCH + 1, Diagnostics.NONE)
        .close();
    assertThat(files()).isEmpty();
    killed.close();
  }

  @Test
  void memoryForCollectivesIsGivenUp() throws Exception {
    try (Transport a = open(0, 2)) {
      NodeShare share = Objects.requireNonNull(a.share());
      MemorySegment memory = share.create(7, 100_000);
      share.hide(7);
      assertThat(mappings("-c7")).isEqualTo(1);
      share.unmap(memory);
      assertThat(mappings("-c7")).isZero();
      share.unmap(memory);
    }
  }

  private long mappings(String name) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(l -> l.contains(directory.toString()) && l.contains(name)).count();
    }
  }

  private static void connect(Transport a, Transport b) throws IOException {
    byte[][] endpoints = {a.endpoint(), b.endpoint()};
    a.start(Endpoints.of(endpoints));
    b.start(Endpoints.of(endpoints));
  }

  @Test
  void aRingWhoseWriterWasKilledAndReplacedBeforeItWasSeenIsALoss() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      connect(a, b);
      assertThat(a.offer(1, frame(8))).isTrue();
      new ShmTransportProvider()
          .open(config(directory, 0, 2, 1), EPOCH + 1, Diagnostics.NONE)
          .close();
      Counter counter = new Counter();
      b.poll(counter);
      assertThat(counter.frames).isZero();
      assertThat(counter.lost).containsExactly(0);
    }
  }

  /** A frame longer than its place, or a reader ahead of the writer. */
  @Test
  void aDamagedRingIsALossThatNamesThePeer() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      connect(a, b);
      assertThat(a.offer(1, frame(8))).isTrue();
      String ring = NodeFiles.ringName(NodeFiles.inboxName(0, 0, EPOCH), 1);
      try (FileChannel file =
          FileChannel.open(
              directory.resolve(ring), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        MemorySegment memory =
            file.map(FileChannel.MapMode.READ_WRITE, 0, file.size(), Arena.ofAuto());
        memory.set(
            FrameLayout.INT,
            RingLayout.cell(0, 63) + RingLayout.IN_CELL + FrameLayout.PAYLOAD,
            99_999);
        List<String> lost = new ArrayList<>();
        FrameHandler handler =
            new FrameHandler() {
              @Override
              public void onFrame(int peer, MemorySegment of, long at) {
                throw new AssertionError("a damaged frame arrives");
              }

              @Override
              public void onPeerLost(int peer, String reason) {
                lost.add(peer + ": " + reason);
              }
            };
        for (int i = 0; i < 3; i++) {
          b.poll(handler);
        }
        assertThat(lost)
            .singleElement()
            .asString()
            .startsWith("0: the ring from rank 0 in shared memory is damaged: frame 0 has 99999");
        assertThat(b.offer(0, frame(8))).as("nothing is sent to it").isFalse();

        lost.clear();
        memory.set(FrameLayout.LONG, RingLayout.CELLS_READ, 1_000_000L);
        while (a.offer(1, frame(8))) {
          // Until the ring is full, and the writer looks at the reader's position.
        }
        a.poll(handler);
        assertThat(lost)
            .singleElement()
            .asString()
            .startsWith("1: the ring to rank 1 in shared memory is damaged: 1000000 frames");
      }
    }
  }

  @Test
  void aRingThatCannotBeTakenIsTriedAgain() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      connect(a, b);
      assertThat(a.offer(1, frame(8))).isTrue();
      Path ring = directory.resolve("shm-0.0-3-1");
      Path away = directory.resolve("away");
      Files.move(ring, away);
      Files.createDirectory(ring);
      Counter counter = new Counter();
      assertThatThrownBy(() -> b.poll(counter)).isInstanceOf(UncheckedIOException.class);
      Files.delete(ring);
      Files.move(away, ring);
      b.poll(counter);
      b.poll(counter);
      assertThat(counter.frames).isEqualTo(1);
      assertThat(counter.lost).isEmpty();
    }
  }

  @Test
  void aSleeperIsNudged() throws Exception {
    AtomicBoolean awake = new AtomicBoolean();
    run(
        2,
        (rank, transport) -> {
          NodeShare share = Objects.requireNonNull(transport.share());
          if (rank == 0) {
            // The first sleep is short, and each may end early.
            for (int i = 0; i < 3; i++) {
              transport.await(Duration.ofHours(1).toNanos());
            }
            awake.set(true);
          } else {
            while (!awake.get()) {
              share.nudge(0);
              Thread.onSpinWait();
            }
          }
        });
  }

  @Test
  void filesAreTheOwnersOnlyAndRingsHaveNoNameOnceTaken() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      connect(a, b);
      assertThat(a.offer(1, frame(8))).isTrue();
      assertThat(files()).containsExactly("shm-0.0-3", "shm-0.0-3-1", "shm-1.0-3");
      for (String file : files()) {
        assertThat(
                PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(directory.resolve(file))))
            .isEqualTo("rw-------");
      }
      Counter counter = new Counter();
      while (counter.frames == 0) {
        b.poll(counter);
      }
      assertThat(files()).containsExactly("shm-0.0-3", "shm-1.0-3");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aReplacementDeletesAKilledProcessFiles() throws Exception {
    for (String left : new String[] {"shm-0.0-2", "shm-0.0-3", "shm-0.0-3-1", "shm-1.0-2-0"}) {
      Files.createFile(directory.resolve(left));
    }
    // Files of living ranks, and other files.
    for (String other : new String[] {"shm-1.0-2", "shm-1.0-4-0", "shm-1.0-2-2", "daemon.sock"}) {
      Files.createFile(directory.resolve(other));
    }
    try (Transport t =
        new ShmTransportProvider().open(config(directory, 0, 3, 1), 4, Diagnostics.NONE)) {
      assertThat(files())
          .containsExactly("daemon.sock", "shm-0.1-4", "shm-1.0-2", "shm-1.0-2-2", "shm-1.0-4-0");
      assertThat(t.name()).isEqualTo("shm");
    }
  }

  @Test
  void ranksOfAnotherNodeAreNotReached() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    try (Transport a = open(0, 4);
        Transport b = open(1, 4);
        Transport c =
            new ShmTransportProvider().open(config(other, 2, 4, 0), EPOCH, Diagnostics.NONE)) {
      a.start(Endpoints.of(a.endpoint(), b.endpoint(), c.endpoint(), new byte[0]));
      assertThat(a.reaches(0)).isFalse();
      assertThat(a.reaches(1)).isTrue();
      assertThat(a.reaches(2)).isFalse();
      assertThat(a.reaches(3)).isFalse();
      assertThatThrownBy(() -> a.offer(2, frame(0))).hasMessageContaining("not reached by shm");
    }
  }

  @Test
  void tooLittleMemoryIsSaidBeforeTheJobBegins() throws Exception {
    assertThatThrownBy(() -> open(0, 50_000))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the rings of 50000 ranks need")
        .hasMessageContaining("MiB are free")
        .hasMessageContaining("--transport tcp");
    assertThat(files()).isEmpty();
  }

  /** Memory mapped for the previous epoch is free again when the first ring is needed. */
  @Test
  void reportsLackOfRoomOnlyWhenAllRanksHaveLeftTheOldEpoch() throws Exception {
    RankConfig many = config(directory, 0, 50_000, 0);
    Transport before = open(1, 2);
    Files.createFile(directory.resolve("shm-1.0-2-5")); // a ring that no rank has taken
    new ShmTransportProvider().open(many, EPOCH + 1, Diagnostics.NONE).close();
    before.close();
    assertThatThrownBy(() -> new ShmTransportProvider().open(many, EPOCH + 1, Diagnostics.NONE))
        .hasMessageContaining("MiB are free");
    assertThat(files()).containsExactly("shm-1.0-2-5");
  }

  @Test
  void aRingThatCannotBeMadeIsTriedAgainUntilTheEpochBeforeIsLeft() throws Exception {
    Transport before = open(1, 2);
    try (Transport a =
            new ShmTransportProvider()
                .open(config(directory, 0, 2, 0), EPOCH + 1, Diagnostics.NONE);
        Transport b =
            new ShmTransportProvider()
                .open(config(directory, 1, 2, 0), EPOCH + 1, Diagnostics.NONE)) {
      connect(a, b);
      Frame frame = frame(8);
      // As if there were no room.
      Path inTheWay = Files.createFile(directory.resolve("shm-0.0-4-1"));
      for (int i = 0; i < 10; i++) {
        assertThat(a.offer(1, frame)).isFalse();
      }
      before.close();
      assertThat(a.offer(1, frame)).as("may have failed just before the others left").isFalse();
      assertThatThrownBy(() -> a.offer(1, frame)).isInstanceOf(UncheckedIOException.class);
      Files.delete(inTheWay);
      assertThat(a.offer(1, frame)).isTrue();
    }
  }

  /** Checkpoints may have taken the memory that was free when the transport was opened. */
  @ParameterizedTest
  @CsvSource({"4, 16, 76", "2, 128, 532"})
  void aRingWithoutRoomIsMadeAsSmallAsItCanBe(int cores, int longestKib, int smallestKib)
      throws Exception {
    List<String> warnings = new ArrayList<>();
    long smallest = 1024L * smallestKib;
    PrivateFile.Room full =
        bytes -> {
          if (bytes > smallest) {
            throw new IOException("No space left on device");
          }
        };
    try (Transport a =
            new ShmTransport(config(directory, 0, 3, 0, cores), EPOCH, full, warnings::add);
        Transport b = open(1, 3);
        Transport c = open(2, 3)) {
      assertThat(a.maxPayload()).isEqualTo(longestKib << 10);
      byte[][] endpoints = {a.endpoint(), b.endpoint(), c.endpoint()};
      a.start(Endpoints.of(endpoints));
      b.start(Endpoints.of(endpoints));
      c.start(Endpoints.of(endpoints));
      Frame frame = frame(a.maxPayload());
      Counter counter = new Counter();
      Counter other = new Counter();
      int sent = 0;
      assertThat(a.offer(1, frame)).as("may have failed before all have left").isFalse();
      while (sent < 100) {
        if (a.offer(1, frame)) {
          sent++;
          assertThat(a.offer(2, frame)).isTrue();
        } else {
          b.poll(counter);
        }
        c.poll(other);
        if (sent == 1) {
          assertThat(Files.size(directory.resolve("shm-0.0-3-1"))).isEqualTo(smallest);
        }
      }
      while (b.poll(counter) > 0 || c.poll(other) > 0) {
        // until nothing is left
      }
      assertThat(counter.frames).isEqualTo(sent);
      assertThat(other.frames).isEqualTo(sent);
      assertThat(warnings)
          .containsExactly(
              "rank 0 sends through rings of "
                  + smallestKib
                  + " KiB instead of 2116 KiB: No space left on device");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void ringsAreAsLargeAsTheRanksOfTheNodeAllow() throws Exception {
    try (Transport a = open(0, 64);
        Transport b = open(1, 64)) {
      byte[][] endpoints = new byte[64][0];
      endpoints[0] = a.endpoint();
      endpoints[1] = b.endpoint();
      a.start(Endpoints.of(endpoints));
      assertThat(a.offer(1, frame(8))).isTrue();
      assertThat(Files.size(directory.resolve("shm-0.0-3-1")))
          .isEqualTo(RingLayout.of(2).fileBytes());
    }
  }

  /** The directory contains files of a lost node's ranks too. */
  @Test
  void ringsTakeTheLongestFrameWithMoreRanksThanWerePlanned() throws Exception {
    RankConfig planned = config(directory, 0, 40, 0).toBuilder().ranksOnNode(2).build();
    try (Transport a = new ShmTransportProvider().open(planned, EPOCH, Diagnostics.NONE);
        Transport b = open(1, 40)) {
      byte[][] endpoints = new byte[40][];
      Arrays.fill(endpoints, b.endpoint());
      endpoints[0] = a.endpoint();
      a.start(Endpoints.of(endpoints));
      b.start(Endpoints.of(endpoints));
      assertThat(a.maxPayload()).isEqualTo(ShmTransport.MAX_PAYLOAD_IN_TURNS);
      Frame frame = frame(a.maxPayload());
      assertThat(a.offer(1, frame)).isTrue();
      assertThat(Files.size(directory.resolve("shm-0.0-3-1")))
          .isEqualTo(RingLayout.smallest(a.maxPayload()).fileBytes());
      Counter counter = new Counter();
      for (int sent = 1; sent < 100; ) {
        if (a.offer(1, frame)) {
          sent++;
        } else {
          assertThat(b.poll(counter)).isPositive();
        }
      }
    }
  }

  @Test
  void otherRingErrorsAreNotReportedAsLackOfRoom() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      a.start(Endpoints.of(a.endpoint(), b.endpoint()));
      Files.createFile(directory.resolve("shm-0.0-3-1"));
      assertThat(a.offer(1, frame(8))).isFalse();
      assertThatThrownBy(() -> a.offer(1, frame(8)))
          .isInstanceOf(UncheckedIOException.class)
          .rootCause()
          .hasMessageContaining("shm-0.0-3-1")
          .hasMessageNotContaining("MiB");
    }
  }

  // ---- waking

  /** Sleeps without a timeout whenever it has nothing to do: a single lost wake-up hangs it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noRingOfTheBellIsLost(boolean elsewhere) throws Exception {
    Path other = Files.createDirectory(directory.resolve("beds"));
    run(
        2,
        (rank, t) -> {
          int rounds = 20_000;
          Counter counter = new Counter();
          Frame frame = frame(8);
          try (Transport bed =
              new ShmTransportProvider().open(config(other, rank, 2, 0), EPOCH, Diagnostics.NONE)) {
            bed.start(Endpoints.of(bed.endpoint(), new byte[0]));
            for (int i = 0; i < rounds; i++) {
              if (rank == 0) {
                reached.lazySet(i);
              }
              if (rank == 0 || i > 0) {
                while (!t.offer(1 - rank, frame)) {
                  t.poll(counter);
                }
              }
              // Sometimes it arrives while the peer is about to sleep, sometimes before or after.
              for (int spin = i % 97; spin > 0; spin--) {
                Thread.onSpinWait();
              }
              while (counter.frames <= i && (rank == 1 || i < rounds - 1)) {
                if (t.poll(counter) == 0) {
                  if (!elsewhere) {
                    t.await(Long.MAX_VALUE);
                  } else if (t.arm(bed.bell())) {
                    bed.await(Long.MAX_VALUE);
                  } else if (t.poll(counter) == 0) {
                    bed.await(1_000_000); // short, as arm asks for
                  }
                }
              }
            }
          }
        });
  }

  @Test
  void aReaderWakesAWriterWithAFullRing() throws Exception {
    run(
        2,
        (rank, t) -> {
          int frames = 2_000;
          Counter counter = new Counter();
          Frame frame = frame(t.maxPayload());
          for (int i = 0; i < frames && rank == 0; i++) {
            while (!t.offer(1, frame)) {
              t.poll(counter);
              t.await(Long.MAX_VALUE);
            }
          }
          while (counter.frames < frames && rank == 1) {
            if (t.poll(counter) == 0) {
              t.await(Long.MAX_VALUE);
            }
          }
        });
  }

  // ---- handlers that throw

  /** Throws at each frame, as a handler does if the memory of a message was closed. */
  private static final class Thrower implements FrameHandler {
    int frames;
    int lost;

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      frames++;
      throw new IllegalStateException("on purpose");
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost++;
    }

    /** Polls, and returns whether there was work. */
    boolean polls(Transport transport) {
      try {
        return transport.poll(this) > 0;
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("on purpose");
        return true;
      }
    }
  }

  /** More than a ring holds, repeatedly: the room of each frame must be free again. */
  @Test
  void aHandlerThatThrowsStopsNeitherReaderNorWriter() throws Exception {
    try (Transport a = open(0, 2);
        Transport b = open(1, 2)) {
      connect(a, b);
      Frame frame = frame(a.maxPayload());
      Thrower thrower = new Thrower();
      int sent = 0;
      for (int round = 0; round < 10; round++) {
        while (a.offer(1, frame)) {
          sent++;
        }
        while (thrower.polls(b)) {
          // until nothing is left
        }
        assertThat(thrower.frames).as("round %s", round).isEqualTo(sent);
      }
      assertThat(sent).isGreaterThan(10 * 50);
    }
  }

  @Test
  void aThrowingHandlerIsNotifiedOfALossAfterTheLastFrame() throws Exception {
    try (Transport b = open(1, 2)) {
      Transport a = open(0, 2);
      connect(a, b);
      Frame frame = frame(8);
      for (int i = 0; i < 3; i++) {
        assertThat(a.offer(1, frame)).isTrue();
      }
      a.close();
      Thrower thrower = new Thrower();
      while (thrower.polls(b)) {
        assertThat(thrower.lost == 0 || thrower.frames == 3).isTrue();
      }
      assertThat(thrower.frames).isEqualTo(3);
      assertThat(thrower.lost).isOne();
    }
  }

  // ---- cost

  /** The size of the views of an array that the C library gets per piece. */
  private static final int VIEWS_BYTES = 200;

  /**
   * Only views are allocated, which the optimizing compiler, not used in these tests, would save.
   */
  @ParameterizedTest
  @CsvSource({"8, 0", "64, 0", "1024, 0", "16384, 1", "262144, 16"})
  void messagesAllocateNothing(int bytes, int pieces) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(
        2,
        (rank, t) -> {
          Messenger m =
              new Messenger(
                  rank,
                  2,
                  new WaitStrategy(2, 2),
                  (peer, reason) -> {
                    throw new AssertionError(reason);
                  });
          m.enter(EPOCH, new Transport[] {t});
          // The first sleep, and the first ring that ends one, load classes: 140 KiB.
          t.await(1);
          double[] data = new double[bytes / 8];
          int other = 1 - rank;
          int rounds = bytes > 16 << 10 ? 5_000 : 20_000;
          long before = 0;
          for (int i = 0; i < 2 * rounds; i++) {
            if (i == rounds) {
              before = threads.getCurrentThreadAllocatedBytes();
            }
            if (rank == 0) {
              reached.lazySet(i);
              m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
            }
            m.recv(data, 0, bytes, other, 0, 1);
            if (rank == 1) {
              m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
            }
          }
          long allocated = threads.getCurrentThreadAllocatedBytes() - before;
          // Whole bytes per message; a rare sleep takes less than one.
          assertThat(allocated / rounds)
              .as("bytes per message of %s", bytes)
              .isLessThanOrEqualTo((long) pieces * VIEWS_BYTES);
        });
  }
}
