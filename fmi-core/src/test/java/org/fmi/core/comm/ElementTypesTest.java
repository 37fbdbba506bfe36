package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.Status;
import org.junit.jupiter.api.Test;

/** A message is refused if its elements have another type than its receive, however it is sent. */
final class ElementTypesTest {
  private static final int TAG = 7;
  private static final int DONE = 8;

  /** More than an announcement carries. */
  private static final int LONG = 200_000;

  /** A way to receive a message into a buffer. */
  private interface Way {
    void receive(Comm world, Object into);
  }

  private static final Map<String, Way> WAYS =
      new TreeMap<>(
          Map.of(
              "recv",
              (c, into) -> c.recv(into, 0, TAG),
              "any source and tag",
              (c, into) -> c.recv(into, Comm.ANY_SOURCE, Comm.ANY_TAG),
              "irecv",
              (c, into) -> c.irecv(into, 0, TAG).waitFor(),
              "probed before",
              (c, into) -> {
                Status found = c.probe(0, Comm.ANY_TAG);
                assertThat(found.tag()).isEqualTo(TAG);
                c.recv(into, found.source(), found.tag());
              },
              "tested",
              (c, into) -> {
                Request receive = c.irecv(into, Comm.ANY_SOURCE, TAG);
                while (!receive.test()) {
                  Thread.onSpinWait();
                }
              },
              "sendRecv",
              (c, into) -> c.sendRecv(new byte[0], 1, TAG + 2, into, 0, TAG)));

  private static void assertRefused(String what, Runnable receive) {
    assertThatThrownBy(receive::run)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.TYPE))
        .hasMessage(
            "TYPE: world rank 0 has sent "
                + what
                + ", with tag 7: send and receive elements of one type, or receive bytes (byte[],"
                + " ByteBuffer, MemorySegment)");
  }

  @Test
  void aMessageOfAnotherTypeIsRefused() {
    for (Map.Entry<String, Way> way : WAYS.entrySet()) {
      for (int bytes : new int[] {16, LONG}) {
        String what =
            "int[%d] where world rank 1 receives double[%d]".formatted(bytes / 4, bytes / 8);
        Worlds.run(
            2,
            world -> {
              if (world.rank() == 0) {
                world.send(new int[bytes / 4], 1, TAG);
                world.send(new long[] {9}, 1, DONE);
              } else {
                assertRefused(what, () -> way.getValue().receive(world, new double[bytes / 8]));
                if (way.getKey().equals("sendRecv")) {
                  world.recv(new double[0], 1, TAG + 2);
                }
                // The next message arrives intact.
                long[] next = new long[1];
                world.recv(next, 0, DONE);
                assertThat(next).containsExactly(9);
              }
            });
      }
    }
  }

  @Test
  void aMessageToOneselfIsRefusedToo() {
    Worlds.run(
        1,
        world -> {
          for (int bytes : new int[] {16, LONG}) {
            String what =
                "char[%d] where world rank 0 receives short[%d]".formatted(bytes / 2, bytes / 2);
            world.send(new char[bytes / 2], 0, TAG); // stored as unexpected
            assertRefused(what, () -> world.recv(new short[bytes / 2], 0, TAG));
            Request send = world.isend(new char[bytes / 2], 0, TAG);
            assertRefused(what, () -> world.recv(new short[bytes / 2], 0, TAG));
            send.waitFor();
            Request receive = world.irecv(new short[bytes / 2], 0, TAG); // delivered at once
            world.send(new char[bytes / 2], 0, TAG);
            assertRefused(what, receive::waitFor);
          }
        });
  }

  /** The error is about the types, not about a longer message or a partial element. */
  @Test
  void theTypesAreNamedBeforeTheLengths() {
    Worlds.run(
        2,
        world -> {
          if (world.rank() == 0) {
            world.send(new boolean[3], 1, TAG);
            world.send(new float[100], 1, TAG);
          } else {
            assertRefused(
                "boolean[3] where world rank 1 receives long[1]",
                () -> world.recv(new long[1], 0, TAG));
            assertRefused(
                "float[100] where world rank 1 receives int[1]",
                () -> world.recv(new int[1], 0, TAG));
          }
        });
  }

  @Test
  void bytesGoWithEveryType() {
    List<Object> buffers =
        List.of(
            new byte[8],
            ByteBuffer.allocate(8),
            ByteBuffer.allocateDirect(8),
            MemorySegment.ofArray(new double[1]),
            Arena.ofAuto().allocate(8));
    Worlds.run(
        2,
        world -> {
          for (Object buffer : buffers) {
            if (world.rank() == 0) {
              world.send(new double[] {0.5}, 1, TAG);
              world.recv(new char[4], 1, TAG);
            } else {
              Object own = buffer instanceof ByteBuffer b ? b.duplicate() : buffer;
              world.recv(own, 0, TAG);
              assertThat(firstDouble(own)).isEqualTo(0.5);
              world.send(own, 0, TAG);
            }
          }
        });
  }

  private static double firstDouble(Object buffer) {
    ByteBuffer bytes =
        switch (buffer) {
          case ByteBuffer b -> b.duplicate();
          case MemorySegment s -> ByteBuffer.wrap(s.toArray(ValueLayout.JAVA_BYTE));
          default -> ByteBuffer.wrap((byte[]) buffer);
        };
    return bytes.order(ByteOrder.LITTLE_ENDIAN).getDouble(0);
  }

  /** An empty message has no elements, and so no type. */
  @Test
  void anEmptyMessageFitsEveryType() {
    Worlds.run(
        2,
        world -> {
          if (world.rank() == 0) {
            world.send(Slice.of(new int[4], 2, 0), 1, TAG);
          } else {
            assertThat(world.recv(new double[2], 0, TAG).bytes()).isZero();
          }
        });
  }
}
