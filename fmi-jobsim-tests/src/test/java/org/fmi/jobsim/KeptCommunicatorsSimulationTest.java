package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.StateRef;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Communicators that are made in a loop and kept survive every kind of rollback. */
final class KeptCommunicatorsSimulationTest {
  private static final int SIZE = 4;
  private static final int ITERATIONS = 12;

  private static Shape ranks(boolean local) {
    Shape shape =
        Shape.plain(SIZE, 2, OnNoSpare.ABORT).withInterval(new CheckpointInterval.Every(4));
    return local ? shape.withLocalRollback(1 << 20) : shape;
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  /** Adds a communicator in each iteration, and uses all of them. */
  private static long keepAll(Fmi fmi, SimProcess process, SimCluster cluster) {
    Comm world = fmi.world();
    int rank = world.rank();
    Comm before = world.dup();
    StateRef<Comm[]> kept = StateRef.of(new Comm[] {before});
    long[] sum = new long[1];
    fmi.loop(
        ITERATIONS,
        n -> {
          Comm[] all = Arrays.copyOf(kept.get(), kept.get().length + 1);
          int last = all.length - 1;
          cluster.faults().atIteration(process, n);
          all[last] =
              switch ((int) (n % 3)) {
                case 0 -> world.split(rank % 2, -rank);
                case 1 -> all[last - 1].dup();
                default -> world.create(world.group().excl(0));
              };
          kept.set(all);
          for (Comm each : all) {
            if (each != null) {
              long[] part = {rank + n};
              each.allReduce(part, Op.SUM);
              sum[0] = 3 * sum[0] + part[0] + each.rank();
            }
          }
        },
        sum,
        kept);
    assertThat(kept.get()[0]).as("one object, whatever became of the process").isSameAs(before);
    long[] own = {sum[0]};
    Comm last = kept.get()[1];
    last.allReduce(own, Op.SUM);
    long[] all = new long[SIZE];
    world.allGather(own, all);
    return Arrays.hashCode(all);
  }

  private static Outcome run(JobSimulation job) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(job.faultsLeft()).as("%s", job.story()).isEmpty();
    return outcome;
  }

  private static long answer(Program program) {
    return run(new JobSimulation(1, ranks(false), null, program)).answer();
  }

  static Stream<Arguments> deaths() {
    return Stream.of(false, true)
        .flatMap(
            local ->
                IntStream.range(0, ITERATIONS).mapToObj(n -> Arguments.of(local, n % SIZE, n)));
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void liveOnInAReplacement(boolean local, int rank, int iteration) {
    Shape shape = ranks(local).withFaults(kill(rank, FaultPoint.ITERATION, iteration));
    JobSimulation job = new JobSimulation(7, shape, null, KeptCommunicatorsSimulationTest::keepAll);
    assertThat(run(job).answer())
        .as("%s", job.story())
        .isEqualTo(answer(KeptCommunicatorsSimulationTest::keepAll));
  }

  /** Three failures in a row, the second while a lost rank, or all, are being restored. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void liveOnThroughDeathsWhileOneIsMadeAndOneIsRestored(boolean local) {
    Shape shape =
        ranks(local)
            .withFaults(
                kill(2, FaultPoint.ITERATION, 6),
                kill(local ? 2 : 1, FaultPoint.RESTORED, 4),
                kill(2, FaultPoint.ENCODE, 8));
    JobSimulation job = new JobSimulation(9, shape, null, KeptCommunicatorsSimulationTest::keepAll);
    assertThat(run(job).answer())
        .as("%s", job.story())
        .isEqualTo(answer(KeptCommunicatorsSimulationTest::keepAll));
  }

  /** Survivors keep the communicators made since the checkpoint; ids are not given again. */
  @Test
  void idsAreEqualOnRanksThatContinueAndRanksThatRollBack() {
    String[][] names = new String[SIZE][];
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          StateRef<Comm[]> kept = StateRef.of(new Comm[ITERATIONS]);
          fmi.loop(
              ITERATIONS,
              n -> {
                kept.get()[(int) n] = world.dup();
                long[] one = {1};
                kept.get()[(int) n].allReduce(one, Op.SUM);
              },
              kept);
          names[world.rank()] =
              Arrays.stream(kept.get())
                  .map(c -> c.toString().replaceAll(",.*", ""))
                  .toArray(String[]::new);
          return 0;
        };
    Shape shape = ranks(true).withFaults(kill(2, FaultPoint.ITERATION, 7));
    JobSimulation job = new JobSimulation(3, shape, null, program);
    run(job);

    assertThat(job.notices()).filteredOn(n -> n instanceof Notice.RollbackDecided).hasSize(1);
    assertThat(List.of(names)).allSatisfy(n -> assertThat(n).doesNotHaveDuplicates());
    assertThat(names[2]).containsExactly(names[0]);
    assertThat(names[1]).containsExactly(names[0]);
  }
}
