package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.CommState;
import org.fmi.ErrorClass;
import org.fmi.Fmi;
import org.fmi.FmiException;
import org.fmi.Group;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;

/**
 * A program that continues without lost ranks: a ring and an all-reduce in a communicator that
 * shrinks, and pairs of ranks that exchange messages even if others die. It throws only if a call
 * returns what it must not.
 *
 * <p>One object serves all ranks of a simulated job, so that it can compare what they see.
 */
final class ShrinkWorkload {
  private static final int ITERATIONS = 8;
  private static final int RING = 1;
  private static final int PAIR = 2;
  private static final int ANY = 3;

  /** Too long for an eager message of the simulated network. */
  private static final int LONG = 2_000;

  /** The results of agreements, by generation of the communicator and by call. */
  private final Map<List<Integer>, Long> results = new HashMap<>();

  /** One rank. */
  private final class Rank {
    private final SimProcess process;
    private final Fmi fmi;
    private final Group all;
    private final int self;

    /** The communicator of those that are left, and its members, as a bit set of first ranks. */
    private Comm living;

    private int generation;
    private int calls;

    Rank(Fmi fmi, SimProcess process) {
      this.fmi = fmi;
      this.process = process;
      this.living = fmi.world();
      this.all = living.group();
      this.self = living.rank();
    }

    private int[] members(Comm comm) {
      int[] each = IntStream.range(0, comm.size()).toArray();
      return comm.group().translateRanks(each, all);
    }

    /** All members have the same result. */
    private void same(int kind, long result) {
      Long other = results.putIfAbsent(List.of(generation, calls++, kind), result);
      if (other != null && other != result) {
        throw new AssertionError(
            "S3: rank %d gets %x in generation %d, another rank %x"
                .formatted(self, result, generation, other));
      }
    }

    /** Whether all members want it. */
    private boolean agree(boolean wanted) {
      long flags = living.agree(wanted ? 3 : 2);
      same(0, flags);
      if ((flags & 2) == 0) {
        throw new AssertionError("S3: a bit that all have set is lost: " + flags);
      }
      return (flags & 1) != 0;
    }

    private void shrink() {
      living = living.shrink();
      long mask = 0;
      for (int member : members(living)) {
        mask |= 1L << member;
      }
      same(1, mask);
      if ((mask >> self & 1) == 0) {
        throw new AssertionError("S3: rank " + self + " is not in its own communicator");
      }
      generation++;
      calls = 0;
    }

    /** Runs what may fail because of a death; returns whether it did not. */
    private boolean attempt(Runnable calls) {
      try {
        calls.run();
        return true;
      } catch (FmiException e) {
        boolean isRevoked = e.errorClass() == ErrorClass.REVOKED;
        if (!isRevoked && e.errorClass() != ErrorClass.PROC_FAILED) {
          throw e;
        }
        if (!isRevoked) {
          if (living.failed().size() == 0 && fmi.world().failed().size() == 0) {
            throw new AssertionError("S4: " + e + ", and nobody is dead");
          }
          if (living.state() == CommState.VALID) {
            throw new AssertionError("S4: " + e + ", in a valid communicator");
          }
          living.revoke(); // ranks that wait for this one are to leave, too
        }
        return false;
      }
    }

    private void ring(long iteration) {
      int size = living.size();
      int right = (living.rank() + 1) % size;
      int left = (living.rank() + size - 1) % size;
      long[] out = new long[iteration % 2 == 0 ? 1 : LONG];
      out[0] = 1_000 * iteration + living.rank();
      long[] in = new long[out.length];
      Status status = living.sendRecv(out, right, RING, in, left, RING);
      if (in[0] != 1_000 * iteration + left || status.source() != left) {
        throw new AssertionError("rank " + self + " got " + in[0] + " from " + status);
      }
    }

    private void fromAny(long iteration) {
      if (living.rank() != 0) {
        living.send(new long[] {iteration}, 0, ANY);
        return;
      }
      for (int i = 1; i < living.size(); i++) {
        long[] in = new long[1];
        Status status = living.recv(in, Comm.ANY_SOURCE, ANY);
        if (in[0] != iteration) {
          throw new AssertionError(in[0] + " came in iteration " + iteration + " as " + status);
        }
      }
    }

    private void sum() {
      long[] bits = {1L << self};
      living.allReduce(bits, Op.SUM);
      long expected = 0;
      for (int member : members(living)) {
        expected |= 1L << member;
      }
      if (bits[0] != expected) {
        throw new AssertionError("S5: members %x have the sum %x".formatted(expected, bits[0]));
      }
    }

    private void step(long iteration) {
      ring(iteration);
      process.compute(20_000);
      fromAny(iteration);
      sum();
    }

    /** Exchanges with a partner, which must succeed while it lives. */
    private boolean pair(Comm two, long iteration) {
      int other = 1 - two.rank();
      long[] in = new long[1];
      try {
        Request receive = two.irecv(in, other, PAIR);
        two.send(new long[] {iteration}, other, PAIR);
        receive.waitFor();
      } catch (FmiException e) {
        if (e.errorClass() != ErrorClass.PROC_FAILED || two.state() != CommState.INVALID) {
          throw e;
        }
        return false;
      }
      if (in[0] != iteration) {
        throw new AssertionError("S6: " + in[0] + " came in iteration " + iteration);
      }
      return true;
    }

    void run() {
      List<Comm> split = new ArrayList<>();
      boolean isPaired = attempt(() -> split.add(living.split(self / 2, self)));
      isPaired = agree(isPaired) && split.getFirst().size() == 2;
      int iteration = 0;
      while (iteration < ITERATIONS) {
        int now = iteration;
        if (isPaired) {
          isPaired = pair(split.getFirst(), now);
        }
        boolean done = attempt(() -> step(now));
        if (agree(done)) {
          iteration++;
        } else {
          shrink();
        }
      }
    }
  }

  long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    new Rank(fmi, process).run();
    return ITERATIONS;
  }
}
