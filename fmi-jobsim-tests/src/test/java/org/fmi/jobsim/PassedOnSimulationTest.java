package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.fmi.Comm;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rank 0 decides, rank 1 passes on what, and rank 2 depends on it. Then ranks 0 and 1 are lost, and
 * the job has no report: rank 2 alone knows what rank 0 has to decide again.
 */
final class PassedOnSimulationTest {
  private static final int SIZE = 4;
  private static final int ITERATIONS = 8;
  private static final int LOST_IN = 6;

  /** Number of jobs, of which a dozen must lose both ranks while no checkpoint is being taken. */
  private static final int MOST_SEEDS = 36;

  /** The sender that rank 0 received from first in the last job. */
  private final Set<Integer> first = new HashSet<>();

  private final Program program =
      (fmi, process, cluster) -> {
        Comm world = fmi.world();
        int rank = world.rank();
        long[] sum = new long[1];
        boolean[] lost = new boolean[1];
        fmi.loop(
            ITERATIONS,
            n -> {
              long[] decided = new long[1];
              if (rank >= 2) {
                world.send(new long[] {rank}, 0, 1);
              }
              if (rank == 0) {
                decided[0] = world.recv(new long[1], Comm.ANY_SOURCE, 1).source();
                world.recv(new long[1], Comm.ANY_SOURCE, 1);
                first.add((int) decided[0]);
                world.send(decided, 1, 2);
              }
              if (rank == 1) {
                world.recv(decided, 0, 2);
                world.send(decided, 2, 2);
              }
              if (rank >= 2) {
                world.recv(decided, rank - 1, 2);
              }
              if (rank == 2) {
                world.send(decided, 3, 2);
                if (n == LOST_IN && !lost[0]) {
                  lost[0] = true;
                  cluster.faults().crash(0);
                  cluster.faults().crash(1);
                }
              }
              sum[0] = 7 * sum[0] + decided[0];
            },
            sum);
        long[] all = new long[SIZE];
        world.allGather(sum, all);
        assertThat(all[1]).as("decided twice, and otherwise").isEqualTo(all[0]);
        assertThat(all[2]).as("decided twice, and otherwise").isEqualTo(all[0]);
        return all[0];
      };

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void determinantsThatARankDependsOnAreReplayed(boolean overlapped) {
    Shape blocking =
        Shape.plain(SIZE, 2, OnNoSpare.ABORT)
            .withInterval(new CheckpointInterval.Every(4))
            .withLocalRollback(1 << 20)
            .withGroupLosses(2);
    Shape shape = overlapped ? blocking.withOverlap() : blocking;
    int alone = 0;
    for (int seed = 0; alone < 12; seed++) {
      assertThat(seed).as("jobs in which no checkpoint is under way").isLessThan(MOST_SEEDS);
      JobSimulation job = new JobSimulation(seed, shape, null, program);
      Outcome outcome = job.run();

      assertThat(outcome.status()).as("%s", job.story()).isZero();
      List<Notice.RollbackDecided> goBack = job.notices(Notice.RollbackDecided.class);
      if (overlapped && goBack.getFirst().reason().endsWith("is taking a checkpoint")) {
        continue; // then all roll back
      }
      alone++;
      assertThat(job.notices(Notice.Left.class)).isEmpty();
      assertThat(goBack)
          .as("%s", job.story())
          .containsExactly(new Notice.RollbackDecided(1, "[0, 1]", ""));
    }
    assertThat(first).as("either may come first").containsExactlyInAnyOrder(2, 3);
  }
}
