package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.StateRef;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Requests that are pending at checkpoints, as part of the loop's state, whichever ranks roll back.
 */
final class StateRequestsSimulationTest {
  private static final int SIZE = 4;
  private static final int ITERATIONS = 12;

  /** For the seeds of one case. */
  private static final int MILLIS = 250;

  private static Shape ranks(boolean local, boolean overlapped) {
    Shape shape =
        Shape.plain(SIZE, 2, OnNoSpare.ABORT).withInterval(new CheckpointInterval.Every(3));
    if (local) {
      shape = shape.withLocalRollback(1 << 20);
    }
    return overlapped ? shape.withOverlap() : shape;
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  private static final Program PROGRAM =
      (fmi, process, cluster) -> {
        int rank = fmi.world().rank();
        Comm half = Objects.requireNonNull(fmi.world().split(rank % 2, -rank));
        PostedAhead ahead = new PostedAhead(fmi.world(), half, ITERATIONS);
        long[] sum = {rank};
        List<Object> state = new ArrayList<>(List.of(ahead.state()));
        state.add(sum);
        fmi.loop(
            ITERATIONS,
            iteration -> {
              process.compute(20_000);
              cluster.faults().atIteration(process, iteration, sum[0]);
              sum[0] = 3 * sum[0] + ahead.turn(iteration, sum[0]);
            },
            state.toArray());
        ahead.compare();
        return Workload.answer(fmi.world(), sum, 1);
      };

  private static Outcome run(JobSimulation job) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    return outcome;
  }

  private static long answer() {
    return run(new JobSimulation(1, ranks(false, false), null, PROGRAM)).answer();
  }

  private static List<Shape> allWays() {
    return List.of(ranks(false, false), ranks(false, true), ranks(true, false), ranks(true, true));
  }

  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void aRankDiesInAnyIteration(boolean local, boolean overlapped) {
    long answer = answer();
    Seeds.forMillis(
        MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          FaultSpec death =
              kill(random.nextInt(SIZE), FaultPoint.ITERATION, random.nextInt(ITERATIONS));
          Shape shape = ranks(local, overlapped).withFaults(death);
          JobSimulation job = new JobSimulation(seed, shape, null, PROGRAM);
          assertThat(run(job).answer()).as("%s", job.story()).isEqualTo(answer);
          assertThat(job.faultsLeft()).isEmpty();
          assertThat(job.notices(Notice.RecoveryBegun.class)).isNotEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultPoint.class,
      mode = Mode.INCLUDE,
      names = {"CHECKPOINT", "ENCODE", "COMMIT", "COMMITTED", "CONNECT", "REBUILD", "RESTORED"})
  void ranksDieOnTheWayToACommitAndBackToIt(FaultPoint point) {
    long answer = answer();
    Seeds.forMillis(
        MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          int rank = random.nextInt(SIZE);
          Shape shape =
              ranks(random.nextBoolean(), random.nextBoolean())
                  .withFaults(
                      kill(rank, point, -1), kill((rank + 1) % SIZE, FaultPoint.ITERATION, 7));
          JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), PROGRAM);
          assertThat(run(job).answer()).as("%s", job.story()).isEqualTo(answer);
        });
  }

  /** A second failure while the ranks recover from the first, and a third later. */
  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void moreDieBeforeAllIsWell(boolean local, boolean overlapped) {
    long answer = answer();
    Seeds.forMillis(
        MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          int rank = random.nextInt(SIZE);
          int first = 4 + random.nextInt(6);
          Shape shape =
              ranks(local, overlapped)
                  .withFaults(
                      kill(rank, FaultPoint.ITERATION, first),
                      kill((rank + 1) % SIZE, FaultPoint.ITERATION, first + 1));
          JobSimulation job = new JobSimulation(seed, shape, null, PROGRAM);
          int next = (rank + 2) % SIZE;
          job.killWhen(n -> n instanceof Notice.AllRunning r && r.epoch() == 1, next);
          assertThat(run(job).answer()).as("%s", job.story()).isEqualTo(answer);
        });
  }

  /**
   * Messages that take longer to arrive than ranks take to meet, and messages sent after the
   * recovery line. Which of both neighbours' messages a receive matched is decided on either side
   * of it, and reported to other ranks.
   */
  @ParameterizedTest
  @CsvSource({"false,false", "false,true", "true,false", "true,true"})
  void receivesMatchTheSameMessagesAgain(boolean local, boolean overlapped) {
    int many = 50_000;
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int rank = world.rank();
          int right = (rank + 1) % SIZE;
          int left = (rank + SIZE - 1) % SIZE;
          long[] out = new long[many];
          Arrays.fill(out, rank);
          long[] in = new long[2 * many];
          long[] few = new long[2];
          long[] said = new long[2];
          long[] heard = new long[2];
          StateRef<Request[]> kept = StateRef.of(new Request[6]);
          fmi.loop(
              8,
              n -> {
                Request[] all = kept.get();
                cluster.faults().atIteration(process, n, out[0]);
                if (n == 2) {
                  all[0] = world.irecv(Slice.of(in, 0, many), Comm.ANY_SOURCE, 3);
                  all[1] = world.irecv(Slice.of(in, many, many), Comm.ANY_SOURCE, 3);
                  all[2] = world.isend(out, left, 3);
                  all[3] = world.isend(out, right, 3);
                  all[4] = world.irecv(Slice.of(few, 0, 1), Comm.ANY_SOURCE, 5);
                  all[5] = world.irecv(Slice.of(few, 1, 1), Comm.ANY_SOURCE, 5);
                } else if (n == 3) {
                  world.send(Slice.of(out, 0, 1), left, 5);
                  world.send(Slice.of(out, 0, 1), right, 5);
                  Request.waitAll(all);
                  said[0] = all[0].waitFor().source();
                  said[1] = all[4].waitFor().source();
                  world.sendRecv(said, right, 4, heard, left, 4);
                }
              },
              kept,
              in,
              few,
              said,
              heard);
          long[] theirs = new long[2];
          world.sendRecv(said, right, 4, theirs, left, 4);
          assertThat(heard).isEqualTo(theirs);
          long[] first = new long[2 * many];
          Arrays.fill(first, 0, many, said[0]);
          Arrays.fill(first, many, 2 * many, left + right - said[0]);
          assertThat(in).isEqualTo(first);
          assertThat(few).containsExactly(said[1], left + right - said[1]);
          return 0;
        };
    Seeds.forMillis(
        MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          FaultSpec death =
              kill(random.nextInt(SIZE), FaultPoint.ITERATION, random.nextBoolean() ? 3 : 5);
          Shape shape = ranks(local, overlapped).withFaults(death);
          JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program);
          run(job);
          assertThat(job.faultsLeft()).isEmpty();
          assertThat(job.hasRepeatedOtherwise()).as("%s", job.story()).isFalse();
        });
  }

  /** The images of requests change, but not the objects registered before them. */
  @Test
  void doesNotCodeUnchangedData() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int rank = world.rank();
          long[] constant = new long[8_000];
          long[] buffer = new long[1];
          StateRef<Request[]> kept = StateRef.of(new Request[1]);
          fmi.loop(
              ITERATIONS,
              n -> {
                process.compute(2_000_000);
                if (n > 0) {
                  world.send(new long[] {n}, (rank + 1) % SIZE, 3);
                  kept.get()[0].waitFor();
                }
                if (n < ITERATIONS - 1) {
                  kept.get()[0] = world.irecv(buffer, (rank + SIZE - 1) % SIZE, 3);
                }
              },
              constant,
              buffer,
              kept);
          return buffer[0];
        };
    for (Shape way : allWays()) {
      Shape shape = way.withInterval(new CheckpointInterval.Every(1));
      JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
      assertThat(run(job).answer()).isEqualTo(ITERATIONS - 1);
      assertThat(job.notices(Notice.CheckpointCommitted.class))
          .as("%s", job.story())
          .anySatisfy(n -> assertThat(n.codedBytes()).isLessThan(n.bytes() / 2));
    }
  }

  // ---- refusals

  private static void refuses(Shape shape, String words, Program program) {
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isEqualTo(1);
    assertThat(job.notices(Notice.Thrown.class))
        .as("%s", job.story())
        .anySatisfy(n -> assertThat(n.trace()).contains(words));
  }

  private static void twoIterations(
      Fmi fmi, Supplier<Request> posts, StateRef<Request[]> kept, Object... others) {
    List<Object> state = new ArrayList<>(List.of(others));
    state.add(kept);
    fmi.loop(
        6,
        n -> {
          if (n == 0) {
            kept.get()[0] = posts.get();
          } else if (n == 5) {
            fmi.world().send(new long[1], fmi.world().rank(), 3);
            kept.get()[0].waitFor();
          }
        },
        state.toArray());
  }

  @Test
  void namesARequestOutsideOfTheState() {
    for (Shape way : allWays()) {
      refuses(
          way,
          "1 request is not complete: a checkpoint cannot hold it (a receive of at most 8 bytes"
              + " from any source with tag 3); wait for them (waitFor, Request.waitAll) before the"
              + " end of an iteration, or make them state of the loop",
          (fmi, process, cluster) -> {
            long[] buffer = new long[1];
            fmi.loop(
                4,
                n -> {
                  if (n == 0) {
                    fmi.world().irecv(buffer, -1, 3);
                  }
                },
                buffer);
            return 0;
          });
    }
  }

  @Test
  void namesABufferOutsideOfTheState() {
    for (Shape way : allWays()) {
      refuses(
          way,
          "the loop's state object 0, a org.fmi.Request[], cannot be saved: it refers to a receive"
              + " of at most 8 bytes from rank 1 with tag 3, whose buffer is not state of the loop",
          (fmi, process, cluster) -> {
            twoIterations(
                fmi, () -> fmi.world().irecv(new long[1], 1, 3), StateRef.of(new Request[1]));
            return 0;
          });
    }
  }

  @Test
  void noRequestIsPendingAtTheEndOfALoop() {
    for (Shape way : allWays()) {
      refuses(
          way,
          "wait for them (waitFor, Request.waitAll) in the loop's last iteration",
          (fmi, process, cluster) -> {
            long[] buffer = new long[1];
            StateRef<Request[]> kept = StateRef.of(new Request[1]);
            fmi.loop(
                4,
                n -> {
                  if (n == 3) {
                    kept.get()[0] = fmi.world().irecv(buffer, 1, 3);
                  }
                },
                buffer,
                kept);
            return 0;
          });
    }
  }

  @Test
  void onesFromBeforeTheLoopAreNoState() {
    refuses(
        ranks(false, false),
        "it refers to a request that was begun outside of the loop: begin it in an iteration",
        (fmi, process, cluster) -> {
          Request before = fmi.world().isend(new long[1], fmi.world().rank(), 3);
          fmi.loop(6, n -> {}, StateRef.of(new Request[] {before}));
          return 0;
        });
  }

  /** Neither a pending request, nor a complete one. */
  @ParameterizedTest
  @CsvSource({
    "true,has 1 pending request after the exchange of iteration 0 of a flowLoop",
    "false,'it refers to a request, which only the state of a loop or loopWhile can hold'"
  })
  void aFlowLoopHoldsNone(boolean underWay, String words) {
    for (Shape way : allWays()) {
      refuses(
          way,
          words,
          (fmi, process, cluster) -> {
            Comm world = fmi.world();
            StateRef<Request[]> kept = StateRef.of(new Request[1]);
            FlowBody<long[]> body =
                new FlowBody<>() {
                  @Override
                  public void exchange(long n, long[] now) {
                    if (n == 0) {
                      Request complete = world.isend(now, world.rank(), 3);
                      world.recv(new long[1], world.rank(), 3);
                      kept.get()[0] = underWay ? world.irecv(now, world.rank(), 4) : complete;
                    }
                  }

                  @Override
                  public void step(long n, long[] now, long[] next) {
                    // It ends before that, or at the next checkpoint.
                  }
                };
            long[] _ =
                fmi.flowLoop(
                    6,
                    Flow.line(SIZE),
                    body,
                    () -> new long[1],
                    state -> new Object[] {state, kept});
            return 0;
          });
    }
  }

  /** One request in two places, complete requests, and requests that had nothing to do. */
  @Test
  void completeRequestsAnswerTheSame() {
    for (Shape way : allWays()) {
      Shape shape = way.withFaults(kill(2, FaultPoint.ITERATION, 5));
      JobSimulation job =
          new JobSimulation(
              1,
              shape,
              SimModel.calm(),
              (fmi, process, cluster) -> {
                long[] buffer = new long[2];
                StateRef<Request[]> kept = StateRef.of(new Request[5]);
                StateRef<Request[]> again = StateRef.of(new Request[1]);
                fmi.loop(
                    8,
                    n -> {
                      Request[] all = kept.get();
                      process.compute(20_000);
                      if (n == 1) {
                        int me = fmi.world().rank();
                        all[0] = fmi.world().irecv(Slice.of(buffer, 0, 1), me, 3);
                        all[1] = fmi.world().isend(new long[] {7}, me, 3);
                        all[2] = fmi.world().irecv(Slice.of(buffer, 1, 1), -2, 3);
                        all[3] = fmi.world().irecv(Slice.of(buffer, 1, 1), me, 4);
                        all[4] = fmi.world().irecv(Slice.of(buffer, 1, 1), me, 5);
                        again.get()[0] = all[4];
                        fmi.world().send(new long[2], me, 4);
                      } else if (n > 1 && n < 7) {
                        fmi.world().barrier();
                      } else if (n == 7) {
                        assertThat(again.get()[0]).isSameAs(all[4]);
                        assertThat(all[0].waitFor().bytes()).isEqualTo(8);
                        assertThat(all[1].test()).isTrue();
                        assertThat(all[2].waitFor().source()).isEqualTo(-2);
                        assertThat(all[4].cancel()).isTrue();
                        try {
                          all[3].waitFor();
                          throw new AssertionError("it was longer than the buffer");
                        } catch (FmiException e) {
                          assertThat(e)
                              .hasMessageContaining("has 16 bytes, the receive buffer only 8");
                        }
                      }
                    },
                    buffer,
                    kept,
                    again);
                return buffer[0];
              });
      assertThat(run(job).answer()).as("%s", job.story()).isEqualTo(7);
      assertThat(job.faultsLeft()).isEmpty();
    }
  }
}
