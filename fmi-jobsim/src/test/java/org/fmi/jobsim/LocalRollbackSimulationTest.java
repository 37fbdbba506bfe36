package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.core.p2p.Choice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.JobSimulation.Shape;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Simulated jobs of which only failed ranks go back. */
final class LocalRollbackSimulationTest {
  private static final int SIZE = 4;

  private static Shape ranks() {
    return Shape.plain(SIZE, 1, OnNoSpare.ABORT)
        .withInterval(new CheckpointInterval.Every(4))
        .withLocalRollback(1 << 20);
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  private static <T> List<T> notices(JobSimulation job, Class<T> type, Predicate<T> which) {
    return job.notices().stream().filter(type::isInstance).map(type::cast).filter(which).toList();
  }

  private static JobSimulation finished(Shape shape) {
    JobSimulation job = new JobSimulation(3, shape);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(new Answers().of(shape));
    return job;
  }

  @Test
  void onlyTheFailedRankRepeatsIterations() {
    JobSimulation job = finished(ranks().withFaults(kill(2, FaultPoint.ITERATION, 7)));

    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .containsExactly(new Notice.GoBack(1, "[2]", ""));
    assertThat(notices(job, Notice.GoesOn.class, n -> true))
        .extracting(Notice.GoesOn::rank)
        .containsExactlyInAnyOrder(0, 1, 3);
    assertThat(notices(job, Notice.CaughtUp.class, n -> true))
        .singleElement()
        .satisfies(
            n -> {
              assertThat(n.rank()).isEqualTo(2);
              assertThat(n.from()).isEqualTo(4);
              assertThat(n.repeated()).isEqualTo(3);
            });
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  @Test
  void ranksOfOneNodeGoBackTogether() {
    Shape shape =
        Shape.plain(SIZE, 2, OnNoSpare.ABORT)
            .withInterval(new CheckpointInterval.Every(4))
            .withLocalRollback(1 << 20)
            .withGroupLosses(2)
            .withFaults(kill(1, FaultPoint.ITERATION, 6), kill(2, FaultPoint.ITERATION, 6));
    JobSimulation job = finished(shape);

    assertThat(notices(job, Notice.CaughtUp.class, n -> true))
        .extracting(Notice.CaughtUp::rank)
        .contains(1, 2);
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  @Test
  void anotherFailureWhileARankCatchesUpSendsBackThatOneToo() {
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 7));
    JobSimulation job = new JobSimulation(5, shape);
    job.killWhen(n -> n instanceof Notice.AllRunning r && r.epoch() == 1, 0);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(new Answers().of(shape));
    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .containsExactly(new Notice.GoBack(1, "[2]", ""), new Notice.GoBack(2, "[0]", ""));
    assertThat(notices(job, Notice.GoesOn.class, n -> n.epoch() == 2))
        .extracting(Notice.GoesOn::rank)
        .containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void allGoBackFromAnIterationWhoseChoicesAreNotCovered() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] sum = new long[1];
          fmi.loop(
              8,
              n -> {
                long[] got = new long[1];
                if (world.rank() == 0) {
                  for (int i = 1; i < SIZE; i++) {
                    world.recv(got, Comm.ANY_SOURCE, 1);
                    sum[0] += got[0];
                  }
                } else {
                  world.send(new long[] {n}, 0, 1);
                }
              },
              sum);
          return sum[0];
        };
    Shape shape = ranks().withFaults(kill(3, FaultPoint.ITERATION, 6));
    JobSimulation job = new JobSimulation(1, shape, null, program);
    Outcome outcome = job.run();

    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(28L * (SIZE - 1));
    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .containsExactly(new Notice.GoBack(1, "", "rank 0 receives from ANY_SOURCE"));
    assertThat(notices(job, Notice.Degraded.class, n -> n.what().contains("ANY_SOURCE")))
        .singleElement()
        .satisfies(n -> assertThat(n.what()).startsWith("a failure in loop 0 sends all ranks"));
  }

  @Test
  void aRankWhoseLogIsTooLongGoesBackToo() {
    Shape shape = ranks().withLocalRollback(600).withFaults(kill(3, FaultPoint.ITERATION, 7));
    JobSimulation job = finished(shape);

    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).contains("--log-limit"));
  }

  @Test
  void allGoBackFromACheckpointInDoubt() {
    JobSimulation job = finished(ranks().withFaults(kill(2, FaultPoint.ENCODE, 8)));

    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).endsWith("is taking a checkpoint"));
  }

  /** Each of them is told before it is made, by the rank that makes it. */
  @ParameterizedTest
  @EnumSource
  void choicesAreTold(Choice choice) {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] state = new long[1];
          if (choice == Choice.LOOP_WHILE) {
            return fmi.loopWhile(3, n -> true, state);
          }
          fmi.loop(3, n -> turn(world, choice), state);
          return 0;
        };
    JobSimulation job = new JobSimulation(1, ranks(), null, program);
    assertThat(job.run().status()).as("%s", job.story()).isZero();

    assertThat(notices(job, Notice.Degraded.class, n -> n.what().contains(choice.text())))
        .singleElement()
        .satisfies(
            n -> assertThat(n.what()).startsWith("a failure in loop 0 sends all ranks back: rank"));
  }

  private static void turn(Comm world, Choice choice) {
    long[] data = new long[1];
    if (world.rank() == 0) {
      if (choice == Choice.SYNCHRONOUS) {
        world.ssend(data, 0, 1, 1, 1);
      } else {
        world.send(data, 0, 1, 1, 1);
      }
    } else if (world.rank() == 1) {
      Request request = null;
      switch (choice) {
        case SOURCE -> world.recv(data, 0, 1, Comm.ANY_SOURCE, 1);
        case PROBE -> {
          world.probe(0, 1);
          world.recv(data, 0, 1, 0, 1);
        }
        case TEST -> {
          request = world.irecv(data, 0, 1, 0, 1);
          request.test();
        }
        case CANCEL -> {
          assertThat(world.irecv(data, 0, 1, 0, 2).cancel()).isTrue();
          world.recv(data, 0, 1, 0, 1);
        }
        default -> world.recv(data, 0, 1, 0, 1);
      }
      if (request != null) {
        request.waitFor();
        request.test(); // which tells nothing new
      }
    }
  }
}
