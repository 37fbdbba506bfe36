package org.fmi.jobsim;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Message;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimTraffic;

/** The program that simulated jobs run: its answer depends on the number of ranks alone. */
final class Workload {
  /** Of a message that is read out of its sender's memory, where ranks do that. */
  private static final int LONG_BYTES = 2_000;

  private static final int ITERATIONS = 9;

  private static final byte UNUSED = -1;

  /** Part of a list that grows. */
  private record Seen(long iteration, long sum) implements Serializable {}

  private Workload() {}

  /**
   * A message long enough to be read out of the neighbour's memory. However it ends, the memory is
   * then the program's again: neither does an old epoch write it, nor does any rank read what it is
   * reused for.
   */
  private static void exchange(
      Comm world, MemorySegment out, int right, MemorySegment in, int left, byte iteration) {
    try {
      expect(in, UNUSED);
      out.fill((byte) (16 * world.rank() + iteration));
      if (iteration % 2 == 0) {
        world.sendRecv(
            Slice.of(out, 0, LONG_BYTES), right, 2, Slice.of(in, 0, LONG_BYTES), left, 2);
      } else {
        Request send = world.isend(out, right, 2);
        world.mprobe(left, 2).recv(in);
        send.waitFor();
      }
      expect(in, (byte) (16 * left + iteration));
    } finally {
      out.fill(UNUSED);
      in.fill(UNUSED);
    }
  }

  private static void expect(MemorySegment memory, byte value) {
    for (long i = 0; i < LONG_BYTES; i++) {
      byte found = memory.get(ValueLayout.JAVA_BYTE, i);
      if (found != value) {
        throw new AssertionError("byte " + i + " is " + found + ", not " + value);
      }
    }
  }

  /**
   * Communicates in every way that recovery must cope with: before, between and after loops, in
   * communicators made before and in the loops, some of which are kept, with wild cards, and with
   * messages that cross checkpoints, some of which their senders wait for.
   */
  static long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    Comm world = fmi.world();
    int rank = world.rank();
    int size = world.size();
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;

    long[] parameters = rank == 0 ? new long[] {12_345, 7} : new long[2];
    world.bcast(parameters, 0);
    Comm half = world.split(rank % 2, -rank);
    Comm copy = world.dup();
    if (rank == 0) {
      for (int i = 1; i < size; i++) {
        Message message = copy.mprobe(Comm.ANY_SOURCE, 3);
        Long sent = message.recvObject(Long.class);
        parameters[0] += Objects.requireNonNull(sent) * (message.status().source() + 1);
      }
    } else {
      copy.sendObject(rank * parameters[1], 0, 3);
    }
    world.bcast(parameters, 0);

    StateRef<long[]> u = StateRef.of(new long[8 + rank]);
    StateRef<long[]> next = StateRef.of(new long[8 + rank]);
    double[] mean = {parameters[0]};
    long[] crossing = {rank};
    RestingState resting = new RestingState(rank);
    StateRef<Comm[]> kept = StateRef.of(new Comm[1]);
    MemorySegment out = Arena.ofAuto().allocate(LONG_BYTES).fill(UNUSED);
    MemorySegment in = Arena.ofAuto().allocate(LONG_BYTES).fill(UNUSED);
    SimTraffic traffic = cluster.traffic();
    fmi.loop(
        ITERATIONS,
        iteration -> {
          traffic.onIteration(rank, iteration);
          if (iteration == 0) {
            world.attachBuffer(1 << 16); // a replacement has it though it does not come here
          }
          boolean waits = rank % 2 == 0 && rank + 1 < size;
          if (iteration > 0 && rank % 2 == 1) {
            long[] late = new long[1];
            world.recv(late, left, 11);
            traffic.onReceive(rank, left, 11, late);
            crossing[0] = 19 * crossing[0] + late[0];
          }
          long[] now = u.get();
          long[] then = next.get();
          long[] halo = new long[1];
          traffic.onSend(rank, right, 1, new long[] {now[now.length - 1]});
          world.sendRecv(Slice.of(now, now.length - 1, 1), right, 1, halo, left, 1);
          traffic.onReceive(rank, left, 1, halo);
          for (int i = 0; i < now.length; i++) {
            then[i] = 31 * now[i] + halo[0] + iteration + i + parameters[0];
          }
          exchange(world, out, right, in, left, (byte) iteration);
          if (iteration > 0) {
            // sent in the iteration before: it may have crossed a checkpoint
            long[] late = world.recv(long[].class, Comm.ANY_SOURCE, 9);
            traffic.onReceive(rank, left, 9, late);
            crossing[0] = 17 * crossing[0] + late[0];
          }
          traffic.onSend(rank, right, 9, crossing);
          world.bsend(crossing, right, 9);
          if (half != null && iteration % 3 == 1) {
            double[] sum = {mean[0] / 3};
            half.allReduce(sum, Op.SUM);
            mean[0] = sum[0] / half.size() + 0.1;
          }
          if (iteration % 4 == 2) {
            Comm inner = world.dup();
            long[] max = {then[0] & 0xffff};
            inner.allReduce(max, Op.MAX);
            then[0] += max[0];
            inner.close();
          }
          then[2] += resting.turn(iteration);
          then[1] += Keeping.turn(world, kept.get(), iteration, then[0]);
          cluster.faults().atIteration(process, iteration);
          process.compute(20_000);
          StateRef.swap(u, next);
          if (waits) {
            // received in the next iteration: a checkpoint must not wait for this
            traffic.onSend(rank, right, 11, crossing);
            world.ssend(crossing, right, 11);
          }
          traffic.onIteration(rank, iteration + 1);
        },
        resting.constant,
        resting.rare,
        State.of("u", u),
        State.of("next", next),
        State.of("mean", mean),
        crossing,
        State.of("kept", kept));

    traffic.onIteration(rank, ITERATIONS);
    long[] late = new long[1];
    if (rank % 2 == 1) {
      world.recv(late, left, 11);
      traffic.onReceive(rank, left, 11, late);
      mean[0] += late[0] & 0xff;
    }
    world.recv(late, left, 9);
    traffic.onReceive(rank, left, 9, late);
    mean[0] += Keeping.sum(kept.get(), late[0]);
    long[] between = {u.get()[0] + late[0] + (long) (mean[0] * 1000)};
    world.allReduce(between, Op.SUM);

    // Each rank has enough after a different number of iterations; all stop after the last of them.
    long[] converged = {between[0]};
    StateRef<Random> random = StateRef.of(new Random(between[0] + rank));
    StateRef<List<Seen>> seen = StateRef.of(new ArrayList<>());
    long iterations =
        fmi.loopWhile(
            100,
            iteration -> {
              long[] sum = {converged[0] % 1_000 + rank};
              world.allReduce(sum, Op.SUM);
              seen.get().add(new Seen(iteration, sum[0] + random.get().nextInt(100)));
              converged[0] = 7 * converged[0] + sum[0] + seen.get().getLast().sum();
              return iteration + 1 < 2 + rank % 3;
            },
            converged,
            random,
            seen);

    long[] total = {converged[0] + iterations * seen.get().hashCode()};
    long[] step = new long[1];
    boolean done = false;
    while (!done) {
      long n = fmi.nextIteration(State.of("total", total), State.of("step", step));
      try {
        if (n < 6) {
          long[] gathered = new long[size];
          world.allGather(total, gathered);
          total[0] = 13 * total[0] + gathered[(int) ((rank + n) % size)] + n;
          step[0]++;
        } else {
          fmi.endLoop();
          done = true;
        }
      } catch (Rollback e) {
        // the next call of loop rolls back
      }
    }

    return answer(world, total, step[0]);
  }

  /**
   * A job's answer, on rank 0: the totals of all ranks.
   *
   * @param step what is the same on all ranks
   */
  static long answer(Comm world, long[] total, long step) {
    long[] all = new long[world.size()];
    world.gather(Slice.of(total, 0, 1), all, 0);
    long answer = step;
    for (long value : all) {
      answer = 1_000_003 * answer + value;
    }
    return answer;
  }
}
