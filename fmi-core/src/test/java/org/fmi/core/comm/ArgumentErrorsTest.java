package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.Ranks;
import org.junit.jupiter.api.Test;

/**
 * Wrong arguments: each error has its class and names the value and a remedy, and no message is
 * sent.
 */
class ArgumentErrorsTest {
  private final int[] ints = new int[10];
  private final long[] one = {1, 1};

  private static void assertFails(ErrorClass error, String hint, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(error))
        .hasMessageStartingWith(error + ": ")
        .hasMessageContaining(hint);
  }

  /** Runs checks at rank 1 of 2; they must send no message. */
  private static void at1(Consumer<Comm> checks) {
    MemoryNetwork network =
        Ranks.run(
            2,
            p2p -> {
              if (p2p.rank() == 1) {
                checks.accept(Worlds.world(p2p));
              }
            });
    assertThat(network.sent()).isZero();
  }

  @Test
  void ranks() {
    at1(
        c -> {
          assertFails(ErrorClass.RANK, "destination 2", () -> c.send(ints, 2, 0));
          assertFails(ErrorClass.RANK, "use 0 to 1", () -> c.isend(ints, -7, 0));
          assertFails(
              ErrorClass.RANK, "-1", () -> c.ssend(Slice.of(ints, 0, 1), Comm.ANY_SOURCE, 0));
          assertFails(ErrorClass.RANK, "source 2", () -> c.recv(ints, 2, 0));
          assertFails(ErrorClass.RANK, "ANY_SOURCE", () -> c.irecv(ints, -3, 0));
          assertFails(ErrorClass.RANK, "source 5", () -> c.probe(5, 0));
          assertFails(ErrorClass.RANK, "source 5", () -> c.iprobe(5, 0));
          assertFails(
              ErrorClass.RANK,
              "destination 2",
              () -> c.sendRecv(Slice.of(ints, 0, 1), 2, 0, Slice.of(ints, 5, 1), 0, 0));
          assertFails(
              ErrorClass.RANK,
              "source 2",
              () -> c.sendRecv(Slice.of(ints, 0, 1), 0, 0, Slice.of(ints, 5, 1), 2, 0));
        });
  }

  @Test
  void tags() {
    at1(
        c -> {
          assertFails(ErrorClass.TAG, "tag -1", () -> c.send(ints, 0, Comm.ANY_TAG));
          assertFails(
              ErrorClass.TAG, "tag -2", () -> c.bsend(Slice.of(ints, 0, 1), Comm.PROC_NULL, -2));
          assertFails(ErrorClass.TAG, "ANY_TAG", () -> c.recv(ints, 0, -2));
          assertFails(ErrorClass.TAG, "tag -2", () -> c.probe(0, -2));
        });
  }

  @Test
  void counts() {
    at1(
        c -> {
          assertFails(
              ErrorClass.COUNT,
              "5 elements are not a whole number for each of the 2",
              () -> c.allGather(Comm.IN_PLACE, new int[5]));
          assertFails(
              ErrorClass.COUNT,
              "5 elements are not a whole number for each of the 2",
              () -> c.allToAll(new int[5], new int[6]));
          assertFails(ErrorClass.COUNT, "count -1", () -> c.send(Slice.of(ints, 0, -1), 0, 0));
          assertFails(ErrorClass.COUNT, "count -1", () -> c.irecv(Slice.of(ints, 0, -1), 0, 0));
          assertFails(ErrorClass.COUNT, "count -4", () -> c.bcast(Slice.of(ints, 0, -4), 0));
          assertFails(ErrorClass.COUNT, "count -3", () -> c.gather(Slice.of(ints, 0, -3), ints, 1));
          assertFails(
              ErrorClass.COUNT,
              "count -3",
              () -> c.allGather(Comm.IN_PLACE, Slice.of(ints, 0, -3)));
          assertFails(
              ErrorClass.COUNT,
              "counts[1] is -1",
              () -> c.reduceScatter(ints, new int[9], new long[] {5, -1}, Op.SUM));
          assertFails(
              ErrorClass.COUNT,
              "counts[0] is -1",
              () -> c.gatherv(Slice.of(ints, 0, 1), new int[9], new long[] {-1, 1}, one, 1));
          assertFails(
              ErrorClass.COUNT,
              "odd",
              () -> c.allReduce(Slice.of(ints, 0, 3), new int[9], Op.MAXLOC));
        });
  }

  @Test
  void buffersThatAreTooSmall() {
    at1(
        c -> {
          assertFails(ErrorClass.BUFFER, "int[10]", () -> c.send(Slice.of(ints, 8, 3), 0, 0));
          assertFails(ErrorClass.BUFFER, "offset -1", () -> c.send(Slice.of(ints, -1, 3), 0, 0));
          assertFails(ErrorClass.BUFFER, "offset 11", () -> c.recv(Slice.of(ints, 11, 0), 0, 0));
          assertFails(
              ErrorClass.BUFFER, "int[10]", () -> c.send(Slice.of(ints, 1, Long.MAX_VALUE), 0, 0));
          assertFails(
              ErrorClass.BUFFER, "int[10]", () -> c.send(Slice.of(ints, Long.MAX_VALUE, 1), 0, 0));
          assertFails(
              ErrorClass.BUFFER,
              "byte[9], which holds 5",
              () -> c.send(Slice.of(ByteBuffer.allocate(9).limit(5), 0, 6), 0, 0));
          assertFails(
              ErrorClass.BUFFER,
              "16 bytes",
              () -> c.send(Slice.of(MemorySegment.ofArray(new byte[16]), 15, 2), 0, 0));
          assertFails(ErrorClass.BUFFER, "int[10]", () -> c.gather(Slice.of(ints, 0, 6), ints, 1));
          assertFails(
              ErrorClass.BUFFER,
              "int[10]",
              () -> c.allGather(Comm.IN_PLACE, Slice.of(ints, 0, Long.MAX_VALUE)));
          assertFails(
              ErrorClass.BUFFER,
              "int[10]",
              () -> c.allToAllv(ints, one, one, ints, one, new long[] {0, 10}));
          assertFails(
              ErrorClass.BUFFER,
              "double[3]",
              () -> c.scan(Slice.of(new double[9], 0, 4), new double[3], Op.SUM));
          assertFails(
              ErrorClass.BUFFER,
              "5 of DOUBLE",
              () ->
                  c.allReduce(
                      Slice.of(MemorySegment.ofArray(new byte[39]), Datatype.DOUBLE, 0, 5),
                      Op.SUM));
          assertFails(
              ErrorClass.BUFFER,
              "int[10]",
              () ->
                  c.reduceScatter(
                      Comm.IN_PLACE, ints, new long[] {Long.MAX_VALUE, Long.MAX_VALUE}, Op.SUM));
        });
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void buffersOfAWrongKind() {
    at1(
        c -> {
          assertFails(
              ErrorClass.BUFFER, "java.lang.String is not a buffer", () -> c.send("x", 0, 0));
          assertFails(ErrorClass.BUFFER, "java.lang.Integer[]", () -> c.recv(new Integer[1], 0, 0));
          assertFails(ErrorClass.BUFFER, "int[][]", () -> c.bcast(new int[1][1], 0));
          assertFails(ErrorClass.BUFFER, "null", () -> c.send(null, 0, 0));
          assertFails(ErrorClass.BUFFER, "null", () -> c.gather(Slice.of(ints, 0, 1), null, 1));
          assertFails(ErrorClass.BUFFER, "null", () -> c.scatter(null, Slice.of(ints, 0, 1), 1));
          assertFails(
              ErrorClass.BUFFER, "null", () -> c.reduce(Slice.of(ints, 0, 1), null, Op.SUM, 1));
          assertFails(
              ErrorClass.BUFFER,
              "IN_PLACE",
              () -> c.gather(Comm.IN_PLACE, Slice.of(ints, 0, 2), 0));
          assertFails(
              ErrorClass.BUFFER,
              "IN_PLACE",
              () -> c.reduce(Comm.IN_PLACE, Slice.of(ints, 0, 1), Op.SUM, 0));
          assertFails(ErrorClass.BUFFER, "IN_PLACE", () -> c.send(Comm.IN_PLACE, 0, 0));
        });
  }

  @Test
  void buffersThatCannotBeUsed() {
    Arena closed = Arena.ofConfined();
    MemorySegment gone = closed.allocate(8);
    ByteBuffer goneBuffer = gone.asByteBuffer();
    closed.close();
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment foreign = confined.allocate(8); // belongs to this thread, not to rank 1's
      at1(
          c -> {
            assertFails(
                ErrorClass.BUFFER,
                "read-only",
                () -> c.recv(ByteBuffer.allocate(8).asReadOnlyBuffer(), 0, 0));
            assertFails(
                ErrorClass.BUFFER,
                "read-only",
                () -> c.irecv(MemorySegment.ofArray(new byte[8]).asReadOnly(), 0, 0));
            assertFails(ErrorClass.BUFFER, "closed", () -> c.send(gone, 0, 0));
            assertFails(ErrorClass.BUFFER, "another thread", () -> c.send(foreign, 0, 0));
            assertFails(ErrorClass.BUFFER, "closed", () -> c.irecv(goneBuffer, 0, 0));
            assertFails(
                ErrorClass.BUFFER, "another thread", () -> c.irecv(foreign.asByteBuffer(), 0, 0));
            assertFails(
                ErrorClass.BUFFER,
                "IN_PLACE",
                () -> c.allReduce(Slice.of(ints, 0, 5), ints, Op.SUM));
            assertFails(
                ErrorClass.BUFFER, "IN_PLACE", () -> c.allGather(Slice.of(ints, 0, 5), ints));
          });
    }
  }

  @Test
  void roots() {
    at1(
        c -> {
          assertFails(ErrorClass.ROOT, "root 2", () -> c.bcast(ints, 2));
          assertFails(ErrorClass.ROOT, "root -1", () -> c.gather(Slice.of(ints, 0, 1), ints, -1));
          assertFails(
              ErrorClass.ROOT, "use 0 to 1", () -> c.scatter(ints, Slice.of(ints, 0, 1), 9));
          assertFails(
              ErrorClass.ROOT, "root 2", () -> c.reduce(Slice.of(ints, 0, 1), ints, Op.SUM, 2));
        });
  }

  @Test
  void types() {
    MemorySegment segment = MemorySegment.ofArray(new byte[80]);
    at1(
        c -> {
          assertFails(
              ErrorClass.TYPE,
              "pass a Slice with a Datatype",
              () -> c.allReduce(Slice.of(segment, 0, 8), Op.SUM));
          assertFails(
              ErrorClass.TYPE,
              "pass a Slice with a Datatype",
              () -> c.allReduce(ByteBuffer.allocate(8), Op.SUM));
          assertFails(
              ErrorClass.TYPE,
              "80 bytes, not INT",
              () ->
                  c.allReduce(
                      Slice.of(ints, 0, 2), Slice.of(segment, Datatype.DOUBLE, 0, 2), Op.SUM));
          assertFails(
              ErrorClass.TYPE,
              "int[10]",
              () -> c.scan(Slice.of(new long[9], 0, 2), Slice.of(ints, 0, 2), Op.SUM));
          assertFails(
              ErrorClass.TYPE,
              "nativeOrder",
              () -> c.allReduce(Slice.of(ByteBuffer.allocate(8), Datatype.LONG, 0, 1), Op.SUM));
          assertFails(
              ErrorClass.TYPE,
              "4 bytes is not a whole number of LONG",
              () -> c.allGather(Slice.of(ints, 0, 1), new long[2]));
        });
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void operations() {
    at1(
        c -> {
          assertFails(
              ErrorClass.OP,
              "BAND is not defined for DOUBLE",
              () -> c.allReduce(new double[1], Op.BAND));
          assertFails(
              ErrorClass.OP,
              "SUM is not defined for BOOLEAN",
              () -> c.allReduce(new boolean[1], Op.SUM));
          assertFails(ErrorClass.OP, "null", () -> c.allReduce(ints, null));
        });
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void otherArguments() {
    at1(
        c -> {
          assertFails(ErrorClass.ARG, "colour -5", () -> c.split(-5, 0));
          assertFails(ErrorClass.ARG, "-8 bytes", () -> c.attachBuffer(-8));
          assertFails(
              ErrorClass.ARG,
              "counts has 1 elements",
              () -> c.allGatherv(Slice.of(ints, 0, 1), new int[5], new long[] {1}, one));
          assertFails(
              ErrorClass.ARG,
              "displs is null",
              () -> c.scatterv(ints, one, null, Slice.of(new int[5], 0, 1), 1));
          assertFails(
              ErrorClass.ARG,
              "sendDispls",
              () -> c.allToAllv(ints, one, new long[3], new int[9], one, one));
          assertFails(
              ErrorClass.ARG,
              "counts",
              () -> c.reduceScatter(ints, new int[9], new long[] {1, 2, 3}, Op.SUM));
          assertFails(
              ErrorClass.TRUNCATE,
              "sends itself 8 bytes and has room for 4",
              () -> c.gatherv(Slice.of(ints, 0, 2), new int[9], one, new long[] {0, 4}, 1));
          assertFails(
              ErrorClass.TRUNCATE,
              "sends itself 12 bytes and has room for 4",
              () -> c.scatterv(ints, new int[] {1, 3}, new int[] {0, 4}, new int[1], 1));
          assertFails(
              ErrorClass.TRUNCATE,
              "sends itself 8 bytes and has room for 4",
              () -> c.allGatherv(new int[2], new int[9], new int[] {1, 1}, new int[] {0, 4}));
          assertFails(
              ErrorClass.TYPE,
              "3 bytes is not a whole number of INT",
              () -> c.allGatherv(new byte[3], new int[9], new int[] {1, 1}, new int[] {0, 4}));
          assertFails(
              ErrorClass.ARG,
              "null are no counts",
              () -> c.allGatherv(ints, new int[9], (int[]) null, new int[] {0, 4}));
          assertFails(ErrorClass.GROUP, "null", () -> c.create(null));
          assertFails(ErrorClass.COMM, "null", () -> c.compare(null));
        });
  }

  @Test
  void groupsOfOtherLibraries() {
    Group foreign =
        (Group)
            Proxy.newProxyInstance(
                Group.class.getClassLoader(),
                new Class<?>[] {Group.class},
                (proxy, method, args) -> "foreign");
    at1(c -> assertFails(ErrorClass.GROUP, "Comm.group()", () -> c.create(foreign)));
  }

  @Test
  void truncationAndCountsThatDoNotMatch() {
    Worlds.run(
        2,
        world -> {
          if (world.rank() == 0) {
            world.send(new int[4], 1, 0);
            world.bcast(new int[3], 0);
          } else {
            assertFails(ErrorClass.TRUNCATE, "16 bytes", () -> world.recv(new int[3], 0, 0));
            assertFails(
                ErrorClass.MISMATCH,
                "rank 0 calls bcast(int[3], root 0) where rank 1 calls bcast(int[10], root 0)",
                () -> world.bcast(ints, 0));
          }
        });
  }
}
