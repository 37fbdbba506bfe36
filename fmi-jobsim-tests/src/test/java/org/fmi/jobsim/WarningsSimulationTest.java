package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;

/** What a program may do, and has hardly meant, is reported once. */
final class WarningsSimulationTest {
  private static final int SIZE = 4;
  private static final int ITERATIONS = 12;
  private static final int TAG = 5;

  private static Shape shape(long interval) {
    return Shape.plain(SIZE, 2, OnNoSpare.SHARE)
        .withInterval(new CheckpointInterval.Every(interval));
  }

  private static JobSimulation run(Shape shape, Program program) {
    return new JobSimulation(3, shape, SimModel.calm(), program);
  }

  private static long answer(JobSimulation job) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    return outcome.answer();
  }

  private static List<String> warnings(JobSimulation job, String about) {
    return job.notices(Notice.Warned.class).stream()
        .filter(n -> n.about().equals(about))
        .map(Notice.Warned::what)
        .toList();
  }

  // ---- iterations

  /** Rank 1 has no part in the sum of iteration 5, and takes that for the one of iteration 6. */
  private static final Program SKIPS =
      (fmi, process, cluster) -> {
        long[] sum = new long[1];
        fmi.loop(
            ITERATIONS,
            n -> {
              if (n != 5 || fmi.world().rank() != 1) {
                long[] each = {n};
                fmi.world().allReduce(each, Op.SUM);
                sum[0] += each[0];
              }
            },
            sum);
        return sum[0];
      };

  @Test
  void aSkippedCollectiveIsAnErrorWithCheck() {
    JobSimulation job = run(shape(100).withCheck(), SKIPS);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isEqualTo(1);
    Stream<String> thrown = job.notices(Notice.Thrown.class).stream().map(Notice.Thrown::trace);
    assertThat(thrown)
        .as("%s", job.story())
        .anySatisfy(
            text ->
                assertThat(text)
                    .containsPattern(
                        "rank (1 calls allReduce\\(long\\[1\\], SUM\\) in iteration 6 of loop 0"
                            + " where rank [023] calls it in iteration 5|[023] calls"
                            + " allReduce\\(long\\[1\\], SUM\\) in iteration 5 of loop 0 where rank"
                            + " 1 calls it in iteration 6): all ranks of a communicator must"));
  }

  @Test
  void elsewhereItIsAWarning() {
    JobSimulation job =
        run(
            shape(100),
            (fmi, process, cluster) -> {
              long[] sum = new long[1];
              fmi.loop(
                  ITERATIONS,
                  n -> {
                    if (n != 5 || fmi.world().rank() != 1) {
                      long[] each = {n};
                      fmi.world().bcast(each, 0);
                      sum[0] += each[0];
                    }
                  },
                  sum);
              return sum[0];
            });
    answer(job);

    assertThat(warnings(job, Notice.Warned.ITERATIONS))
        .containsExactly(
            "rank 0 calls bcast(long[1], root 0) in iteration 5 of loop 0 where rank 1 calls it in"
                + " iteration 6: if one has skipped a call, each gets data of another iteration;"
                + " --check ends a job there");
  }

  /** Rank r is r iterations behind rank 0 in all that it gets, and makes up for it at the end. */
  private static final Program LAGS =
      (fmi, process, cluster) -> {
        Comm world = fmi.world();
        int rank = world.rank();
        long[] sum = new long[1];
        fmi.loop(
            ITERATIONS,
            n -> {
              if (n >= rank) {
                next(world, n - rank, sum);
              }
            },
            sum);
        for (int i = 0; i < rank; i++) {
          next(world, ITERATIONS - rank + i, sum);
        }
        return sum[0];
      };

  private static void next(Comm world, long block, long[] sum) {
    long[] each = {world.rank() == 0 ? block * block : -1};
    world.bcast(each, 0);
    sum[0] = 31 * sum[0] + each[0];
  }

  /** Where no checkpoint comes between, collectives may span iterations. */
  @Test
  void ranksThatLagBehindOthersRunOn() {
    JobSimulation job = run(shape(100), LAGS);
    long answer = answer(job);
    assertThat(warnings(job, Notice.Warned.ITERATIONS)).isNotEmpty().hasSizeLessThan(SIZE);

    // Parts of asynchronous checkpoints hold their messages.
    JobSimulation killed =
        run(
            shape(3)
                .withOverlap()
                .withFaults(new FaultSpec(false, 2, false, FaultPoint.ITERATION, 8)),
            LAGS);
    assertThat(answer(killed)).isEqualTo(answer);
  }

  /**
   * A pipeline of messages, which reach the next rank an iteration later, and collectives of pairs
   * whose ranks are in one iteration: there is nothing to say, though all is compared.
   */
  @Test
  void messagesMaySpanIterations() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int rank = world.rank();
          Comm pair = Objects.requireNonNull(world.split(rank / 2, rank));
          long[] sum = new long[1];
          fmi.loop(
              ITERATIONS,
              n -> {
                long[] value = {n};
                if (rank > 0 && n > 0) {
                  world.recv(value, rank - 1, TAG);
                }
                if (rank < SIZE - 1 && n < ITERATIONS - 1) {
                  world.send(value, rank + 1, TAG);
                }
                pair.allReduce(value, Op.SUM);
                sum[0] = 31 * sum[0] + value[0];
              },
              sum);
          return sum[0];
        };
    JobSimulation job = run(shape(4).withCheck(), program);
    answer(job);
    assertThat(job.notices(Notice.Warned.class)).isEmpty();
  }

  // ---- messages

  private static Program leaves(boolean throwing) {
    return (fmi, process, cluster) -> {
      Comm world = fmi.world();
      long[] data = new long[1];
      if (world.rank() == 0) {
        world.send(data, 2, TAG);
        world.send(data, 1, TAG + 1);
        world.send(data, 1, TAG);
        world.send(data, 3, TAG);
      }
      if (world.rank() == 3) {
        world.recv(data, 0, TAG);
        if (throwing) {
          throw new IllegalArgumentException("a mistake");
        }
      }
      return 0;
    };
  }

  @Test
  void messagesThatWereNeverReceivedAreReportedOnce() {
    JobSimulation job = run(shape(100), leaves(false));
    answer(job);
    assertThat(warnings(job, Notice.Warned.UNRECEIVED))
        .containsExactly(
            "3 messages were never received: 2 to rank 1, the first of rank 0 with tag 6, and 1 to"
                + " another rank");
  }

  @Test
  void afterAFailureOfTheProgramTheyAreNot() {
    JobSimulation job = run(shape(100), leaves(true));
    assertThat(job.run().status()).as("%s", job.story()).isEqualTo(1);
    assertThat(job.notices(Notice.Warned.class)).isEmpty();
  }
}
