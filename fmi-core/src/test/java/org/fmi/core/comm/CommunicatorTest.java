package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.Status;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.p2p.Ranks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Making, comparing and freeing communicators, and messages through them. */
class CommunicatorTest {
  private static int[] members(Comm comm) {
    return ((RankGroup) comm.group()).worldRanks();
  }

  private static Comm present(@Nullable Comm comm) {
    return Objects.requireNonNull(comm);
  }

  /** Sums world ranks over a communicator: shows that its collectives reach its members. */
  private static long sumOver(Comm comm, int worldRank) {
    long[] sum = {worldRank};
    comm.allReduce(sum, Op.SUM);
    return sum[0];
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void duplicates(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          Comm dup = world.dup();
          assertThat(dup.rank()).isEqualTo(world.rank());
          assertThat(dup.size()).isEqualTo(ranks);
          assertThat(world.compare(dup)).isEqualTo(Group.Comparison.CONGRUENT);
          assertThat(world.compare(world)).isEqualTo(Group.Comparison.IDENT);
          assertThat(sumOver(dup, world.rank())).isEqualTo(ranks * (ranks - 1L) / 2);
        });
  }

  @Test
  void messagesOfDifferentCommunicatorsNeverMeet() {
    Worlds.run(
        2,
        world -> {
          Comm dup = world.dup();
          int[] a = {0};
          int[] b = {0};
          if (world.rank() == 0) {
            Request first = world.isend(new int[] {1}, 1, 0);
            Request second = dup.isend(new int[] {2}, 1, 0);
            Request.waitAll(first, second);
          } else {
            dup.recv(b, Comm.ANY_SOURCE, Comm.ANY_TAG);
            world.recv(a, Comm.ANY_SOURCE, Comm.ANY_TAG);
            assertThat(a[0]).isEqualTo(1);
            assertThat(b[0]).isEqualTo(2);
          }
          // A collective in between does not match a receive with any tag.
          Request any = world.rank() == 1 ? world.irecv(a, Comm.ANY_SOURCE, Comm.ANY_TAG) : null;
          world.barrier();
          assertThat(sumOver(world, 1)).isEqualTo(2);
          if (any != null) {
            assertThat(any.test()).isFalse();
          }
          world.barrier();
          if (any == null) {
            world.send(new int[] {3}, 1, 9);
          } else {
            assertThat(any.waitFor()).isEqualTo(new Status(0, 9, 4));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 9, 12})
  void splits(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int me = world.rank();
          // Rows of three in reverse order; rank 4 has no colour.
          Comm row = world.split(me == 4 ? Comm.UNDEFINED : me / 3, -me);
          assertThat(row == null).isEqualTo(me == 4);
          if (row != null) {
            int[] expected =
                IntStream.rangeClosed(0, 2)
                    .map(i -> me / 3 * 3 + 2 - i)
                    .filter(r -> r < ranks && r != 4)
                    .toArray();
            assertThat(members(row)).containsExactly(expected);
            assertThat(expected[row.rank()]).isEqualTo(me);
            assertThat(sumOver(row, me)).isEqualTo(Arrays.stream(expected).sum());
          }
          // Equal keys keep the order.
          Comm same = present(world.split(0, 5));
          assertThat(same.compare(world)).isEqualTo(Group.Comparison.CONGRUENT);
          // Extreme keys.
          Comm swapped =
              present(world.split(7, me == 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE + me));
          assertThat(members(swapped)[ranks - 1]).isZero();
          assertThat(swapped.compare(world))
              .isEqualTo(ranks == 1 ? Group.Comparison.CONGRUENT : Group.Comparison.SIMILAR);
          assertThat(sumOver(swapped, me)).isEqualTo(ranks * (ranks - 1L) / 2);
        });
  }

  @Test
  void createsFromGroups() {
    Worlds.run(
        6,
        world -> {
          int me = world.rank();
          Group group = world.group().incl(4, 1, 3);
          Comm created = world.create(group);
          assertThat(created != null).isEqualTo(me == 4 || me == 1 || me == 3);
          if (created != null) {
            assertThat(members(created)).containsExactly(4, 1, 3);
            assertThat(created.compare(world)).isEqualTo(Group.Comparison.UNEQUAL);
            assertThat(sumOver(created, me)).isEqualTo(8);
            // A communicator of a communicator.
            Comm inner = created.create(created.group().incl(2, 0));
            assertThat(inner == null).isEqualTo(me == 1);
            if (inner != null) {
              assertThat(members(inner)).containsExactly(3, 4);
              assertThat(sumOver(inner, me)).isEqualTo(7);
            }
            assertThatThrownBy(() -> created.create(world.group()))
                .isInstanceOfSatisfying(
                    FmiException.class,
                    e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.GROUP));
          }
          assertThat(world.create(world.group().incl())).isNull();
        });
  }

  @Test
  void idsStayApartWhenOnlySomeRanksAllocate() {
    Worlds.run(
        5,
        world -> {
          int me = world.rank();
          Comm half = present(world.split(me % 2, 0));
          Comm[] comms = new Comm[4];
          if (me % 2 == 1) {
            half = half.dup().dup().dup();
          }
          comms[0] = world;
          comms[1] = half;
          comms[2] = world.dup();
          comms[3] = present(world.split(me / 2, 0));
          // Concurrent sums in all of them.
          Request[] receives = new Request[comms.length];
          int[][] got = new int[comms.length][1];
          for (int c = comms.length - 1; c >= 0; c--) {
            int left = Math.floorMod(comms[c].rank() - 1, comms[c].size());
            receives[c] = comms[c].irecv(got[c], left, 0);
          }
          for (int c = 0; c < comms.length; c++) {
            int right = (comms[c].rank() + 1) % comms[c].size();
            comms[c].send(new int[] {100 * c + comms[c].rank()}, right, 0);
          }
          Request.waitAll(receives);
          for (int c = 0; c < comms.length; c++) {
            int left = Math.floorMod(comms[c].rank() - 1, comms[c].size());
            assertThat(got[c][0]).isEqualTo(100 * c + left);
          }
        });
  }

  @Test
  void translatesSources() {
    Worlds.run(
        7,
        world -> {
          int me = world.rank();
          Comm odd = present(world.split(me % 2, -me)); // 5 3 1 and 6 4 2 0
          if (me % 2 == 1) {
            byte[] buffer = new byte[8];
            if (odd.rank() == 0) {
              boolean[] seen = new boolean[3];
              for (int i = 0; i < 2; i++) {
                Status probed = odd.probe(Comm.ANY_SOURCE, 5);
                Status status = odd.recv(buffer, Comm.ANY_SOURCE, 5);
                assertThat(status).isEqualTo(probed);
                assertThat(buffer[0]).isEqualTo((byte) status.source());
                assertThat(status.bytes()).isEqualTo(status.source());
                seen[status.source()] = true;
              }
              assertThat(seen).containsExactly(false, true, true);
              Request request = odd.irecv(buffer, Comm.ANY_SOURCE, 6);
              odd.send(new int[0], 2, 7);
              assertThat(request.waitFor().source()).isEqualTo(2);
              assertThat(Objects.requireNonNull(request.status()).source()).isEqualTo(2);
              assertThat(odd.recv(buffer, 1, 8)).isEqualTo(new Status(1, 8, 3));
            } else {
              byte[] mine = {(byte) odd.rank(), 0, 0};
              odd.send(Slice.of(mine, 0, odd.rank()), 0, 5);
              if (odd.rank() == 2) {
                odd.recv(buffer, 0, 7);
                odd.send(mine, 0, 6);
              } else {
                odd.ssend(mine, 0, 8);
              }
            }
            assertThat(odd.iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG)).isNull();
          }
        });
  }

  @Test
  void messagesToProcNullDoNothing() {
    Worlds.run(
        1,
        world -> {
          int[] buffer = {7};
          world.send(buffer, Comm.PROC_NULL, 0);
          world.ssend(buffer, Comm.PROC_NULL, 0);
          assertThat(world.isend(buffer, Comm.PROC_NULL, 0).waitFor()).isEqualTo(Status.EMPTY);
          assertThat(world.recv(buffer, Comm.PROC_NULL, 0)).isEqualTo(Status.PROC_NULL);
          Request request = world.irecv(buffer, Comm.PROC_NULL, Comm.ANY_TAG);
          assertThat(request.test()).isTrue();
          assertThat(request.status()).isEqualTo(Status.PROC_NULL);
          assertThat(request.cancel()).isFalse();
          assertThat(world.probe(Comm.PROC_NULL, 3)).isEqualTo(Status.PROC_NULL);
          assertThat(world.iprobe(Comm.PROC_NULL, 3)).isEqualTo(Status.PROC_NULL);
          assertThat(world.sendRecv(buffer, Comm.PROC_NULL, 0, buffer, Comm.PROC_NULL, 0))
              .isEqualTo(Status.PROC_NULL);
          assertThat(buffer).containsExactly(7);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void sendsAndReceivesAtOnce(int ranks) {
    Worlds.run(
        ranks,
        world -> {
          int right = (world.rank() + 1) % ranks;
          int left = Math.floorMod(world.rank() - 1, ranks);
          int[] in = new int[3];
          Status status =
              world.sendRecv(
                  Slice.of(new int[] {0, world.rank()}, 1, 1),
                  right,
                  4,
                  Slice.of(in, 2, 1),
                  left,
                  Comm.ANY_TAG);
          assertThat(status).isEqualTo(new Status(left, 4, 4));
          assertThat(in).containsExactly(0, 0, left);
        });
  }

  @Test
  void aClosedCommunicatorIsRefused() {
    Worlds.run(
        2,
        world -> {
          Comm dup = world.dup();
          dup.close();
          assertRefused(dup, "closed");
          assertThatThrownBy(() -> world.compare(dup)).hasMessageContaining("closed");
          dup.close(); // again
          world.close(); // which Fmi ends
          world.barrier();
        });
  }

  private static void assertRefused(Comm comm, String why) {
    List<ThrowableAssert.ThrowingCallable> calls =
        List.of(
            comm::rank,
            comm::size,
            comm::group,
            comm::barrier,
            comm::dup,
            () -> comm.send(new int[1], 0, 0),
            () -> comm.irecv(new int[1], 0, 0),
            () -> comm.probe(0, 0),
            () -> comm.attachBuffer(0),
            () -> comm.split(0, 0),
            () -> comm.bcast(new int[1], 0),
            () -> comm.allReduce(new int[1], Op.SUM),
            () -> comm.abort(1));
    for (var call : calls) {
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.COMM))
          .hasMessageContaining(why);
    }
  }

  /** Its messages could match those of later collectives. */
  @Test
  void refusesCollectivesAfterAFailedOne() {
    Op failing =
        Op.of(
            (in, inOut, count, type) -> {
              throw new IllegalArgumentException("this operation fails");
            },
            true);
    Worlds.run(
        2,
        world -> {
          Comm dup = world.dup();
          assertThatThrownBy(() -> dup.allReduce(Slice.of(new int[1], 0, 3), new int[2], Op.SUM))
              .hasMessageStartingWith("BUFFER");
          assertThat(sumOver(dup, world.rank())).isEqualTo(1);
          assertThatThrownBy(() -> dup.allReduce(new int[1], failing))
              .hasMessage("this operation fails");
          List<ThrowableAssert.ThrowingCallable> collectives =
              List.of(
                  dup::barrier,
                  dup::dup,
                  () -> dup.split(0, 0),
                  () -> dup.bcast(new int[1], 0),
                  () -> dup.allReduce(new int[1], Op.SUM));
          for (var call : collectives) {
            assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                    FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.COMM))
                .hasMessageContaining("has failed at this rank");
          }
          int[] got = new int[1];
          int other = 1 - world.rank();
          dup.sendRecv(new int[] {7}, other, 0, got, other, 0);
          assertThat(got).containsExactly(7);
          assertThat(sumOver(world, world.rank())).isEqualTo(1);
        });
  }

  @Test
  void aRollbackMakesIdsAgainAndRefusesLaterCommunicators() {
    Ranks.run(
        3,
        p2p -> {
          ContextIds ids = new ContextIds();
          Communicator world = Communicator.world(p2p, ids, Worlds.NO_ABORT);
          Comm before = world.dup();
          int checkpoint = ids.state();
          Comm after = world.dup();
          int later = ids.state();
          assertThat(sumOver(after, 1)).isEqualTo(3);
          ids.restore(checkpoint);
          assertThat(sumOver(world, 1)).isEqualTo(3);
          assertThat(sumOver(before, 1)).isEqualTo(3);
          assertRefused(after, "rolled back");
          Comm again = world.dup();
          assertThat(ids.state()).isEqualTo(later);
          assertThat(sumOver(again, 1)).isEqualTo(3);
          ids.restore(later); // a checkpoint after it was made again
          assertThat(sumOver(again, 1)).isEqualTo(3);
          assertRefused(after, "rolled back");
        });
  }

  private static Object copy(Object object, Communicator from, Communicator to) {
    return ObjectCodec.read(ObjectCodec.write(object, from.standIns()), to.standIns());
  }

  @Test
  void aCommunicatorInAStateIsTheSameOneWhereItExists() {
    Ranks.run(
        3,
        p2p -> {
          ContextIds ids = new ContextIds();
          Communicator world = Communicator.world(p2p, ids, Worlds.NO_ABORT);
          Comm part = present(world.split(p2p.rank() % 2, 0));
          Comm dup = part.dup();
          ids.restore(ids.state());
          assertThat((Comm[]) copy(new Comm[] {world, dup, null, part, dup}, world, world))
              .usingElementComparator((a, b) -> a == b ? 0 : 1)
              .containsExactly(world, dup, null, part, dup);
        });
  }

  @Test
  void aCommunicatorInAStateIsMadeAgainInAnotherProcess() {
    Ranks.run(
        3,
        p2p -> {
          Communicator world = Communicator.world(p2p, new ContextIds(), Worlds.NO_ABORT);
          int reversed = -p2p.rank();
          Comm part = present(world.split(p2p.rank() == 1 ? 1 : 0, reversed));
          ContextIds ids = new ContextIds();
          ids.restore(3); // as of a checkpoint after it was made
          // Only some ranks are new: the surviving ranks need not do anything.
          boolean isNew = p2p.rank() > 0;
          Communicator other = Communicator.world(p2p, ids, Worlds.NO_ABORT);
          Comm again = isNew ? (Comm) copy(part, world, other) : part;
          assertThat(again.toString()).isEqualTo(part.toString());
          assertThat(members(again)).containsExactly(members(part));
          assertThat(sumOver(again, p2p.rank())).isEqualTo(p2p.rank() == 1 ? 1 : 2);
          if (isNew) {
            assertThat(copy(part, world, other)).as("once per process").isSameAs(again);
          }
        });
  }

  @Test
  void aCommunicatorThatIsAnotherOneHereIsRefused() {
    Ranks.run(
        2,
        p2p -> {
          Communicator world = Communicator.world(p2p, new ContextIds(), Worlds.NO_ABORT);
          Comm all = world.dup();
          Communicator other = Communicator.world(p2p, new ContextIds(), Worlds.NO_ABORT);
          Comm alone = present(other.split(p2p.rank(), 0));
          assertThatThrownBy(() -> copy(all, world, other))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("communicator 2 of ranks [0, 1], which has ranks")
              .hasMessageContaining("make the same communicators before the loop");
          assertThat(alone.size()).isEqualTo(1);
        });
    byte[][] written = new byte[1][];
    Ranks.run(
        1,
        p2p -> {
          Communicator world = Worlds.world(p2p);
          written[0] = ObjectCodec.write(world, world.standIns());
        });
    Ranks.run(
        2,
        p2p ->
            assertThatThrownBy(() -> ObjectCodec.read(written[0], Worlds.world(p2p).standIns()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of a job of 1 ranks, and this one has 2"));
  }

  @Test
  void aRollbackToBeforeItWasClosedBringsACommunicatorBack() {
    Ranks.run(
        2,
        p2p -> {
          ContextIds ids = new ContextIds();
          Communicator world = Communicator.world(p2p, ids, Worlds.NO_ABORT);
          Comm dup = world.dup();
          int checkpoint = ids.state();
          dup.close();
          assertRefused(dup, "closed");
          ids.restore(checkpoint);
          assertThat(sumOver(dup, 1)).isEqualTo(2);
          dup.close();
          assertRefused(dup, "closed");
        });
  }

  @Test
  void theRuntimesOwnCommunicatorIsApart() {
    Ranks.run(
        2,
        p2p -> {
          ContextIds ids = new ContextIds();
          Communicator world = Communicator.world(p2p, ids, Worlds.NO_ABORT);
          Communicator system = Communicator.system(p2p, ids, Worlds.NO_ABORT);
          int[] got = new int[1];
          if (p2p.rank() == 0) {
            Request.waitAll(world.isend(new int[] {1}, 1, 0), system.isend(new int[] {2}, 1, 0));
          } else {
            system.recv(got, Comm.ANY_SOURCE, Comm.ANY_TAG);
            assertThat(got[0]).isEqualTo(2);
            world.recv(got, Comm.ANY_SOURCE, Comm.ANY_TAG);
            assertThat(got[0]).isEqualTo(1);
          }
          assertThat(world.compare(system)).isEqualTo(Group.Comparison.CONGRUENT);
        });
  }

  @Test
  void abortEndsTheJobAndDoesNotReturn() throws InterruptedException {
    BlockingQueue<Integer> statuses = new ArrayBlockingQueue<>(2);
    Ranks.run(
        1,
        p2p -> {
          Communicator world = Communicator.world(p2p, new ContextIds(), statuses::add);
          for (int bad : new int[] {0, -1, 256}) {
            assertThatThrownBy(() -> world.abort(bad))
                .isInstanceOfSatisfying(
                    FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.ARG))
                .hasMessageContaining("status " + bad);
          }
          Thread aborting =
              Thread.ofPlatform()
                  .daemon()
                  .start(
                      () -> {
                        world.abort(3);
                        statuses.add(-1); // it returned
                      });
          assertThat(statuses.poll(30, TimeUnit.SECONDS)).isEqualTo(3);
          aborting.interrupt(); // does not make it return either
          assertThat(statuses.poll(200, TimeUnit.MILLISECONDS)).isNull();
          assertThat(aborting.isAlive()).isTrue();
        });
  }
}
