package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.fmi.Comm;
import org.fmi.Flow;
import org.fmi.FlowBody;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Slice;
import org.fmi.State;
import org.fmi.StateRef;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;

/** Jobs with {@code --check}: right programs end as without it, wrong ones get the reason. */
final class RepetitionSimulationTest {
  private static final Shape SHAPE = Shape.plain(3, 0, OnNoSpare.ABORT).withCheck();

  /** For the seeds of one shape. */
  private static final int MILLIS = 40;

  private static Outcome run(long seed, Shape shape, Program program) {
    return new JobSimulation(seed, shape, SimModel.calm(), program).run();
  }

  /** A program without a failure ends with status 1 and these words. */
  private static void assertFound(Program program, String... words) {
    assertFound(SHAPE, program, words);
  }

  private static void assertFound(Shape shape, Program program, String... words) {
    Outcome outcome = run(1, shape, program);
    assertThat(outcome.message()).startsWith("--check: rank ").contains(words);
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.recoveries()).isZero();
  }

  private static long sum(Fmi fmi, long value) {
    long[] sum = {value};
    fmi.world().allReduce(sum, Op.SUM);
    return sum[0];
  }

  // ---- correct programs

  private static void assertSame(Shape shape, Program program) {
    Outcome expected = run(1, Shape.plain(3, 0, OnNoSpare.ABORT), program);
    assertThat(expected.status()).isZero();
    Seeds.forMillis(
        MILLIS,
        seed -> {
          Outcome outcome = run(seed, shape, program);
          assertThat(outcome.message()).isEmpty();
          assertThat(outcome.status()).isZero();
          assertThat(outcome.answer()).isEqualTo(expected.answer());
        });
  }

  private static long messagesThatCross(Fmi fmi) {
    Comm world = fmi.world();
    int right = (world.rank() + 1) % world.size();
    int left = (world.rank() + world.size() - 1) % world.size();
    long[] late = {world.rank()};
    StateRef<Random> random = StateRef.of(new Random(world.rank()));
    StateRef<Set<String>> seen = StateRef.of(new HashSet<>());
    long done =
        fmi.loopWhile(
            40,
            n -> {
              if (n > 0) {
                long[] in = new long[1];
                world.recv(in, left, 5);
                late[0] = 31 * late[0] + in[0] + random.get().nextInt(1000);
              }
              Comm own = world.dup();
              late[0] += sum(fmi, n) + seen.get().size();
              own.close();
              seen.get().add("n" + late[0] % 7);
              world.bsend(late, right, 5);
              return n < 20;
            },
            late,
            random,
            seen);
    long[] in = new long[1];
    world.recv(in, left, 5);
    return sum(fmi, late[0] + in[0]) + done;
  }

  @Test
  void aRightProgramEndsAsItDoes() {
    Program program =
        (fmi, process, cluster) -> {
          fmi.world().attachBuffer(1 << 16);
          return messagesThatCross(fmi);
        };
    for (int interval : new int[] {1, 2, 3, 7, 100}) {
      assertSame(SHAPE.withInterval(new CheckpointInterval.Every(interval)), program);
    }
    assertSame(SHAPE.withInterval(new CheckpointInterval.Mtbf(0.01)), program);
  }

  @Test
  void soItDoesWhenARankDies() {
    Program program =
        (fmi, process, cluster) -> {
          fmi.world().attachBuffer(1 << 16);
          return messagesThatCross(fmi);
        };
    for (FaultPoint point : new FaultPoint[] {FaultPoint.ITERATION, FaultPoint.COMMIT}) {
      for (long iteration : new long[] {2, 4, 8}) {
        assertSame(SHAPE.withFaults(new FaultSpec(false, 1, false, point, iteration)), program);
      }
    }
  }

  @Test
  void theLoopByCallsIsRepeatedToo() {
    assertSame(
        SHAPE,
        (fmi, process, cluster) -> {
          long[] state = new long[1];
          for (long n = fmi.nextIteration(state); n < 20; n = fmi.nextIteration(state)) {
            try {
              state[0] += sum(fmi, n);
            } catch (Rollback e) {
              // the next call of loop rolls back
            }
          }
          fmi.endLoop();
          return state[0];
        });
  }

  /** Iterations with pending requests are not checked either; --check must not refuse them. */
  @Test
  void requestsAreKeptAcrossIterations() {
    assertSame(
        SHAPE.withInterval(new CheckpointInterval.Every(3)),
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int right = (world.rank() + 1) % world.size();
          int left = (world.rank() + world.size() - 1) % world.size();
          long[] in = new long[1];
          long[] sum = new long[1];
          StateRef<Request[]> request = StateRef.of(new Request[1]);
          fmi.loop(
              20,
              n -> {
                if (n > 0) {
                  request.get()[0].waitFor();
                  sum[0] = 31 * sum[0] + in[0];
                }
                request.get()[0] = n < 19 ? world.irecv(in, left, 5) : null;
                if (n < 19) {
                  world.send(new long[] {n + world.rank()}, right, 5);
                }
              },
              in,
              sum,
              request);
          return sum(fmi, sum[0]);
        });
  }

  /** A buffer that each iteration overwrites, a cache, or transient data need not be state. */
  @Test
  void dataThatAnIterationOverwritesNeedNotBeState() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          long[] scratch = new long[3];
          Map<Long, Long> cache = new HashMap<>();
          Timing timing = new Timing();
          fmi.loop(
              20,
              n -> {
                timing.calls++;
                scratch[1] = cache.computeIfAbsent(n % 7, k -> k * k);
                sum[0] += sum(fmi, scratch[1]);
              },
              sum);
          assertThat(timing.calls).isGreaterThanOrEqualTo(20);
          return sum[0];
        };
    assertSame(SHAPE.withInterval(new CheckpointInterval.Every(5)), program);
  }

  private static final class Timing {
    transient long calls;
  }

  /** Their order of arrival differs from the first time. */
  @Test
  void receivesFromAnySourceAreNotChecked() {
    assertSame(
        SHAPE,
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] state = new long[1];
          long[] forgotten = new long[1];
          fmi.loop(
              9,
              n -> {
                long[] in = new long[1];
                if (world.rank() == 0) {
                  for (int i = 1; i < world.size(); i++) {
                    world.recv(in, Comm.ANY_SOURCE, 1);
                    state[0] += in[0];
                  }
                } else {
                  world.send(new long[] {n}, 0, 1);
                }
                world.barrier();
                forgotten[0] += n;
              },
              state);
          return state[0] + forgotten[0];
        });
  }

  // ---- incorrect programs

  @Test
  void stateThatIsNotRegistered() {
    assertFound(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          double[] registered = {0, 0, 0.5};
          fmi.loop(
              20,
              n -> {
                sum[0]++;
                registered[2] += sum[0];
              },
              new int[1],
              registered);
          return sum[0];
        },
        "the loop's state object 1, a double[], element 2: 3.5 the first time, 7.5 when repeated",
        "must be state of the loop");
  }

  @Test
  void stateWithANameIsReportedByIt() {
    assertFound(
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          int[] other = new int[1];
          double[] registered = {0, 0, 0.5};
          while (fmi.nextIteration(State.of("n", other), State.of("u", registered)) < 20) {
            registered[2] += ++sum[0];
          }
          return sum[0];
        },
        "the loop's state \"u\", a double[], element 2: 3.5 the first time, 7.5 when repeated");
  }

  /** State and messages are the same, but the program computes something else beside them. */
  @Test
  void anAccumulatorThatIsReadAfterTheLoop() {
    assertFound(
        (fmi, process, cluster) -> {
          long[] total = new long[1];
          long[] state = new long[1];
          fmi.loop(
              100,
              n -> {
                state[0] = n;
                total[0] += n;
              },
              state);
          return total[0];
        },
        "changes data that is not state of the loop when iterations are repeated from a checkpoint,"
            + " up to iteration 1: total, a long[], element 0: 1 the first time, 2 when repeated",
        "must be state of the loop");
  }

  /** Without a failure, no other process counts here. */
  private static final class Totals {
    static final long[] ALL = new long[1];
    long own;

    private void step(long n) {
      own += n;
      ALL[0] += n;
    }
  }

  @Test
  void accumulatorsInFields() {
    assertFound(
        ALONE,
        (fmi, process, cluster) -> {
          Totals totals = new Totals();
          fmi.loop(20, n -> totals.step(n));
          return totals.own;
        },
        "totals.own: 1 the first time, 2 when repeated",
        "Totals.ALL, a long[], element 0: ");
  }

  /** A ring of numbers: each state has this rank's number, and the one received for it. */
  @SuppressWarnings("UnusedVariable") // by the code under test
  private static class Ring implements FlowBody<long[]> {
    private final Comm world;
    transient long calls;

    Ring(Comm world) {
      this.world = world;
    }

    static Flow flow(int size) {
      return (rank, iteration) -> new int[] {(rank + size - 1) % size};
    }

    @Override
    public void exchange(long iteration, long[] now) {
      int size = world.size();
      world.sendRecv(
          Slice.of(now, 0, 1),
          (world.rank() + 1) % size,
          3,
          Slice.of(now, 1, 1),
          (world.rank() + size - 1) % size,
          3);
    }

    @Override
    public void step(long iteration, long[] now, long[] next) {
      calls++;
      next[0] = 31 * now[0] + now[1];
    }
  }

  private static long ring(Fmi fmi, Ring body) {
    Comm world = fmi.world();
    long[] last =
        fmi.flowLoop(
            20,
            Ring.flow(world.size()),
            body,
            () -> new long[] {world.rank(), 0},
            state -> new Object[] {state});
    return sum(fmi, last[0]);
  }

  /** Both states hold data that is older than the checkpoint. */
  @Test
  void doesNotCompareDataOfAFlowBeforeItIsReceived() {
    for (int interval = 1; interval <= 8; interval++) {
      assertSame(
          SHAPE.withInterval(new CheckpointInterval.Every(interval)),
          (fmi, process, cluster) -> ring(fmi, new Ring(fmi.world())));
    }
  }

  @Test
  void anAccumulatorOfAFlow() {
    assertFound(
        SHAPE.withInterval(new CheckpointInterval.Every(4)),
        (fmi, process, cluster) ->
            ring(
                fmi,
                new Ring(fmi.world()) {
                  long total;

                  @Override
                  public boolean finish(long iteration, long[] next) {
                    total += next[0];
                    return true;
                  }
                }),
        "changes data that is not state of the loop",
        "total: ");
  }

  /** The body's variables are seen by no other rank, static fields are. */
  @Test
  void anAccumulatorOfALoopByCalls() {
    assertFound(
        ALONE,
        (fmi, process, cluster) -> {
          long[] state = new long[1];
          Totals totals = new Totals();
          for (long n = fmi.nextIteration(state); n < 20; n = fmi.nextIteration(state)) {
            totals.step(n);
          }
          fmi.endLoop();
          return 0;
        },
        "Totals.ALL, a long[], element 0: ");
  }

  @Test
  void anArrayThatIsReplacedWithoutAHolder() {
    assertFound(
        (fmi, process, cluster) -> {
          double[][] u = {{fmi.world().rank()}};
          double[] first = u[0];
          fmi.loop(
              20,
              n -> {
                u[0] = u[0].clone();
                u[0][0]++;
                double[] in = {u[0][0]};
                fmi.world().allReduce(in, Op.MAX);
              },
              (Object) first);
          return (long) u[0][0];
        },
        "has different content");
  }

  @Test
  void aSeededGeneratorThatIsNotState() {
    assertFound(
        (fmi, process, cluster) -> {
          SplittableRandom random = new SplittableRandom(process.rank());
          long[] sum = new long[1];
          fmi.loop(20, n -> sum[0] += sum(fmi, random.nextInt(1_000_000)), sum);
          return sum[0];
        },
        "has different content");
  }

  @Test
  void theTime() {
    assertFound(
        (fmi, process, cluster) -> {
          long[] last = new long[1];
          fmi.loop(20, n -> last[0] = System.nanoTime(), last);
          return last[0];
        },
        "the loop's state object 0, a long[], element 0: ");
  }

  @Test
  void messagesThatDependOnWhatIsNotState() {
    assertFound(
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int[] calls = new int[1];
          fmi.loop(
              20,
              n -> {
                if (calls[0]++ < 2 && world.rank() == 0) {
                  world.send(new long[100], 1, 7);
                }
                if (n < 2 && world.rank() == 1) {
                  world.recv(new long[100], 0, 7);
                }
              });
          return 0;
        },
        "rank 0 behaves differently",
        "it does not send a message of 800 bytes to rank 1 with tag 7, in iteration 0, which it"
            + " sent");
  }

  @Test
  void messagesThatAreSentToAnother() {
    assertFound(
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int[] calls = new int[1];
          fmi.loop(
              20,
              n -> {
                int to = 1 + calls[0]++ / 2 % 2;
                if (world.rank() == 0) {
                  world.send(new long[1], to, 7);
                } else if (world.rank() == (n < 2 ? 1 : 2)) {
                  world.recv(new long[1], 0, 7);
                }
              });
          return 0;
        },
        "rank 0 behaves differently",
        "it sends a message of 8 bytes to rank 2 with tag 7, in iteration 0, but sent no such"
            + " message");
  }

  @Test
  void anExceptionWhenRepeated() {
    assertFound(
        (fmi, process, cluster) -> {
          int[] calls = new int[1];
          fmi.loop(
              20,
              n -> {
                if (calls[0]++ != n) {
                  throw new IllegalArgumentException("call " + calls[0]);
                }
              });
          return 0;
        },
        "iteration 0 threw java.lang.IllegalArgumentException: call 3");
  }

  @Test
  void aLoopThatEndsEarlierWhenRepeated() {
    assertFound(
        (fmi, process, cluster) -> {
          int[] calls = new int[1];
          return fmi.loopWhile(20, n -> ++calls[0] < 3);
        },
        "the loop ended after iteration 0");
  }

  // ---- objects that marshal themselves

  /** Writes two numbers and a list. */
  private static class Pair implements BytesMarshallable {
    long a;
    long b;
    final List<Long> list = new ArrayList<>();

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeLong(a).writeLong(b).writeInt(list.size());
      list.forEach(bytes::writeLong);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      a = bytes.readLong();
      b = bytes.readLong();
      list.clear();
      for (int left = bytes.readInt(); left > 0; left--) {
        list.add(bytes.readLong());
      }
    }
  }

  private static Program growing(Pair pair) {
    return (fmi, process, cluster) -> {
      fmi.loop(
          20,
          n -> {
            pair.a += n;
            pair.b -= n;
            pair.list.add(n);
          },
          new int[1],
          pair);
      return 0;
    };
  }

  private static final Shape ALONE = Shape.plain(1, 0, OnNoSpare.ABORT).withCheck();

  @Test
  void anObjectThatReadsLessThanItHasWritten() {
    assertThat(run(1, ALONE, growing(new Pair())).status()).isZero();
    assertFound(
        ALONE,
        growing(
            new Pair() {
              @Override
              public void readMarshallable(BytesIn<?> bytes) {
                a = bytes.readLong();
              }
            }),
        "rank 0 cannot restore its state from a checkpoint: the loop's state object 1, a ",
        "byte 8 of its written form");
  }

  @Test
  void anObjectThatAppendsToItsContents() {
    assertFound(
        ALONE,
        growing(
            new Pair() {
              @Override
              public void readMarshallable(BytesIn<?> bytes) {
                a = bytes.readLong();
                b = bytes.readLong();
                for (int left = bytes.readInt(); left > 0; left--) {
                  list.add(bytes.readLong());
                }
              }
            }),
        "rank 0 cannot restore its state",
        "byte 16 of its written form");
  }
}
