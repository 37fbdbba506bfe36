package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between ranks, over a reliable network and a faulty one. */
class MessengerTest {
  private static final int CONTEXT = 0;

  static Stream<Arguments> networks() {
    return Stream.of(
        Arguments.of(1L, Options.PLAIN),
        Arguments.of(2L, Options.ROUGH),
        Arguments.of(3L, Options.ROUGH),
        Arguments.of(4L, new Options(64, 0, 2, 0.5, 0.5)),
        Arguments.of(5L, new Options(64 << 10, 64 << 10, 3, 0.1, 0.1)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void messagesOfOnePairArriveInOrder(long seed, Options options) {
    int n = 3_000;
    Ranks.run(
        2,
        seed,
        options,
        m -> {
          Random random = new Random(seed);
          if (m.rank() == 0) {
            List<Request> pending = new ArrayList<>();
            for (int i = 0; i < n; i++) {
              int[] message = new int[1 + random.nextInt(40)];
              message[0] = i;
              long bytes = 4L * message.length;
              switch (random.nextInt(4)) {
                case 0 -> m.send(message, 0, bytes, 1, CONTEXT, 5, Mode.STANDARD);
                case 1 -> m.send(message, 0, bytes, 1, CONTEXT, 5, Mode.SYNCHRONOUS);
                case 2 -> {
                  m.attachBuffer(1 << 20);
                  m.send(message, 0, bytes, 1, CONTEXT, 5, Mode.BUFFERED);
                  message[0] = -1;
                }
                default -> pending.add(m.isend(message, 0, bytes, 1, CONTEXT, 5, Mode.STANDARD));
              }
            }
            Request.waitAll(pending);
            m.attachBuffer(0);
            assertThat(m.activeRequests()).isZero();
            assertThat(m.userSent()).isEqualTo(n);
          } else {
            for (int i = 0; i < n; i++) {
              int length = 4 * (1 + random.nextInt(40));
              random.nextInt(4);
              int[] got = new int[40];
              boolean wild = i % 3 == 0;
              Status s =
                  m.recv(
                      got,
                      0,
                      160,
                      wild ? Comm.ANY_SOURCE : 0,
                      CONTEXT,
                      i % 7 == 0 ? Comm.ANY_TAG : 5);
              assertThat(got[0]).isEqualTo(i);
              assertThat(s).isEqualTo(new Status(0, 5, length));
            }
            assertThat(m.userArrived()).isEqualTo(n);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("networks")
  void allRanksExchangeAtOnce(long seed, Options options) {
    int size = 4;
    int rounds = 20;
    Ranks.run(
        size,
        seed,
        options,
        m -> {
          Random random = new Random(seed);
          for (int round = 0; round < rounds; round++) {
            int n = random.nextInt(20_000);
            List<Request> all = new ArrayList<>();
            double[][] in = new double[size][n];
            for (int peer = 0; peer < size; peer++) {
              double[] out = new double[n + 1];
              Arrays.setAll(out, i -> m.rank() * 1e6 + i);
              all.add(m.isend(out, 8, 8L * n, peer, CONTEXT, round, Mode.STANDARD));
              all.add(m.irecv(in[peer], 0, 8L * n, peer, CONTEXT, round));
            }
            Request.waitAll(all);
            for (int peer = 0; peer < size; peer++) {
              for (int i = 0; i < n; i++) {
                if (in[peer][i] != peer * 1e6 + i + 1) {
                  throw new AssertionError("element " + i + " of rank " + peer);
                }
              }
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("networks")
  void largeMessagesPassEachOther(long seed, Options options) {
    int n = 300_000;
    Ranks.run(
        2,
        seed,
        options,
        m -> {
          byte[] out = new byte[n];
          new Random(m.rank()).nextBytes(out);
          byte[] in = new byte[n];
          int other = 1 - m.rank();
          Request r = m.irecv(in, 0, n, other, CONTEXT, 0);
          m.send(out, 0, n, other, CONTEXT, 0, Mode.STANDARD);
          r.waitFor();
          byte[] expected = new byte[n];
          new Random(other).nextBytes(expected);
          assertThat(in).isEqualTo(expected);
        });
  }

  @Test
  void smallMessagesOvertakeTheDataOfLargeOnes() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] large = new byte[64 << 20];
          byte[] small = new byte[8];
          if (m.rank() == 0) {
            Request r = m.isend(large, 0, large.length, 1, CONTEXT, 1, Mode.STANDARD);
            m.recv(small, 0, 8, 1, CONTEXT, 2);
            m.send(small, 0, 8, 1, CONTEXT, 3, Mode.STANDARD);
            r.waitFor();
          } else {
            Request r = m.irecv(large, 0, large.length, 0, CONTEXT, 1);
            m.send(small, 0, 8, 0, CONTEXT, 2, Mode.STANDARD);
            m.recv(small, 0, 8, 0, CONTEXT, 3);
            assertThat(r.status()).isNull();
            assertThat(r.waitFor().bytes()).isEqualTo(large.length);
          }
        });
  }

  /** Its sender may make no call for long afterwards. */
  @Test
  void aLongSendEndsWhenTheTransportHasHandedItOver() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    Messenger[] m = messengers(network, 2);
    byte[] data = new byte[100_000];
    Request[] sends = new Request[2];
    Request[] receives = new Request[2];
    network.holding = true;
    for (int i = 0; i < 2; i++) {
      sends[i] = m[0].isend(data, 0, data.length, 1, CONTEXT, i, Mode.STANDARD);
      receives[i] = m[1].irecv(data, 0, data.length, 0, CONTEXT, i);
    }
    poll(m);
    assertThat(receives[0].status()).isNotNull();
    assertThat(Request.testSome(sends)).isEmpty();
    network.holding = false;
    poll(m);
    assertThat(Request.testAll(sends)).isTrue();
    assertThat(Request.testAll(receives)).isTrue();
  }

  /** Creates messengers that all run on the test's thread. */
  private static Messenger[] messengers(MemoryNetwork network, int size) {
    Messenger[] all = new Messenger[size];
    for (int i = 0; i < size; i++) {
      all[i] = Ranks.messenger(i, size);
      all[i].enter(0, new Transport[] {network.transport(i)});
    }
    return all;
  }

  /** Polls until nothing moves any more. */
  private static void poll(Messenger[] messengers) {
    for (int i = 0; i < 100; i++) {
      for (Messenger m : messengers) {
        m.poll();
      }
    }
  }

  @Test
  void wildcardsTakeTheMessageThatArrivedFirst() {
    Ranks.run(
        3,
        1,
        Options.PLAIN,
        m -> {
          int[] box = {m.rank()};
          if (m.rank() > 0) {
            m.send(box, 0, 4, 0, CONTEXT, 10 + m.rank(), Mode.STANDARD);
            m.send(box, 0, 4, 0, CONTEXT, 20, Mode.STANDARD);
          } else {
            Status first = m.probe(Comm.ANY_SOURCE, CONTEXT, 11);
            assertThat(first).isEqualTo(new Status(1, 11, 4));
            m.probe(2, CONTEXT, 12);
            assertThat(m.recv(box, 0, 4, 2, CONTEXT, Comm.ANY_TAG).tag()).isEqualTo(12);
            assertThat(m.recv(box, 0, 4, Comm.ANY_SOURCE, CONTEXT, 11).source()).isEqualTo(1);
            int sum = m.recv(box, 0, 4, Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG).source();
            sum += m.recv(box, 0, 4, Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG).source();
            assertThat(sum).isEqualTo(3);
            assertThat(m.iprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG)).isNull();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("networks")
  void aMessageTooLongIsAnErrorAndIsConsumed(long seed, Options options) {
    Ranks.run(
        2,
        seed,
        options,
        m -> {
          int[] lengths = {16, 40_000};
          byte[] data = new byte[40_000];
          for (int length : lengths) {
            if (m.rank() == 0) {
              m.send(data, 0, length, 1, CONTEXT, 1, Mode.STANDARD);
              m.send(data, 0, length, 1, CONTEXT, 1, Mode.STANDARD);
              m.send(data, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
            } else {
              byte[] in = new byte[8];
              assertThatThrownBy(() -> m.recv(in, 0, 8, 0, CONTEXT, 1))
                  .isInstanceOfSatisfying(
                      FmiException.class,
                      e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TRUNCATE))
                  .hasMessageContaining("world rank 0")
                  .hasMessageContaining(length + " bytes");
              Request r = m.irecv(in, 0, 8, 0, CONTEXT, 1);
              assertThatThrownBy(r::waitFor).isInstanceOf(FmiException.class);
              assertThatThrownBy(r::test).isInstanceOf(FmiException.class);
              assertThat(m.recv(in, 0, 8, 0, CONTEXT, 1).bytes()).isEqualTo(8);
            }
          }
        });
  }

  /** No byte of a message is dropped silently. */
  @ParameterizedTest
  @MethodSource("networks")
  void aMessageThatIsNoWholeNumberOfElements(long seed, Options options) {
    Ranks.run(
        2,
        seed,
        options,
        m -> {
          byte[] data = new byte[40_002];
          int[] in = new int[11_000];
          for (int length : new int[] {2, 10, 40_002}) {
            // To rank 1, from both ranks.
            m.send(data, 0, length, 1, CONTEXT, 1, Mode.STANDARD);
            m.send(data, 0, length, 1, CONTEXT, 1, Mode.STANDARD);
            m.send(data, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
            if (m.rank() == 1) {
              for (int from = 0; from < 2; from++) {
                int source = from;
                assertThatThrownBy(() -> m.recv(in, 0, 44_000, source, CONTEXT, 1))
                    .isInstanceOfSatisfying(
                        FmiException.class,
                        e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TYPE))
                    .hasMessageContaining(length + " bytes")
                    .hasMessageContaining("4 bytes each");
                Request r = m.irecv(in, 0, 44_000, source, CONTEXT, 1);
                assertThatThrownBy(r::waitFor).isInstanceOf(FmiException.class);
                assertThat(m.recv(in, 0, 44_000, source, CONTEXT, 1).bytes()).isEqualTo(8);
              }
            }
          }
        });
  }

  @Test
  void aSynchronousSendEndsWhenItIsMatched() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[8];
          if (m.rank() == 0) {
            Request r = m.isend(box, 0, 8, 1, CONTEXT, 1, Mode.SYNCHRONOUS);
            Request empty = m.isend(box, 0, 0, 1, CONTEXT, 3, Mode.SYNCHRONOUS);
            // The answer proves that rank 1 has seen the announcements.
            m.recv(box, 0, 8, 1, CONTEXT, 2);
            assertThat(r.test()).isFalse();
            assertThat(empty.test()).isFalse();
            assertThat(m.activeRequests()).isEqualTo(2);
            m.send(box, 0, 8, 1, CONTEXT, 2, Mode.STANDARD);
            assertThat(r.waitFor()).isEqualTo(Status.EMPTY);
            empty.waitFor();
            assertThat(m.activeRequests()).isZero();
          } else {
            m.probe(0, CONTEXT, 1);
            m.probe(0, CONTEXT, 3);
            m.send(box, 0, 8, 0, CONTEXT, 2, Mode.STANDARD);
            m.recv(box, 0, 8, 0, CONTEXT, 2);
            m.recv(box, 0, 8, 0, CONTEXT, 1);
            m.recv(box, 0, 8, 0, CONTEXT, 3);
          }
        });
  }

  @Test
  void bufferedSendsNeedRoom() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[10_000];
          if (m.rank() == 0) {
            assertThatThrownBy(() -> m.send(box, 0, 1, 1, CONTEXT, 1, Mode.BUFFERED))
                .isInstanceOfSatisfying(
                    FmiException.class,
                    e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.BUFFER));
            m.attachBuffer(15_000);
            box[9_999] = 1;
            m.send(box, 0, 10_000, 1, CONTEXT, 1, Mode.BUFFERED);
            box[9_999] = 2;
            assertThatThrownBy(() -> m.isend(box, 0, 10_000, 1, CONTEXT, 1, Mode.BUFFERED))
                .isInstanceOf(FmiException.class);
            assertThat(m.activeRequests()).isZero();
            m.send(box, 0, 0, 1, CONTEXT, 2, Mode.STANDARD);
            m.attachBuffer(0);
            m.attachBuffer(10_000);
            assertThat(m.isend(box, 0, 10_000, 1, CONTEXT, 1, Mode.BUFFERED).test()).isTrue();
            m.attachBuffer(0);
          } else {
            m.recv(box, 0, 0, 0, CONTEXT, 2);
            m.recv(box, 0, 10_000, 0, CONTEXT, 1);
            assertThat(box[9_999]).isEqualTo((byte) 1);
            m.recv(box, 0, 10_000, 0, CONTEXT, 1);
            assertThat(box[9_999]).isEqualTo((byte) 2);
          }
        });
  }

  @Test
  void aRankSendsToItself() {
    Ranks.run(
        1,
        1,
        Options.PLAIN,
        m -> {
          double[] out = {1.5, 2.5};
          byte[] in = new byte[16];
          m.send(out, 0, 16, 0, CONTEXT, 1, Mode.STANDARD);
          out[0] = 0;
          assertThat(m.iprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG))
              .isEqualTo(new Status(0, 1, 16));
          m.recv(in, 0, 16, 0, CONTEXT, 1);
          assertThat(MemorySegment.ofArray(in).get(FrameLayout.LONG, 0))
              .isEqualTo(Double.doubleToRawLongBits(1.5));

          // Posted first, of another type; all modes.
          m.attachBuffer(1 << 20);
          for (Mode mode : Mode.values()) {
            Request r = m.irecv(in, 0, 16, Comm.ANY_SOURCE, CONTEXT, 2);
            m.send(out, 0, 16, 0, CONTEXT, 2, mode);
            assertThat(r.waitFor()).isEqualTo(new Status(0, 2, 16));
          }

          // Sent first, longer than a copy, and synchronous.
          long[] large = new long[20_000];
          large[19_999] = 3;
          long[] to = new long[20_000];
          Request s = m.isend(large, 0, 160_000, 0, CONTEXT, 3, Mode.STANDARD);
          Request t = m.isend(large, 0, 8, 0, CONTEXT, 4, Mode.SYNCHRONOUS);
          m.send(large, 0, 160_000, 0, CONTEXT, 5, Mode.BUFFERED);
          assertThat(s.test()).isFalse();
          assertThat(t.test()).isFalse();
          m.recv(to, 0, 160_000, 0, CONTEXT, 3);
          assertThat(to).isEqualTo(large);
          assertThat(s.test()).isTrue();
          m.recv(to, 0, 8, 0, CONTEXT, 4);
          assertThat(t.test()).isTrue();
          m.recv(to, 0, 160_000, 0, CONTEXT, 5);
          m.attachBuffer(0);

          // Messages stay in order, whatever their path.
          for (int i = 0; i < 10; i++) {
            large[0] = i;
            m.send(large, 0, i % 2 == 0 ? 8 : 160_000, 0, CONTEXT, 6, Mode.STANDARD);
          }
          for (int i = 0; i < 10; i++) {
            m.recv(to, 0, 160_000, 0, CONTEXT, 6);
            assertThat(to[0]).isEqualTo(i);
          }

          assertThatThrownBy(() -> m.send(out, 0, 8, 0, CONTEXT, 7, Mode.SYNCHRONOUS))
              .isInstanceOf(FmiException.class)
              .hasMessageContaining("post its receive first");
          m.send(out, 0, 16, 0, CONTEXT, 8, Mode.STANDARD);
          assertThatThrownBy(() -> m.recv(in, 0, 8, 0, CONTEXT, 8))
              .isInstanceOf(FmiException.class);
          assertThat(Ranks.unexpected(m)).isZero();
          assertThat(m.activeRequests()).isZero();
          assertThat(m.userSent()).isZero();
        });
  }

  @Test
  void aReceiveThatMatchedNothingCanBeCancelled() {
    Ranks.run(
        1,
        1,
        Options.PLAIN,
        m -> {
          byte[] box = new byte[1];
          Request a = m.irecv(box, 0, 1, 0, CONTEXT, 1);
          Request b = m.irecv(box, 0, 1, 0, CONTEXT, 1);
          assertThat(a.cancel()).isTrue();
          assertThat(a.test()).isTrue();
          m.send(box, 0, 1, 0, CONTEXT, 1, Mode.STANDARD);
          assertThat(b.cancel()).isFalse();
          assertThat(b.waitFor().bytes()).isEqualTo(1);
          assertThat(m.activeRequests()).isZero();
        });
  }

  @ParameterizedTest
  @MethodSource("networks")
  void waitAnyAndWaitSomeGetAll(long seed, Options options) {
    int n = 200;
    Ranks.run(
        3,
        seed,
        options,
        m -> {
          int[] value = {0};
          if (m.rank() > 0) {
            for (int i = 0; i < n; i++) {
              value[0] = i;
              m.send(value, 0, 4, 0, CONTEXT, i, Mode.STANDARD);
            }
            return;
          }
          for (int half = 0; half < 2; half++) {
            Request[] all = new Request[n];
            int[][] in = new int[n][1];
            for (int i = 0; i < n; i++) {
              int tag = half * n / 2 + i / 2;
              all[i] = m.irecv(in[i], 0, 4, 1 + i % 2, CONTEXT, tag);
            }
            int got = 0;
            while (got < n) {
              if (got < n / 2) {
                int i = Request.waitAny(all);
                all[i] = null;
                got++;
              } else {
                for (int i : Request.waitSome(all)) {
                  all[i] = null;
                  got++;
                }
              }
            }
            for (int i = 0; i < n; i++) {
              assertThat(in[i][0]).isEqualTo(half * n / 2 + i / 2);
            }
          }
        });
  }

  /** A transport may throw, for example without memory for a connection, and work later. */
  @ParameterizedTest
  @ValueSource(ints = {8, 100_000})
  void aFailedSendLeavesNothing(int bytes) {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN.reading());
    Messenger[] m = messengers(network, 2);
    m[0].attachBuffer(bytes);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(bytes);
      for (Mode mode : Mode.values()) {
        network.failOffer(0, 1, 0);
        assertFails(() -> m[0].isend(data, 0, bytes, 1, CONTEXT, 1, mode));
        network.failOffer(0, 1, 0);
        assertFails(() -> m[0].send(data, 0, bytes, 1, CONTEXT, 1, mode));
      }
      poll(m);
      assertThat(m[0].userSent()).isZero();
      assertThat(m[0].activeRequests()).isZero();
      assertThat(network.exposures()).isZero();
      assertThat(Ranks.unexpected(m[1])).isZero();

      Request again = m[0].isend(data, 0, bytes, 1, CONTEXT, 2, Mode.BUFFERED);
      Request receive = m[1].irecv(new byte[bytes], 0, bytes, 0, CONTEXT, Comm.ANY_TAG);
      poll(m);
      assertThat(again.test()).isTrue();
      assertThat(receive.waitFor()).isEqualTo(new Status(0, 2, bytes));
      assertThat(m[0].userSent()).isEqualTo(1);
      assertThat(m[1].userArrived()).isEqualTo(1);
      m[0].attachBuffer(0);
    }
  }

  @Test
  void aSendFailingWhileItWaitsLeavesNothing() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    Messenger[] m = messengers(network, 2);
    byte[] data = new byte[100_000];
    int sent = fill(m[0], 1);
    network.failOffer(0, 1, 1);
    assertFails(() -> m[0].send(data, 0, data.length, 1, CONTEXT, 2, Mode.STANDARD));
    poll(m);
    assertThat(m[0].userSent()).isEqualTo(sent);
    assertThat(m[1].userArrived()).isEqualTo(sent);
  }

  @Test
  void aFailedReceiveTakesNoLaterMessage() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    Messenger[] m = messengers(network, 2);
    byte[] data = new byte[8];
    network.failOffer(0, 1, 0);
    assertFails(() -> m[0].sendRecv(data, 0, 8, 1, 1, data, 0, 8, 1, 1, CONTEXT));
    fill(m[0], 1);
    Request queued = m[0].isend(data, 0, 8, 1, CONTEXT, 1, Mode.SYNCHRONOUS);
    network.failOffer(0, 1, 0);
    assertFails(() -> m[0].recv(data, 0, 8, 1, CONTEXT, 1));
    m[1].send(data, 0, 8, 0, CONTEXT, 1, Mode.STANDARD);
    poll(m);
    assertThat(Ranks.unexpected(m[0])).isEqualTo(1);
    assertThat(m[0].recv(data, 0, 8, 1, CONTEXT, 1)).isEqualTo(new Status(1, 1, 8));
    assertThat(queued.test()).isFalse();
  }

  @Test
  void aFailedPeerDoesNotDisturbMessagesToOthers() {
    MemoryNetwork network = new MemoryNetwork(3, 1, Options.PLAIN);
    Messenger[] m = messengers(network, 3);
    byte[] data = new byte[8];
    int sent = fill(m[0], 1) + fill(m[0], 2);
    for (int peer = 1; peer < 3; peer++) {
      m[0].isend(data, 0, 8, peer, CONTEXT, 1, Mode.SYNCHRONOUS);
    }
    m[1].poll();
    for (int i = 0; i < 10; i++) {
      network.failOffer(0, 2, 0);
      assertFails(() -> m[0].isend(data, 0, 8, 1, CONTEXT, 1, Mode.SYNCHRONOUS));
    }
    poll(m);
    // The first of the ten was in flight when peer 2 failed.
    assertThat(m[1].userArrived() + m[2].userArrived()).isEqualTo(sent + 3);
    assertThat(m[0].userSent()).isEqualTo(sent + 3);
    assertThat(m[0].activeRequests()).isEqualTo(3);
  }

  private static void assertFails(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(FmiException.class).hasMessageContaining("no room");
  }

  /** Sends messages until the window to a peer is full; returns their number. */
  private static int fill(Messenger m, int peer) {
    for (int i = 0; i < Options.PLAIN.slots(); i++) {
      m.send(new byte[8], 0, 8, peer, CONTEXT, 0, Mode.STANDARD);
    }
    return Options.PLAIN.slots();
  }

  @Test
  void anUnreachablePeerIsAClearError() {
    Messenger m = Ranks.messenger(0, 3);
    MemoryNetwork two = new MemoryNetwork(2, 1, Options.PLAIN);
    m.enter(0, new Transport[] {two.transport(0)});
    assertThatThrownBy(() -> m.send(new byte[1], 0, 1, 2, CONTEXT, 0, Mode.STANDARD))
        .isInstanceOf(FmiException.class)
        .hasMessageContaining("rank 2 cannot be reached from rank 0; transports: memory");
  }
}
