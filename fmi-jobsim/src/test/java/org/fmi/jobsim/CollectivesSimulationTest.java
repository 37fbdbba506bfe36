package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;

/**
 * Collective calls, hardly two alike, in jobs that lose ranks in the middle of them: what a rank
 * has called before a failure must not be taken for what it calls after it.
 */
final class CollectivesSimulationTest {
  private static final int SIZE = 5;
  private static final int ITERATIONS = 12;
  private static final int CALLS = 8;
  private static final int SEEDS = 10;
  private static final Shape SHAPE = Shape.plain(SIZE, 0, OnNoSpare.SHARE);

  /** Makes a call that the random numbers choose, which are the same at all ranks. */
  private static long call(Comm comm, SplittableRandom random) {
    int rank = comm.rank();
    int size = comm.size();
    int root = random.nextInt(size);
    int n = 1 + random.nextInt(4);
    long[] mine = new long[n];
    for (int i = 0; i < n; i++) {
      mine[i] = random.nextInt(100) + (long) rank * i;
    }
    long[] all = new long[n * size];
    long[] counts = new long[size];
    long[] starts = new long[size];
    for (int r = 0; r < size; r++) {
      counts[r] = r % (n + 1);
      starts[r] = (long) r * n;
    }
    switch (random.nextInt(12)) {
      case 0 -> comm.barrier();
      case 1 -> comm.bcast(mine, root);
      case 2 -> comm.gather(mine, 0, n, rank == root ? all : null, 0, root);
      case 3 -> comm.gatherv(mine, 0, counts[rank], all, 0, counts, starts, root);
      case 4 -> comm.scatter(rank == root ? all : null, 0, mine, 0, n, root);
      case 5 -> comm.allGather(mine, 0, n, all, 0);
      case 6 -> comm.allGatherv(mine, 0, counts[rank], all, 0, counts, starts);
      case 7 -> comm.allToAll(all.clone(), 0, n, all, 0);
      case 8 -> comm.reduce(mine, 0, all, 0, n, Op.MAX, root);
      case 9 -> comm.allReduce(mine, random.nextBoolean() ? Op.SUM : Op.MIN);
      case 10 -> comm.scan(mine.clone(), 0, mine, 0, n, Op.SUM);
      default -> comm.dup().free();
    }
    return LongStream.concat(LongStream.of(mine), LongStream.of(all)).sum();
  }

  private static long calls(Comm world, Comm part, SplittableRandom random) {
    long sum = 0;
    for (int i = 0; i < CALLS; i++) {
      sum = 31 * sum + call(random.nextBoolean() ? world : part, random);
    }
    return sum;
  }

  private static Program program(long seed) {
    return (fmi, process, cluster) -> {
      Comm world = fmi.world();
      Comm part = Objects.requireNonNull(world.split(world.rank() % 2, -world.rank()));
      long[] sum = {calls(world, part, new SplittableRandom(seed))};
      loop(fmi, part, seed, sum);
      sum[0] += calls(world, part, new SplittableRandom(seed + 1));
      loop(fmi, part, seed + 2, sum);
      world.allReduce(sum, Op.SUM);
      return sum[0];
    };
  }

  private static void loop(Fmi fmi, Comm part, long seed, long[] sum) {
    fmi.loop(
        ITERATIONS,
        n -> sum[0] = 31 * sum[0] + calls(fmi.world(), part, new SplittableRandom(seed + n)),
        sum);
  }

  private static Outcome run(long seed, Shape shape) {
    JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program(seed));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("seed %d: %s", seed, job.story()).isZero();
    return outcome;
  }

  @Test
  void noneIsRefusedForWhatAFailureHasInterrupted() {
    int recoveries = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      FaultPoint[] points = FaultPoint.values();
      FaultSpec[] faults = new FaultSpec[3];
      for (int i = 0; i < faults.length; i++) {
        FaultPoint point = points[random.nextInt(points.length)];
        int iteration = point.inLoop() ? random.nextInt(ITERATIONS) : -1;
        faults[i] = new FaultSpec(false, random.nextInt(SIZE), false, point, iteration);
      }
      Outcome outcome = run(seed, SHAPE.withFaults(faults));
      assertThat(outcome.answer()).as("seed %d", seed).isEqualTo(run(seed, SHAPE).answer());
      recoveries += outcome.recoveries();
    }
    assertThat(recoveries).isGreaterThan(SEEDS);
  }

  /** With iterations that are repeated from a checkpoint without a failure. */
  @Test
  void noneIsRefusedWhereIterationsAreRepeated() {
    LongStream.range(0, 5)
        .forEach(
            seed ->
                assertThat(run(seed, SHAPE.withCheck()).answer())
                    .isEqualTo(run(seed, SHAPE).answer()));
  }

  /** In the loop, where the ranks that wait for others hear of it. */
  @Test
  void oneThatDoesNotMatchEndsTheJobWithBothCalls() {
    JobSimulation job =
        new JobSimulation(
            1,
            SHAPE,
            SimModel.calm(),
            (fmi, process, cluster) -> {
              long[] sum = new long[1];
              fmi.loop(
                  ITERATIONS,
                  n -> {
                    fmi.world()
                        .allReduce(new int[2], n == 5 && process.rank() == 3 ? Op.MAX : Op.SUM);
                    sum[0]++;
                  },
                  sum);
              return sum[0];
            });
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(1);
    assertThat(outcome.message())
        .as(job.story())
        .contains("rank 3 calls allReduce(int[2], MAX)")
        .contains("calls allReduce(int[2], SUM)")
        .contains("on communicator world");
  }
}
