package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.log.CountingJob;
import org.fmi.core.log.MessageLedger;
import org.fmi.core.log.MessageLog;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Blocking calls allocate nothing once they are warm. The exceptions, and their reasons:
 *
 * <table> <caption>Calls that allocate</caption>
 * <tr><td>non-blocking calls</td><td>return a request to the program</td></tr>
 * <tr><td>a report to the job</td><td>is sent over a socket, not on the path of the program's
 * messages: by a rank that sends after it has received from any source</td></tr>
 * <tr><td>collectives except the barrier</td><td>create views of the program's arrays, and arrays
 * for data in transit: no more with a log than without</td></tr>
 * <tr><td>a logged message of 2 KiB or more</td><td>is copied by the C library, which needs views:
 * one copy of any length. The optimizing compiler may eliminate them</td></tr>
 * <tr><td>a recovery line, and the first decision after it</td><td>are not on a message's
 * path</td></tr>
 * </table>
 */
class AllocationTest {
  /** The views of an array and of the log for a copy between them; and of a segment. */
  private static final int ARRAY_VIEWS_BYTES = 152;

  private static final int SEGMENT_VIEWS_BYTES = 80;

  private static final int MOST_ROUNDS = 50;

  /** The number of exchanges between two recovery lines. */
  private static final int BETWEEN_LINES = 50;

  private interface Exchange {
    void once(Messenger m, double[] data, int other);
  }

  @Test
  void eagerPingPong() {
    measure(
        (m, data, other) -> {
          if (m.rank() == 0) {
            m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
            m.recv(data, 0, 8, other, 0, 1);
          } else {
            m.recv(data, 0, 8, Comm.ANY_SOURCE, 0, Comm.ANY_TAG);
            m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
          }
        });
  }

  @Test
  void rendezvousPingPong() {
    measure(
        (m, data, other) -> {
          if (m.rank() == 0) {
            m.send(data, 0, 5_000, other, 0, 1, Mode.STANDARD);
            m.recv(data, 0, 5_000, other, 0, 1);
          } else {
            m.recv(data, 0, 5_000, other, 0, 1);
            m.send(data, 0, 5_000, other, 0, 1, Mode.STANDARD);
          }
        });
  }

  @Test
  void messagesThatArriveBeforeTheirReceive() {
    measure(
        (m, data, other) -> {
          m.send(data, 0, 800, other, 0, 1, Mode.STANDARD);
          m.send(data, 0, 80, other, 0, 2, Mode.STANDARD);
          m.recv(data, 0, 80, Comm.ANY_SOURCE, 0, 2);
          m.recv(data, 0, 800, other, 0, Comm.ANY_TAG);
        });
  }

  @Test
  void atOnceInACommunicatorOfSomeRanks() {
    measure(
        m -> {
          Comm world = Communicator.world(m, new ContextIds(), status -> {});
          // The ranks differ from the world's: sources are translated.
          Comm turned = Objects.requireNonNull(world.split(0, -m.rank()));
          int other = 1 - turned.rank();
          double[] data = new double[100];
          double[] in = new double[100];
          Slice first = Slice.of(data, 0, 1);
          Slice firstIn = Slice.of(in, 0, 1);
          return _ -> {
            turned.sendRecv(first, other, 1, firstIn, other, 1);
            turned.sendRecv(data, other, 1, in, Comm.ANY_SOURCE, Comm.ANY_TAG);
            turned.send(first, other, 2);
            turned.recv(firstIn, other, 2);
          };
        });
  }

  // ---- with a log

  /** The log is not on the heap. */
  @ParameterizedTest
  @CsvSource({"64, 0", "65536, " + ARRAY_VIEWS_BYTES, "1048576, " + ARRAY_VIEWS_BYTES})
  void withALog(int bytes, int views) {
    measure(Options.PLAIN, bytes, views, m -> logging(m, pingPong(m, new double[bytes / 8])));
  }

  /** The receiver reads the message from the sender's memory. */
  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 1 << 20})
  void ofRemoteReadsWithALog(int bytes) {
    measure(
        Options.PLAIN.reading(),
        bytes,
        SEGMENT_VIEWS_BYTES,
        m -> logging(m, pingPong(m, Arena.ofAuto().allocate(bytes, 8))));
  }

  private static Program pingPong(Messenger m, Object data) {
    int other = 1 - m.rank();
    return bytes -> {
      if (m.rank() == 0) {
        m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
        m.recv(data, 0, bytes, other, 0, 1);
      } else {
        m.recv(data, 0, bytes, other, 0, 1);
        m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
      }
    };
  }

  /** The matches of receives are reported to the job, in an array; nothing else is allocated. */
  @Test
  void fromAnySourceWithALog() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          ToldJob job = new ToldJob();
          Program program = logging(m, fromAnySource(m), job);
          warmsUp(
              m,
              () -> {
                job.bytes = 0;
                double allocated = round(program, 64);
                assertThat(job.bytes > 0).as("rank 1 is told of").isEqualTo(m.rank() == 1);
                return allocated - (double) job.bytes / exchanges(64);
              });
        });
  }

  private static Program fromAnySource(Messenger m) {
    double[] data = new double[8];
    int other = 1 - m.rank();
    return bytes -> {
      for (int i = 0; i < 10; i++) {
        if (m.rank() == 0) {
          m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
        } else {
          m.recv(data, 0, bytes, Comm.ANY_SOURCE, 0, 1);
        }
      }
      if (m.rank() == 0) {
        m.recv(data, 0, bytes, other, 0, 1);
      } else {
        m.send(data, 0, bytes, other, 0, 1, Mode.STANDARD);
      }
    };
  }

  /** A job that stores each report at once. */
  private static final class ToldJob extends CountingJob {
    private static final int OBJECT_BYTES = 24;
    private static final int ARRAY_BYTES = 16;

    /** The bytes allocated for reports. */
    long bytes;

    @Override
    public long report(int rank, long version, NewDeterminants told) {
      bytes += OBJECT_BYTES + ARRAY_BYTES + (long) Long.BYTES * told.determinants().length;
      kept = super.report(rank, version, told);
      return kept;
    }
  }

  private static final class Vectors {
    final double[] in = new double[32];
    final double[] out = new double[32];
    final Slice one = Slice.of(in, 0, 8);
    final Slice oneOut = Slice.of(out, 0, 8);
    final Slice two = Slice.of(in, 0, 16);
    final long[] counts = {8, 8};
  }

  enum Collective {
    BARRIER,
    BCAST,
    REDUCE,
    ALL_REDUCE,
    GATHER,
    SCATTER,
    ALL_GATHER,
    ALL_TO_ALL,
    REDUCE_SCATTER,
    SCAN;

    private void call(Comm comm, Vectors v) {
      switch (this) {
        case BARRIER -> comm.barrier();
        case BCAST -> comm.bcast(v.one, 1);
        case REDUCE -> comm.reduce(v.one, v.out, Op.SUM, 0);
        case ALL_REDUCE -> comm.allReduce(v.one, v.out, Op.SUM);
        case GATHER -> comm.gather(v.one, v.out, 0);
        case SCATTER -> comm.scatter(v.in, v.oneOut, 1);
        case ALL_GATHER -> comm.allGather(v.one, v.out);
        case ALL_TO_ALL -> comm.allToAll(v.two, v.out);
        case REDUCE_SCATTER -> comm.reduceScatter(v.in, v.out, v.counts, Op.SUM);
        case SCAN -> comm.scan(v.one, v.out, Op.SUM);
      }
    }
  }

  @Test
  void barrierWithALog() {
    measure(Options.PLAIN, 0, 0, m -> logging(m, collective(m, Collective.BARRIER)));
  }

  @ParameterizedTest
  @EnumSource
  void noMoreThanWithoutALog(Collective kind) {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          boolean[] on = new boolean[1];
          Program program = logging(m, collective(m, kind), new CountingJob(), on);
          warmsUp(
              m,
              () -> {
                // By the same code, so that the compiler optimizes both equally.
                on[0] = false;
                m.ledger().atRecoveryLine(false);
                double without = round(program, 0);
                on[0] = true;
                m.ledger().atRecoveryLine(true);
                return Math.abs(round(program, 0) - without);
              });
        });
  }

  private static Program collective(Messenger m, Collective kind) {
    Comm world = Communicator.world(m, new ContextIds(), status -> {});
    Vectors v = new Vectors();
    return _ -> kind.call(world, v);
  }

  private static Program logging(Messenger m, Program program) {
    return logging(m, program, new CountingJob());
  }

  private static Program logging(Messenger m, Program program, CountingJob job) {
    return logging(m, program, job, new boolean[] {true});
  }

  private static Program logging(Messenger m, Program program, CountingJob job, boolean[] on) {
    new MessageLedger(m, new MessageLog(m.rank(), 2, 256 << 20, job), null);
    m.ledger().atRecoveryLine(true);
    return new Program() {
      @Override
      public void once(int bytes) {
        program.once(bytes);
      }

      @Override
      public void between() {
        job.version++;
        m.ledger().atRecoveryLine(on[0]); // and the same pieces of memory again
        program.once(8); // after a recovery line there is a new list of decisions
      }
    };
  }

  // ---- measuring

  private interface Program {
    void once(int bytes);

    /** Called after some of the rounds; not measured. */
    default void between() {}
  }

  private interface Programs {
    Program of(Messenger m);
  }

  private static void measure(Exchange exchange) {
    measure(
        m -> {
          int other = 1 - m.rank();
          double[] data = new double[1_000];
          return _ -> exchange.once(m, data, other);
        });
  }

  private static void measure(Programs programs) {
    measure(new Options(1_024, 1_024, 64, 0, 0), 0, 0, programs);
  }

  private static void measure(Options options, int bytes, int views, Programs programs) {
    Ranks.run(
        2,
        1,
        options,
        m -> {
          Program program = programs.of(m);
          warmsUp(m, () -> round(program, bytes) - views);
        });
  }

  /**
   * Repeats rounds until one allocates nothing. By then all classes are loaded, and all code is
   * compiled for good. The number of rounds depends on earlier tests: the first optimized code of a
   * method, some 10,000 exchanges from the start, loads further classes.
   */
  private static void warmsUp(Messenger m, DoubleSupplier round) {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < MOST_ROUNDS && least >= 1; i++) {
      least = Math.min(least, ofBoth(m, round.getAsDouble()));
    }
    assertThat(least).as("bytes an exchange").isLessThan(1);
  }

  /** The larger one of the ranks' numbers, so that both continue, or neither does. */
  private static double ofBoth(Messenger m, double number) {
    double[] mine = {number};
    double[] others = {0};
    int other = 1 - m.rank();
    m.sendRecv(mine, 0, 8, other, 3, others, 0, 8, other, 3, 0);
    return Math.max(mine[0], others[0]);
  }

  /** Returns the number of bytes that this thread has allocated in an exchange. */
  private static double round(Program program, int bytes) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = 0;
    for (int done = 0; done < exchanges(bytes); done += BETWEEN_LINES) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < BETWEEN_LINES; i++) {
        program.once(bytes);
      }
      allocated += threads.getCurrentThreadAllocatedBytes() - before;
      program.between();
    }
    return (double) allocated / exchanges(bytes);
  }

  private static int exchanges(int bytes) {
    return bytes > 5_000 ? 100 : 10_000;
  }
}
