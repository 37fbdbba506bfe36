package org.fmi.run.e2e;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.StateRef;
import org.fmi.Status;

/**
 * Random messages and collectives, drawn from a seed alike at all ranks: sizes, tags, wildcards,
 * communicators, kinds of memory. What arrives is checked, and adds to a checksum that is the same
 * in every run of a seed, whatever fails.
 */
final class SoakProgram {
  private static final int MESSAGES = 24;
  private static final int COLLECTIVES = 6;
  private static final int MAX_LONGS = 40_000;
  private static final int ANY_ORDER_TAGS = 3;

  private final long seed;
  private final Comm world;
  private final Comm[] comms;

  /** The state: what has arrived at this rank so far. */
  private final long[] checksum = new long[1];

  /** State too, of objects that are serialized: the checksums of the last iterations. */
  private final StateRef<ArrayDeque<Past>> past = StateRef.of(new ArrayDeque<>());

  private final StateRef<Random> random;

  private record Past(long iteration, long checksum) implements Serializable {}

  /** How the messages of an iteration are received. */
  private enum Receiving {
    /** By source and tag; several messages between two ranks have the same tag. */
    EXACT,
    /** By tag, from any source. */
    ANY_SOURCE,
    /** Whatever comes, found by a probe. */
    PROBED
  }

  private record Message(int source, int dest, int tag, int longs, long content) {}

  private SoakProgram(long seed, Comm world) {
    this.seed = seed;
    this.world = world;
    Comm half = world.split(world.rank() % 2, -world.rank());
    if (half == null) {
      throw new IllegalStateException("split with a color gives a communicator");
    }
    random = StateRef.of(new Random(seed));
    comms = new Comm[] {world, world.dup(), half};
  }

  public static void main(String[] args) {
    long[] total;
    int rank;
    int recoveries;
    int iterations = Integer.parseInt(args[1]);
    try (Fmi fmi = Fmi.init(args)) {
      SoakProgram program = new SoakProgram(Long.parseLong(args[0]), fmi.world());
      fmi.loop(iterations, program::iteration, program.checksum, program.past, program.random);
      total = program.checksum.clone();
      program.world.allReduce(total, Op.SUM);
      rank = program.world.rank();
      recoveries = fmi.epoch();
    }
    if (rank == 0) {
      System.out.printf(
          "result checksum=%016x iterations=%d recoveries=%d%n", total[0], iterations, recoveries);
    }
  }

  private void iteration(long iteration) {
    SplittableRandom plan = new SplittableRandom(seed * 1_000_003 + iteration);
    // A receive from any source must not find what a faster rank sends in its next iteration.
    world.barrier();
    exchange(plan);
    for (int i = 0; i < COLLECTIVES; i++) {
      collective(plan);
    }
    if (past.get().size() == 5) {
      check(past.get().removeFirst().iteration(), iteration - 5, "the iteration five before");
    }
    past.get().add(new Past(iteration, checksum[0]));
    checksum[0] ^= random.get().nextLong() + past.get().getFirst().checksum();
  }

  /** Mostly short ones, some that go in several pieces. */
  private static int longs(SplittableRandom plan) {
    return plan.nextInt(1 + (MAX_LONGS >> plan.nextInt(14)));
  }

  private static long element(long content, long index) {
    long h = (content + index) * 0x9E3779B97F4A7C15L;
    return h ^ (h >>> 29);
  }

  private static long[] vector(long content, int longs) {
    long[] v = new long[longs];
    for (int i = 0; i < longs; i++) {
      v[i] = element(content, i);
    }
    return v;
  }

  private void check(long actual, long expected, String what) {
    if (actual != expected) {
      throw new IllegalStateException(
          "rank %d: %s is %x, not %x; seed %d"
              .formatted(world.rank(), what, actual, expected, seed));
    }
    checksum[0] = checksum[0] * 31 + actual;
  }

  private void check(long[] actual, int from, long content, int longs, String what) {
    for (int i = 0; i < longs; i++) {
      if (actual[from + i] != element(content, i)) {
        check(actual[from + i], element(content, i), what + " at " + i + " of " + longs);
      }
    }
    checksum[0] = checksum[0] * 31 + content;
  }

  // ---- messages

  private void exchange(SplittableRandom plan) {
    Comm comm = comms[plan.nextInt(2)];
    Receiving receiving = Receiving.values()[plan.nextInt(Receiving.values().length)];
    List<Message> in = new ArrayList<>();
    List<Message> out = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      int source = plan.nextInt(comm.size());
      int dest = plan.nextInt(comm.size());
      int tag = receiving == Receiving.EXACT ? plan.nextInt(ANY_ORDER_TAGS) : i;
      Message m = new Message(source, dest, tag, longs(plan), plan.nextLong());
      if (source == comm.rank()) {
        out.add(m);
      }
      if (dest == comm.rank()) {
        in.add(m);
      }
    }
    List<Request> sends = new ArrayList<>();
    if (receiving == Receiving.PROBED) {
      start(comm, out, sends);
      for (int left = in.size(); left > 0; left--) {
        receiveProbed(comm, in);
      }
    } else {
      receivePosted(comm, in, out, sends, receiving);
    }
    sends.forEach(Request::waitFor);
  }

  private static void start(Comm comm, List<Message> out, List<Request> sends) {
    for (Message m : out) {
      long[] data = vector(m.content, m.longs);
      Object buffer = (m.content & 1) == 0 ? data : nativeCopy(data);
      sends.add(comm.isend(buffer, m.dest, m.tag));
    }
  }

  private static MemorySegment nativeCopy(long[] data) {
    MemorySegment copy = Arena.ofAuto().allocate(8L * data.length, 8);
    MemorySegment.copy(data, 0, copy, ValueLayout.JAVA_LONG, 0, data.length);
    return copy;
  }

  private void receivePosted(
      Comm comm, List<Message> in, List<Message> out, List<Request> sends, Receiving receiving) {
    List<long[]> buffers = new ArrayList<>();
    List<Request> receives = new ArrayList<>();
    for (Message m : in) {
      long[] buffer = new long[m.longs];
      buffers.add(buffer);
      int source = receiving == Receiving.ANY_SOURCE ? Comm.ANY_SOURCE : m.source;
      receives.add(comm.irecv(buffer, source, m.tag));
    }
    start(comm, out, sends);
    for (int i = 0; i < in.size(); i++) {
      Message m = in.get(i);
      Status status = receives.get(i).waitFor();
      check(status.source(), m.source, "the source of a message");
      check(status.bytes(), 8L * m.longs, "the length of a message");
      check(buffers.get(i), 0, m.content, m.longs, "a message of rank " + m.source);
    }
  }

  private void receiveProbed(Comm comm, List<Message> in) {
    Status found = comm.probe(Comm.ANY_SOURCE, Comm.ANY_TAG);
    long[] buffer = new long[(int) (found.bytes() / 8)];
    comm.recv(buffer, found.source(), found.tag());
    Message m = in.stream().filter(x -> x.tag == found.tag()).findFirst().orElseThrow();
    // In no particular order: a sum must not depend on it.
    long before = checksum[0];
    checksum[0] = 0;
    check(found.source(), m.source, "the source of a probed message");
    check(buffer, 0, m.content, m.longs, "a probed message of rank " + m.source);
    checksum[0] += before;
  }

  // ---- collectives

  private void collective(SplittableRandom plan) {
    Comm comm = comms[plan.nextInt(comms.length)];
    int kind = plan.nextInt(9);
    int n = longs(plan) / comm.size();
    long content = plan.nextLong();
    int root = plan.nextInt(world.size()) % comm.size();
    long[] mine = vector(content + comm.rank(), n);
    switch (kind) {
      case 0 -> comm.barrier();
      case 1 -> {
        long[] data = comm.rank() == root ? vector(content, n) : new long[n];
        comm.bcast(data, root);
        check(data, 0, content, n, "a broadcast");
      }
      case 2 -> {
        comm.allReduce(mine, Op.SUM);
        checkSum(comm, mine, content, n);
      }
      case 3 -> {
        long[] sum = new long[n];
        comm.reduce(Slice.of(mine, 0, n), sum, Op.SUM, root);
        if (comm.rank() == root) {
          checkSum(comm, sum, content, n);
        }
      }
      case 4 -> {
        long[] all = new long[n * comm.size()];
        comm.allGather(Slice.of(mine, 0, n), all);
        checkAll(comm, all, content, n);
      }
      case 5 -> {
        long[] all = comm.rank() == root ? new long[n * comm.size()] : new long[0];
        comm.gather(Slice.of(mine, 0, n), all, root);
        if (comm.rank() == root) {
          checkAll(comm, all, content, n);
        }
      }
      case 6 -> {
        long[] part = new long[n];
        comm.scatter(blocks(comm, content, n), part, root);
        check(part, 0, content + comm.rank(), n, "a scattered block");
      }
      case 7 -> {
        long[] in = new long[n * comm.size()];
        comm.allToAll(blocks(comm, content + 1000L * comm.rank(), n), in);
        for (int r = 0; r < comm.size(); r++) {
          check(in, r * n, content + 1000L * r + comm.rank(), n, "a block of rank " + r);
        }
      }
      default -> {
        double[] sum = {1.0 / (1 + comm.rank())};
        comm.allReduce(sum, Op.SUM);
        checksum[0] = checksum[0] * 31 + Double.doubleToRawLongBits(sum[0]);
      }
    }
  }

  private static long[] blocks(Comm comm, long content, int n) {
    long[] all = new long[n * comm.size()];
    for (int r = 0; r < comm.size(); r++) {
      System.arraycopy(vector(content + r, n), 0, all, r * n, n);
    }
    return all;
  }

  private void checkAll(Comm comm, long[] all, long content, int n) {
    for (int r = 0; r < comm.size(); r++) {
      check(all, r * n, content + r, n, "the block of rank " + r);
    }
  }

  private void checkSum(Comm comm, long[] sum, long content, int n) {
    for (int i = 0; i < n; i++) {
      long expected = 0;
      for (int r = 0; r < comm.size(); r++) {
        expected += element(content + r, i);
      }
      if (sum[i] != expected) {
        check(sum[i], expected, "a sum at " + i + " of " + n);
      }
    }
    checksum[0] = checksum[0] * 31 + content;
  }
}
