package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated jobs in which only the ranks that the lost data came from recompute. */
final class FlowRollbackSimulationTest {
  private static final int ROWS = 4;
  private static final int COLS = 2;
  private static final int SIZE = ROWS * COLS;
  private static final int ITERATIONS = 10;

  /** Number of steps that each rank has computed, in all its processes. */
  private final long[] steps = new long[SIZE];

  /** Whether all ranks meet in each iteration. */
  private boolean meet = true;

  /**
   * Each rank holds a number, and adds those of its neighbours, which depend on where they stand.
   */
  private final class Sum implements FlowBody<long[]> {
    private final Comm world;
    private final Flow flow;
    private final long[] seen = new long[SIZE];

    Sum(Comm world, Flow flow) {
      this.world = world;
      this.flow = flow;
    }

    @Override
    public void exchange(long iteration, long[] now) {
      long[] mine = {now[0]};
      for (int neighbour : flow.inputs(world.rank(), iteration)) {
        world.sendRecv(mine, neighbour, 7, Slice.of(now, 1 + neighbour, 1), neighbour, 7);
      }
    }

    @Override
    public void step(long iteration, long[] now, long[] next) {
      steps[world.rank()]++;
      next[0] = 31 * now[0] + iteration;
      for (int neighbour : flow.inputs(world.rank(), iteration)) {
        next[0] = 7 * next[0] + now[1 + neighbour];
      }
    }

    @Override
    public boolean finish(long iteration, long[] next) {
      if (meet) {
        seen[0] = next[0];
        world.allReduce(seen, Op.SUM);
      }
      return iteration + 1 < ITERATIONS;
    }
  }

  private Program program(boolean untilDone) {
    return (fmi, process, cluster) -> answer(fmi, untilDone);
  }

  private long answer(Fmi fmi, boolean untilDone) {
    Comm world = fmi.world();
    Flow flow = Flow.grid(ROWS, COLS);
    Sum sum = new Sum(world, flow);
    long[] last =
        untilDone
            ? fmi.flowLoopWhile(100, flow, sum, () -> start(world.rank()), s -> new Object[] {s})
            : fmi.flowLoop(ITERATIONS, flow, sum, () -> start(world.rank()), s -> new Object[] {s});
    long[] all = {(world.rank() + 1) * last[0]};
    world.allReduce(all, Op.SUM);
    return all[0];
  }

  private static long[] start(int rank) {
    long[] start = new long[1 + SIZE];
    start[0] = rank + 1L;
    return start;
  }

  private static Shape ranks() {
    return Shape.plain(SIZE, 3, OnNoSpare.SHARE)
        .withInterval(new CheckpointInterval.Every(100))
        .withFlowRollback(SIZE - 1);
  }

  private long undisturbed() {
    JobSimulation job = new JobSimulation(1, ranks(), null, program(false));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    return outcome.answer();
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  private JobSimulation finished(long seed, Shape shape, long answer) {
    JobSimulation job = new JobSimulation(seed, shape, null, program(seed % 2 == 1));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("seed %d: %s", seed, job.story()).isZero();
    assertThat(outcome.answer()).as("seed %d: %s", seed, job.story()).isEqualTo(answer);
    return job;
  }

  /** As in the paper's Fig. 4, whose checkpoint is taken one iteration later. */
  @Test
  void onlyRanksThatTheLostDataCameFromRecompute() {
    long answer = undisturbed();
    Arrays.fill(steps, 0);
    JobSimulation job = finished(2, ranks().withFaults(kill(1, FaultPoint.ITERATION, 2)), answer);

    assertThat(job.notices(Notice.FlowBegun.class))
        .containsExactly(
            new Notice.FlowBegun(
                1, 0, 0, 2, "[1]", "[0, 2, 3, 5]", 4, "[0: 1, 1: 2, 2: 0, 3: 1, 5: 0]"));
    assertThat(steps)
        .containsExactly(
            ITERATIONS + 1,
            ITERATIONS + 2,
            ITERATIONS,
            ITERATIONS + 1,
            ITERATIONS,
            ITERATIONS,
            ITERATIONS,
            ITERATIONS);
  }

  @Test
  void allRanksRollBackBeyondTheLimit() {
    JobSimulation job =
        finished(
            2,
            ranks().withFlowRollback(4).withFaults(kill(1, FaultPoint.ITERATION, 2)),
            undisturbed());

    assertThat(job.notices(Notice.FlowImpossible.class))
        .containsExactly(
            new Notice.FlowImpossible(
                1, 0, "5 ranks would have to recompute, and --flow-limit allows 4"));
  }

  @Test
  void allRanksRollBackInAPlainLoop() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = {process.rank()};
          fmi.loop(ITERATIONS, iteration -> fmi.world().allReduce(sum, Op.SUM), sum);
          return sum[0];
        };
    JobSimulation job =
        new JobSimulation(2, ranks().withFaults(kill(1, FaultPoint.ITERATION, 2)), null, program);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(job.notices(Notice.FlowImpossible.class))
        .containsExactly(new Notice.FlowImpossible(1, 0, "it is not a flowLoop"));
  }

  /** Their cores may then run slowly. */
  @Test
  void aRankWithNothingToComputeWaits() {
    Set<Integer> waiting = new TreeSet<>();
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          Flow flow = Flow.grid(ROWS, COLS);
          Sum sum = new Sum(world, flow);
          FlowBody<long[]> slow =
              new FlowBody<>() {
                @Override
                public void exchange(long iteration, long[] now) {
                  sum.exchange(iteration, now);
                }

                @Override
                public void step(long iteration, long[] now, long[] next) {
                  process.compute(1_000_000);
                  sum.step(iteration, now, next);
                  if (world.rank() == 1 && iteration == 1 && fmi.epoch() > 0) {
                    for (int rank = 0; rank < SIZE; rank++) {
                      SimProcess other = Objects.requireNonNull(cluster.process(rank));
                      if (other.waits()) {
                        waiting.add(rank);
                      }
                    }
                  }
                }

                @Override
                public boolean finish(long iteration, long[] next) {
                  return sum.finish(iteration, next);
                }
              };
          return fmi.flowLoop(
                  ITERATIONS, flow, slow, () -> start(world.rank()), s -> new Object[] {s})[0];
        };
    JobSimulation job =
        new JobSimulation(2, ranks().withFaults(kill(1, FaultPoint.ITERATION, 2)), null, program);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(waiting).containsExactly(0, 2, 3, 4, 5, 6, 7);
  }

  /** A flow that omits a rank that is read from, and other things that an iteration must not do. */
  @ParameterizedTest
  @EnumSource(Mistake.class)
  void refusesForbiddenActionsInAFlowLoop(Mistake mistake) {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          Flow flow = mistake == Mistake.NAMES_NO_RANK ? Flow.line(SIZE + 1) : Flow.line(SIZE);
          if (mistake == Mistake.RECEIVES_OLDER && world.rank() == 1) {
            world.send(new long[1], 0, 1);
          }
          fmi.flowLoop(
              ITERATIONS, flow, mistaken(world, mistake), () -> new long[1], s -> new Object[] {s});
          return 0;
        };
    JobSimulation job = new JobSimulation(1, ranks(), SimModel.calm(), program);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isEqualTo(1);
    Stream<String> thrown = job.notices(Notice.Thrown.class).stream().map(Notice.Thrown::trace);
    assertThat(Stream.concat(thrown, Stream.of(outcome.message())))
        .as("%s", job.story())
        .anySatisfy(text -> assertThat(text).contains(mistake.words));
  }

  enum Part {
    EXCHANGE,
    STEP,
    FINISH
  }

  /** The action of rank 0 in iteration 3, and the part of the iteration. */
  enum Mistake {
    UNDECLARED(
        Part.EXCHANGE,
        "rank 0 receives from rank 7 in iteration 3 of a flowLoop, whose flow says that it reads"
            + " from [1] there"),
    ANY_SOURCE(
        Part.EXCHANGE,
        "rank 0 receives from any source in the exchange of iteration 3 of a flowLoop"),
    COLLECTIVE(
        Part.EXCHANGE, "rank 0 calls a collective in the exchange of iteration 3 of a flowLoop"),
    UNKNOWN_LENGTH(
        Part.EXCHANGE,
        "rank 0 receives a message of unknown length in the exchange of iteration 3 of a flowLoop,"
            + " which after a failure some ranks send nothing in: receive into a buffer"),
    MATCHED_PROBE(
        Part.EXCHANGE,
        "rank 0 receives a message of unknown length in the exchange of iteration 3 of a flowLoop"),
    OBJECT(
        Part.EXCHANGE,
        "rank 0 receives a message of unknown length in the exchange of iteration 3 of a flowLoop"),
    NEW_COMMUNICATOR(
        Part.EXCHANGE, "rank 0 calls a collective in the exchange of iteration 3 of a flowLoop"),
    LEFT_REQUEST(
        Part.EXCHANGE,
        "rank 0 has 1 pending request after the exchange of iteration 3 of a"
            + " flowLoop: wait for each"),
    LEFT_MESSAGE(
        Part.EXCHANGE,
        "rank 1 has not received a message of rank 0 with tag 5, which was sent before iteration"
            + " 10 of a flowLoop: receive it in the iteration that sends it"),
    RECEIVES_OLDER(
        Part.EXCHANGE,
        "rank 0 receives in iteration 3 of a flowLoop a message that rank 1 has sent outside of the"
            + " loop, with tag 1: receive each message in the iteration that sends it"),
    RECEIVES_LATE(
        Part.EXCHANGE,
        "rank 0 receives in iteration 3 of a flowLoop a message that rank 1 has sent in iteration"
            + " 2, with tag 1: receive each message in the iteration that sends it"),
    STEP_RECEIVES(
        Part.STEP,
        "rank 0 receives from rank 1 in FlowBody.step of iteration 3 of a flowLoop, which"
            + " must not communicate: receive it in FlowBody.exchange"),
    STEP_PROBES(
        Part.STEP, "rank 0 receives from any source in FlowBody.step of iteration 3 of a flowLoop"),
    STEP_SENDS(Part.STEP, "rank 0 sends to rank 1 in FlowBody.step of iteration 3 of a flowLoop"),
    STEP_COMBINES(
        Part.STEP,
        "rank 0 calls a collective in FlowBody.step of iteration 3 of a flowLoop, which"
            + " must not communicate: call it in FlowBody.finish"),
    FINISH_RECEIVES(
        Part.FINISH,
        "rank 0 receives from rank 7 in FlowBody.finish of iteration 3 of a flowLoop, which is for"
            + " collectives: receive it in FlowBody.exchange, or call a collective"),
    FINISH_SENDS(
        Part.FINISH, "rank 0 sends to rank 1 in FlowBody.finish of iteration 3 of a flowLoop"),
    NAMES_NO_RANK(Part.EXCHANGE, "Flow.inputs of rank 7 in iteration 0 names rank 8: use 0 to 7");

    private final Part part;
    private final String words;

    Mistake(Part part, String words) {
      this.part = part;
      this.words = words;
    }
  }

  private static void make(Mistake mistake, Comm world) {
    long[] buffer = new long[1];
    switch (mistake) {
      case UNDECLARED -> world.recv(buffer, 7, 1);
      case ANY_SOURCE -> world.recv(buffer, Comm.ANY_SOURCE, 1);
      case COLLECTIVE -> world.barrier();
      case UNKNOWN_LENGTH -> world.recv(long[].class, 1, 1);
      case MATCHED_PROBE -> world.mprobe(1, 1);
      case OBJECT -> world.irecvObject(Object.class, 1, 1);
      case NEW_COMMUNICATOR -> world.split(0, 0);
      case LEFT_REQUEST -> world.irecv(buffer, 1, 1);
      case LEFT_MESSAGE -> world.send(buffer, 1, 5);
      case RECEIVES_OLDER, RECEIVES_LATE -> world.recv(buffer, 1, 1);
      case STEP_RECEIVES -> world.recv(buffer, 1, 1);
      case STEP_PROBES -> world.iprobe(Comm.ANY_SOURCE, 1);
      case STEP_SENDS -> world.send(buffer, 1, 1);
      case STEP_COMBINES -> world.allReduce(buffer, Op.SUM);
      case FINISH_RECEIVES -> world.recv(buffer, 7, 1);
      case FINISH_SENDS -> world.isend(buffer, 1, 1);
      case NAMES_NO_RANK -> {}
    }
  }

  private static FlowBody<long[]> mistaken(Comm world, Mistake mistake) {
    return new FlowBody<>() {
      private void make(Part part, long iteration) {
        if (iteration == 3 && world.rank() == 0 && mistake.part == part) {
          FlowRollbackSimulationTest.make(mistake, world);
        }
      }

      @Override
      public void exchange(long iteration, long[] now) {
        if (mistake == Mistake.RECEIVES_LATE && iteration == 2 && world.rank() == 1) {
          world.send(new long[1], 0, 1);
        }
        make(Part.EXCHANGE, iteration);
      }

      @Override
      public void step(long iteration, long[] now, long[] next) {
        make(Part.STEP, iteration);
        next[0] = now[0] + 1;
      }

      @Override
      public boolean finish(long iteration, long[] next) {
        make(Part.FINISH, iteration);
        return true;
      }
    };
  }

  /** Sent before the loop, received after it, and restored from the checkpoint. */
  @Test
  void aMessagePassesALoop() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          world.send(new long[] {world.rank()}, (world.rank() + 1) % SIZE, 3);
          long answer = answer(fmi, false);
          long[] from = new long[1];
          world.recv(from, (world.rank() + SIZE - 1) % SIZE, 3);
          assertThat(from[0]).isEqualTo((world.rank() + SIZE - 1) % SIZE);
          return answer;
        };
    JobSimulation job =
        new JobSimulation(
            2, ranks().withFaults(kill(1, FaultPoint.ITERATION, 2)), SimModel.calm(), program);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(undisturbed());
    assertThat(job.notices(Notice.FlowBegun.class)).hasSize(1);
  }

  /** Ranks that meet no other rank may be further apart than the states that each keeps. */
  @Test
  void allRanksRollBackIfARankIsTooFarAhead() {
    int[][] inputs = new int[SIZE][0];
    inputs[1] = new int[] {2};
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          FlowBody<long[]> oneWay =
              new FlowBody<>() {
                @Override
                public void exchange(long iteration, long[] now) {
                  switch (world.rank()) {
                    case 1 -> world.recv(Slice.of(now, 1, 1), 2, 7);
                    case 2 -> world.ssend(Slice.of(now, 0, 1), 1, 7);
                    default -> {}
                  }
                }

                @Override
                public void step(long iteration, long[] now, long[] next) {
                  next[0] = now[0] + now[1] + 1;
                }
              };
          long[] last =
              fmi.flowLoop(
                  ITERATIONS, Flow.of(inputs), oneWay, () -> new long[2], s -> new Object[] {s});
          world.barrier();
          return last[0];
        };
    JobSimulation job =
        new JobSimulation(1, ranks().withFaults(kill(2, FaultPoint.ITERATION, 4)), null, program);
    Outcome outcome = job.run();

    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(ITERATIONS);
    assertThat(job.notices(Notice.FlowImpossible.class))
        .singleElement()
        .satisfies(
            n ->
                assertThat(n.reason())
                    .startsWith("rank 0 has computed 10 iterations and another rank ")
                    .endsWith(", and a rank stores only its last two states"));
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultPoint.class,
      names = {"RECOMPUTE", "RESTORED", "REBUILD", "CONNECT"})
  void aRankIsLostDuringTheRecovery(FaultPoint place) {
    finished(
        2,
        ranks()
            .withFaults(
                kill(1, FaultPoint.ITERATION, 3), kill(3, place, place.isNumbered() ? 0 : -1)),
        undisturbed());
  }

  /** Whatever fails, and whenever: the answer is that of an undisturbed job. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyFailures(boolean meeting) {
    meet = meeting;
    long answer = undisturbed();
    long end = System.nanoTime() + 1_000_000_000L;
    long seed = System.nanoTime();
    int flows = 0;
    for (int i = 0; i < 10 || System.nanoTime() < end; i++, seed++) {
      flows += withManyFailures(seed, answer).notices(Notice.FlowBegun.class).size();
    }
    assertThat(flows).isPositive();
  }

  private JobSimulation withManyFailures(long seed, long answer) {
    SplittableRandom random = new SplittableRandom(seed);
    FaultSpec[] faults = new FaultSpec[1 + random.nextInt(4)];
    for (int f = 0; f < faults.length; f++) {
      FaultPoint point =
          List.of(
                  FaultPoint.ITERATION,
                  FaultPoint.ITERATION,
                  FaultPoint.RECOMPUTE,
                  FaultPoint.RESTORED,
                  FaultPoint.COMMITTED)
              .get(random.nextInt(5));
      faults[f] = kill(random.nextInt(SIZE), point, random.nextInt(ITERATIONS));
    }
    return finished(
        seed,
        ranks()
            .withInterval(new CheckpointInterval.Every(1 + random.nextInt(6)))
            .withFaults(faults),
        answer);
  }

  /** It has none until then: a second failure does not make it the state of that iteration. */
  @Test
  void aRankThatIsToBeRestoredHasNoState() {
    withManyFailures(19214384357799L, undisturbed());
  }
}
