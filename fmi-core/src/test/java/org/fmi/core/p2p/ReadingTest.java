package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Long messages that the receiver reads from the sender's memory. */
class ReadingTest {
  private static final int CONTEXT = 0;
  private static final int BYTES = 20_000;

  static Stream<Arguments> networks() {
    return Stream.of(
        Arguments.of(1L, Options.PLAIN.reading()),
        Arguments.of(2L, Options.ROUGH.reading()),
        Arguments.of(3L, Options.ROUGH.reading()),
        Arguments.of(4L, new Options(64, 0, 2, 0.5, 0.5).reading()));
  }

  private static MemorySegment nativeMemory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 8);
  }

  private static MemorySegment memory(Random random, long bytes) {
    return random.nextBoolean()
        ? nativeMemory(bytes)
        : MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
  }

  private static void fill(MemorySegment memory, long seed) {
    Random random = new Random(seed);
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
  }

  private static void check(MemorySegment memory, long at, long bytes, long seed) {
    MemorySegment expected = MemorySegment.ofArray(new byte[(int) bytes]);
    fill(expected, seed);
    assertThat(memory.asSlice(at, bytes).mismatch(expected)).as("first wrong byte").isEqualTo(-1);
  }

  /** Native and heap memory on either side, from any source, unexpected or not. */
  @ParameterizedTest
  @MethodSource("networks")
  void allKindsOfMemoryMeet(long seed, Options options) {
    int size = 3;
    int rounds = 40;
    MemoryNetwork network = new MemoryNetwork(size, seed, options);
    Ranks.run(
        network,
        size,
        m -> {
          Random random = new Random(seed * 31 + m.rank());
          for (int round = 0; round < rounds; round++) {
            long of = seed * 1_000 + round;
            int bytes = new Random(of).nextInt(BYTES);
            List<Request> sends = new ArrayList<>();
            for (int peer = 0; peer < size; peer++) {
              MemorySegment out = memory(random, 16 + bytes);
              fill(out.asSlice(16), of * 10 + m.rank());
              Mode mode = random.nextBoolean() ? Mode.STANDARD : Mode.SYNCHRONOUS;
              sends.add(m.isend(out, 16, bytes, peer, CONTEXT, round, mode));
            }
            for (int i = 0; i < size; i++) {
              MemorySegment in = memory(random, 8 + bytes);
              Status s = m.recv(in, 8, bytes, Comm.ANY_SOURCE, CONTEXT, round);
              check(in, 8, bytes, of * 10 + s.source());
            }
            Request.waitAll(sends);
          }
        },
        "seed " + seed + ", " + options);
    assertThat(network.bytesRead()).isPositive();
    assertThat(network.exposures()).isZero();
  }

  @Test
  void aMessageTooLongForItsBufferIsNotRead() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN.reading());
    Ranks.run(
        network,
        2,
        m -> {
          MemorySegment memory = nativeMemory(BYTES);
          if (m.rank() == 0) {
            m.send(memory, 0, BYTES, 1, CONTEXT, 1, Mode.STANDARD);
          } else {
            assertThatThrownBy(() -> m.recv(memory, 0, BYTES - 1, 0, CONTEXT, 1))
                .isInstanceOfSatisfying(
                    FmiException.class,
                    e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TRUNCATE));
          }
        },
        "truncated");
    assertThat(network.bytesRead()).isZero();
    assertThat(network.exposures()).isZero();
  }

  @Test
  void theNextReceiveGetsACancelledReceivesMessage() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN.reading());
    Ranks.run(
        network,
        2,
        m -> {
          MemorySegment memory = nativeMemory(BYTES);
          if (m.rank() == 0) {
            m.recv(memory, 0, 0, 1, CONTEXT, 2);
            fill(memory, 9);
            m.send(memory, 0, BYTES, 1, CONTEXT, 1, Mode.STANDARD);
          } else {
            MemorySegment cancelled = nativeMemory(BYTES);
            Request r = m.irecv(cancelled, 0, BYTES, 0, CONTEXT, 1);
            assertThat(r.cancel()).isTrue();
            m.send(memory, 0, 0, 0, CONTEXT, 2, Mode.STANDARD);
            m.recv(memory, 0, BYTES, 0, CONTEXT, 1);
            check(memory, 0, BYTES, 9);
            assertThat(cancelled.mismatch(nativeMemory(BYTES))).isEqualTo(-1);
          }
        },
        "cancelled");
    assertThat(network.bytesRead()).isEqualTo(BYTES);
  }

  /** Memory that a checkpoint fetches, or a discard drops, is not exposed any longer. */
  @Test
  void unexpectedMessagesAreFetchedAndDiscarded() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN.reading());
    Ranks.run(
        network,
        2,
        m -> {
          MemorySegment memory = nativeMemory(BYTES);
          if (m.rank() == 0) {
            fill(memory, 3);
            for (int i = 0; i < 2; i++) {
              m.send(memory, 0, BYTES, 1, CONTEXT, 1, Mode.STANDARD);
            }
          } else {
            while (m.userArrived() < 1) {
              m.poll();
            }
            m.fetchUnexpected();
            assertThat(m.recv(memory, 0, BYTES, 0, CONTEXT, 1).bytes()).isEqualTo(BYTES);
            check(memory, 0, BYTES, 3);
            while (m.userArrived() < 2) {
              m.poll();
            }
            m.mailbox().discard();
            m.poll();
            assertThat(m.iprobe(0, CONTEXT, 1)).isNull();
          }
        },
        "unexpected");
    assertThat(network.bytesRead()).isZero();
    assertThat(network.exposures()).isZero();
  }

  /** The epoch ends at every point of an exchange: afterwards no memory is touched. */
  @Test
  void afterARollbackMemoryIsTheProgramsAgain() {
    boolean all = false;
    int interrupted = 0;
    for (int polls = 0; !all; polls++) {
      MemoryNetwork network = new MemoryNetwork(2, polls, Options.PLAIN.reading());
      Messenger[] m = new Messenger[2];
      for (int i = 0; i < 2; i++) {
        m[i] = Ranks.messenger(i, 2);
        m[i].enter(0, new Transport[] {network.transport(i)});
      }
      MemorySegment out = nativeMemory(BYTES);
      MemorySegment in = nativeMemory(BYTES);
      fill(out, 5);
      Request send = m[0].isend(out, 0, BYTES, 1, CONTEXT, 1, Mode.STANDARD);
      Request receive = m[1].irecv(in, 0, BYTES, 0, CONTEXT, 1);
      for (int i = 0; i < polls; i++) {
        m[1 - i % 2].poll();
      }
      all = send.test() && receive.test();
      for (int i = 0; i < 2; i++) {
        m[i].revoke(0, "somebody died");
        Messenger of = m[i];
        assertThatThrownBy(of::poll).isInstanceOf(Rollback.class);
      }
      assertThat(network.exposures()).isZero();
      out.fill((byte) 1);
      in.fill((byte) 2);
      m[1].enter(1, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(1)});
      m[1].poll();
      network.transport(1).poll(m[1]);
      assertThat(in.mismatch(nativeMemory(BYTES).fill((byte) 2))).isEqualTo(-1);
      interrupted += all ? 0 : 1;
    }
    assertThat(interrupted).isGreaterThan(BYTES / 1024);
  }
}
