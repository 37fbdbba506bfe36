package org.fmi.jobsim;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Datatype;
import org.fmi.Message;
import org.fmi.ObjectRequest;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.testkit.SimProcess;

/**
 * Determinants of one rank: decisions that depend on when messages arrive. Each rank sends its
 * decisions to its right neighbour, and both add them up: if the sums differ, a rank decided
 * otherwise when it did so again.
 */
final class Choices {
  // Tags.
  private static final int TO_ROOT = 20;
  private static final int PLACE = 21;
  private static final int FROM_LEFT = 22;
  private static final int FROM_RIGHT = 23;
  private static final int TESTED = 24;
  private static final int PROBED = 25;
  private static final int CANCELLED = 26;
  private static final int SYNCHRONOUS = 27;
  private static final int DECIDED = 28;
  private static final int MATCHED = 29;

  /** Too long for an eager message of the simulated network. */
  private static final int LONG = 2_000;

  private static final int LOOKS = 3;

  /** A rank's message to its neighbour. */
  private record Decided(long iteration, long what) implements Serializable {}

  private final Comm world;

  /** Communicator without other messages, so that receives of any tag match the intended ones. */
  private final Comm orders;

  private final SimProcess process;
  private final int rank;
  private final int size;
  private final int right;
  private final int left;

  /** Decisions of this rank and of its left neighbour: parts of the state. */
  final long[] said = new long[1];

  final long[] heard = new long[1];

  Choices(Comm world, SimProcess process) {
    this.world = world;
    this.orders = world.dup();
    this.process = process;
    this.rank = world.rank();
    this.size = world.size();
    this.right = (rank + 1) % size;
    this.left = (rank + size - 1) % size;
  }

  /** Decides in all ways. */
  void make(long iteration) {
    long decided = order((int) (iteration % size));
    decided = 31 * decided + first();
    decided = 31 * decided + looks(iteration);
    decided = 31 * decided + probe();
    decided = 31 * decided + cancel();
    decided = 31 * decided + matched(iteration);
    synchronous();
    Request send = world.isendObject(new Decided(iteration, decided), right, DECIDED);
    Decided theirs = world.recvObject(Decided.class, left, DECIDED);
    send.waitFor();
    if (theirs == null || theirs.iteration != iteration) {
      throw new AssertionError("rank " + left + " has sent " + theirs + " in " + iteration);
    }
    said[0] = 17 * said[0] + decided;
    heard[0] = 17 * heard[0] + theirs.what;
  }

  /** After the loop: what was decided is what was reported. */
  void compare() {
    Request send = world.isend(said.clone(), right, DECIDED);
    long[] theirs = new long[1];
    world.recv(theirs, left, DECIDED);
    send.waitFor();
    if (theirs[0] != heard[0]) {
      throw new AssertionError("rank " + left + " has decided something else again");
    }
  }

  /** Lets the root receive in any order and send each rank its place. */
  private long order(int root) {
    long[] data = new long[1];
    if (rank != root) {
      orders.send(new long[] {rank}, root, TO_ROOT);
      world.recv(data, root, PLACE);
      return data[0];
    }
    long order = 0;
    for (int i = 1; i < size; i++) {
      Status status = orders.recv(data, Comm.ANY_SOURCE, i % 2 == 0 ? TO_ROOT : Comm.ANY_TAG);
      if (status.source() != data[0] || status.tag() != TO_ROOT) {
        throw new AssertionError("the message of " + data[0] + " came as " + status);
      }
      order = size * order + status.source();
      world.send(new long[] {i}, status.source(), PLACE);
    }
    return order;
  }

  /** Two receives, one of which is complete first. */
  private long first() {
    long[] a = new long[1];
    long[] b = new long[1];
    Request[] receives = {world.irecv(a, left, FROM_LEFT), world.irecv(b, right, FROM_RIGHT)};
    Request[] sends = {
      world.isend(new long[] {rank}, right, FROM_LEFT),
      world.isend(new long[] {rank}, left, FROM_RIGHT)
    };
    int first = Request.waitAny(receives);
    int[] more = Request.waitSome(receives);
    Request.waitAll(receives);
    long tests = 0;
    while (!Request.testAll(sends)) {
      tests++;
      process.compute(3_000);
    }
    return 100 * tests + 10L * first + more.length;
  }

  /** Returns the number of unsuccessful looks. */
  private long looks(long iteration) {
    ObjectRequest<Long> receive = world.irecvObject(Long.class, Comm.ANY_SOURCE, TESTED);
    if (iteration % 2 == 0) {
      process.compute(1_000L * (rank % 3));
    }
    world.sendObject(iteration, right, TESTED);
    int looks = 0;
    while (looks < LOOKS && !receive.test()) {
      looks++;
      process.compute(2_000);
    }
    if (!Objects.equals(receive.get(), iteration)) {
      throw new AssertionError(receive.get() + " came in iteration " + iteration);
    }
    return looks;
  }

  /** A message found at once, or waited for. */
  private long probe() {
    Request send = world.isend(new long[] {rank}, right, PROBED);
    Status found = world.iprobe(Comm.ANY_SOURCE, PROBED);
    boolean atOnce = found != null;
    Status status = found == null ? world.probe(Comm.ANY_SOURCE, PROBED) : found;
    world.recv(new long[1], Objects.requireNonNull(status).source(), status.tag());
    send.waitFor();
    return atOnce ? 1 : 0;
  }

  /** A receive that gets its message, or is cancelled before. */
  private long cancel() {
    long[] in = new long[1];
    Request receive = world.irecv(in, rank % 2 == 0 ? left : Comm.ANY_SOURCE, CANCELLED);
    world.send(new long[] {rank}, right, CANCELLED);
    process.compute(2_000L * (rank % 2));
    if (receive.cancel()) {
      world.recv(in, left, CANCELLED);
      return 1;
    }
    receive.waitFor();
    return 0;
  }

  /**
   * A short and a long message, of which a probe matches one after the other; the second is
   * received first. Neighbours are not ahead: each has heard of the other in this iteration.
   */
  private long matched(long iteration) {
    long[] toLeft = new long[LONG];
    Arrays.fill(toLeft, rank);
    Request[] sends = {
      world.isend(new long[] {rank}, right, MATCHED), world.isend(toLeft, left, MATCHED)
    };
    process.compute(1_000L * (rank % 3));
    Message found = world.improbe(Comm.ANY_SOURCE, MATCHED);
    boolean atOnce = found != null;
    Message first = found == null ? world.mprobe(Comm.ANY_SOURCE, MATCHED) : found;
    process.compute(2_000);
    Message second = world.mprobe(Comm.ANY_SOURCE, MATCHED);
    process.compute(2_000);
    long[] in = new long[(int) second.status().count(Datatype.LONG)];
    Request receive = second.irecv(in);
    long[] other =
        iteration % 2 == 0 ? first.recv(long[].class) : new long[LONG]; // longer, or as long
    if (iteration % 2 != 0) {
      other = Arrays.copyOf(other, (int) first.recv(other).count(Datatype.LONG));
    }
    receive.waitFor();
    expect(first.status(), other);
    expect(second.status(), in);
    Request.waitAll(sends);
    return (atOnce ? 1 : 0) + 2 * (first.status().source() + size * first.status().bytes());
  }

  private static void expect(Status status, long[] got) {
    if (status.tag() != MATCHED || status.count(Datatype.LONG) != got.length) {
      throw new AssertionError(got.length + " numbers came as " + status);
    }
    for (long each : got) {
      if (each != status.source()) {
        throw new AssertionError(each + " came in the message " + status);
      }
    }
  }

  /** Even ranks wait until the odd one beside them receives. */
  private void synchronous() {
    long[] in = new long[1];
    if (rank % 2 == 1) {
      process.compute(5_000);
      world.recv(in, left, SYNCHRONOUS);
    } else if (rank + 1 < size) {
      world.ssend(new long[] {rank}, right, SYNCHRONOUS);
    }
  }
}
