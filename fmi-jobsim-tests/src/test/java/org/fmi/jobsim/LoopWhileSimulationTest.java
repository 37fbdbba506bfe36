package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;

/** The loop whose body says whether to continue. */
final class LoopWhileSimulationTest {
  private static final Shape SHAPE = Shape.plain(4, 0, OnNoSpare.ABORT);

  private static Outcome run(long seed, Shape shape, Program program) {
    JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    return outcome;
  }

  /** Continues while any rank wants to: rank r wants 10 + r iterations, of {@code most}. */
  private static long iterations(Fmi fmi, long most) {
    long[] sum = new long[1];
    int rank = fmi.world().rank();
    long done =
        fmi.loopWhile(
            most,
            n -> {
              long[] each = {n};
              fmi.world().allReduce(each, Op.SUM);
              sum[0] += each[0];
              return n + 1 < 10 + rank;
            },
            sum);
    assertThat(sum[0]).isEqualTo(4 * done * (done - 1) / 2);
    return done;
  }

  @Test
  void continuesWhileAnyRankWantsTo() {
    assertThat(run(1, SHAPE, (fmi, process, cluster) -> iterations(fmi, 100)).answer())
        .isEqualTo(13);
  }

  @Test
  void hasNoMoreIterationsThanAsked() {
    assertThat(run(1, SHAPE, (fmi, process, cluster) -> iterations(fmi, 7)).answer()).isEqualTo(7);
    assertThat(run(1, SHAPE, (fmi, process, cluster) -> iterations(fmi, 0)).answer()).isZero();
  }

  /** In the loop its ranks roll back; after it all start again, and find it ended. */
  @Test
  void endsAfterTheSameIterationWhereverARankDies() {
    Program program =
        (fmi, process, cluster) -> {
          long[] done = {iterations(fmi, 100)};
          fmi.world().allReduce(done, Op.SUM);
          return done[0];
        };
    for (FaultPoint point :
        new FaultPoint[] {
          FaultPoint.ITERATION, FaultPoint.COMMIT, FaultPoint.COMMITTED, FaultPoint.EPILOGUE
        }) {
      FaultSpec fault = new FaultSpec(false, 1, false, point, point.isNumbered() ? 12 : -1);
      LongStream.range(0, 5)
          .forEach(
              seed -> {
                Outcome outcome = run(seed, SHAPE.withFaults(fault), program);
                assertThat(outcome.answer()).as("%s", point).isEqualTo(4 * 13);
                assertThat(outcome.recoveries()).as("%s", point).isEqualTo(1);
              });
    }
  }

  /** Loops of different length or kind: detected where the ranks meet, and both are named. */
  @Test
  void ranksAtDifferentPlacesAreNamed() {
    assertDiffer(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          fmi.loopWhile(process.rank() == 2 ? 3 : 5, n -> ++sum[0] < 100, sum);
          return sum[0];
        },
        "rank 0 runs loop 0 of 5 iterations",
        "rank 2 runs loop 0 of 3 iterations");
    assertDiffer(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          if (process.rank() == 2) {
            fmi.loop(10, n -> sum[0]++, sum);
          } else {
            fmi.loopWhile(10, n -> ++sum[0] < 100, sum);
          }
          return sum[0];
        },
        "rank 0 asks whether to continue after iteration 0 of loop 0",
        "rank 2 takes a checkpoint before iteration");
  }

  private static void assertDiffer(Program program, String first, String second) {
    LongStream.range(0, 20)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, SHAPE, SimModel.calm(), program);
              Outcome outcome = job.run();
              assertThat(outcome.status()).as(job.story()).isEqualTo(1);
              assertThat(outcome.message()).as(job.story()).contains(first).contains(second);
              assertThat(outcome.recoveries()).as(job.story()).isZero();
            });
  }

  @Test
  void aRankThatLeavesInsteadEndsTheJob() {
    JobSimulation job =
        new JobSimulation(
            1,
            SHAPE,
            SimModel.calm(),
            (fmi, process, cluster) -> {
              long[] sum = new long[1];
              if (process.rank() != 2) {
                fmi.loopWhile(10, n -> ++sum[0] < 100, sum);
              }
              return sum[0];
            });
    assertThat(job.run().status()).as(job.story()).isEqualTo(1);
  }
}
