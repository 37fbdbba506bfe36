package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.Status;
import org.junit.jupiter.api.Test;

/** Matched probes, and receives that make their array. */
final class MatchedMessageTest {
  private static final int TAG = 7;

  /** More than goes along with the announcement. */
  private static final int LONG = 30_000;

  private static final List<Object> ARRAYS =
      List.of(
          new byte[] {1, 2},
          new boolean[] {true, false, true},
          new char[] {'a'},
          new short[] {4, 5},
          new int[] {6},
          new long[] {7, 8},
          new float[] {9},
          new double[] {10, 11},
          new double[0]);

  private static void assertFails(ErrorClass errorClass, String text, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(errorClass))
        .hasMessageContaining(text);
  }

  @Test
  void anArrayOfEachTypeIsReceivedAsItWasSent() {
    Worlds.run(
        2,
        world -> {
          for (Object array : ARRAYS) {
            if (world.rank() == 0) {
              world.send(array, 1, TAG);
              world.send(array, 1, TAG);
            } else {
              assertThat((Object) world.recv(array.getClass(), Comm.ANY_SOURCE, Comm.ANY_TAG))
                  .isEqualTo(array);
              Message message = world.mprobe(0, TAG);
              assertThat((Object) message.recv(array.getClass())).isEqualTo(array);
            }
          }
        });
  }

  /** In a communicator where ranks have other numbers than in the world. */
  @Test
  void messagesOfManyRanksAreReceivedInAnyOrder() {
    Worlds.run(
        4,
        world -> {
          Comm turned = Objects.requireNonNull(world.split(0, -world.rank()));
          if (turned.rank() > 0) {
            double[] data = new double[turned.rank() * LONG];
            Arrays.fill(data, turned.rank());
            turned.send(data, 0, TAG);
          } else {
            Message[] messages = new Message[3];
            for (int i = 0; i < 3; i++) {
              messages[i] = turned.mprobe(Comm.ANY_SOURCE, TAG);
            }
            Request[] receives = new Request[3];
            double[][] got = new double[3][];
            for (int i = 2; i >= 0; i--) {
              got[i] = new double[messages[i].status().source() * LONG];
              receives[i] = messages[i].irecv(got[i]);
            }
            for (int i = 0; i < 3; i++) {
              Status status = receives[i].waitFor();
              assertThat(status).isEqualTo(messages[i].status());
              assertThat(status.bytes()).isEqualTo(8L * got[i].length);
              assertThat(got[i]).containsOnly(status.source());
            }
          }
        });
  }

  @Test
  void aSegmentTakesALongMessage() {
    Worlds.run(
        2,
        world -> {
          if (world.rank() == 0) {
            long[] data = new long[LONG];
            Arrays.fill(data, 5);
            world.send(data, 1, TAG);
          } else {
            try (Arena arena = Arena.ofShared()) {
              Message message = world.mprobe(0, TAG);
              MemorySegment into = arena.allocate(message.status().bytes(), 8);
              message.recv(into);
              assertThat(into.getAtIndex(ValueLayout.JAVA_LONG, LONG - 1)).isEqualTo(5);
            }
          }
        });
  }

  @Test
  void wrongUses() {
    Worlds.run(
        2,
        world -> {
          if (world.rank() == 0) {
            for (int i = 0; i < 5; i++) {
              world.send(new double[] {i, i}, 1, TAG);
            }
            world.send(new byte[13], 1, TAG);
            world.send(new byte[13], 1, TAG);
            return;
          }
          Message message = world.mprobe(0, TAG);
          assertFails(ErrorClass.BUFFER, "is not a buffer", () -> message.recv("text"));
          assertFails(ErrorClass.TYPE, "use double[].class", () -> message.recv(String.class));
          assertThat(message.recv(double[].class)).containsExactly(0, 0);
          String twice = "rank 0 with tag 7 was received already: receive each Message once";
          assertFails(ErrorClass.REQUEST, twice, () -> message.recv(double[].class));
          assertFails(ErrorClass.REQUEST, twice, () -> message.irecv(new double[2]));
          assertFails(
              ErrorClass.TYPE,
              "has sent double[2] where world rank 1 receives int[4]",
              () -> world.recv(int[].class, 0, TAG));
          assertFails(
              ErrorClass.TYPE,
              "has sent double[2] where world rank 1 receives float[4]",
              () -> world.mprobe(0, TAG).recv(float[].class));
          assertFails(
              ErrorClass.TRUNCATE,
              "16 bytes, the receive buffer only 8",
              () -> world.mprobe(0, TAG).recv(new double[1]));
          Request receive = world.mprobe(0, TAG).irecv(new double[2]);
          assertThat(receive.cancel()).isFalse();
          assertThat(receive.waitFor().bytes()).isEqualTo(16);
          assertFails(
              ErrorClass.TYPE,
              "13 bytes, which is not a whole number of elements",
              () -> world.recv(double[].class, 0, TAG));
          assertFails(
              ErrorClass.TYPE,
              "13 bytes, which is not a whole number of elements",
              () -> world.mprobe(0, TAG).recv(int[].class));
          assertFails(ErrorClass.RANK, "2", () -> world.mprobe(2, TAG));
          assertFails(ErrorClass.TAG, "-5", () -> world.recv(byte[].class, 0, -5));
        });
  }

  @Test
  void noProcessSendsAnEmptyMessageAsOftenAsItIsReceived() {
    Worlds.run(
        1,
        world -> {
          Message message = world.mprobe(Comm.PROC_NULL, TAG);
          assertThat(message.status()).isEqualTo(Status.PROC_NULL);
          assertThat(message.recv(new int[1])).isEqualTo(Status.PROC_NULL);
          assertThat(message.irecv(new int[1]).waitFor()).isEqualTo(Status.PROC_NULL);
          assertThat(message.recv(int[].class)).isEmpty();
          assertThat(world.improbe(Comm.PROC_NULL, TAG)).isNotNull();
          assertThat(world.recv(long[].class, Comm.PROC_NULL, TAG)).isEmpty();
          assertThat(world.improbe(Comm.ANY_SOURCE, TAG)).isNull();
        });
  }
}
