package org.fmi.jobsim;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Message;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.StateRef;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimTraffic;

/**
 * A program of collective calls, hardly two alike, whose ranks begin each at different times; with
 * a state that grows and shrinks, and a farm. Its answer depends on the number of ranks alone, and
 * on the numbers that the calls are drawn from.
 */
final class CollectivesWorkload {
  static final int ITERATIONS = 12;

  /** Tags of the farm's messages: a task and its result. */
  private static final int TASK = 30;

  static final int DONE = 31;

  private static final int CALLS = 4;

  /** Numbers that the calls of jobs from the command line are drawn from. */
  private static final long DRAWN = 28;

  /** Elements of a call now and then: too long for an eager message, and sent in parts. */
  private static final int LONG = 80;

  /** A rank that is late for a call is so by up to this many times {@link #LATE_NANOS}. */
  private static final int LATE = 6;

  private static final long LATE_NANOS = 20_000;

  /**
   * A function {@code x -> a x + b} after another one; {@code a} and {@code b} are 32 bits each.
   */
  private static final Op AFTER =
      Op.of(
          (in, inOut, count, type) -> {
            long[] left = (long[]) in;
            long[] right = (long[]) inOut;
            for (int i = 0; i < count; i++) {
              int a = (int) (left[i] >> 32);
              int b = (int) left[i];
              int product = a * (int) (right[i] >> 32);
              int constant = a * (int) right[i] + b;
              right[i] = ((long) product << 32) | (constant & 0xffff_ffffL);
            }
          },
          false);

  private static final Op WRAPPED_SUM =
      Op.of(
          (in, inOut, count, type) -> {
            for (int i = 0; i < count; i++) {
              ((long[]) inOut)[i] = (((long[]) in)[i] + ((long[]) inOut)[i]) % 1_000_003;
            }
          },
          true);

  /** Products, less one. */
  private static final Op GROWTH = Op.ofLong((left, right) -> left + right + left * right, true);

  /** The left operand, unless it is zero; not commutative. */
  private static final Op FIRST = Op.ofLong((left, right) -> left == 0 ? right : left, false);

  private static final List<Op> OPS = List.of(Op.SUM, Op.MIN, AFTER, WRAPPED_SUM, GROWTH, FIRST);

  /** The collective calls of the API. */
  enum Kind {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALL_GATHER,
    ALL_GATHERV,
    ALL_TO_ALL,
    ALL_TO_ALLV,
    REDUCE,
    ALL_REDUCE,
    REDUCE_SCATTER,
    SCAN,
    EX_SCAN,
    DUP,
    SPLIT,
    OBJECTS
  }

  /** The collectives drawn by chance; the rest have fixed places. */
  private static final List<Kind> DRAWN_KINDS =
      Stream.of(Kind.values()).filter(kind -> kind != Kind.OBJECTS).toList();

  /** {@code x -> a x + b}, as an object. */
  private record Line(int a, int b) implements Serializable {
    Line after(Line first) {
      return new Line(a * first.a, a * first.b + b);
    }
  }

  private final Fmi fmi;
  private final SimProcess process;
  private final SimCluster cluster;
  private final List<Kind> kinds;

  private CollectivesWorkload(Fmi fmi, SimProcess process, SimCluster cluster, List<Kind> kinds) {
    this.fmi = fmi;
    this.process = process;
    this.cluster = cluster;
    this.kinds = kinds;
  }

  /** With all kinds of calls. */
  static long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    return run(fmi, process, cluster, DRAWN);
  }

  private static long run(Fmi fmi, SimProcess process, SimCluster cluster, long seed) {
    return new CollectivesWorkload(fmi, process, cluster, DRAWN_KINDS).run(seed);
  }

  /** With all kinds of calls, drawn by chance. */
  static JobSimulation.Program of(long seed) {
    return (fmi, process, cluster) -> run(fmi, process, cluster, seed);
  }

  /** With calls of one kind, in one loop. */
  static JobSimulation.Program of(Kind kind) {
    return (fmi, process, cluster) ->
        new CollectivesWorkload(fmi, process, cluster, List.of(kind)).runLoop();
  }

  private Comm part() {
    Comm world = fmi.world();
    return Objects.requireNonNull(world.split(world.rank() % 2, -world.rank()));
  }

  private long run(long seed) {
    Comm part = part();
    long[] sum = {calls(part, new SplittableRandom(seed))};
    StateRef<long[]> grown = StateRef.of(new long[1]);
    StateRef<List<Long>> listed = StateRef.of(new ArrayList<>());
    fmi.loop(
        ITERATIONS,
        n -> {
          sum[0] = 31 * sum[0] + calls(part, new SplittableRandom(seed + n));
          sum[0] += grow(grown, listed.get(), n, sum[0]);
          if (n % 2 == 1) {
            sum[0] += farm(n);
          } else if (n % 4 == 2) {
            sum[0] += objects(part, new long[] {sum[0]}, (int) n, 0);
          }
          cluster.faults().atIteration(process, n, sum[0]);
        },
        sum,
        grown,
        listed);
    sum[0] += calls(part, new SplittableRandom(seed + 1));
    fmi.loop(
        ITERATIONS / 2,
        n -> sum[0] = 31 * sum[0] + calls(part, new SplittableRandom(seed + 2 + n)),
        sum);
    return Workload.answer(fmi.world(), sum, 0);
  }

  private long runLoop() {
    SimTraffic traffic = cluster.traffic();
    int rank = process.rank();
    Comm part = part();
    long[] sum = new long[1];
    fmi.loop(
        ITERATIONS,
        n -> {
          traffic.onIteration(rank, n);
          sum[0] = 31 * sum[0] + calls(part, new SplittableRandom(DRAWN + n));
          traffic.onIteration(rank, n + 1);
        },
        sum);
    return Workload.answer(fmi.world(), sum, 0);
  }

  /** Makes what it holds longer or shorter: another length in each iteration, and on each rank. */
  private static long grow(StateRef<long[]> grown, List<Long> listed, long iteration, long value) {
    long[] longer = Arrays.copyOf(grown.get(), 1 + Math.floorMod(value, 5) * LONG);
    longer[longer.length - 1] += iteration;
    grown.set(longer);
    if (iteration % 5 == 4) {
      listed.clear();
    }
    listed.add(value);
    return 31L * Arrays.hashCode(longer) + listed.hashCode();
  }

  private long calls(Comm part, SplittableRandom random) {
    long sum = 0;
    for (int i = 0; i < CALLS; i++) {
      int late = (random.nextInt(LATE) * (1 + process.rank())) % LATE;
      process.compute(1 + late * LATE_NANOS);
      sum = 31 * sum + call(random.nextInt(3) > 0 ? fmi.world() : part, random);
    }
    return sum;
  }

  /** Makes a call that the random numbers choose, which are the same at all ranks. */
  private long call(Comm comm, SplittableRandom random) {
    int rank = comm.rank();
    int size = comm.size();
    Kind kind = kinds.get(random.nextInt(kinds.size()));
    Op op = OPS.get(random.nextInt(OPS.size()));
    int root = random.nextInt(Integer.MAX_VALUE) % size;
    int n = random.nextInt(6) == 0 ? LONG : 1 + random.nextInt(4);
    long start = random.nextInt(100);
    long[] mine = new long[n];
    Arrays.setAll(mine, i -> (start << 32) + start + (long) rank * (i + 1));
    long[] all = new long[n * size];
    long[] spread = new long[n * size];
    Arrays.setAll(spread, i -> mine[i % n] + i);
    long[] counts = new long[size];
    long[] room = new long[size];
    long[] starts = new long[size];
    for (int r = 0; r < size; r++) {
      counts[r] = r % (n + 1);
      room[r] = start % 2 == 0 ? counts[r] : n; // as much as is sent, or more
      starts[r] = (long) r * n;
    }
    switch (kind) {
      case BARRIER -> comm.barrier();
      case BCAST -> {
        if (n == 1) {
          mine[0] = callOfOne(comm, kind, mine[0], op, root);
        } else {
          comm.bcast(mine, root);
        }
      }
      case GATHER -> comm.gather(mine, rank == root ? all : null, root);
      case GATHERV -> comm.gatherv(Slice.of(mine, 0, counts[rank]), all, room, starts, root);
      case SCATTER -> comm.scatter(rank == root ? spread : null, mine, root);
      case SCATTERV -> comm.scatterv(spread, counts, starts, Slice.of(mine, 0, room[rank]), root);
      case ALL_GATHER -> comm.allGather(mine, all);
      case ALL_GATHERV -> comm.allGatherv(Slice.of(mine, 0, counts[rank]), all, room, starts);
      case ALL_TO_ALL -> comm.allToAll(spread, all);
      case ALL_TO_ALLV -> {
        long[] toEach = new long[size];
        Arrays.fill(toEach, counts[rank]);
        comm.allToAllv(spread, toEach, starts, all, room, starts);
      }
      case REDUCE -> comm.reduce(mine, all, op, root);
      case ALL_REDUCE -> {
        if (n == 1) {
          mine[0] = callOfOne(comm, kind, mine[0], op, root);
        } else {
          comm.allReduce(mine, op);
        }
      }
      case REDUCE_SCATTER -> comm.reduceScatter(spread, all, counts, op);
      case SCAN -> {
        if (n == 1) {
          mine[0] = callOfOne(comm, kind, mine[0], op, root);
        } else {
          comm.scan(mine.clone(), mine, op);
        }
      }
      case EX_SCAN -> {
        if (n == 1) {
          mine[0] = callOfOne(comm, kind, mine[0], op, root);
        } else {
          comm.exScan(mine.clone(), mine, op);
        }
      }
      case OBJECTS -> all[0] = objects(comm, mine, (int) start, root);
      case DUP -> comm.dup().close();
      case SPLIT -> Objects.requireNonNull(comm.split((int) (rank + start) % 2, rank)).close();
    }
    return LongStream.concat(LongStream.of(mine), LongStream.of(all))
        .reduce(0, (a, b) -> 7 * a + b);
  }

  /** A call of one number in the form for that, which gives what an array of one gives. */
  private static long callOfOne(Comm comm, Kind kind, long value, Op op, int root) {
    return switch (kind) {
      case BCAST -> comm.bcast(value, root);
      case ALL_REDUCE -> comm.allReduce(value, op);
      case SCAN -> comm.scan(value, op);
      default -> {
        long before = comm.exScan(value, op);
        yield comm.rank() == 0 ? value : before;
      }
    };
  }

  /** All collectives of objects, of other lengths at each rank. */
  private static long objects(Comm comm, long[] mine, int start, int root) {
    int rank = comm.rank();
    boolean isRoot = rank == root;
    long[] sent = Objects.requireNonNull(comm.bcastObject(isRoot ? mine : null, root));
    long[] own = Arrays.copyOf(mine, mine.length + rank);
    List<long[]> gathered = comm.gatherObjects(own, root);
    List<long[]> parts = comm.allGatherObjects(own);
    long[] part = Objects.requireNonNull(comm.scatterObjects(isRoot ? parts : null, root));
    Line line = new Line(start + rank, rank);
    Line joined = comm.allReduceObject(line, Line::after);
    Line atRoot = comm.reduceObject(line, Line::after, root);
    if (!Arrays.equals(part, own)
        || gathered.size() != (isRoot ? comm.size() : 0)
        || !Objects.equals(atRoot, isRoot ? joined : null)) {
      throw new AssertionError(part.length + ", " + gathered.size() + ", " + atRoot);
    }
    long sum = Objects.requireNonNull(joined).hashCode() + 31L * Arrays.hashCode(sent);
    for (long[] each : parts) {
      sum = 31 * sum + Arrays.hashCode(each);
    }
    return sum;
  }

  /**
   * Rank 0 hands out tasks, one after the other, to any rank that has done one: which rank does not
   * matter for the sum that it gets.
   */
  private long farm(long iteration) {
    Comm world = fmi.world();
    int workers = world.size() - 1;
    int tasks = 3 * workers;
    long[] next = new long[1];
    if (world.rank() > 0) {
      for (next = world.recv(long[].class, 0, TASK);
          next[0] >= 0;
          next = world.recv(long[].class, 0, TASK)) {
        process.compute(LATE_NANOS * ((next[0] + world.rank()) % 3));
        long[] result = new long[2 + (int) next[0] * LONG];
        result[0] = next[0];
        result[result.length - 1] = next[0] * next[0] + iteration;
        world.send(result, 0, DONE);
      }
      return 0;
    }
    long sum = 0;
    boolean[] have = new boolean[tasks];
    for (int worker = 1; worker <= workers; worker++) {
      world.send(new long[] {next[0]++}, worker, TASK);
    }
    for (int i = 0; i < tasks; i++) {
      Message done = world.mprobe(Comm.ANY_SOURCE, DONE);
      int worker = done.status().source();
      process.compute(LATE_NANOS);
      long[] result = done.recv(long[].class);
      if (have[(int) result[0]]) {
        throw new AssertionError("task " + result[0] + " is done twice");
      }
      have[(int) result[0]] = true;
      sum += result[result.length - 1];
      world.send(new long[] {next[0] < tasks ? next[0]++ : -1}, worker, TASK);
    }
    return sum;
  }
}
