package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.fmi.Op;
import org.fmi.control.Notice;
import org.fmi.core.p2p.Contexts;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.CollectivesWorkload.Kind;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimTraffic;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Collective calls of many kinds, in jobs that lose ranks in the middle of them: calls from before
 * a failure must not be mistaken for calls after it, and messages that cross a recovery line are
 * neither lost nor duplicated.
 */
final class CollectivesSimulationTest {
  private static final int SIZE = 5;
  private static final int SEEDS = 3;
  private static final int MOST_SEEDS = 10;
  private static final Shape SHAPE = Shape.plain(SIZE, 0, OnNoSpare.SHARE);

  private static final Map<Long, Long> ANSWERS = new HashMap<>();

  /** Rollback policies, with and without asynchronous checkpoints. */
  enum Mode {
    GLOBAL,
    LOCAL,
    OVERLAPPED,
    BOTH;

    boolean goesBackAlone() {
      return this == LOCAL || this == BOTH;
    }

    Shape shape() {
      Shape shape = goesBackAlone() ? SHAPE.withLocalRollback(1 << 20) : SHAPE;
      return this == OVERLAPPED || this == BOTH ? shape.withOverlap() : shape;
    }
  }

  private static Outcome run(long seed, Shape shape, Program program) {
    JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("seed %d: %s", seed, job.story()).isZero();
    return outcome;
  }

  /** The answer of an undisturbed job. */
  private static long answer(long seed) {
    return ANSWERS.computeIfAbsent(
        seed, _ -> run(seed, SHAPE, CollectivesWorkload.of(seed)).answer());
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  /** Ranks die at random places, among them rank 0, the master of the farm. */
  @ParameterizedTest
  @EnumSource
  void noneIsRefusedForWhatAFailureHasInterrupted(Mode mode) {
    int recoveries = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      FaultPoint[] points = FaultPoint.values();
      FaultSpec[] faults = new FaultSpec[3];
      for (int i = 0; i < faults.length; i++) {
        FaultPoint point = points[random.nextInt(points.length)];
        int iteration = point.isNumbered() ? random.nextInt(CollectivesWorkload.ITERATIONS) : -1;
        faults[i] = kill(random.nextInt(SIZE), point, iteration);
      }
      Outcome outcome = run(seed, mode.shape().withFaults(faults), CollectivesWorkload.of(seed));
      assertThat(outcome.answer()).as("seed %d", seed).isEqualTo(answer(seed));
      recoveries += outcome.recoveries();
    }
    assertThat(recoveries).isGreaterThan(SEEDS);
  }

  /** With iterations that are repeated from a checkpoint without a failure. */
  @Test
  void noneIsRefusedWhereIterationsAreRepeated() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(run(seed, SHAPE.withCheck(), CollectivesWorkload.of(seed)).answer())
          .isEqualTo(answer(seed));
    }
  }

  /** Kills rank 0 repeatedly as it learns of a result in the middle of a farm. */
  private static final class KillsTheMaster implements SimTraffic {
    private static final Set<Integer> DEADLY = Set.of(5, 30, 55);

    private final SimCluster cluster;
    private int results;

    KillsTheMaster(SimCluster cluster) {
      this.cluster = cluster;
    }

    @Override
    public void onArrival(SimProcess at, int from, MemorySegment frame) {
      if (frame.get(FrameLayout.INT, FrameLayout.CONTEXT) == Contexts.pointToPoint(Contexts.WORLD)
          && (int) frame.get(FrameLayout.LONG, FrameLayout.TAG) == CollectivesWorkload.DONE
          && DEADLY.contains(++results)) {
        cluster.simulation().after(1, "the master is lost", 0, () -> cluster.faults().crash(0));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theMasterOfAFarmIsLost(Mode mode) {
    JobSimulation job =
        new JobSimulation(1, mode.shape(), SimModel.calm(), CollectivesWorkload.of(1));
    job.cluster().watch(new KillsTheMaster(job.cluster()));
    Outcome outcome = job.run();
    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(answer(1));
    assertThat(outcome.recoveries()).as("%s", job.story()).isEqualTo(KillsTheMaster.DEADLY.size());
    assertThat(job.notices(Notice.RollbackDecided.class))
        .as("%s", job.story())
        .hasSize(mode.goesBackAlone() ? KillsTheMaster.DEADLY.size() : 0)
        .allMatch(n -> n.ranks().equals("[0]"));
  }

  @ParameterizedTest
  @EnumSource
  void eachKindCrossesARecoveryLine(Kind kind) {
    Program program = CollectivesWorkload.of(kind);
    long answer = run(1, SHAPE, program).answer();
    for (Mode mode : List.of(Mode.OVERLAPPED, Mode.BOTH)) {
      FaultSpec kill = kill(kind.name().length() % SIZE, FaultPoint.ITERATION, 9);
      long crossings = 0;
      for (long seed = 1; crossings == 0; seed++) {
        assertThat(seed).as("%s: nothing has crossed a line", mode).isLessThan(MOST_SEEDS);
        JobSimulation job =
            new JobSimulation(seed, mode.shape().withFaults(kill), SimModel.calm(), program);
        Crossings seen = new Crossings();
        job.cluster().watch(seen);
        assertThat(job.run().answer())
            .as("%s, seed %d: %s", mode, seed, job.story())
            .isEqualTo(answer);
        assertThat(job.faultsLeft()).isEmpty();
        crossings = seen.count();
      }
    }
  }

  /** Finds messages of collectives that cross a recovery line, by the stamps of frames. */
  private static final class Crossings implements SimTraffic {
    // Kinds of frames that announce a message.
    private static final byte EAGER = 1;
    private static final byte RTS = 2;

    /**
     * A part of an iteration, or the time between two iterations, in which a rank reaches no
     * recovery line.
     */
    private record Part(int rank, int epoch, int number) {}

    /** Recovery lines of the collective messages received in a part, and of those sent in it. */
    private final Map<Part, Set<Long>> come = new HashMap<>();

    private final Map<Part, Set<Long>> sent = new HashMap<>();
    private final int[] parts = new int[SIZE];

    @Override
    public void onIteration(int rank, long iteration) {
      parts[rank]++;
    }

    @Override
    public void onFrame(SimProcess from, int to, MemorySegment frame) {
      note(sent, from, frame, true);
    }

    @Override
    public void onArrival(SimProcess at, int from, MemorySegment frame) {
      note(come, at, frame, Contexts.isCollective(frame.get(FrameLayout.INT, FrameLayout.CONTEXT)));
    }

    private void note(
        Map<Part, Set<Long>> lines, SimProcess process, MemorySegment frame, boolean which) {
      byte kind = frame.get(FrameLayout.BYTE, FrameLayout.KIND);
      boolean ofRuntime = frame.get(FrameLayout.INT, FrameLayout.CONTEXT) >> 1 == Contexts.SYSTEM;
      if (which && !ofRuntime && (kind == EAGER || kind == RTS)) {
        int epoch = frame.get(FrameLayout.INT, FrameLayout.EPOCH);
        Part part = new Part(process.rank(), epoch, parts[process.rank()]);
        long line = frame.get(FrameLayout.LONG, FrameLayout.LOOP) >> 1;
        lines.computeIfAbsent(part, _ -> new HashSet<>()).add(line);
      }
    }

    /** Parts in which a message has crossed a recovery line. */
    long count() {
      return sent.entrySet().stream()
          .filter(
              each ->
                  each.getKey().number > 0) // all ranks have passed the loop's first recovery line
          .filter(each -> come.containsKey(each.getKey()))
          .filter(each -> !each.getValue().containsAll(come.get(each.getKey())))
          .count();
    }
  }

  /** In the loop, where waiting ranks learn of the failure. */
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
                  12,
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
