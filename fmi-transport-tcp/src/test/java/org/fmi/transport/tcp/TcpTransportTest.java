package org.fmi.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.fmi.Request;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.net.Endpoint;
import org.fmi.net.Handshake;
import org.fmi.net.NetIo;
import org.fmi.net.PeerIdentity;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.JobSettings;
import org.fmi.spi.Landing;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.spi.TransportProvider;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.AcceptQueue;
import org.fmi.testkit.support.DescriptorLimit;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of {@link Transport}, on loopback, each transport on its own thread. */
@Timeout(300)
class TcpTransportTest {
  private static final byte[] SECRET = new byte[32];

  private static RankConfig config(int rank, int size, byte[] secret) {
    JobSettings job = RankConfigs.job(size).heartbeatMillis(5000).build();
    return RankConfigs.rank(rank, job).secret(secret).build();
  }

  /** A rank's actions in a test; runs on the rank's thread. */
  private interface Body {
    void run(int rank, TcpTransport transport) throws Exception;
  }

  /** Runs ranks with transports that know each other; fails if one fails. */
  private static void ranks(int n, NetIo net, Body body) throws Exception {
    byte[][] endpoints = new byte[n][];
    CyclicBarrier ready = new CyclicBarrier(n);
    CyclicBarrier done = new CyclicBarrier(n);
    List<Callable<Void>> all = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int rank = i;
      all.add(
          () -> {
            try (TcpTransport transport =
                new TcpTransport(config(rank, n, SECRET), 7, net, Diagnostics.NONE)) {
              endpoints[rank] = transport.endpoint();
              ready.await(60, TimeUnit.SECONDS);
              transport.start(Endpoints.of(endpoints));
              body.run(rank, transport);
              done.await(120, TimeUnit.SECONDS);
            }
            return null;
          });
    }
    together(all);
  }

  /** Rank 0 of a job whose other ranks the test plays. */
  private static TcpTransport alone(NetIo net, int ranks) throws IOException {
    TcpTransport transport = new TcpTransport(config(0, ranks, SECRET), 7, net, Diagnostics.NONE);
    transport.start(Endpoints.of(new byte[ranks][0]));
    return transport;
  }

  /** An open connection of {@code rank} to rank 0, on which the test sends. */
  private static Socket raw(TcpTransport transport, int rank, FrameHandler handler)
      throws IOException {
    Handshake handshake =
        Handshake.connecting(
            SECRET,
            new SecureRandom(),
            new PeerIdentity(TcpTransport.NAME, RankConfigs.JOB, 7, rank, 0).bytes());
    int port = Endpoint.of(transport.endpoint()).port();
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write(handshake.start());
    until(
        transport,
        handler,
        () -> {
          try {
            byte[] got = socket.getInputStream().readNBytes(socket.getInputStream().available());
            socket.getOutputStream().write(handshake.receive(ByteBuffer.wrap(got)));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return handshake.state() == Handshake.State.ACCEPTED;
        });
    return socket;
  }

  private static void together(List<Callable<Void>> all) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(all.size())) {
      List<Future<Void>> results = all.stream().map(threads::submit).toList();
      Exception failed = null;
      for (Future<Void> result : results) {
        try {
          result.get(200, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
          // All failures are reported: the first by number is often not the first that occurred.
          if (failed == null) {
            failed = e;
          } else {
            failed.addSuppressed(e);
          }
          threads.shutdownNow();
        }
      }
      if (failed != null) {
        throw failed;
      }
    }
  }

  /** Polls until the condition holds. */
  private static void until(
      TcpTransport transport, FrameHandler handler, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!condition.getAsBoolean()) {
      if (transport.poll(handler) == 0) {
        transport.await(TimeUnit.MILLISECONDS.toNanos(20));
      }
      assertThat(System.nanoTime() - end).as("time").isNegative();
      if (Thread.interrupted()) {
        throw new AssertionError("another rank failed");
      }
    }
  }

  private static Frame frame(int source, int tag, long sequence, byte[] payload) {
    Frame frame = new Frame();
    frame.context = source;
    frame.tag = tag;
    frame.sequence = sequence;
    frame.base = payload;
    frame.payload = payload.length;
    return frame;
  }

  private static void send(TcpTransport transport, int peer, Frame frame, FrameHandler handler) {
    until(transport, handler, () -> transport.offer(peer, frame));
  }

  /** Counts and checks frames; lets half of the landable ones land. */
  private static class Sink implements FrameHandler {
    final List<String> lost = new ArrayList<>();
    final long[] next;
    final Random[] expected;
    long frames;

    /** By rank: the memory where its frame lands. */
    private final byte[][] place;

    private final Random choice = new Random(1);

    Sink(int ranks, int self, long seed) {
      next = new long[ranks];
      expected = new Random[ranks];
      place = new byte[ranks][];
      for (int from = 0; from < ranks; from++) {
        expected[from] = new Random(seed * 1000 + from * 31L + self);
      }
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      int bytes = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
      check(peer, memory, at, memory.asSlice(at + FrameLayout.HEADER_BYTES, bytes));
    }

    @Override
    public boolean land(int peer, MemorySegment memory, long at, Landing landing) {
      assertThat(place[peer]).as("the place of the frame before").isNull();
      if (choice.nextBoolean()) {
        return false;
      }
      byte[] memoryOfProgram = new byte[11 + memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD)];
      place[peer] = memoryOfProgram;
      landing.base = memoryOfProgram;
      landing.offset = 11;
      return true;
    }

    @Override
    public void onLanded(int peer, MemorySegment memory, long at) {
      byte[] got = place[peer];
      place[peer] = null;
      check(peer, memory, at, MemorySegment.ofArray(got).asSlice(11));
    }

    private void check(int peer, MemorySegment memory, long at, MemorySegment got) {
      frames++;
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT)).isEqualTo(peer);
      assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE)).isEqualTo(next[peer]++);
      byte[] payload = payload(expected[peer]);
      assertThat(memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD)).isEqualTo(payload.length);
      assertThat(got.mismatch(MemorySegment.ofArray(payload))).as("payload").isEqualTo(-1);
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(peer + ": " + reason);
    }
  }

  private static byte[] payload(Random random) {
    int n =
        switch (random.nextInt(10)) {
          case 0 -> 0;
          case 1 -> TcpTransport.MAX_PAYLOAD;
          case 2, 3 -> random.nextInt(TcpTransport.MAX_PAYLOAD + 1);
          default -> random.nextInt(300);
        };
    byte[] payload = new byte[n];
    random.nextBytes(payload);
    return payload;
  }

  private static final FrameHandler NOTHING =
      new FrameHandler() {
        @Override
        public void onFrame(int peer, MemorySegment memory, long at) {
          throw new AssertionError("frame from " + peer);
        }

        @Override
        public void onPeerLost(int peer, String reason) {
          throw new AssertionError("lost " + peer + ": " + reason);
        }
      };

  @Test
  void isFoundByItsName() {
    assertThat(ServiceLoader.load(TransportProvider.class))
        .anySatisfy(
            p -> {
              assertThat(p.name()).isEqualTo("tcp");
              assertThat(p.order()).isEqualTo(30);
            });
  }

  /** All ranks send to all ranks, in random order, dialling each other at once. */
  @ParameterizedTest
  @EnumSource
  void everyFrameArrivesOnceInOrderAndWhole(NetIo net) throws Exception {
    int n = 4;
    int each = 80;
    for (long seed = 1; seed <= 3; seed++) {
      long s = seed;
      try {
        ranks(
            n,
            net,
            (rank, transport) -> {
              Sink sink = new Sink(n, rank, s);
              Random order = new Random(s + rank);
              Random[] content = new Random[n];
              int[] left = new int[n];
              for (int to = 0; to < n; to++) {
                content[to] = new Random(s * 1000 + rank * 31L + to);
                left[to] = to == rank ? 0 : each;
              }
              for (int sent = 0; sent < each * (n - 1); ) {
                int to = order.nextInt(n);
                if (left[to] > 0) {
                  Frame frame = frame(rank, 0, each - left[to], payload(content[to]));
                  send(transport, to, frame, sink);
                  left[to]--;
                  sent++;
                }
              }
              until(transport, sink, () -> sink.frames == (long) each * (n - 1));
              flush(transport, sink);
              assertThat(sink.lost).isEmpty();
            });
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** Waits until accepted frames have left, so that closing drops nothing. */
  private static void flush(TcpTransport transport, FrameHandler handler) {
    until(transport, handler, transport::idle);
  }

  /**
   * Both sides dial at the same moment, many times: exactly one connection stays, and both use it.
   */
  @Test
  void crossedDiallingEndsWithOneConnection() throws Exception {
    for (int round = 0; round < 150; round++) {
      int r = round;
      CyclicBarrier start = new CyclicBarrier(2);
      ranks(
          2,
          NetIo.best(),
          (rank, transport) -> {
            Random jitter = new Random(r * 2L + rank);
            Sink sink = new Sink(2, rank, 0);
            byte[] payload = payload(new Random(rank * 31L + (1 - rank)));
            Frame frame = frame(rank, 0, 0, payload);
            start.await();
            for (int spin = jitter.nextInt(3) * jitter.nextInt(2000); spin > 0; spin--) {
              Thread.onSpinWait();
            }
            send(transport, 1 - rank, frame, sink);
            until(transport, sink, () -> sink.frames == 1);
            flush(transport, sink);
            start.await();
            until(transport, sink, () -> transport.connections() <= 1);
            assertThat(sink.lost).as("round %s", r).isEmpty();
          });
    }
  }

  @Test
  void aFastSenderIsHeldBack() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    int total = 3000;
    byte[] payload = new byte[50_000];
    ranks(
        2,
        NetIo.best(),
        (rank, transport) -> {
          if (rank == 0) {
            until(transport, NOTHING, () -> transport.offer(1, frame(0, 0, 0, payload)));
            int sent = 1;
            while (transport.offer(1, frame(0, 0, sent, payload))) {
              sent++;
              assertThat(sent).isLessThan(total);
            }
            full.countDown();
            for (; sent < total; sent++) {
              send(transport, 1, frame(0, 0, sent, payload), NOTHING);
            }
            flush(transport, NOTHING);
          } else {
            // Answers the handshake, then does not poll until the sender is stopped.
            until(transport, NOTHING, () -> transport.isConnected(0));
            assertThat(full.await(60, TimeUnit.SECONDS)).isTrue();
            long[] next = {0};
            FrameHandler counting =
                new FrameHandler() {
                  @Override
                  public void onFrame(int peer, MemorySegment memory, long at) {
                    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE))
                        .isEqualTo(next[0]++);
                  }

                  @Override
                  public void onPeerLost(int peer, String reason) {
                    throw new AssertionError(reason);
                  }
                };
            until(transport, counting, () -> next[0] == total);
          }
        });
  }

  /** Completed sends whose sender computes: it holds none of their data any more. */
  @ParameterizedTest
  @EnumSource
  void aCompleteSendArrivesWithoutFurtherCalls(NetIo net) throws Exception {
    int messages = 256;
    byte[] data = new byte[TcpTransport.MAX_PAYLOAD];
    CountDownLatch matched = new CountDownLatch(1);
    CountDownLatch silent = new CountDownLatch(1);
    CountDownLatch arrived = new CountDownLatch(1);
    AtomicInteger complete = new AtomicInteger();
    ranks(
        2,
        net,
        (rank, transport) -> {
          Messenger m =
              new Messenger(
                  rank,
                  2,
                  new WaitStrategy(2, 1),
                  (peer, reason) -> {
                    throw new AssertionError(reason);
                  });
          m.enter(7, new Transport[] {transport});
          Request[] all = new Request[messages];
          for (int i = 0; i < messages; i++) {
            all[i] =
                rank == 0
                    ? m.isend(data, 0, data.length, 1, 0, i, Mode.STANDARD)
                    : m.irecv(data, 0, data.length, 0, 0, i);
          }
          if (rank == 0) {
            pollWhile(m, () -> matched.getCount() > 0);
            // As far as possible without the receiver.
            for (int still = 0; still < 100; still++) {
              LockSupport.parkNanos(100_000);
              m.poll();
              int now = complete(all);
              still = now == complete.getAndSet(now) ? still : 0;
            }
            silent.countDown();
            assertThat(complete.get()).isBetween(1, messages - 1);
            assertThat(arrived.await(60, TimeUnit.SECONDS)).as("arrived").isTrue();
          } else {
            pollWhile(m, () -> m.userArrived() < messages);
            matched.countDown();
            assertThat(silent.await(60, TimeUnit.SECONDS)).isTrue();
            pollWhile(m, () -> complete(all) < complete.get());
            arrived.countDown();
          }
          Request.waitAll(all);
        });
  }

  private static void pollWhile(Messenger m, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (condition.getAsBoolean()) {
      m.poll();
      assertThat(System.nanoTime() - end).as("time").isNegative();
    }
  }

  private static int complete(Request[] all) {
    int n = 0;
    for (Request r : all) {
      n += r.status() == null ? 0 : 1;
    }
    return n;
  }

  @Test
  void takesPayloadsFromAnyMemory() throws Exception {
    ranks(
        2,
        NetIo.best(),
        (rank, transport) -> {
          double[] numbers = {1.5, 2.5, 3.5, 4.5};
          if (rank == 0) {
            Frame frame = frame(0, 5, 0, new byte[0]);
            frame.base = numbers;
            frame.baseOffset = 8;
            frame.payload = 16;
            send(transport, 1, frame, NOTHING);
            frame.base = MemorySegment.ofArray(numbers);
            frame.baseOffset = 16;
            send(transport, 1, frame, NOTHING);
            numbers[1] = numbers[2] = 0; // copied already
            flush(transport, NOTHING);
          } else {
            List<Double> got = new ArrayList<>();
            FrameHandler handler =
                new FrameHandler() {
                  @Override
                  public void onFrame(int peer, MemorySegment memory, long at) {
                    for (int i = 0; i < 2; i++) {
                      got.add(
                          memory.get(
                              ValueLayout.JAVA_DOUBLE_UNALIGNED,
                              at + FrameLayout.HEADER_BYTES + 8L * i));
                    }
                  }

                  @Override
                  public void onPeerLost(int peer, String reason) {
                    throw new AssertionError(reason);
                  }
                };
            until(transport, handler, () -> got.size() == 4);
            assertThat(got).containsExactly(2.5, 3.5, 3.5, 4.5);
          }
        });
  }

  @Test
  void aHandlerThatThrowsEndsThePollAndLosesNothingElse() throws Exception {
    throwsOnce(10);
    throwsOnce(TcpTransport.MAX_PAYLOAD);
  }

  private static void throwsOnce(int bytes) throws Exception {
    ranks(
        2,
        NetIo.best(),
        (rank, transport) -> {
          if (rank == 0) {
            for (int i = 0; i < 10; i++) {
              send(transport, 1, frame(0, 0, i, new byte[bytes]), NOTHING);
            }
            flush(transport, NOTHING);
          } else {
            long[] next = {0};
            byte[] place = new byte[bytes];
            boolean[] landThrew = {bytes < TcpTransport.MAX_PAYLOAD};
            FrameHandler throwing =
                new FrameHandler() {
                  @Override
                  public boolean land(int peer, MemorySegment memory, long at, Landing landing) {
                    if (!landThrew[0]) {
                      landThrew[0] = true;
                      throw new IllegalStateException("enough");
                    }
                    landing.base = place;
                    landing.offset = 0;
                    return true;
                  }

                  @Override
                  public void onLanded(int peer, MemorySegment memory, long at) {
                    onFrame(peer, memory, at);
                  }

                  @Override
                  public void onFrame(int peer, MemorySegment memory, long at) {
                    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE))
                        .isEqualTo(next[0]++);
                    if (next[0] == 3) {
                      throw new IllegalStateException("enough");
                    }
                  }

                  @Override
                  public void onPeerLost(int peer, String reason) {
                    throw new AssertionError(reason);
                  }
                };
            for (int i = landThrew[0] ? 1 : 0; i < 2; i++) {
              assertThatThrownBy(() -> until(transport, throwing, () -> next[0] == 10))
                  .hasMessage("enough");
            }
            until(transport, throwing, () -> next[0] == 10);
          }
        });
  }

  /** Arrays of all lengths land directly. */
  @Test
  void longFramesLandWhereTheHandlerWants() throws Exception {
    int total = 200;
    ranks(
        2,
        NetIo.EPOLL,
        (rank, transport) -> {
          double[] numbers = new double[TcpTransport.MAX_PAYLOAD / Double.BYTES];
          LandingNumbers handler = new LandingNumbers();
          Random lengths = new Random(3);
          if (rank == 0) {
            for (int i = 0; i < total; i++) {
              int skipped = lengths.nextInt(numbers.length / 2);
              Arrays.fill(numbers, i);
              Frame frame = frame(0, 0, i, new byte[0]);
              frame.base = numbers;
              frame.baseOffset = 8L * skipped;
              frame.payload = 8 * (numbers.length - skipped);
              send(transport, 1, frame, handler);
            }
            flush(transport, handler);
          } else {
            until(transport, handler, () -> handler.frames == total);
            assertThat(handler.landed).isPositive();
          }
        });
  }

  /** Takes frames of numbers that all equal the frame's number; lands what can land. */
  private static final class LandingNumbers implements FrameHandler {
    final List<String> lost = new ArrayList<>();
    int frames;
    int landed;
    boolean landing;
    private final double[] place = new double[3 + TcpTransport.MAX_PAYLOAD / Double.BYTES];

    @Override
    public boolean land(int peer, MemorySegment memory, long at, Landing where) {
      landing = true;
      Arrays.fill(place, Double.NaN);
      where.base = place;
      where.offset = 3 * Double.BYTES;
      return true;
    }

    @Override
    public void onLanded(int peer, MemorySegment memory, long at) {
      landed++;
      check(memory, at, MemorySegment.ofArray(place), 3 * Double.BYTES);
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      check(memory, at, memory, at + FrameLayout.HEADER_BYTES);
    }

    private void check(MemorySegment header, long at, MemorySegment payload, long from) {
      int bytes = header.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
      for (int i = 0; i < bytes; i += Double.BYTES) {
        double got = payload.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, from + i);
        if (got != frames) {
          throw new AssertionError("frame " + frames + ", byte " + i + ": " + got);
        }
      }
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(peer + ": " + reason);
    }
  }

  @Test
  void aPayloadWhoseArenaIsClosedIsRefusedWhole() throws Exception {
    ranks(
        2,
        NetIo.best(),
        (rank, transport) -> {
          Sink sink = new Sink(2, rank, 0);
          if (rank == 0) {
            until(transport, sink, () -> transport.isConnected(1));
            Frame closed = frame(0, 0, 0, new byte[0]);
            try (Arena arena = Arena.ofConfined()) {
              closed.base = arena.allocate(TcpTransport.MAX_PAYLOAD);
            }
            closed.payload = TcpTransport.MAX_PAYLOAD;
            assertThatThrownBy(() -> transport.offer(1, closed)).hasMessage("Already closed");
            send(transport, 1, frame(0, 0, 0, payload(new Random(1))), sink);
            until(transport, sink, () -> sink.frames == 1);
            flush(transport, sink);
          } else {
            send(transport, 0, frame(1, 0, 0, payload(new Random(31))), sink);
            until(transport, sink, () -> sink.frames == 1);
          }
        });
  }

  /** A truncated file stands for an arena that another thread closes at just that moment. */
  @Test
  void aPayloadClosedInMidFrameEndsTheConnection(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("payload"), new byte[TcpTransport.MAX_PAYLOAD]);
    try (TcpTransport transport = alone(NetIo.EPOLL, 2);
        Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      Sink sink = new Sink(2, 0, 0);
      Frame frame = frame(0, 0, 0, new byte[0]);
      frame.base = channel.map(FileChannel.MapMode.READ_WRITE, 0, TcpTransport.MAX_PAYLOAD, arena);
      frame.payload = TcpTransport.MAX_PAYLOAD;
      try (Socket peer = raw(transport, 1, sink)) {
        channel.truncate(4096);
        assertThatThrownBy(() -> transport.offer(1, frame)).isInstanceOf(InternalError.class);
        assertThat(transport.offer(1, frame(0, 0, 1, new byte[1]))).isTrue(); // is lost
        until(transport, sink, () -> !sink.lost.isEmpty());
        assertThat(sink.lost).containsExactly("1: payload gone in mid-frame");
        assertThat(peer.getInputStream().readAllBytes().length)
            .isBetween(FrameLayout.HEADER_BYTES, FrameLayout.HEADER_BYTES + 4096);
      }
    }
  }

  @Test
  void aDescriptorThatIsAnotherConnectionsByNowIsNotSentTo() throws Exception {
    try (TcpTransport transport = alone(NetIo.EPOLL, 2);
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Sink sink = new Sink(2, 0, 0);
      try (Socket peer = raw(transport, 1, sink)) {
        peer.setSoLinger(true, 0); // resets it
      }
      List<Socket> others = new ArrayList<>();
      try {
        while (transport.connections() > 0) {
          assertThat(transport.offer(1, frame(0, 0, 0, new byte[1]))).isTrue();
        }
        for (int i = 0; i < 10; i++) {
          others.add(new Socket(server.getInetAddress(), server.getLocalPort()));
          others.add(server.accept());
        }
        assertThat(transport.offer(1, frame(0, 0, 0, new byte[TcpTransport.MAX_PAYLOAD]))).isTrue();
        for (Socket other : others) {
          assertThat(other.getInputStream().available()).isZero();
        }
      } finally {
        for (Socket other : others) {
          other.close();
        }
      }
      until(transport, sink, () -> !sink.lost.isEmpty());
    }
  }

  /** A full chunk has no room to read into: an empty read then proves nothing. */
  @ParameterizedTest
  @EnumSource
  void framesThatWaitWhileTheHandlerThrowsAreNotLost(NetIo net) throws Exception {
    int total = Chunk.BYTES / FrameLayout.HEADER_BYTES + 400;
    byte[] all = new byte[total * FrameLayout.HEADER_BYTES];
    for (int i = 0; i < total; i++) {
      frame(0, 0, i, new byte[0])
          .encode(MemorySegment.ofArray(all), (long) i * FrameLayout.HEADER_BYTES);
    }
    boolean[] throwing = {true};
    Sink sink =
        new Sink(3, 0, 0) {
          @Override
          public void onFrame(int peer, MemorySegment memory, long at) {
            assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE))
                .isEqualTo(next[peer]++);
            if (throwing[0]) {
              throw new IllegalStateException("enough");
            }
          }
        };
    try (TcpTransport transport = alone(net, 3)) {
      CountDownLatch written = new CountDownLatch(2);
      for (Socket peer : List.of(raw(transport, 1, sink), raw(transport, 2, sink))) {
        Thread.ofVirtual()
            .start(
                () -> {
                  try (peer) {
                    peer.getOutputStream().write(all);
                    written.countDown();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
      }
      // One frame of the first connection is delivered per poll; frames of the other gather.
      for (int full = 0; full < 5; full += written.getCount() == 0 ? 1 : 0) {
        try {
          transport.poll(sink);
        } catch (IllegalStateException e) {
          assertThat(e).hasMessage("enough");
        }
        written.await(1, TimeUnit.MILLISECONDS);
      }
      assertThat(sink.lost).isEmpty();
      throwing[0] = false;
      until(transport, sink, () -> sink.next[1] == total && sink.next[2] == total);
      until(transport, sink, () -> sink.lost.size() == 2);
    }
  }

  @Test
  void aBadFrameAfterALandingFrameEndsTheConnection() throws Exception {
    try (TcpTransport transport = alone(NetIo.EPOLL, 2)) {
      LandingNumbers handler = new LandingNumbers();
      int payload = 96 << 10;
      byte[] bytes = new byte[2 * FrameLayout.HEADER_BYTES + payload];
      frame(1, 0, 0, new byte[payload]).encode(MemorySegment.ofArray(bytes), 0);
      Frame bad = frame(1, 0, 1, new byte[0]);
      bad.payload = TcpTransport.MAX_PAYLOAD + 1;
      bad.encodeHeader(MemorySegment.ofArray(bytes), FrameLayout.HEADER_BYTES + (long) payload);
      try (Socket peer = raw(transport, 1, handler)) {
        peer.getOutputStream().write(bytes, 0, payload / 2);
        until(transport, handler, () -> handler.landing);
        peer.getOutputStream().write(bytes, payload / 2, bytes.length - payload / 2);
        until(transport, handler, () -> !handler.lost.isEmpty());
        assertThat(handler.lost).containsExactly("1: frame with a payload of 262145 bytes");
        assertThat(handler.landed).isEqualTo(1);
      }
    }
  }

  @Test
  void aPeerThatDiesDuringALandingIsLost() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    int[] sent = {0};
    ranks(
        2,
        NetIo.EPOLL,
        (rank, transport) -> {
          LandingNumbers handler = new LandingNumbers();
          if (rank == 0) {
            double[] numbers = new double[TcpTransport.MAX_PAYLOAD / Double.BYTES];
            Frame frame = frame(0, 0, 0, new byte[0]);
            frame.base = numbers;
            frame.payload = TcpTransport.MAX_PAYLOAD;
            until(transport, handler, () -> transport.offer(1, frame));
            do {
              Arrays.fill(numbers, ++sent[0]);
            } while (transport.offer(1, frame));
            transport.close(); // drops data that the system has not taken
            gone.countDown();
          } else {
            until(transport, handler, () -> transport.isConnected(0));
            assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
            until(transport, handler, () -> !handler.lost.isEmpty());
            assertThat(handler.lost).hasSize(1);
            assertThat(handler.frames).isLessThan(sent[0]);
            assertThat(handler.landed).isPositive();
          }
        });
  }

  @Test
  void aLostPeerIsReportedOnceAfterItsFrames() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    ranks(
        3,
        NetIo.best(),
        (rank, transport) -> {
          Sink sink = new Sink(3, rank, 0);
          if (rank == 1) {
            send(transport, 0, frame(1, 0, 0, payload(new Random(31L))), sink);
            flush(transport, sink);
            transport.close();
            transport.close();
            gone.countDown();
          } else if (rank == 0) {
            until(transport, sink, () -> !sink.lost.isEmpty());
            assertThat(sink.frames).as("frames before %s", sink.lost).isEqualTo(1);
            assertThat(transport.offer(1, frame(0, 0, 0, new byte[1]))).isFalse();
            transport.poll(sink);
            assertThat(sink.lost).hasSize(1).first().asString().startsWith("1: ");
          } else {
            // Has never connected to it; finds no listener there.
            gone.await();
            until(
                transport,
                sink,
                () -> !transport.offer(1, frame(2, 0, 0, new byte[1])) && !sink.lost.isEmpty());
            assertThat(sink.lost).hasSize(1).first().asString().startsWith("1: ");
          }
        });
  }

  /**
   * Starts a transport, which accepts a connection: everything is loaded that is needed then.
   *
   * @return its address
   */
  private static InetSocketAddress hasAccepted(TcpTransport transport) throws IOException {
    transport.start(Endpoints.of(new byte[2][0]));
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), Endpoint.of(transport.endpoint()).port());
    try (SocketChannel first = SocketChannel.open(address)) {
      until(transport, NOTHING, () -> transport.connections() == 1);
      assertThat(first.isConnected()).isTrue();
    }
    until(transport, NOTHING, () -> transport.connections() == 0);
    return address;
  }

  @ParameterizedTest
  @EnumSource
  void aRankOutOfFileDescriptorsSaysSoOnceAndAcceptsLater(NetIo net) throws Exception {
    List<String> warnings = new ArrayList<>();
    try (TcpTransport transport =
        new TcpTransport(config(0, 2, SECRET), 7, net, 10_000, 128, warnings::add)) {
      InetSocketAddress address = hasAccepted(transport);
      try (SocketChannel later = SocketChannel.open()) {
        DescriptorLimit.lower();
        try {
          later.connect(address);
          until(transport, NOTHING, () -> !warnings.isEmpty());
        } finally {
          DescriptorLimit.restore();
        }
        until(transport, NOTHING, () -> transport.connections() == 1);
      }
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("rank 0 cannot accept", "Too many open files", "ulimit -n");
    }
  }

  /** The job replaces the rank then: it may never get one, and its peers wait. */
  @ParameterizedTest
  @EnumSource
  void aRankThatAcceptsNoConnectionForLongGivesUp(NetIo net) throws Exception {
    RankConfig config =
        RankConfigs.rank(0, RankConfigs.job(2).heartbeatMillis(1000).build())
            .secret(SECRET)
            .build();
    try (TcpTransport transport = new TcpTransport(config, 7, net, 10_000, 128, Diagnostics.NONE)) {
      InetSocketAddress address = hasAccepted(transport);
      try (SocketChannel later = SocketChannel.open()) {
        DescriptorLimit.lower();
        try {
          later.connect(address);
          assertThatThrownBy(() -> until(transport, NOTHING, () -> false))
              .isInstanceOf(UncheckedIOException.class)
              .hasMessage("tcp: cannot accept connections")
              .hasRootCauseInstanceOf(IOException.class);
        } finally {
          DescriptorLimit.restore();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void withoutAFileDescriptorADialFailsAsDeclared(NetIo net) throws Exception {
    try (TcpTransport a = new TcpTransport(config(0, 2, SECRET), 7, net, Diagnostics.NONE);
        TcpTransport b = new TcpTransport(config(1, 2, SECRET), 7, net, Diagnostics.NONE)) {
      Endpoints both = Endpoints.of(a.endpoint(), b.endpoint());
      a.start(both);
      b.start(both);
      Throwable thrown;
      DescriptorLimit.lower();
      try {
        thrown = catchThrowable(() -> a.offer(1, frame(2, 0, 0, new byte[1])));
      } finally {
        DescriptorLimit.restore();
      }
      assertThat(thrown)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("tcp: no socket for a connection to rank 1")
          .hasRootCauseInstanceOf(IOException.class);
      until(a, NOTHING, () -> a.offer(1, frame(2, 0, 0, new byte[1])) || b.poll(NOTHING) < 0);
    }
  }

  /** The job replaces a rank that gets an exception of I/O here. */
  @ParameterizedTest
  @EnumSource
  void withTooFewFileDescriptorsItIsRefusedAndLeavesNothing(NetIo net) throws Exception {
    RankConfig config = config(0, 2, SECRET);
    // Loads everything that is needed then.
    new TcpTransport(config, 7, net, Diagnostics.NONE).close();
    List<String> before = descriptors();
    assertThat(
            DescriptorLimit.refusals(
                IOException.class,
                () -> new TcpTransport(config, 7, net, Diagnostics.NONE).close()))
        .isNotEmpty()
        .allSatisfy(e -> assertThat(e).hasMessageContaining("Too many open files"));
    assertThat(descriptors()).hasSameSizeAs(before);
  }

  @ParameterizedTest
  @EnumSource
  void withoutAFileDescriptorTheBellFailsAsDeclared(NetIo net) throws Exception {
    RankConfig config = config(0, 2, SECRET);
    try (TcpTransport loading = new TcpTransport(config, 7, net, Diagnostics.NONE);
        TcpTransport transport = new TcpTransport(config, 7, net, Diagnostics.NONE)) {
      loading.bell();
      Throwable thrown;
      DescriptorLimit.lower();
      try {
        thrown = catchThrowable(transport::bell);
      } finally {
        DescriptorLimit.restore();
      }
      assertThat(thrown)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("tcp: cannot open a UDP port for wake-ups");
      assertThat(transport.bell()).isPositive();
    }
  }

  /** There may be a million ranks, each of which stores the addresses it has read. */
  @ParameterizedTest
  @EnumSource
  void anAddressIsReadWhenItIsFirstNeeded(NetIo net) throws Exception {
    int ranks = 10_000;
    Set<Integer> asked = new TreeSet<>();
    try (TcpTransport transport =
            new TcpTransport(config(0, ranks, SECRET), 7, net, Diagnostics.NONE);
        ServerSocket peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      byte[] address = new Endpoint("127.0.0.1", peer.getLocalPort()).bytes();
      transport.start(
          new Endpoints() {
            @Override
            public int size() {
              return ranks;
            }

            @Override
            public byte[] get(int rank) {
              asked.add(rank);
              return address;
            }
          });
      assertThat(asked).isEmpty();
      assertThat(transport.reaches(0)).as("itself").isFalse();
      assertThat(transport.reaches(4711)).isTrue();
      assertThat(transport.offer(4711, frame(0, 0, 0, new byte[1]))).isFalse();
      assertThat(asked).containsExactly(4711);
    }
  }

  /** The peer is busy, or strangers displace the dialling rank, again and again. */
  @ParameterizedTest
  @EnumSource
  void dialsASilentPeerUntilItsPortIsClosed(NetIo net) throws Exception {
    int times = 6;
    int[] accepted = {0};
    try (TcpTransport transport = new TcpTransport(config(0, 2, SECRET), 7, net, Diagnostics.NONE);
        ServerSocket peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      transport.start(
          Endpoints.of(new byte[0], new Endpoint("127.0.0.1", peer.getLocalPort()).bytes()));
      Thread accepting =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (peer) {
                      for (; accepted[0] < times; accepted[0]++) {
                        peer.accept().close();
                      }
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      Sink sink = new Sink(2, 0, 0);
      long begin = System.nanoTime();
      until(
          transport,
          sink,
          () -> !transport.offer(1, frame(0, 0, 0, new byte[1])) && !sink.lost.isEmpty());
      assertThat(System.nanoTime() - begin)
          .as("with pauses")
          .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(times * 100L - 100));
      assertThat(sink.lost).hasSize(1).first().asString().containsIgnoringCase("refused");
      accepting.join();
      assertThat(accepted[0]).isEqualTo(times);
    }
  }

  /** The peer computes: its queue is full, and the system drops further connections. */
  @ParameterizedTest
  @EnumSource
  void aPeerThatDoesNotAnswerIsDialledUntilItDoes(NetIo net) throws Exception {
    List<String> warnings = new ArrayList<>();
    List<Socket> queue = new ArrayList<>();
    byte[] payload = {1, 2, 3};
    try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        TcpTransport transport =
            new TcpTransport(config(0, 2, SECRET), 7, net, 100, 128, warnings::add)) {
      int port = peer.getLocalPort();
      transport.start(Endpoints.of(new byte[0], new Endpoint("127.0.0.1", port).bytes()));
      AcceptQueue.fill(peer, queue);
      Frame frame = frame(0, 0, 0, payload);
      // Two attempts that end.
      for (int connections : new int[] {1, 0, 1, 0}) {
        until(
            transport,
            NOTHING,
            () -> !transport.offer(1, frame) && transport.connections() == connections);
      }
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("has had no answer from rank 1 at 127.0.0.1:" + port, "firewall");
      for (Socket waiting : queue) {
        waiting.close();
      }
      FutureTask<Socket> answering = new FutureTask<>(() -> answer(peer));
      Thread.ofVirtual().start(answering);
      send(transport, 1, frame, NOTHING);
      flush(transport, NOTHING);
      try (Socket answered = answering.get()) {
        assertThat(answered.getInputStream().readNBytes(frame.bytes())).endsWith(payload);
      }
      assertThat(warnings).hasSize(1);
    } finally {
      for (Socket waiting : queue) {
        waiting.close();
      }
    }
  }

  /**
   * It computes, and accepts nothing: else its peers could not tell it from one that is cut off.
   */
  @ParameterizedTest
  @EnumSource
  void theSystemOfARankAnswersMoreRanksThanAQueueHolds(NetIo net) throws Exception {
    int ranks = 256;
    List<Socket> others = new ArrayList<>();
    try (TcpTransport transport =
        new TcpTransport(config(0, ranks, SECRET), 7, net, 10_000, 64, Diagnostics.NONE)) {
      int port = Endpoint.of(transport.endpoint()).port();
      for (int i = 1; i < ranks; i++) {
        Socket socket = new Socket();
        others.add(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5000);
      }
      until(transport, NOTHING, () -> transport.connections() == ranks - 1);
    } finally {
      for (Socket other : others) {
        other.close();
      }
    }
  }

  /** Accepts connections until one authenticates itself, and returns it. */
  private static Socket answer(ServerSocket peer) throws IOException {
    byte[] got = new byte[1024];
    while (true) {
      Socket socket = peer.accept();
      Handshake handshake = Handshake.accepting(SECRET, new SecureRandom());
      for (int n; (n = socket.getInputStream().read(got)) > 0; ) {
        socket.getOutputStream().write(handshake.receive(ByteBuffer.wrap(got, 0, n)));
        if (handshake.state() == Handshake.State.DECIDING) {
          socket.getOutputStream().write(handshake.accept());
          return socket;
        }
      }
      socket.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPeerThatCannotBeReachedIsLost(NetIo net) throws Exception {
    try (TcpTransport transport =
        new TcpTransport(config(0, 3, SECRET), 7, net, Diagnostics.NONE)) {
      byte[] noRoute = new Endpoint("255.255.255.255", 9).bytes();
      byte[] unknown = new Endpoint("no:host", 9).bytes();
      transport.start(Endpoints.of(new byte[0], noRoute, unknown));
      List<Integer> peers = new ArrayList<>();
      FrameHandler losses =
          new FrameHandler() {
            @Override
            public void onFrame(int peer, MemorySegment memory, long at) {
              throw new AssertionError("frame from " + peer);
            }

            @Override
            public void onPeerLost(int peer, String reason) {
              peers.add(peer);
            }
          };
      until(
          transport,
          losses,
          () -> {
            transport.offer(1, frame(0, 0, 0, new byte[1]));
            transport.offer(2, frame(0, 0, 0, new byte[1]));
            return peers.size() == 2;
          });
      assertThat(peers).containsExactlyInAnyOrder(1, 2);
      assertThat(transport.connections()).isZero();
    }
  }

  @Test
  void strangersGetNothing() throws Exception {
    byte[] wrong = new byte[32];
    wrong[0] = 1;
    try (TcpTransport victim =
        new TcpTransport(config(0, 3, SECRET), 7, NetIo.best(), Diagnostics.NONE)) {
      byte[][] none = {new byte[0], new byte[0], new byte[0]};
      victim.start(Endpoints.of(none));
      assertThat(victim.reaches(1)).isFalse();
      ignored(victim, config(1, 3, wrong));
      refused(victim, config(1, 3, SECRET), 8, 0, "refused");
      refused(victim, config(0, 3, SECRET), 7, 1, "refused"); // "I am you"
      refused(victim, config(1, 3, SECRET), 7, 2, "refused"); // meant for rank 2
      RankConfig big = config(5, 9, SECRET);
      refused(victim, big, 7, 0, "refused");
      try (Socket web =
          new Socket(InetAddress.getLoopbackAddress(), Endpoint.of(victim.endpoint()).port())) {
        web.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        until(victim, NOTHING, () -> victim.connections() == 1);
        until(victim, NOTHING, () -> victim.connections() == 0);
        int first;
        try {
          first = web.getInputStream().read();
        } catch (SocketException reset) {
          first = -1;
        }
        assertThat(first).isEqualTo(-1);
      }
    }
  }

  /** A transport of {@code config} gets no answer, however often it dials. */
  private static void ignored(TcpTransport victim, RankConfig config) throws IOException {
    try (TcpTransport other = new TcpTransport(config, 7, NetIo.best(), Diagnostics.NONE)) {
      byte[][] endpoints = new byte[config.size()][0];
      endpoints[0] = victim.endpoint();
      other.start(Endpoints.of(endpoints));
      for (int connections : new int[] {1, 0, 1, 0}) {
        until(
            other,
            NOTHING,
            () -> {
              victim.poll(NOTHING);
              return !other.offer(0, frame(config.rank(), 0, 0, new byte[1]))
                  && victim.connections() == connections;
            });
      }
    }
  }

  /** A transport of {@code config} that takes {@code victim} for rank {@code to} is refused. */
  private static void refused(
      TcpTransport victim, RankConfig config, int epoch, int to, String reason) throws IOException {
    try (TcpTransport other = new TcpTransport(config, epoch, NetIo.best(), Diagnostics.NONE)) {
      byte[][] endpoints = new byte[config.size()][0];
      endpoints[to] = victim.endpoint();
      other.start(Endpoints.of(endpoints));
      Sink sink = new Sink(config.size(), config.rank(), 0);
      until(
          other,
          sink,
          () -> {
            victim.poll(NOTHING);
            return !other.offer(to, frame(config.rank(), 0, 0, new byte[1]))
                && !sink.lost.isEmpty();
          });
      assertThat(sink.lost).hasSize(1).first().asString().contains(reason);
    }
  }

  @Test
  void unpooledChunksAreFreedAtOnce() {
    Chunk.Pool pool = new Chunk.Pool();
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      chunks.add(pool.take());
    }
    chunks.forEach(pool::give);
    assertThat(chunks).filteredOn(chunk -> chunk.memory.scope().isAlive()).hasSize(16);
    assertThat(pool.take().memory.scope().isAlive()).isTrue();
    pool.close();
    assertThat(chunks).noneMatch(chunk -> chunk.memory.scope().isAlive());
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatEndsGivesItsChunksBack(NetIo net) throws Exception {
    Sink sink = new Sink(2, 0, 0);
    Frame closed = frame(0, 0, 0, new byte[0]);
    try (Arena arena = Arena.ofConfined()) {
      closed.base = arena.allocate(100);
    }
    closed.payload = 100;
    try (TcpTransport transport = alone(net, 2)) {
      int port = Endpoint.of(transport.endpoint()).port();
      for (int i = 0; i < 5; i++) {
        try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
          stranger.getOutputStream().write('F');
          until(transport, sink, () -> transport.connections() == 1);
        }
        until(transport, sink, () -> transport.connections() == 0);
      }
      try (Socket peer = raw(transport, 1, sink)) {
        for (int i = 0; i < 5; i++) {
          assertThatThrownBy(() -> transport.offer(1, closed)).hasMessage("Already closed");
        }
        peer.getOutputStream().write(0);
      }
      until(transport, sink, () -> !sink.lost.isEmpty());
      assertThat(transport.chunks.size()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void strangersWhoComeAtOncePushOutAsMany(NetIo net) throws Exception {
    List<Socket> strangers = new ArrayList<>();
    int most = 2 + 256;
    int atOnce = 10;
    try (TcpTransport victim = alone(net, 1)) {
      int port = Endpoint.of(victim.endpoint()).port();
      for (int i = 1; i <= most + atOnce; i++) {
        strangers.add(new Socket(InetAddress.getLoopbackAddress(), port));
        int expected = i;
        if (i <= most) {
          until(victim, NOTHING, () -> victim.connections() == expected);
        }
      }
      while (victim.poll(NOTHING) > 0) {}
      assertThat(victim.connections()).isEqualTo(most);
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }

  @Test
  void aFrameTooLongEndsTheConnection() throws Exception {
    ranks(
        2,
        NetIo.best(),
        (rank, transport) -> {
          Sink sink = new Sink(2, rank, 0);
          if (rank == 0) {
            until(transport, sink, () -> transport.offer(1, frame(0, 0, 0, new byte[0])));
            Frame bad = frame(0, 0, 1, new byte[0]);
            bad.payload = TcpTransport.MAX_PAYLOAD + 1;
            bad.base = new byte[bad.payload];
            send(transport, 1, bad, sink);
            until(transport, sink, () -> !sink.lost.isEmpty());
          } else {
            FrameHandler handler =
                new FrameHandler() {
                  @Override
                  public void onFrame(int peer, MemorySegment memory, long at) {
                    assertThat(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE)).isZero();
                  }

                  @Override
                  public void onPeerLost(int peer, String reason) {
                    sink.lost.add(reason);
                  }
                };
            until(transport, handler, () -> !sink.lost.isEmpty());
            assertThat(sink.lost).first().asString().contains("262145");
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void wakeupEndsAwaitNowOrTheNext(NetIo net) throws Exception {
    ranks(
        1,
        net,
        (rank, transport) -> {
          long forever = TimeUnit.MINUTES.toNanos(10); // over the test's limit
          transport.wakeup();
          transport.await(forever);
          for (int i = 0; i < 200; i++) {
            int pause = i % 5;
            Thread other =
                Thread.ofVirtual()
                    .start(
                        () -> {
                          for (int spin = 0; spin < pause * 2000; spin++) {
                            Thread.onSpinWait();
                          }
                          transport.wakeup();
                        });
            transport.await(forever);
            other.join();
            transport.poll(NOTHING);
          }
        });
  }

  @Test
  void closingFreesPortsAndDescriptors() throws Exception {
    ranks(2, NetIo.best(), TcpTransportTest::hello);
    List<String> before = descriptors();
    for (int i = 0; i < 20; i++) {
      ranks(2, NetIo.best(), TcpTransportTest::hello);
    }
    assertThat(descriptors()).hasSameSizeAs(before);
    TcpTransport transport =
        new TcpTransport(config(0, 1, SECRET), 0, NetIo.best(), Diagnostics.NONE);
    int port = Endpoint.of(transport.endpoint()).port();
    transport.close();
    try (ServerSocket again = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(again.getLocalPort()).isEqualTo(port);
    }
  }

  private static void hello(int rank, TcpTransport transport) {
    Sink sink = new Sink(2, rank, 0);
    Frame frame = frame(rank, 0, 0, payload(new Random(rank * 31L + (1 - rank))));
    send(transport, 1 - rank, frame, sink);
    until(transport, sink, () -> sink.frames == 1);
    flush(transport, sink);
  }

  /** Sockets and event descriptors of this process. */
  private static List<String> descriptors() throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path fd : open.toList()) {
        try {
          String target = Files.readSymbolicLink(fd).toString();
          if (target.startsWith("socket:") || target.startsWith("anon_inode:")) {
            all.add(target);
          }
        } catch (IOException gone) {
          assertThat(Files.exists(fd, LinkOption.NOFOLLOW_LINKS)).isFalse();
        }
      }
    }
    return all;
  }
}
