package org.fmi.jobsim;

import java.util.Arrays;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.State;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;

/**
 * A program of loops that say which ranks they read from: a line of which each rank reads from both
 * sides, in a communicator with another order of ranks, where ranks meet in some iterations; one
 * that ends when ranks agree, in which each reads from a rank further and further away; and a plain
 * one between them. Its answer depends on the number of ranks alone.
 */
final class FlowWorkload {
  /** Too long for an eager message of the simulated network. */
  private static final int LONG = 3_000;

  private static final int ITERATIONS = 9;
  private static final int TAG = 4;

  private FlowWorkload() {}

  static long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    Comm world = fmi.world();
    int rank = world.rank();
    int size = world.size();
    // Backwards, so that ranks there are other ones than in the world.
    Comm line = Objects.requireNonNull(world.split(0, -rank));
    long[] begin = rank == 0 ? new long[] {4_711} : new long[1];
    world.bcast(begin, 0);

    long[] part =
        fmi.flowLoop(
            ITERATIONS,
            Flow.line(size),
            new Line(line, process, cluster),
            () -> filled(begin[0] + rank),
            state -> new Object[] {State.of("part", state)});

    long[] sum = {part[0]};
    fmi.loop(4, iteration -> world.allReduce(sum, Op.SUM), sum);

    long[] last =
        fmi.flowLoopWhile(
            20,
            (reader, iteration) -> new int[] {(reader + 1 + (int) iteration) % size},
            new Round(world, process),
            () -> new long[] {sum[0] * (rank + 3), 0},
            state -> new Object[] {state});
    long[] total = {last[0]};
    return Workload.answer(world, total, last[1]);
  }

  private static long[] filled(long value) {
    long[] state = new long[LONG];
    Arrays.fill(state, value);
    return state;
  }

  /** Long messages from both sides. */
  private static final class Line implements FlowBody<long[]> {
    private final Comm line;
    private final SimProcess process;
    private final SimCluster cluster;
    private final long[] before = new long[LONG];
    private final long[] behind = new long[LONG];

    Line(Comm line, SimProcess process, SimCluster cluster) {
      this.line = line;
      this.process = process;
      this.cluster = cluster;
    }

    @Override
    public void exchange(long iteration, long[] now) {
      Arrays.fill(before, 0);
      Arrays.fill(behind, 0);
      int previous = line.rank() == 0 ? Comm.PROC_NULL : line.rank() - 1;
      int next = line.rank() == line.size() - 1 ? Comm.PROC_NULL : line.rank() + 1;
      Request fromNext = line.irecv(behind, next, TAG);
      Request toNext = line.isend(Slice.of(now, 0, LONG), next, TAG);
      line.sendRecv(Slice.of(now, 0, LONG), previous, TAG, before, previous, TAG);
      Request.waitAll(fromNext, toNext);
    }

    @Override
    public void step(long iteration, long[] now, long[] next) {
      process.compute(20_000);
      for (int i = 0; i < LONG; i++) {
        next[i] = 31 * now[i] + 7 * before[LONG - 1 - i] + behind[i] + iteration;
      }
    }

    @Override
    public boolean finish(long iteration, long[] next) {
      cluster.faults().atIteration(process, iteration, next[0] + 3 * next[LONG - 1]);
      if (iteration % 3 == 1) {
        long[] sum = {next[0]};
        line.allReduce(sum, Op.SUM);
      }
      return true;
    }
  }

  /** Reads one number from one rank, a different rank in each iteration. */
  private static final class Round implements FlowBody<long[]> {
    private final Comm world;
    private final SimProcess process;
    private final long[] in = new long[1];

    Round(Comm world, SimProcess process) {
      this.world = world;
      this.process = process;
    }

    @Override
    public void exchange(long iteration, long[] now) {
      int size = world.size();
      int distance = 1 + (int) iteration;
      int from = Math.floorMod(world.rank() + distance, size);
      int to = Math.floorMod(world.rank() - distance, size);
      in[0] = 0;
      world.sendRecv(Slice.of(now, 0, 1), to, TAG, in, from, TAG);
    }

    @Override
    public void step(long iteration, long[] now, long[] next) {
      process.compute(20_000);
      next[0] = 31 * now[0] + in[0];
      next[1] = now[1] + 1;
    }

    @Override
    public boolean finish(long iteration, long[] next) {
      return iteration + 1 < 5 + world.rank() % 2;
    }
  }
}
