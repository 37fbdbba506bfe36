package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.StateRef;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimTraffic;

/**
 * A program whose ranks can roll back alone: its answer depends on the number of ranks only. It
 * receives in another order than was sent; some ranks run ahead of others, and messages cross
 * checkpoints. Ranks exchange their determinants: {@link Choices} notices a rank that decides
 * otherwise when it repeats.
 */
final class LocalWorkload {
  /** Too long for an eager message of the simulated network. */
  private static final int LONG = 3_000;

  private static final int ITERATIONS = 12;

  /** A rank sends to its right neighbour for as many iterations before that receives. */
  private static final int AHEAD = 2;

  private LocalWorkload() {}

  static long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    return run(fmi, process, cluster, false);
  }

  /** The same, and requests are under way between iterations. */
  static long runWithRequests(Fmi fmi, SimProcess process, SimCluster cluster) {
    return run(fmi, process, cluster, true);
  }

  private static long run(Fmi fmi, SimProcess process, SimCluster cluster, boolean requests) {
    Comm world = fmi.world();
    int rank = world.rank();
    int size = world.size();
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;
    long[] seed = rank == 0 ? new long[] {4_711} : new long[1];
    world.bcast(seed, 0);
    Comm half = Objects.requireNonNull(world.split(rank % 2, -rank));

    Choices choices = new Choices(world, process);
    long[] sums = {seed[0] + rank, 1};
    StateRef<long[]> pipe = StateRef.of(new long[2 + rank % 3]);
    StateRef<Comm[]> kept = StateRef.of(new Comm[1]);
    RestingState resting = new RestingState(rank);
    PostedAhead ahead = requests ? new PostedAhead(world, half, ITERATIONS) : null;
    List<Object> state =
        new ArrayList<>(
            List.of(resting.constant, resting.rare, sums, pipe, kept, choices.said, choices.heard));
    if (ahead != null) {
      state.addAll(Arrays.asList(ahead.state()));
    }
    SimTraffic traffic = cluster.traffic();
    fmi.loop(
        ITERATIONS,
        iteration -> {
          traffic.onIteration(rank, iteration);
          // down the pipe, without a barrier
          long[] in = new long[LONG];
          if (rank > 0 && iteration % 2 == 0) {
            world.recv(in, rank - 1, 1);
            traffic.onReceive(rank, rank - 1, 1, in);
            expectConstant(in);
          }
          long[] out = new long[LONG];
          Arrays.fill(out, 31 * sums[0] + in[0] + iteration);
          if (rank + 1 < size && iteration % 2 == 0) {
            traffic.onSend(rank, rank + 1, 1, out);
            world.send(out, rank + 1, 1);
          }
          sums[0] = out[0] ^ sums[1];

          // two messages, received in the other order
          if (size > 1) {
            List<Request> sends = new ArrayList<>();
            long[][] outs = {{sums[0]}, {sums[1], iteration}};
            traffic.onSend(rank, right, 2, outs[0]);
            traffic.onSend(rank, right, 3, outs[1]);
            sends.add(world.isend(outs[0], right, 2));
            sends.add(world.isend(outs[1], right, 3));
            long[] second = new long[2];
            long[] first = new long[1];
            Request late = world.irecv(first, left, 2);
            world.recv(second, left, 3);
            late.waitFor();
            traffic.onReceive(rank, left, 3, second);
            traffic.onReceive(rank, left, 2, first);
            Request.waitAll(sends);
            sums[1] = 17 * sums[1] + first[0] + 3 * second[0] + second[1];
          }

          // received iterations later: it crosses checkpoints
          if (iteration == 0) {
            world.attachBuffer(1 << 16);
          }
          traffic.onSend(rank, right, 4, sums);
          world.bsend(sums, right, 4);
          if (iteration >= AHEAD) {
            long[] old = new long[2];
            world.recv(old, left, 4);
            traffic.onReceive(rank, left, 4, old);
            sums[1] += old[0] ^ iteration;
          }

          // to itself
          traffic.onSend(rank, rank, 5, new long[] {sums[0]});
          world.send(Slice.of(sums, 0, 1), rank, 5);
          if (iteration > 0) {
            long[] own = new long[1];
            world.recv(own, rank, 5);
            traffic.onReceive(rank, rank, 5, own);
            pipe.get()[0] += own[0];
          }

          choices.make(iteration);
          cluster
              .faults()
              .atIteration(process, iteration, 31 * sums[0] + sums[1] + 7 * pipe.get()[0]);
          process.compute(20_000);
          if (iteration % 3 == 1) {
            long[] sum = {sums[0] & 0xffff};
            half.allReduce(sum, Op.SUM);
            sums[0] += sum[0];
          }
          if (iteration % 4 == 2) {
            Comm inner = world.dup();
            long[] all = new long[size];
            inner.allGather(Slice.of(sums, 0, 1), all);
            for (long each : all) {
              sums[1] = 7 * sums[1] + each;
            }
            long[] most = {all[0] & 0xff};
            long[] largest = new long[1];
            inner.reduce(most, largest, Op.MAX, size - 1);
            sums[0] += rank == size - 1 ? largest[0] : 0;
            inner.close();
          }
          sums[0] += resting.turn(iteration);
          sums[1] += Keeping.turn(world, kept.get(), iteration, sums[0]);
          if (ahead != null) {
            sums[0] += ahead.turn(iteration, sums[1]);
          }
          traffic.onIteration(rank, iteration + 1);
        },
        state.toArray());
    traffic.onIteration(rank, ITERATIONS);
    choices.compare();
    if (ahead != null) {
      ahead.compare();
    }

    long[] old = new long[2];
    for (int i = 0; i < AHEAD; i++) {
      world.recv(old, left, 4);
      traffic.onReceive(rank, left, 4, old);
      sums[1] += old[0];
    }
    long[] own = new long[1];
    world.recv(own, rank, 5);
    traffic.onReceive(rank, rank, 5, own);
    sums[1] += Keeping.sum(kept.get(), own[0]);
    long[] total = {sums[0] + 3 * sums[1] + own[0] + pipe.get()[0]};
    long[] step = {1};
    for (long n = fmi.nextIteration(total, step); n < 5; n = fmi.nextIteration(total, step)) {
      total[0] = turn(world, total[0], n, step);
    }
    fmi.endLoop();

    long iterations =
        fmi.loopWhile(
            9,
            n -> {
              long[] got = new long[1];
              if (rank == 0) {
                for (int i = 1; i < size; i++) {
                  world.recv(got, Comm.ANY_SOURCE, 6);
                  total[0] += got[0];
                }
              } else {
                world.ssend(total, 0, 6);
                total[0] += n;
              }
              return n + 1 < 3 + rank % 2;
            },
            total);
    total[0] += iterations;

    return Workload.answer(world, total, step[0]);
  }

  private static long turn(Comm world, long value, long n, long[] step) {
    long[] all = new long[world.size()];
    world.allToAll(spread(value, world.size()), all);
    step[0] += n;
    long sum = value;
    for (long each : all) {
      sum = 13 * sum + each;
    }
    return sum;
  }

  private static long[] spread(long value, int size) {
    long[] spread = new long[size];
    for (int i = 0; i < size; i++) {
      spread[i] = value * (i + 1);
    }
    return spread;
  }

  private static void expectConstant(long[] values) {
    for (long value : values) {
      if (value != values[0]) {
        throw new AssertionError("parts of two messages: " + value + " and " + values[0]);
      }
    }
  }
}
