package org.fmi.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session loses nothing and repeats nothing, whenever its connections end. */
@Timeout(120)
final class SessionTest {
  private static final byte[] SECRET = new byte[32];
  private static final int FRAMES = 20_000;

  /** One side: counts the frames of the other, which carry their numbers. */
  private static final class Side implements ConnectionHandler {
    final Session session = new Session();
    final CountDownLatch all = new CountDownLatch(1);
    final AtomicInteger failures = new AtomicInteger();
    volatile @Nullable Connection open;
    int next;
    Runnable onClosed = () -> {};

    @Override
    public void onOpen(Connection connection) {
      open = connection;
      session.open(connection);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer arrived) {
      try {
        ByteBuffer frame = session.received(connection, arrived);
        if (frame != null) {
          failures.addAndGet(frame.getInt() == next++ ? 0 : 1);
          if (next == FRAMES) {
            all.countDown();
          }
        }
      } catch (Session.ProtocolException e) {
        failures.incrementAndGet();
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      session.closed(connection);
      onClosed.run();
    }
  }

  private static byte[] frame(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void eachFrameArrivesOnceAndInOrderThoughConnectionsEnd(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    try (NetLoop here = NetLoop.open("here", SECRET, 100, warning -> {});
        NetLoop there = NetLoop.open("there", SECRET, 100, warning -> {})) {
      Side dialler = new Side();
      Side acceptor = new Side();
      Server server =
          there.listen(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              30_000,
              (identity, remote) -> acceptor);
      InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
      dialler.onClosed = () -> here.connect(at, new byte[1], 30_000, 30_000, dialler);
      here.connect(at, new byte[1], 30_000, 30_000, dialler);
      for (int i = 0; i < FRAMES; i++) {
        dialler.session.send(frame(i));
        if (random.nextBoolean()) {
          Session.sendAll(there, List.of(acceptor.session), frame(i));
        } else {
          acceptor.session.send(frame(i));
        }
        if (random.nextInt(2000) == 0) {
          Connection either = random.nextBoolean() ? dialler.open : acceptor.open;
          if (either != null) {
            either.close();
          }
        }
      }
      assertThat(dialler.all.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(acceptor.all.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(dialler.failures.get() + acceptor.failures.get()).isZero();
      dialler.onClosed = () -> {};
    }
  }

  /** Sends nothing and hears what a test makes up. */
  @Test
  void whatDoesNotContinueItIsRefused() throws Exception {
    Recorder left = new Recorder();
    Recorder right = new Recorder();
    try (NetLoop loop = NetLoop.open("test", SECRET, 100, warning -> {})) {
      Server server =
          loop.listen(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              30_000,
              (identity, remote) -> right);
      loop.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
          new byte[1],
          30_000,
          30_000,
          left);
      Connection connection = left.next().connection();
      Session session = new Session();
      session.open(connection);
      session.send(frame(7));
      ByteBuffer one = ByteBuffer.allocate(9).put((byte) 1).putLong(1).flip();
      assertThat(session.received(connection, one)).isNull();
      ByteBuffer none = ByteBuffer.allocate(9).put((byte) 1).putLong(0).flip();
      assertThatThrownBy(() -> session.received(connection, none))
          .isInstanceOf(Session.ProtocolException.class)
          .hasMessageContaining("0 frames of 1");
      ByteBuffer two = ByteBuffer.allocate(9).put((byte) 1).putLong(2).flip();
      assertThatThrownBy(() -> session.received(connection, two))
          .isInstanceOf(Session.ProtocolException.class);
      ByteBuffer unknown = ByteBuffer.allocate(3).put((byte) 2).putShort((short) 0).flip();
      assertThatThrownBy(() -> session.received(connection, unknown))
          .isInstanceOf(Session.ProtocolException.class)
          .hasMessageContaining("kind 2");
      Connection other = right.next().connection();
      assertThat(session.received(other, frameOf(1))).as("of another connection").isNull();
      assertThat(session.received(connection, frameOf(1))).isEqualTo(ByteBuffer.wrap(frame(1)));
    }
  }

  private static ByteBuffer frameOf(int number) {
    return ByteBuffer.allocate(5).put((byte) 0).putInt(number).flip();
  }
}
