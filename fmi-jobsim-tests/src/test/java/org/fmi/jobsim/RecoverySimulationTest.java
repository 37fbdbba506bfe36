package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.junit.jupiter.api.Test;

/** Simulated jobs of programs that do one unusual thing each. */
final class RecoverySimulationTest {
  private static final long MILLIS = 1_000_000;

  private static final SimModel CALM = SimModel.calm();

  private static Shape ranks(int size) {
    return Shape.plain(size, 0, OnNoSpare.ABORT);
  }

  private static List<Notice.CheckpointCommitted> checkpoints(JobSimulation job, long loop) {
    return job.notices().stream()
        .filter(Notice.CheckpointCommitted.class::isInstance)
        .map(Notice.CheckpointCommitted.class::cast)
        .filter(c -> c.loop() == loop)
        .toList();
  }

  private static void dieOnce(Fmi fmi, SimProcess process, SimCluster cluster) {
    if (fmi.epoch() == 0 && process.rank() == 1) {
      cluster.faults().crash(1);
      process.compute(1);
    }
  }

  // ---- the interval that is tuned

  @Test
  void aLoopOfSlowIterationsAfterOneOfFastOnesLosesLittle() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          fmi.loop(
              2_000,
              n -> {
                process.compute(1_000);
                sum[0]++;
              },
              sum);
          fmi.loop(
              40,
              n -> {
                process.compute(20 * MILLIS);
                sum[0]++;
                if (n == 35) {
                  dieOnce(fmi, process, cluster);
                }
              },
              sum);
          return sum[0];
        };
    JobSimulation job =
        new JobSimulation(1, ranks(4).withInterval(new CheckpointInterval.Mtbf(1)), CALM, program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(2_040);
    assertThat(job.notices())
        .filteredOn(n -> n instanceof Notice.AllRunning r && r.epoch() > 0)
        .as(job.story())
        .isNotEmpty()
        .allSatisfy(
            n -> {
              Notice.AllRunning running = (Notice.AllRunning) n;
              assertThat(running.loop()).isEqualTo(1);
              assertThat(running.iteration()).as("of 35").isGreaterThanOrEqualTo(30);
            });
  }

  /** The first checkpoint among the slow ones is never reached at the interval of before. */
  @Test
  void iterationsThatBecomeLongerThanTheTimeBetweenFailuresGetOn() {
    Program program = LosesARankAgain.adding(_ -> 1);
    JobSimulation job =
        new JobSimulation(
            1, ranks(4).withInterval(new CheckpointInterval.Mtbf(100)), CALM, program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(600);
  }

  @Test
  void theIntervalDoesNotGrowWithTheWaitForASlowRank() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          fmi.loop(
              100,
              n -> {
                process.compute(process.rank() == 0 ? 10 * MILLIS : 10_000);
                sum[0]++;
              },
              sum);
          return sum[0];
        };
    JobSimulation job =
        new JobSimulation(1, ranks(4).withInterval(new CheckpointInterval.Mtbf(1)), CALM, program);
    assertThat(job.run().status()).as(job.story()).isZero();
    List<Notice.CheckpointCommitted> taken = checkpoints(job, 0);
    assertThat(taken).as(job.story()).hasSizeGreaterThan(100 / 8);
    for (int i = 1; i < taken.size(); i++) {
      assertThat(taken.get(i).iteration() - taken.get(i - 1).iteration())
          .as(job.story())
          .isLessThanOrEqualTo(8);
    }
  }

  // ---- requests that survive their epoch

  private static void useAgain(
      Fmi fmi, SimProcess process, SimCluster cluster, Request[] kept, long[] sum, long n) {
    Comm world = fmi.world();
    int other = 1 - world.rank();
    Request before = kept[0];
    // A replacement that did it too would roll back the other rank, whose replacement did it again.
    if (before != null && process.incarnation() == 0) {
      before.waitFor();
    }
    long[] in = new long[1];
    Request receive = world.irecv(in, other, 1);
    kept[0] = receive;
    if (n == 3) {
      dieOnce(fmi, process, cluster);
    }
    world.send(Slice.of(sum, 0, 1), other, 1);
    receive.waitFor();
    sum[0] += in[0] + 1;
  }

  /** The survivor's process ends with the exception, and its replacement has no such request. */
  private static void assertOwnFailure(Program program) {
    JobSimulation job = new JobSimulation(1, ranks(2), CALM, program);
    Outcome outcome = job.run();
    assertThat(job.exits().getFirst().cause())
        .as(job.story())
        .isInstanceOf(FmiException.class)
        .hasMessageContaining("made before the rollback");
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(63);
  }

  @Test
  void aRequestFromBeforeARollbackIsTheProgramsFailure() {
    assertOwnFailure(
        (fmi, process, cluster) -> {
          Request[] kept = new Request[1];
          long[] sum = new long[1];
          fmi.loop(6, n -> useAgain(fmi, process, cluster, kept, sum, n), sum);
          return sum[0];
        });
  }

  @Test
  void soItIsInALoopByCalls() {
    assertOwnFailure(
        (fmi, process, cluster) -> {
          Request[] kept = new Request[1];
          long[] sum = new long[1];
          for (long n = fmi.nextIteration(sum); n < 6; n = fmi.nextIteration(sum)) {
            try {
              useAgain(fmi, process, cluster, kept, sum, n);
            } catch (Rollback e) {
              // the next call of loop rolls back
            }
          }
          return sum[0];
        });
  }

  // ---- replays that do not match

  private static void assertRestartedFromMemory(Shape shape, Program program, String reason) {
    JobSimulation undisturbed = new JobSimulation(1, shape, CALM, Workload::run);
    long answer = undisturbed.run().answer();
    LongStream.range(0, 10)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, shape, CALM, program);
              job.killWhen(
                  notice ->
                      notice instanceof Notice.CheckpointCommitted c
                          && c.loop() == 0
                          && c.iteration() == 4,
                  1);
              Outcome outcome = job.run();
              assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
              assertThat(outcome.answer()).as("seed %d%n%s", seed, job.story()).isEqualTo(answer);
              assertThat(job.notices())
                  .as("seed %d%n%s", seed, job.story())
                  .anyMatch(
                      notice ->
                          notice instanceof Notice.RecoveryBegun b
                              && b.restartAll()
                              && b.reason().contains(reason));
            });
  }

  @Test
  void aReplacementThatSendsMoreMakesAllStartAgain() {
    assertRestartedFromMemory(
        ranks(4),
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          if (process.incarnation() > 0) {
            world.send(new long[1], (world.rank() + 1) % world.size(), 77);
          }
          return Workload.run(fmi, process, cluster);
        },
        "cannot replay its calls before the loop");
  }

  @Test
  void aRecordOverItsLimitMakesAllStartAgain() {
    assertRestartedFromMemory(ranks(4).withRecordLimit(300), Workload::run, "exceeded the limit");
  }

  // ---- state of a shape that changes

  private static void assertSameAsUndisturbed(Program undisturbed, Program disturbed) {
    Outcome expected = new JobSimulation(1, ranks(4), CALM, undisturbed).run();
    JobSimulation job = new JobSimulation(1, ranks(4), CALM, disturbed);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.recoveries()).as(job.story()).isEqualTo(1);
    assertThat(outcome.answer()).as(job.story()).isEqualTo(expected.answer());
  }

  private static long growRows(Fmi fmi, LongConsumer disturbance) {
    long[][] initial = {{1}};
    StateRef<long[][]> rows = StateRef.of(initial);
    long[] sum = new long[1];
    fmi.loop(
        9,
        n -> {
          long[][] grown = Arrays.copyOf(rows.get(), rows.get().length + 1);
          grown[grown.length - 1] = new long[(int) n + 1];
          grown[0] = Arrays.copyOf(grown[0], grown[0].length + 1);
          rows.set(grown);
          disturbance.accept(n);
          sum[0] = 0;
          for (long[] row : grown) {
            for (int i = 0; i < row.length; i++) {
              row[i] += n + i + initial[0][0];
              sum[0] += row[i];
            }
          }
          fmi.world().allReduce(sum, Op.SUM);
        },
        rows,
        sum);
    return sum[0];
  }

  @Test
  void aHolderOfArraysThatGrow() {
    assertSameAsUndisturbed(
        (fmi, process, cluster) -> growRows(fmi, n -> {}),
        (fmi, process, cluster) ->
            growRows(
                fmi,
                n -> {
                  if (n == 5) {
                    dieOnce(fmi, process, cluster);
                  }
                }));
  }

  private static long append(Fmi fmi, LongConsumer disturbance) {
    ByteBuffer log = ByteBuffer.allocate(256);
    Comm world = fmi.world();
    int next = (world.rank() + 1) % world.size();
    int before = (world.rank() + world.size() - 1) % world.size();
    fmi.loop(
        9,
        n -> {
          log.putLong(world.rank() + n);
          disturbance.accept(n);
          ByteBuffer received = ByteBuffer.allocate(log.position());
          Request receive = world.irecv(received, before, 1);
          world.send(log.duplicate().flip(), next, 1);
          receive.waitFor();
          log.putLong(received.getLong(received.capacity() - Long.BYTES));
        },
        log);
    long answer = log.position();
    for (int i = 0; i < log.position(); i += Long.BYTES) {
      answer = 31 * answer + log.getLong(i);
    }
    return answer;
  }

  @Test
  void aBufferThatIsAppendedTo() {
    assertSameAsUndisturbed(
        (fmi, process, cluster) -> append(fmi, n -> {}),
        (fmi, process, cluster) ->
            append(
                fmi,
                n -> {
                  if (n == 5) {
                    dieOnce(fmi, process, cluster);
                  }
                }));
  }

  // ---- the end of a loop, and of the program

  /** The next call of loop rolls back, although the loop has ended as far as its state goes. */
  @Test
  void aFailureBeforeEndLoopOfALoopThatWasRestoredToItsEnd() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          boolean done = false;
          while (!done) {
            long n = fmi.nextIteration(sum);
            try {
              long[] in = {n + 1};
              fmi.world().allReduce(in, Op.SUM);
              if (n < 5) {
                sum[0] += in[0];
              } else {
                if (fmi.epoch() == 1 && process.rank() == 1) {
                  cluster.faults().crash(1);
                  process.compute(1);
                }
                fmi.world().allReduce(in, Op.SUM);
                fmi.endLoop();
                done = true;
              }
            } catch (Rollback e) {
              // the next call of loop rolls back
            }
          }
          return sum[0];
        };
    Shape shape = ranks(2).withFaults(new FaultSpec(false, 1, false, FaultPoint.COMMIT, 5));
    LongStream.range(0, 20)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, shape, CALM, program);
              Outcome outcome = job.run();
              assertThat(outcome.status()).as(job.story()).isZero();
              assertThat(outcome.recoveries()).as(job.story()).isEqualTo(2);
              assertThat(outcome.answer()).as(job.story()).isEqualTo(30);
            });
  }

  /** Both have called close, and one waits for the other there. */
  @Test
  void aConnectionThatBreaksWhileRanksLeave() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = {1};
          fmi.world().allReduce(sum, Op.SUM);
          if (process.rank() == 1) {
            process.compute(5 * MILLIS);
            if (fmi.epoch() == 0) {
              cluster.faults().breakConnection(0, 1);
            }
          }
          return sum[0];
        };
    LongStream.range(0, 20)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, ranks(2), CALM, program);
              Outcome outcome = job.run();
              assertThat(outcome.status()).as(job.story()).isZero();
              assertThat(outcome.recoveries()).as(job.story()).isEqualTo(1);
              assertThat(outcome.answer()).as(job.story()).isEqualTo(2);
            });
  }

  private static void assertIsToldTo(Program program, String what) {
    JobSimulation job = new JobSimulation(1, ranks(2), CALM, program);
    assertThat(job.run().status()).as(job.story()).isEqualTo(1);
    assertThat(job.exits())
        .as(job.story())
        .anySatisfy(
            exit ->
                assertThat(exit.cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(what));
  }

  @Test
  void closeInALoopIsTheProgramsFailure() {
    assertIsToldTo(
        (fmi, process, cluster) -> {
          fmi.loop(5, n -> fmi.close());
          return 0;
        },
        "call it after the loop");
  }

  @Test
  void aLoopAfterCloseIsTheProgramsFailure() {
    assertIsToldTo(
        (fmi, process, cluster) -> {
          fmi.close();
          fmi.loop(5, n -> {});
          return 0;
        },
        "a loop was begun after Fmi.close");
  }

  /** One for each way that a call takes: through a communicator, a request, or a loop. */
  private static void callAfterClose(Fmi fmi, Comm inner, Request pending, int call) {
    long[] data = new long[2];
    Comm world = fmi.world();
    switch (call) {
      case 0 -> world.send(Slice.of(data, 0, 1), 1 - world.rank(), 1);
      case 1 -> world.send(Slice.of(data, 0, 1), Comm.PROC_NULL, 1);
      case 2 -> world.isend(Slice.of(data, 0, 1), 1 - world.rank(), 1);
      case 3 -> world.recv(Slice.of(data, 0, 1), Comm.ANY_SOURCE, 1);
      case 4 -> world.irecv(Slice.of(data, 0, 1), Comm.ANY_SOURCE, 1);
      case 5 -> world.iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG);
      case 6 -> world.attachBuffer(0);
      case 7 -> world.barrier();
      case 8 -> world.allReduce(data, Op.SUM);
      case 9 -> inner.gather(Slice.of(data, 0, 1), data, 0);
      case 10 -> inner.dup();
      case 11 -> inner.split(0, 0);
      case 12 -> pending.waitFor();
      case 13 -> pending.test();
      case 14 -> pending.status();
      case 15 -> pending.cancel();
      case 16 -> Request.waitAny(pending);
      case 17 -> fmi.loop(1, n -> {});
      case 18 -> fmi.nextIteration(data);
      case 19 -> world.abort(3);
      default -> throw new AssertionError("no call " + call);
    }
  }

  @Test
  void callsAfterCloseAreTheProgramsFailure() {
    List<String> wrong = new CopyOnWriteArrayList<>();
    Program program =
        (fmi, process, cluster) -> {
          Comm inner = Objects.requireNonNull(fmi.world().split(process.rank(), 0));
          Request pending = inner.irecv(new long[1], 0, 7);
          fmi.close();
          for (int call = 0; call < 20; call++) {
            try {
              callAfterClose(fmi, inner, pending, call);
              wrong.add(call + " returned");
            } catch (IllegalStateException e) {
              if (!String.valueOf(e.getMessage()).contains("after Fmi.close")) {
                wrong.add(call + ": " + e);
              }
            } catch (FmiException | Rollback e) {
              wrong.add(call + ": " + e);
            }
          }
          inner.close(); // without effect
          assertThat(fmi.world().rank())
              .as("what is known without a message")
              .isEqualTo(process.rank());
          fmi.close();
          return fmi.world().size();
        };
    Outcome outcome = new JobSimulation(1, ranks(2), CALM, program).run();
    assertThat(outcome.status()).isZero();
    assertThat(outcome.answer()).isEqualTo(2);
    assertThat(wrong).isEmpty();
  }

  // ---- ranks at different places

  private static void assertDiffer(Program program, String first, String second) {
    LongStream.range(0, 20)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, ranks(4), CALM, program);
              Outcome outcome = job.run();
              assertThat(outcome.status()).as(job.story()).isEqualTo(1);
              assertThat(outcome.message())
                  .as(job.story())
                  .contains("rank 0 " + first)
                  .contains("rank 2 " + second)
                  .doesNotContain("\n");
              assertThat(outcome.recoveries()).as(job.story()).isZero();
            });
  }

  @Test
  void ranksInDifferentLoopsDoNotCommitTogether() {
    assertDiffer(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          if (process.rank() == 2) {
            fmi.loop(0, n -> {}, sum);
          }
          fmi.loop(5, n -> sum[0]++, sum);
          return sum[0];
        },
        "takes a checkpoint before iteration 0 of loop 0",
        "takes a checkpoint at the end, after 0 iterations, of loop 0");
  }

  @Test
  void ranksInDifferentIterationsDoNotCommitTogether() {
    assertDiffer(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          long iterations = process.rank() == 2 ? 3 : 5;
          while (fmi.nextIteration(sum) < iterations) {
            sum[0]++;
          }
          fmi.endLoop();
          return sum[0];
        },
        "takes a checkpoint before iteration 4 of loop 0",
        "takes a checkpoint at the end, after 3 iterations, of loop 0");
  }

  /** Before the first of them may wait for a rank that is not in the loop any more. */
  @Test
  void ranksInLoopsOfDifferentLengthDoNotBegin() {
    assertDiffer(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          fmi.loop(
              process.rank() == 2 ? 3 : 5,
              n -> {
                sum[0]++;
                fmi.world().barrier();
              },
              sum);
          return sum[0];
        },
        "runs loop 0 of 5 iterations",
        "runs loop 0 of 3 iterations");
  }

  /** The program gives the same number, in one way or the other. */
  @Test
  void ranksMayBeginIterationsInDifferentWays() {
    JobSimulation job =
        new JobSimulation(
            1,
            ranks(4),
            CALM,
            (fmi, process, cluster) -> {
              long[] sum = new long[1];
              if (process.rank() == 2) {
                while (fmi.nextIteration(sum) < 5) {
                  sum[0]++;
                }
                fmi.endLoop();
              } else {
                fmi.loop(5, n -> sum[0]++, sum);
              }
              return sum[0];
            });
    assertThat(job.run().status()).as(job.story()).isZero();
  }

  // ---- state that cannot be saved or restored

  private static void assertFailsAtOnePlace(Program program) {
    assertFailsAtOnePlace("rank 1 threw an exception ", program);
  }

  private static void assertFailsAtOnePlace(String why, Program program) {
    JobSimulation job = new JobSimulation(1, ranks(4), CALM, program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(1);
    assertThat(outcome.message())
        .startsWith("rank 1 threw an exception ")
        .contains(why, "failed by itself 3 times at the same place");
    assertThat(job.exits())
        .as("close does not wait for the others")
        .allSatisfy(exit -> assertThat(exit.cause()).hasNoSuppressedExceptions());
  }

  @Test
  void stateThatDoesNotFitTheCheckpointIsTheProgramsFailure() {
    assertFailsAtOnePlace(
        (fmi, process, cluster) -> {
          try (fmi) {
            long[] state = new long[1 + Math.min(1, process.incarnation())];
            fmi.loop(
                10,
                n -> {
                  fmi.world().barrier();
                  if (n == 5) {
                    dieOnce(fmi, process, cluster);
                  }
                },
                state);
          }
          return 0;
        });
  }

  @Test
  void stateWithAnotherNameIsTheProgramsFailure() {
    assertFailsAtOnePlace(
        "the loop's state object 0 is named \"v\", but the checkpoint holds \"u\" there",
        (fmi, process, cluster) -> {
          try (fmi) {
            State state = State.of(process.incarnation() == 0 ? "u" : "v", new long[1]);
            fmi.loop(
                10,
                n -> {
                  fmi.world().barrier();
                  if (n == 5) {
                    dieOnce(fmi, process, cluster);
                  }
                },
                state);
          }
          return 0;
        });
  }

  @Test
  void stateThatCannotBeSavedIsTheProgramsFailure() {
    assertFailsAtOnePlace(
        (fmi, process, cluster) -> {
          try (fmi) {
            StateRef<Object> state = StateRef.of(new long[1]);
            for (long n = fmi.nextIteration(state); n < 10; n = fmi.nextIteration(state)) {
              try {
                fmi.world().barrier();
                if (n == 5 && process.rank() == 1) {
                  state.set(new Thread());
                }
              } catch (Rollback e) {
                // the next call of loop rolls back
              }
            }
          }
          return 0;
        });
  }

  @Test
  void otherStateObjectsAreTheProgramsFailure() {
    assertFailsAtOnePlace(
        (fmi, process, cluster) -> {
          try (fmi) {
            long[] first = new long[1];
            long[] second = new long[1];
            long n = fmi.nextIteration(first);
            while (n < 10) {
              try {
                fmi.world().barrier();
              } catch (Rollback e) {
                // the next call of loop rolls back
              }
              n = fmi.nextIteration(n == 5 && process.rank() == 1 ? second : first);
            }
          }
          return 0;
        });
  }

  // ---- exceptions that come of a failure

  /** What a program makes of the rollback that its call has thrown. */
  private interface Handler {
    void handle(Rollback rollback);
  }

  /** Adds up iterations and loses a rank on the way. */
  private static Program sum(Handler handler) {
    return (fmi, process, cluster) -> {
      long[] sum = new long[1];
      fmi.loop(
          10,
          n -> {
            sum[0] += n;
            boolean met = false;
            while (!met) {
              try {
                fmi.world().barrier();
                met = true;
              } catch (Rollback e) {
                handler.handle(e);
              }
            }
            // No checkpoint comes before the next barrier: the others are in that.
            if (n == 4) {
              dieOnce(fmi, process, cluster);
            }
          },
          sum);
      return sum[0];
    };
  }

  private static JobSimulation assertSurvives(Program program) {
    JobSimulation job = new JobSimulation(1, ranks(4), CALM, program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(45);
    assertThat(outcome.recoveries()).isPositive();
    return job;
  }

  /** As a pool does with what its tasks throw. */
  @Test
  void aRollbackInAnotherExceptionIsARollback() {
    JobSimulation job =
        assertSurvives(
            sum(
                e -> {
                  throw new CompletionException(e);
                }));
    assertThat(job.notices())
        .as(job.story())
        .noneMatch(n -> n instanceof Notice.RecoveryBegun r && r.restartAll());
  }

  /** Its rank would call again and again, and all others wait for it. */
  @Test
  void aRollbackThatIsCaughtLeadsToARestart() {
    JobSimulation job = assertSurvives(sum(e -> {}));
    assertThat(job.notices())
        .as(job.story())
        .anyMatch(
            n ->
                n instanceof Notice.RecoveryBegun r
                    && r.restartAll()
                    && r.reason().contains("catches Rollback repeatedly"));
  }
}
