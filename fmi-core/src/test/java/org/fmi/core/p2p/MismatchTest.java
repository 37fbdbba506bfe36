package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Mismatched collective calls of two ranks, by messages: the receiver's error names both. */
final class MismatchTest {
  private static final int LONG = 200_000;

  private static final List<Call> CALLS =
      List.of(
          new Call("barrier()", Comm::barrier),
          new Call("bcast(int[8], root 1)", c -> c.bcast(new int[8], 1)),
          new Call("gather(int[2], root 0)", c -> c.gather(new int[2], new int[4], 0)),
          new Call("gatherv(int[], root 0)", c -> gatherv(c, new int[2])),
          new Call("scatter(int[2], root 1)", c -> c.scatter(new int[4], new int[2], 1)),
          new Call("scatterv(int[], root 1)", c -> scatterv(c, new int[2])),
          new Call("allGather(int[2])", c -> c.allGather(new int[2], new int[4])),
          new Call("allGatherv(int[])", c -> allGatherv(c, new int[2])),
          new Call("allToAll(int[2])", c -> c.allToAll(new int[4], new int[4])),
          new Call("allToAllv(int[])", c -> allToAllv(c, new int[4])),
          new Call("reduce(int[2], SUM, root 0)", c -> reduce(c, new int[2], Op.SUM, 0)),
          new Call("allReduce(int[2], SUM)", c -> c.allReduce(new int[2], Op.SUM)),
          new Call("reduceScatter(int[4], SUM)", c -> reduceScatter(c, new int[4])),
          new Call("scan(int[2], SUM)", c -> c.scan(new int[2], new int[2], Op.SUM)),
          new Call("exScan(int[2], SUM)", c -> c.exScan(new int[2], new int[2], Op.SUM)),
          new Call("dup()", Comm::dup),
          new Call("split()", c -> c.split(0, 0)),
          new Call("create()", c -> c.create(c.group())));

  /** A call of a rank. */
  record Call(String text, Program program) {
    @Override
    public String toString() {
      return text;
    }
  }

  interface Program {
    void run(Comm comm);
  }

  private static final long[] COUNTS = {2, 2};
  private static final long[] STARTS = {0, 2};

  private static void gatherv(Comm c, int[] data) {
    c.gatherv(Slice.of(data, 0, 2), new int[4], COUNTS, STARTS, 0);
  }

  private static void scatterv(Comm c, int[] data) {
    c.scatterv(new int[4], COUNTS, STARTS, Slice.of(data, 0, 2), 1);
  }

  private static void allGatherv(Comm c, int[] data) {
    c.allGatherv(Slice.of(data, 0, 2), new int[4], COUNTS, STARTS);
  }

  private static void allToAllv(Comm c, int[] data) {
    c.allToAllv(data, COUNTS, STARTS, new int[4], COUNTS, STARTS);
  }

  private static void reduce(Comm c, int[] data, Op op, int root) {
    c.reduce(data, new int[data.length], op, root);
  }

  private static void reduceScatter(Comm c, int[] data) {
    c.reduceScatter(data, new int[2], COUNTS, Op.SUM);
  }

  /**
   * The errors of two ranks, of which a rank without one is released.
   *
   * @param of each rank's call
   */
  private static List<String> refusals(IntFunction<Program> of) {
    ConcurrentHashMap<Integer, Messenger> messengers = new ConcurrentHashMap<>();
    CountDownLatch begun = new CountDownLatch(2);
    List<String> told = new ArrayList<>();
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          messengers.put(m.rank(), m);
          begun.countDown();
          begun.await();
          Comm world = Communicator.world(m, new ContextIds(), status -> {});
          try {
            of.apply(m.rank()).run(world);
            world.barrier(); // for ranks that have only sent
          } catch (FmiException e) {
            synchronized (told) {
              told.add(e.getMessage());
            }
            messengers.values().forEach(each -> each.revoke(each.epoch(), "refused"));
          } catch (Rollback e) {
            // the other rank has got the error
          }
        });
    return told;
  }

  private static void assertRefused(Program at0, String text0, Program at1, String text1) {
    List<String> told = refusals(rank -> rank == 0 ? at0 : at1);
    assertThat(told).isNotEmpty();
    assertThat(told)
        .allSatisfy(
            message ->
                assertThat(message)
                    .contains("rank 0 calls", "rank 1 calls", " number ", "communicator world")
                    .satisfiesAnyOf(
                        m -> assertThat(m).contains("rank 0 calls " + text0),
                        m -> assertThat(m).contains(", after " + text0))
                    .satisfiesAnyOf(
                        m -> assertThat(m).contains("rank 1 calls " + text1),
                        m -> assertThat(m).contains(", after " + text1)));
  }

  @ParameterizedTest
  @FieldSource("CALLS")
  void anotherCollective(Call call) {
    for (Call other : CALLS) {
      if (!other.equals(call)) {
        assertRefused(call.program, call.text, other.program, other.text);
      }
    }
  }

  /** Equal calls are not refused. */
  @ParameterizedTest
  @FieldSource("CALLS")
  void theSame(Call call) {
    assertThat(refusals(rank -> call.program)).isEmpty();
  }

  /** Both roots send. Two roots that receive, as in a gather, wait for each other. */
  @Test
  void anotherRoot() {
    assertRefused(
        c -> c.bcast(new int[8], 0), "bcast(int[8], root 0)",
        c -> c.bcast(new int[8], 1), "bcast(int[8], root 1)");
    assertRefused(
        c -> c.scatter(new int[4], new int[2], 0), "scatter(int[2], root 0)",
        c -> c.scatter(new int[4], new int[2], 1), "scatter(int[2], root 1)");
  }

  /** Each count is the count of a rank's own part. */
  private static Stream<IntFunction<Program>> callsOf() {
    return Stream.of(
        n -> c -> c.bcast(new int[n], 0),
        n -> c -> c.gather(new int[n], new int[2 * n], 0),
        n -> c -> c.scatter(new int[2 * n], new int[n], 0),
        n -> c -> c.allGather(new int[n], new int[2 * n]),
        n -> c -> c.allToAll(new int[2 * n], new int[2 * n]),
        n -> c -> reduce(c, new int[n], Op.MAX, 0),
        n -> c -> c.allReduce(new int[n], Op.MAX),
        n -> c -> c.scan(new int[n], new int[n], Op.MAX),
        n -> c -> c.exScan(new int[n], new int[n], Op.MAX),
        n -> c -> c.reduceScatter(new int[2 * n], new int[n], new long[] {n, n}, Op.BXOR));
  }

  @Test
  void anotherCount() {
    callsOf()
        .forEach(
            call -> {
              for (int n : new int[] {8, LONG}) { // at once, and by rendezvous
                List<String> told = refusals(rank -> call.apply(n + rank));
                assertThat(told).isNotEmpty();
                assertThat(told)
                    .allSatisfy(m -> assertThat(m).contains("rank 0 calls ", " where rank "));
                assertThat(refusals(rank -> call.apply(n))).isEmpty();
              }
            });
  }

  /** Counts that each rank may choose, but that must match the peer's. */
  @Test
  void anotherCountInTheFormsWithCounts() {
    assertThat(
            refusals(
                rank -> c -> c.gatherv(Slice.of(new int[4], 0, 3), new int[4], COUNTS, STARTS, 0)))
        .as("at the root, whose own is checked")
        .isNotEmpty();
    List<String> told =
        refusals(
            rank ->
                c -> c.gatherv(Slice.of(new int[4], 0, 2 + rank), new int[4], COUNTS, STARTS, 0));
    assertThat(told)
        .singleElement()
        .asString()
        .contains(
            "rank 1 has sent 12 bytes in gatherv(int[], root 0), where rank 0 expects 8, its"
                + " collective number 1 on communicator world: all ranks must pass counts");
    told =
        refusals(
            rank ->
                c -> c.scatterv(new int[4], COUNTS, STARTS, Slice.of(new int[4], 0, 1 + rank), 1));
    assertThat(told)
        .singleElement()
        .asString()
        .contains("rank 1 has sent 8 bytes in scatterv(int[], root 1), where rank 0 expects 4");
  }

  @Test
  void anotherType() {
    assertRefused(
        c -> c.bcast(new int[8], 0), "bcast(int[8], root 0)",
        c -> c.bcast(new float[8], 0), "bcast(float[8], root 0)");
    assertRefused(
        c -> c.allReduce(new long[4], Op.SUM), "allReduce(long[4], SUM)",
        c -> c.allReduce(new double[4], Op.SUM), "allReduce(double[4], SUM)");
  }

  @Test
  void anotherOperation() {
    assertRefused(
        c -> c.allReduce(new int[1], Op.MAX), "allReduce(int[1], MAX)",
        c -> c.allReduce(new int[1], Op.MIN), "allReduce(int[1], MIN)");
    assertRefused(
        c -> reduce(c, new int[1], Op.SUM, 0),
        "reduce(int[1], SUM, root 0)",
        c -> reduce(c, new int[1], Op.of((in, inOut, n, type) -> {}, true), 0),
        "reduce(int[1], an Op of the program, root 0)");
  }

  /** Its ranks differ from the world's, which errors name. */
  @Test
  void inAnotherCommunicator() {
    List<String> told =
        refusals(
            rank ->
                c -> {
                  Comm turned = Objects.requireNonNull(c.split(0, -rank));
                  turned.barrier();
                  turned.bcast(new int[8 + rank], 1);
                });
    assertThat(told)
        .singleElement()
        .asString()
        .contains(
            "rank 0 calls bcast(int[8], root 1) where rank 1 calls bcast(int[9], root 1), its"
                + " collective number 2 on communicator 2 of 2 ranks, after barrier()");
  }

  /** Differences that MPI allows, and bytes in place of elements. */
  @Test
  void callsThatNeedNotMatch() {
    assertThat(
            refusals(
                rank ->
                    c -> {
                      long[] counts = {0, 2};
                      long[] starts = {0, 0};
                      Object mine = rank == 0 ? new byte[0] : new double[2];
                      c.gatherv(Slice.of(mine, 0, 2L * rank), new double[2], counts, starts, 0);
                      c.scatterv(new double[2], counts, starts, Slice.of(mine, 0, 2L * rank), 1);
                      long[] none = {0, 0};
                      c.allToAllv(
                          rank == 0 ? new double[2] : new int[0],
                          rank == 0 ? counts : none,
                          starts,
                          rank == 0 ? new float[0] : new double[2],
                          rank == 0 ? none : new long[] {2, 0},
                          starts);
                      c.bcast(rank == 0 ? new long[2] : new byte[16], 0);
                      c.bcast(rank == 0 ? new float[0] : new long[0], 0);
                      MemorySegment segment = MemorySegment.ofArray(new double[2]);
                      c.gather(
                          Slice.of(rank == 0 ? segment : new double[2], 0, rank == 0 ? 16 : 2),
                          new byte[32],
                          0);
                      c.allReduce(new int[2], Op.of((in, inOut, n, type) -> {}, true));
                    }))
        .isEmpty();
  }

  /** The mismatch belongs to the old epoch, with its interrupted call. */
  @Test
  void aRollbackDropsInterruptedCalls() {
    MemoryNetwork before = new MemoryNetwork(2, 1, Options.PLAIN);
    MemoryNetwork after = new MemoryNetwork(2, 2, Options.PLAIN);
    Messenger[] messengers = new Messenger[2];
    Comm[] worlds = new Comm[2];
    for (int rank = 0; rank < 2; rank++) {
      messengers[rank] = Ranks.messenger(rank, 2);
      messengers[rank].enter(0, new Transport[] {before.transport(rank)});
      worlds[rank] = Communicator.world(messengers[rank], new ContextIds(), status -> {});
    }
    worlds[0].bcast(new int[2], 0);
    messengers[1].revoke(0, "a rank has died");
    assertThatThrownBy(() -> worlds[1].bcast(new int[2], 0)).isInstanceOf(Rollback.class);
    for (int rank = 0; rank < 2; rank++) {
      messengers[rank].enter(1, new Transport[] {after.transport(rank)});
    }
    double[] got = new double[1];
    worlds[0].bcast(new double[] {7}, 0);
    worlds[1].bcast(got, 0);
    assertThat(got).containsExactly(7);
    worlds[0].bcast(new double[3], 0);
    assertThatThrownBy(() -> worlds[1].bcast(got, 0))
        .isInstanceOf(FmiException.class)
        .hasMessageContaining(
            "rank 0 calls bcast(double[3], root 0) where rank 1 calls bcast(double[1], root 0), its"
                + " collective number 2 on communicator world since the last recovery, after"
                + " bcast(double[1], root 0)");
  }
}
