package org.fmi.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections through real sockets. Tests that wait for seconds wait at the same time. */
@Timeout(120)
@SuppressWarnings("FutureReturnValueIgnored") // the effect of a schedule shows its result
class NetLoopTest {
  private static final byte[] SECRET = secret(1);
  private static final byte[] ME = "rank 3".getBytes(UTF_8);

  private static byte[] secret(int seed) {
    byte[] secret = new byte[32];
    new Random(seed).nextBytes(secret);
    return secret;
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  @ParameterizedTest
  @EnumSource
  void carriesFramesBothWays(NetIo net) throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, NetLoop.MAX_FRAME, warning -> {}, net)) {
      Recorder left = new Recorder();
      Recorder right = new Recorder();
      Server server = loop.listen(at(0), 5000, (identity, remote) -> right);
      Connection out = loop.connect(at(server.port()), ME, 30_000, 30_000, left);
      assertThat(left.next().connection()).isSameAs(out);
      Connection in = right.next().connection();
      assertThat(in.identity()).isEqualTo(ME);
      Random random = new Random(7);
      for (int n : new int[] {1, 3, 4096, 70_000, 5_000_000, NetLoop.MAX_FRAME, 2}) {
        byte[] frame = new byte[n];
        random.nextBytes(frame);
        assertThat(out.send(frame)).isTrue();
        assertThat(Arrays.equals(right.next().bytes(), frame)).isTrue();
        assertThat(in.send(frame)).isTrue();
        assertThat(Arrays.equals(left.next().bytes(), frame)).isTrue();
      }
      byte[] last = {42};
      out.send(last);
      out.close();
      assertThat(right.next().bytes()).isEqualTo(last);
      assertThat(right.next().end().why()).isEqualTo(Closed.Why.PEER);
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.HERE);
      assertThat(out.send(last)).isFalse();
      assertThat(server.refused()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void storesAFrameForManySlowPeersOnce(NetIo net) throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    try (NetLoop loop = NetLoop.open("test", SECRET, NetLoop.MAX_FRAME, warning -> {}, net);
        NetLoop others = NetLoop.open("others", SECRET, NetLoop.MAX_FRAME, warning -> {}, net)) {
      Recorder here = new Recorder();
      Server server = loop.listen(at(0), 5000, (identity, remote) -> here);
      List<Connection> connections = new ArrayList<>();
      List<Recorder> peers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Recorder peer = new Recorder();
        others.connect(at(server.port()), ME, 30_000, 30_000, peer);
        connections.add(here.next().connection());
        assertThat(peer.next().frame()).isNull();
        peers.add(peer);
      }
      others.execute(
          () -> {
            try {
              read.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      byte[] frame = new byte[NetLoop.MAX_FRAME];
      new Random(7).nextBytes(frame);
      loop.send(connections, frame);
      assertThat(connections).allMatch(c -> c.pendingBytes() == 4 + frame.length);
      assertThat(((ByteBufAllocatorMetricProvider) loop.allocator()).metric().usedDirectMemory())
          .isBetween((long) frame.length, 2L * frame.length);
      read.countDown();
      for (Recorder peer : peers) {
        assertThat(Arrays.equals(peer.next().bytes(), frame)).isTrue();
      }
    } finally {
      read.countDown();
    }
  }

  @Test
  void reportsATasksErrorAndContinues() throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      CountDownLatch after = new CountDownLatch(1);
      BlockingQueue<Throwable> reported = new LinkedBlockingQueue<>();
      loop.execute(
          () -> {
            Thread.currentThread().setUncaughtExceptionHandler((_, e) -> reported.add(e));
            throw new OutOfMemoryError("thrown on purpose");
          });
      loop.execute(after::countDown);
      assertThat(after.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(reported).singleElement().isInstanceOf(OutOfMemoryError.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void localSocketsAreForTheOwner(NetIo net, @TempDir Path directory) throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {}, net)) {
      Recorder left = new Recorder();
      Recorder right = new Recorder();
      loop.listenLocal(path, (identity, remote) -> right);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
      loop.connectLocal(path, 30_000, left);
      left.next().connection().send(ME);
      Connection in = right.next().connection();
      assertThat(right.next().bytes()).isEqualTo(ME);
      assertThat(in.peerProcess())
          .isEqualTo(
              net == NetIo.EPOLL ? ProcessHandle.current().pid() : Connection.UNKNOWN_PROCESS);
      in.close();
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.PEER);

      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
      assertThatThrownBy(() -> loop.listenLocal(directory.resolve("t"), (i, r) -> right))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("0700");
      loop.connectLocal(directory.resolve("nobody"), 30_000, left);
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.UNREACHABLE);
    }
  }

  /** A process reports the cause of its end while its daemon sends to it. */
  @ParameterizedTest
  @EnumSource
  void readsThePeersLastFramesAfterItStopsReading(NetIo net, @TempDir Path directory)
      throws Exception {
    Path path = directory.resolve("s");
    Recorder left = new Recorder();
    Recorder right = new Recorder();
    try (NetLoop mine = NetLoop.open("mine", SECRET, 100, warning -> {}, net)) {
      mine.listenLocal(path, (identity, remote) -> right);
      CountDownLatch gone = new CountDownLatch(1);
      try (NetLoop theirs = NetLoop.open("theirs", SECRET, 100, warning -> {}, net)) {
        Connection out = theirs.connectLocal(path, 30_000, left);
        left.next();
        Connection in = right.next().connection();
        mine.execute(
            () -> {
              try {
                gone.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              in.send(ME);
            });
        out.send(ME);
      }
      gone.countDown();
      assertThat(right.next().bytes()).isEqualTo(ME);
      right.next().end();
    }
  }

  @Test
  void wrongSecretGetsNothing() throws Exception {
    try (NetLoop mine = NetLoop.open("mine", SECRET, 100, warning -> {});
        NetLoop theirs = NetLoop.open("theirs", secret(2), 100, warning -> {})) {
      Recorder left = new Recorder();
      Recorder right = new Recorder();
      Server server = mine.listen(at(0), 5000, (identity, remote) -> right);
      theirs.connect(at(server.port()), ME, 30_000, 30_000, left);
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.NOT_AUTHENTIC);
      assertThat(right.quiet()).isTrue();
      assertThat(server.refused()).isEqualTo(1);
    }
  }

  @Test
  void acceptorMayRefuse() throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder left = new Recorder();
      Server server =
          loop.listen(
              at(0),
              5000,
              (identity, remote) -> {
                throw new Acceptor.Refused(9, "wrong epoch");
              });
      loop.connect(at(server.port()), ME, 30_000, 30_000, left);
      Closed closed = left.next().end();
      assertThat(closed.why()).isEqualTo(Closed.Why.REFUSED);
      assertThat(closed.code()).isEqualTo(9);
      assertThat(server.refused()).isEqualTo(1);
    }
  }

  /** The peer's system accepts the connection at once, and the peer needs a core only to answer. */
  @Test
  void aPeerThatIsSlowToAnswerHasTheTimeOfAProof() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder left = new Recorder();
      loop.connect(at(mute.getLocalPort()), ME, 30_000, 50, left);
      Closed closed = left.next().end();
      assertThat(closed.why()).isEqualTo(Closed.Why.NOT_AUTHENTIC);
      assertThat(closed.detail()).isEqualTo("no proof within 50 ms");
    }
  }

  @Test
  void noListener() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder left = new Recorder();
      loop.connect(at(port), ME, 30_000, 30_000, left);
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.NO_LISTENER);
      assertThatThrownBy(
              () -> loop.listen(new InetSocketAddress("192.0.2.1", 0), 5000, (i, r) -> left))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("192.0.2.1");
    }
  }

  @Test
  void strangersAreClosed() throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder right = new Recorder();
      Server server = loop.listen(at(0), 5000, (identity, remote) -> right);
      try (Socket http = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        http.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
        assertThat(readAll(http)).isEmpty();
      }
      assertThat(server.refused()).isEqualTo(1);
      assertThat(right.quiet()).isTrue();
    }
  }

  /** Both sides greet, then send nothing until one of them closes. */
  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aPeerMayBeSlowUntilItWouldCountAsDead() throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder right = new Recorder();
      Recorder wrong = new Recorder();
      Server patient = loop.listen(at(0), 120_000, (identity, remote) -> right);
      Server impatient = loop.listen(at(0), 1000, (identity, remote) -> wrong);
      Handshake member = Handshake.connecting(SECRET, new SecureRandom(), ME);
      byte[] hello = member.start();
      try (Socket paused = new Socket(InetAddress.getLoopbackAddress(), patient.port());
          Socket stranger = new Socket(InetAddress.getLoopbackAddress(), impatient.port())) {
        paused.getOutputStream().write(hello);
        stranger.getOutputStream().write(hello);
        assertThat(readAll(stranger)).hasSize(hello.length);
        assertThat(impatient.refused()).isEqualTo(1);
        assertThat(wrong.quiet()).isTrue();

        byte[] challenge = paused.getInputStream().readNBytes(hello.length);
        paused.getOutputStream().write(member.receive(ByteBuffer.wrap(challenge)));
        assertThat(right.next().connection().identity()).isEqualTo(ME);
        assertThat(patient.refused()).isZero();
      }
    }
  }

  /** Reads all bytes until the end, which may be a close or a reset. */
  private static byte[] readAll(Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    InputStream in = socket.getInputStream();
    byte[] all = new byte[4096];
    int n = 0;
    try {
      for (int r; (r = in.read(all, n, all.length - n)) > 0; n += r) {}
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
    return Arrays.copyOf(all, n);
  }

  @Test
  void manyStrangersDoNotKeepAMemberOut() throws Exception {
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Recorder left = new Recorder();
      Recorder right = new Recorder();
      Server server = loop.listen(at(0), 5000, (identity, remote) -> right);
      Socket[] strangers = new Socket[Server.MAX_UNPROVEN + 50];
      try {
        for (int i = 0; i < strangers.length; i++) {
          strangers[i] = new Socket(InetAddress.getLoopbackAddress(), server.port());
        }
        loop.connect(at(server.port()), ME, 30_000, 30_000, left);
        assertThat(left.next().closed()).isNull();
        assertThat(right.next().connection().identity()).isEqualTo(ME);
        assertThat(server.refused()).isGreaterThanOrEqualTo(50);
      } finally {
        for (Socket stranger : strangers) {
          if (stranger != null) {
            stranger.close();
          }
        }
      }
    }
  }

  @Test
  void frameOverTheBoundClosesTheConnection() throws Exception {
    try (NetLoop small = NetLoop.open("small", SECRET, 100, warning -> {});
        NetLoop big = NetLoop.open("big", SECRET, 1000, warning -> {})) {
      Recorder left = new Recorder();
      Recorder right = new Recorder();
      Server server = small.listen(at(0), 5000, (identity, remote) -> right);
      Connection out = big.connect(at(server.port()), ME, 30_000, 30_000, left);
      left.next();
      right.next();
      assertThatThrownBy(() -> out.send(new byte[1001]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> out.send(new byte[0])).isInstanceOf(IllegalArgumentException.class);
      out.send(new byte[101]);
      assertThat(right.next().end().why()).isEqualTo(Closed.Why.PROTOCOL);
      assertThat(left.next().end().why()).isIn(Closed.Why.PEER, Closed.Why.BROKEN);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void silenceIsNoticedAndIdlenessIsNot() throws Exception {
    try (NetLoop mine = NetLoop.open("mine", SECRET, 100, warning -> {});
        NetLoop other = NetLoop.open("other", SECRET, 100, warning -> {});
        NetLoop mute = NetLoop.open("mute", SECRET, 100, warning -> {})) {
      Recorder good = new Recorder();
      Recorder bad = new Recorder();
      Server server =
          mine.listen(at(0), 5000, (identity, remote) -> identity.length == 0 ? bad : good);
      Recorder left = new Recorder();
      Connection beating = other.connect(at(server.port()), ME, 30_000, 30_000, left);
      mute.connect(at(server.port()), new byte[0], 30_000, 30_000, new Recorder());
      left.next();
      beating.heartbeat(2500);
      good.next().connection().heartbeat(2500);
      Connection silent = bad.next().connection();
      silent.heartbeat(400);
      assertThat(bad.next().end().why()).isEqualTo(Closed.Why.SILENT);
      // The idle connection still works after several timeouts.
      CountDownLatch later = new CountDownLatch(1);
      mine.schedule(4, TimeUnit.SECONDS, later::countDown);
      assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
      beating.send(ME);
      assertThat(good.next().bytes()).isEqualTo(ME);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aLateLoopSuspectsItselfFirst() throws Exception {
    try (NetLoop mine = NetLoop.open("mine", SECRET, 100, warning -> {});
        NetLoop other = NetLoop.open("other", SECRET, 100, warning -> {})) {
      Recorder right = new Recorder();
      Recorder left = new Recorder();
      Server server = mine.listen(at(0), 5000, (identity, remote) -> right);
      other.connect(at(server.port()), ME, 30_000, 30_000, left);
      Connection out = left.next().connection();
      Connection in = right.next().connection();
      in.heartbeat(3000); // a machine under test may be as late as a second
      CountDownLatch stop = new CountDownLatch(1);
      // The watching thread stops for much longer than the timeout, and so does its input.
      mine.execute(
          () -> {
            try {
              assertThat(stop.await(7, TimeUnit.SECONDS)).isFalse();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            out.heartbeat(3000);
          });
      CountDownLatch later = new CountDownLatch(1);
      mine.schedule(11, TimeUnit.SECONDS, later::countDown);
      assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
      out.send(ME);
      assertThat(right.next().bytes()).isEqualTo(ME);
    }
  }

  @Test
  void pendingBytesShowAPeerThatDoesNotRead() throws Exception {
    try (NetLoop mine = NetLoop.open("mine", SECRET, NetLoop.MAX_FRAME, warning -> {});
        NetLoop other = NetLoop.open("other", SECRET, NetLoop.MAX_FRAME, warning -> {})) {
      Recorder right = new Recorder();
      Recorder left = new Recorder();
      Server server = mine.listen(at(0), 5000, (identity, remote) -> right);
      Connection out = other.connect(at(server.port()), ME, 30_000, 30_000, left);
      left.next();
      right.next();
      CountDownLatch go = new CountDownLatch(1);
      mine.execute(
          () -> {
            try {
              assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      byte[] big = new byte[NetLoop.MAX_FRAME];
      for (int i = 0; i < 4; i++) {
        out.send(big);
      }
      assertThat(out.pendingBytes()).isGreaterThan(NetLoop.MAX_FRAME);
      go.countDown();
      for (int i = 0; i < 4; i++) {
        assertThat(right.next().bytes()).hasSize(NetLoop.MAX_FRAME);
      }
      out.send(ME);
      assertThat(right.next().bytes()).isEqualTo(ME);
      CountDownLatch written = new CountDownLatch(1);
      other.execute(written::countDown);
      assertThat(written.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(out.pendingBytes()).isZero();
    }
  }

  @Test
  void closingTheLoopNotifiesAllHandlersAndEndsTheThread() throws Exception {
    Recorder right = new Recorder();
    Recorder left = new Recorder();
    NetLoop mine = NetLoop.open("mine", SECRET, 100, warning -> {});
    try (NetLoop other = NetLoop.open("other", SECRET, 100, warning -> {})) {
      Server server = mine.listen(at(0), 5000, (identity, remote) -> right);
      other.connect(at(server.port()), ME, 30_000, 30_000, left);
      left.next();
      right.next().connection().send(ME);
      mine.close();
      mine.close();
      assertThat(right.next().end().why()).isEqualTo(Closed.Why.HERE);
      assertThat(left.next().bytes()).isEqualTo(ME);
      assertThat(left.next().end().why()).isIn(Closed.Why.PEER, Closed.Why.BROKEN);
      other.connect(at(server.port()), ME, 30_000, 30_000, left);
      assertThat(left.next().end().why()).isEqualTo(Closed.Why.NO_LISTENER);
    }
  }
}
