package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.CommState;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Communicators in a job that goes on without its dead. */
final class ShrinkTest {
  /** Tells the living of deaths, in one order, and answers agreements. */
  private static final class FakeJob {
    final Messenger[] messengers;
    final MemoryNetwork network;
    private final BitSet dead = new BitSet();
    private final List<Open> open = new ArrayList<>();
    private final List<Map<List<Integer>, JobCalls.Agreed>> answers = new ArrayList<>();
    private long deaths;

    /** An agreement that some have asked for. */
    private static final class Open {
      final List<Integer> name;
      final BitSet members;
      final BitSet asked = new BitSet();
      long flags = -1;
      int id;

      Open(List<Integer> name, BitSet members) {
        this.name = name;
        this.members = members;
      }
    }

    FakeJob(int size, long seed, Options options, int @Nullable [] nodes) {
      network = new MemoryNetwork(size, seed, options, nodes);
      messengers = new Messenger[size];
      for (int r = 0; r < size; r++) {
        messengers[r] = Ranks.shrinking(r, size);
        messengers[r].enter(0, new Transport[] {network.transport(r)});
        answers.add(new ConcurrentHashMap<>());
      }
    }

    synchronized void dies(int rank) {
      dead.set(rank);
      deaths++;
      for (int r = 0; r < messengers.length; r++) {
        if (!dead.get(r)) {
          messengers[r].died(deaths, rank, "was killed");
        }
      }
      List.copyOf(open).forEach(this::answer);
    }

    synchronized void asks(
        int rank, int communicator, int call, long[] members, long flags, int nextId) {
      List<Integer> name = List.of(communicator, call);
      BitSet all = BitSet.valueOf(members);
      Open of =
          open.stream()
              .filter(each -> each.name.equals(name) && each.members.equals(all))
              .findFirst()
              .orElseGet(
                  () -> {
                    Open made = new Open(name, all);
                    open.add(made);
                    return made;
                  });
      of.asked.set(rank);
      of.flags &= flags;
      of.id = Math.max(of.id, nextId);
      answer(of);
    }

    private void answer(Open of) {
      BitSet awaited = (BitSet) of.members.clone();
      awaited.andNot(dead);
      awaited.andNot(of.asked);
      if (awaited.isEmpty()) {
        open.remove(of);
        JobCalls.Agreed agreed = new JobCalls.Agreed(of.flags, deaths, of.id);
        of.asked.stream()
            .forEach(
                r -> {
                  answers.get(r).put(of.name, agreed);
                  messengers[r].wakeup();
                });
      }
    }

    synchronized void revokes(int communicator, long[] members) {
      BitSet.valueOf(members).stream()
          .forEach(r -> messengers[r].revokedCommunicator(communicator));
    }

    Communicator world(Messenger m) {
      return Communicator.world(m, new ContextIds(), new Calls(m));
    }

    private final class Calls implements JobCalls {
      private final Messenger m;

      Calls(Messenger m) {
        this.m = m;
      }

      @Override
      public void abort(int status) {
        throw new AssertionError("aborted with " + status);
      }

      @Override
      public JobCalls.Agreed agree(
          int communicator, int call, boolean shrink, long[] members, long flags, int nextId) {
        asks(m.rank(), communicator, call, members, flags, nextId);
        JobCalls.Agreed agreed = null;
        while (agreed == null) {
          m.park();
          agreed = answers.get(m.rank()).remove(List.of(communicator, call));
        }
        m.check();
        return agreed;
      }

      @Override
      public void revoke(int communicator, long[] members) {
        revokes(communicator, members);
        m.check();
      }
    }

    void run(Program program, String what) {
      Ranks.run(messengers, network::sent, m -> program.run(world(m), this), what);
    }
  }

  private interface Program {
    void run(Communicator world, FakeJob job) throws Exception;
  }

  private static final int SEEDS = 60;

  private static void run(int size, Program program) {
    new FakeJob(size, 1, Options.WAITING, null).run(program, "");
    new FakeJob(size, 1, Options.PLAIN, new int[size]).run(program, "on one node");
  }

  private static void assertFailed(ErrorClass wanted, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(wanted));
  }

  private static void awaitDeath(Communicator world, int deaths) {
    while (world.failed().size() < deaths) {
      Thread.onSpinWait();
    }
  }

  // ---- what fails, and what does not

  @Test
  void callsThatNeedTheDeadFailAndOthersDoNot() {
    run(
        3,
        (world, job) -> {
          if (world.rank() == 2) {
            job.dies(2);
            return;
          }
          awaitDeath(world, 1);
          assertThat(world.state()).isEqualTo(CommState.INVALID);
          int[] box = {0};
          ErrorClass failed = ErrorClass.PROC_FAILED;
          assertFailed(failed, () -> world.recv(box, 2, 9));
          assertFailed(failed, () -> world.irecv(box, 2, 9).waitFor());
          assertFailed(failed, () -> world.send(box, 2, 9));
          assertFailed(failed, () -> world.ssend(box, 2, 9));
          assertFailed(failed, () -> world.isend(box, 2, 9).waitFor());
          assertFailed(failed, () -> world.sendRecv(box, 2, 9, box, 1 - world.rank(), 9));
          assertFailed(failed, () -> world.probe(2, 9));
          assertFailed(failed, () -> world.iprobe(2, 9));
          assertFailed(failed, () -> world.mprobe(2, 9));
          assertFailed(failed, () -> world.recv(int[].class, 2, 9));
          assertFailed(failed, () -> world.recvObject(Object.class, 2, 9));
          assertFailed(failed, () -> world.sendObject("x", 2, 9));
          assertFailed(failed, world::barrier);
          assertFailed(failed, () -> world.allReduce(box, Op.SUM));
          assertFailed(failed, world::dup);
          assertFailed(failed, () -> world.split(0, 0));
          assertFailed(failed, () -> world.recv(box, Comm.ANY_SOURCE, 9));
          assertFailed(failed, () -> world.probe(Comm.ANY_SOURCE, 9));
          world.ackFailed();
          int other = 1 - world.rank();
          Request any = world.irecv(box, Comm.ANY_SOURCE, 10);
          world.send(new int[] {world.rank() + 10}, other, 10);
          assertThat(any.waitFor().source()).isEqualTo(other);
          assertThat(box[0]).isEqualTo(other + 10);
          assertThat(world.failed().translateRanks(new int[] {0}, world.group()))
              .containsExactly(2);
        });
  }

  @Test
  void whatHadArrivedMayStillBeReceived() {
    new FakeJob(2, 1, Options.PLAIN, null)
        .run(
            (world, job) -> {
              if (world.rank() == 1) {
                world.send(new int[] {7}, 0, 1);
                world.send(new int[] {8}, 0, 1);
                job.dies(1);
                return;
              }
              awaitDeath(world, 1);
              int[] box = {0};
              world.recv(box, 1, 1);
              assertThat(box[0]).isEqualTo(7);
              assertThat(world.probe(1, 1).source()).isEqualTo(1);
              world.recv(box, Comm.ANY_SOURCE, Comm.ANY_TAG);
              assertThat(box[0]).isEqualTo(8);
              assertFailed(ErrorClass.PROC_FAILED, () -> world.recv(box, 1, 1));
            },
            "");
  }

  /** A death and a revocation end calls that wait already, whatever they wait for. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void callsThatWaitEnd(boolean revoked) {
    List<Waiting> calls =
        List.of(
            w -> w.recv(new int[1], 2, 1),
            w -> w.recv(new int[1], Comm.ANY_SOURCE, 1),
            w -> w.ssend(new int[100_000], 2, 1),
            w -> w.probe(Comm.ANY_SOURCE, 1),
            w -> w.irecv(new int[1], 2, 1).waitFor(),
            Comm::barrier,
            w -> w.bcast(new int[50_000], 2),
            w -> w.allReduce(new double[50_000], Op.SUM));
    for (int[] nodes : new int[][] {null, new int[3]}) {
      for (Waiting each : calls) {
        new FakeJob(3, 1, Options.PLAIN, nodes)
            .run(
                (world, job) -> {
                  if (world.rank() == 2) {
                    Thread.sleep(5); // the others should wait by then; if not, the test is weaker
                    if (revoked) {
                      world.revoke();
                    } else {
                      job.dies(2);
                    }
                  } else {
                    assertFailed(
                        revoked ? ErrorClass.REVOKED : ErrorClass.PROC_FAILED,
                        () -> each.call(world));
                  }
                },
                "");
      }
    }
  }

  private interface Waiting {
    void call(Comm world);
  }

  @Test
  void onARevokedCommunicatorOnlyAgreementsWork() {
    run(
        3,
        (world, job) -> {
          Comm other = world.dup();
          if (world.rank() == 1) {
            other.revoke();
          }
          assertThat(other.agree(7L << world.rank())).isEqualTo(4);
          assertThat(other.state()).isEqualTo(CommState.REVOKED);
          assertFailed(ErrorClass.REVOKED, other::barrier);
          assertFailed(ErrorClass.REVOKED, () -> other.send(new int[1], 0, 1));
          assertFailed(ErrorClass.REVOKED, () -> other.recv(new int[1], 0, 1));
          Comm next = other.shrink();
          assertThat(next.size()).isEqualTo(3);
          assertThat(next.allReduce(1L, Op.SUM)).isEqualTo(3);
          assertThat(world.allReduce(1L, Op.SUM)).isEqualTo(3);
          assertThat(world.state()).isEqualTo(CommState.VALID);
        });
  }

  @Test
  void whereLostRanksAreReplacedNobodyIsMissing() {
    Worlds.run(
        3,
        world -> {
          assertThat(world.agree(7L << world.rank())).isEqualTo(4);
          assertThat(world.shrink().allReduce(1L, Op.SUM)).isEqualTo(3);
          assertThat(world.failed().size()).isZero();
          world.ackFailed();
          assertThat(world.state()).isEqualTo(CommState.VALID);
          assertThatThrownBy(world::revoke).hasMessageContaining("--on-failure shrink");
        });
  }

  // ---- ranks die at random

  /**
   * Ranks repeat each step until all that live have done it; those that die do so at any moment.
   * Afterwards the living are together, each result was right, and no buffer of a failed call was
   * written later.
   */
  @Test
  void theLivingGoOnWhoeverDies() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int size = 3 + random.nextInt(4);
      Options options =
          List.of(Options.PLAIN, Options.ROUGH, Options.WAITING).get(random.nextInt(3));
      int[] nodes = null;
      if (random.nextInt(3) > 0) {
        nodes = new int[size];
        int most = 1 + random.nextInt(2);
        Arrays.setAll(nodes, _ -> random.nextInt(most));
      }
      FakeJob job = new FakeJob(size, seed, options, nodes);
      int victims = 1 + random.nextInt(size - 1);
      long[] moments = new long[victims];
      Arrays.setAll(moments, _ -> random.nextInt(60 * size));
      Arrays.sort(moments);
      int first = random.nextInt(size);
      Thread killer =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    for (int v = 0; v < victims; v++) {
                      while (job.network.sent() < moments[v]) {
                        Thread.onSpinWait();
                      }
                      int victim = (first + v) % size;
                      boolean lateNews = moments[v] % 2 == 0;
                      if (lateNews) {
                        job.messengers[victim].revoke(0, "killed");
                      }
                      job.dies(victim);
                      job.messengers[victim].revoke(0, "killed");
                    }
                  });
      int survivors = size - victims;
      long steps = seed;
      job.run(
          (world, _) -> {
            try {
              Comm last = goOn(world, new Random(steps), survivors);
              assertThat(last.size()).isEqualTo(survivors);
            } catch (Rollback e) {
              // It is dead.
            }
          },
          "seed " + seed + ", " + options + " on " + Arrays.toString(nodes));
      try {
        killer.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Makes steps, the same at all ranks, until only the survivors are left. */
  private static Comm goOn(Comm world, Random random, int survivors) {
    Comm comm = world;
    int least = 12;
    while (least-- > 0 || comm.size() > survivors) {
      int kind = random.nextInt(6);
      int count = random.nextInt(4) == 0 ? 20_000 : 1 + random.nextInt(20);
      long done = 0;
      while (done == 0) {
        long[] in = new long[count];
        done = 1;
        try {
          step(comm, kind, in);
        } catch (FmiException e) {
          assertThat(e.errorClass()).isIn(ErrorClass.PROC_FAILED, ErrorClass.REVOKED);
          done = 0;
          comm.revoke(); // ends a request too that a step has begun before it failed
          long[] then = in.clone();
          done = comm.agree(done);
          comm = comm.shrink();
          assertThat(Arrays.equals(in, then)).as("the buffer is as when the call failed").isTrue();
          continue;
        }
        done = comm.agree(done);
        if (done == 0) {
          comm = comm.shrink();
        }
      }
    }
    return comm;
  }

  private static void step(Comm comm, int kind, long[] in) {
    int size = comm.size();
    int right = (comm.rank() + 1) % size;
    int left = (comm.rank() + size - 1) % size;
    long[] out = new long[in.length];
    Arrays.fill(out, comm.rank() + 1L);
    switch (kind) {
      case 0 -> {
        comm.sendRecv(out, right, 1, in, left, 1);
        assertAll(in, left + 1L);
      }
      case 1 -> {
        Request receive = comm.irecv(in, left, 1);
        comm.isend(out, right, 1).waitFor();
        receive.waitFor();
        assertAll(in, left + 1L);
      }
      case 2 -> {
        comm.allReduce(out, in, Op.SUM);
        assertAll(in, size * (size + 1L) / 2);
      }
      case 3 -> {
        System.arraycopy(out, 0, in, 0, in.length);
        comm.bcast(in, size - 1);
        assertAll(in, size);
      }
      case 4 -> {
        long[] all = new long[in.length * size];
        comm.allGather(out, all);
        assertThat(LongStream.of(all).sum()).isEqualTo(in.length * (size * (size + 1L) / 2));
      }
      default -> comm.barrier();
    }
  }

  private static void assertAll(long[] values, long wanted) {
    assertThat(LongStream.of(values).allMatch(value -> value == wanted))
        .as("all are " + wanted)
        .isTrue();
  }
}
