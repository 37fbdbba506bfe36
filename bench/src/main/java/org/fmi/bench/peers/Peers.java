package org.fmi.bench.peers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.ObjIntConsumer;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Request;
import org.fmi.Slice;

/**
 * FMI's side of {@code bench/peers/run}, the twin of {@code bench/peers/peers.c}: the same
 * operations, measured in the same way. What is changed in one is to be changed in the other.
 *
 * <p>For each point, an operation and a size, rank 0 prints a line {@code
 * operation,ranks,bytes,us}: half of a round trip of {@code pingpong}, in which each side sends
 * what it has received, of {@code constant}, in which each side sends a buffer that does not change
 * (the shape of OSU's osu_latency), and of {@code pending}, {@code pingpong} while {@value
 * #PENDING} other messages and receives are {@link Pending} at both ranks; the time of a call of a
 * collective operation, whose bytes are those that a rank contributes (for {@code alltoall} and
 * {@code reducescatter} to each rank); {@code rate} has messages per second instead, of windows of
 * messages that are answered once, and {@code both} of windows in both directions at once, per
 * direction. With more than two ranks, pairs of them do these at the same time. With {@code
 * -direct} messages go from and to memory outside of the heap, with {@code -mixed} at odd ranks
 * alone. It is the median of {@value #BATCHES} batches. A batch is a loop of calls after a barrier,
 * its time that of the slowest rank. First all points are warmed up, and each again before it is
 * measured, by time, so that the JIT compiler gets as much of it at each speed; the fastest calls
 * tell how many make a batch. Data are checked before and after.
 */
public final class Peers {
  private static final int BATCHES = 20;
  private static final int LEAST_BATCHES = 5; // where calls take much longer than expected
  private static final int WINDOW = 64;
  private static final int PENDING = 10_000;
  private static final int TAG = 1;
  private static final int ALL = -1;

  private interface Loop {
    void run(int count, long n);
  }

  /** Expected element i of the receive buffer, when rank r sends r + i in element i. */
  private interface Expected {
    double at(int count, int i);
  }

  /**
   * An operation.
   *
   * @param atRoot blocks of count elements that are received at the root
   * @param elsewhere the same for the other ranks
   */
  private record Operation(String name, Loop loop, Expected expected, int atRoot, int elsewhere) {
    /** Between pairs of ranks, all at once. */
    boolean isPairs() {
      return isRate() || (isRoundTrip() && !isPending());
    }

    boolean isRoundTrip() {
      return name.startsWith("pingpong") || name.startsWith("constant") || isPending();
    }

    boolean isDirect(int atRank) {
      return name.endsWith("-direct") || (name.endsWith("-mixed") && atRank % 2 == 1);
    }

    boolean isPending() {
      return name.equals("pending");
    }

    boolean isRate() {
      return name.startsWith("rate") || name.startsWith("both");
    }
  }

  private record Point(Operation operation, int count) {}

  private final Comm world;
  private final int rank;
  private final int ranks;
  private final double warmUpSeconds;
  private final double batchSeconds;
  private final Point[] points;
  private final double[] out;
  private final double[] in;
  private final MemorySegment directOut;
  private final MemorySegment directIn;
  private final double[] answer = new double[1];
  private final double[] slowest = new double[1];
  private final Request[] requests = new Request[WINDOW];
  private final Request[] requests2 = new Request[2 * WINDOW];

  // What the operation that is measured sends from and receives into, and the length of an element.
  private Object source;
  private Object target;
  private long unit = 1;

  private Peers(Comm world, String... args) {
    if (args.length < 3) {
      throw new IllegalArgumentException(
          "usage: peers.jar WARM_UP_SECONDS SECONDS OPERATION:BYTES...");
    }
    this.world = world;
    this.rank = world.rank();
    this.ranks = world.size();
    this.warmUpSeconds = Double.parseDouble(args[0]);
    this.batchSeconds = Double.parseDouble(args[1]) / BATCHES;
    this.points = Arrays.stream(args).skip(2).map(this::point).toArray(Point[]::new);
    int elements = WINDOW;
    for (Point p : points) {
      elements = Math.max(elements, p.count * (p.operation.isRate() ? WINDOW : ranks));
    }
    this.out = new double[elements];
    this.in = new double[elements];
    Arrays.setAll(out, i -> (double) rank + i);
    this.directOut = Arena.global().allocateFrom(ValueLayout.JAVA_DOUBLE, out);
    this.directIn = Arena.global().allocate(ValueLayout.JAVA_DOUBLE, elements);
    this.source = out;
    this.target = in;
  }

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Peers peers = new Peers(fmi.world(), args);
      // In a loop, as programs do their work: outside of loops what is received is recorded.
      fmi.loop(1, iteration -> peers.measureAll(), new long[1]);
    }
  }

  private Point point(String argument) {
    String[] parts = argument.split(":", 2);
    for (Operation operation : operations()) {
      if (operation.name.equals(parts[0]) && parts.length == 2) {
        if (operation.isPending() && ranks != 2) {
          throw new IllegalArgumentException(argument + ": needs two ranks");
        }
        if (operation.isPairs() && ranks % 2 != 0) {
          throw new IllegalArgumentException(argument + ": needs pairs of ranks");
        }
        return new Point(operation, Integer.parseInt(parts[1]) / Double.BYTES);
      }
    }
    throw new IllegalArgumentException(argument + ": no such operation");
  }

  private Operation[] operations() {
    Expected same = (count, i) -> i;
    Expected firstOnes = (count, i) -> (double) rank - rank % 2 + i;
    Expected others = (count, i) -> (double) partner() + i;
    Expected sum = (count, i) -> ranks * (i + (ranks - 1) / 2.0);
    Expected sumOfOwn = (count, i) -> sum.at(count, rank * count + i);
    Expected gathered = (count, i) -> i / count + i % count;
    Expected scattered = (count, i) -> rank * count + i;
    Expected exchanged = (count, i) -> i / count + rank * count + i % count;
    return new Operation[] {
      new Operation("pingpong", this::pingPongs, firstOnes, 1, 1),
      new Operation("pingpong-direct", this::pingPongs, firstOnes, 1, 1),
      new Operation("pingpong-mixed", this::pingPongs, firstOnes, 1, 1),
      new Operation("constant", this::constants, others, 1, 1),
      new Operation("constant-direct", this::constants, others, 1, 1),
      new Operation("constant-mixed", this::constants, others, 1, 1),
      new Operation("pending", this::pingPongs, same, 1, 1),
      new Operation("rate", this::windows, firstOnes, 0, WINDOW),
      new Operation("rate-direct", this::windows, firstOnes, 0, WINDOW),
      new Operation("rate-mixed", this::windows, firstOnes, 0, WINDOW),
      new Operation("both", this::exchanges, others, WINDOW, WINDOW),
      new Operation("both-direct", this::exchanges, others, WINDOW, WINDOW),
      new Operation("both-mixed", this::exchanges, others, WINDOW, WINDOW),
      new Operation("barrier", this::barriers, same, 0, 0),
      new Operation("allreduce", this::allReduces, sum, 1, 1),
      new Operation("bcast", this::bcasts, same, 0, 1),
      new Operation("reduce", this::reduces, sum, 1, 0),
      new Operation("reducescatter", this::reduceScatters, sumOfOwn, 1, 1),
      new Operation("gather", this::gathers, gathered, ALL, 0),
      new Operation("scatter", this::scatters, scattered, 1, 1),
      new Operation("allgather", this::allGathers, gathered, ALL, ALL),
      new Operation("alltoall", this::allToAlls, exchanged, ALL, ALL),
    };
  }

  /** Of two ranks that talk to each other, the even one begins. */
  private boolean begins() {
    return rank % 2 == 0;
  }

  private int partner() {
    return rank ^ 1;
  }

  private void pingPongs(int count, long n) {
    roundTrips(source, target, target, count * unit, n);
  }

  private void constants(int count, long n) {
    roundTrips(source, target, source, count * unit, n);
  }

  /**
   * Round trips.
   *
   * @param answer what the one that does not begin sends back
   */
  private void roundTrips(Object from, Object to, Object answer, long length, long n) {
    Slice there = Slice.of(begins() ? from : answer, 0, length);
    Slice back = Slice.of(to, 0, length);
    for (long i = 0; i < n; i++) {
      if (begins()) {
        world.send(there, partner(), TAG);
        world.recv(back, partner(), TAG);
      } else {
        world.recv(back, partner(), TAG);
        world.send(there, partner(), TAG);
      }
    }
  }

  private void windows(int count, long n) {
    long length = count * unit;
    for (long i = 0; i < n; i++) {
      for (int w = 0; w < WINDOW; w++) {
        requests[w] =
            begins()
                ? world.isend(Slice.of(source, w * length, length), partner(), TAG)
                : world.irecv(Slice.of(target, w * length, length), partner(), TAG);
      }
      Request.waitAll(requests);
      if (begins()) {
        world.recv(answer, partner(), TAG);
      } else {
        world.send(answer, partner(), TAG);
      }
    }
  }

  /** Windows in both directions at once. */
  private void exchanges(int count, long n) {
    long length = count * unit;
    for (long i = 0; i < n; i++) {
      for (int w = 0; w < WINDOW; w++) {
        requests2[w] = world.irecv(Slice.of(target, w * length, length), partner(), TAG);
      }
      for (int w = 0; w < WINDOW; w++) {
        requests2[WINDOW + w] = world.isend(Slice.of(source, w * length, length), partner(), TAG);
      }
      Request.waitAll(requests2);
    }
  }

  private void barriers(int count, long n) {
    for (long i = 0; i < n; i++) {
      world.barrier();
    }
  }

  private void allReduces(int count, long n) {
    Slice data = Slice.of(out, 0, count);
    for (long i = 0; i < n; i++) {
      world.allReduce(data, in, Op.SUM);
    }
  }

  private void bcasts(int count, long n) {
    Slice data = Slice.of(rank == 0 ? out : in, 0, count);
    for (long i = 0; i < n; i++) {
      world.bcast(data, 0);
    }
  }

  private void reduces(int count, long n) {
    Slice data = Slice.of(out, 0, count);
    for (long i = 0; i < n; i++) {
      world.reduce(data, in, Op.SUM, 0);
    }
  }

  private void reduceScatters(int count, long n) {
    int[] counts = new int[ranks];
    Arrays.fill(counts, count);
    for (long i = 0; i < n; i++) {
      world.reduceScatter(out, in, counts, Op.SUM);
    }
  }

  private void gathers(int count, long n) {
    Slice data = Slice.of(out, 0, count);
    for (long i = 0; i < n; i++) {
      world.gather(data, in, 0);
    }
  }

  private void scatters(int count, long n) {
    Slice data = Slice.of(in, 0, count);
    for (long i = 0; i < n; i++) {
      world.scatter(out, data, 0);
    }
  }

  private void allGathers(int count, long n) {
    Slice data = Slice.of(out, 0, count);
    for (long i = 0; i < n; i++) {
      world.allGather(data, in);
    }
  }

  private void allToAlls(int count, long n) {
    Slice data = Slice.of(out, 0, (long) count * world.size());
    for (long i = 0; i < n; i++) {
      world.allToAll(data, in);
    }
  }

  private void measureAll() {
    // All of them once before: the first ones would be measured while what they share is compiled.
    for (Point point : points) {
      amidPending(point, this::warmUp);
    }
    for (Point point : points) {
      amidPending(point, this::measure);
    }
  }

  private void amidPending(Point point, ObjIntConsumer<Operation> work) {
    boolean direct = point.operation.isDirect(rank);
    source = direct ? directOut : out;
    target = direct ? directIn : in;
    unit = direct ? Double.BYTES : 1; // segments are counted in bytes
    Pending pending = new Pending(world, point.operation.isPending() ? PENDING : 0);
    work.accept(point.operation, point.count);
    pending.match();
  }

  private void measure(Operation operation, int count) {
    check(operation, count);
    double seconds = medianSeconds(operation, count);
    check(operation, count);
    if (rank == 0) {
      double value =
          operation.isRate() ? WINDOW / seconds : seconds * 1e6 / (operation.isRoundTrip() ? 2 : 1);
      System.out.printf(
          Locale.ROOT, "%s,%d,%d,%.4f%n", operation.name, ranks, count * Double.BYTES, value);
    }
  }

  private void check(Operation operation, int count) {
    boolean atRoot = operation.isPairs() ? begins() : rank == 0;
    int blocks = atRoot ? operation.atRoot : operation.elsewhere;
    int elements = count * (blocks == ALL ? ranks : blocks);
    Arrays.fill(in, 0, elements, -1);
    if (operation.isDirect(rank)) {
      MemorySegment.copy(in, 0, directIn, ValueLayout.JAVA_DOUBLE, 0, elements);
    }
    operation.loop.run(count, 1);
    if (operation.isDirect(rank)) {
      MemorySegment.copy(directIn, ValueLayout.JAVA_DOUBLE, 0, in, 0, elements);
    }
    for (int i = 0; i < elements; i++) {
      if (in[i] != operation.expected.at(count, i)) {
        throw new IllegalStateException(operation.name + ": wrong data were received");
      }
    }
  }

  /** The seconds of the fastest call, on average over a batch. */
  private double warmUp(Operation operation, int count) {
    double fastest = Double.MAX_VALUE;
    double warmUp = 0;
    long n = 1;
    while (warmUp < warmUpSeconds) {
      double seconds = batch(operation, count, n);
      warmUp += seconds;
      fastest = Math.min(fastest, seconds / n);
      if (seconds < batchSeconds) {
        n *= 2;
      }
    }
    return fastest;
  }

  private double medianSeconds(Operation operation, int count) {
    long n = Math.max(1, (long) (batchSeconds / warmUp(operation, count)));
    double[] perCall = new double[BATCHES];
    int batches = 0;
    double spent = 0;
    while (batches < BATCHES && (batches < LEAST_BATCHES || spent < 10 * BATCHES * batchSeconds)) {
      double seconds = batch(operation, count, n);
      spent += seconds;
      perCall[batches++] = seconds / n;
    }
    Arrays.sort(perCall, 0, batches);
    return (perCall[(batches - 1) / 2] + perCall[batches / 2]) / 2;
  }

  /** The seconds of the slowest rank, the same number everywhere: so all decide the same. */
  private double batch(Operation operation, int count, long n) {
    world.barrier();
    long begin = System.nanoTime();
    operation.loop.run(count, n);
    slowest[0] = (System.nanoTime() - begin) / 1e9;
    world.allReduce(slowest, Op.MAX);
    return slowest[0];
  }
}
