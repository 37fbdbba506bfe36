package org.fmi.jobsim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.StateRef;
import org.fmi.Status;

/**
 * Requests that are begun in one iteration of a loop and completed in a later one, as its state:
 * short and long ones, from any source, synchronous, of another communicator, and into a buffer.
 */
final class PostedAhead {
  /** A length above the eager limit of the simulated network. */
  private static final int LONG = 2_000;

  private static final int SHORT = 3;

  // the requests, by their place
  private static final int FIRST = 0;
  private static final int SECOND = 1;
  private static final int ANY = 2;
  private static final int OTHER_ANY = 3;
  private static final int HALF = 4;
  private static final int SYNCHRONOUS = 5;
  private static final int LONG_SEND = 6;
  private static final int FOR_LONG = 7;
  private static final int ALL = 8;

  private final Comm world;
  private final Comm half;
  private final int last;
  private final StateRef<Request[]> requests = StateRef.of(new Request[ALL]);
  private final StateRef<long[]> in = StateRef.of(new long[SHORT + LONG]);
  private final long[] any = new long[2];
  private final long[] ofHalf = new long[1];
  private final ByteBuffer late =
      ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final long[] sum = new long[1];

  /** By iteration: whose message a receive from any source got; here, and at the left neighbour. */
  private final long[] said;

  private final long[] heard;

  /**
   * Nothing is posted yet.
   *
   * @param iterations of the loop
   */
  PostedAhead(Comm world, Comm half, int iterations) {
    this.world = world.dup(); // others receive with any tag
    this.half = half;
    this.last = iterations - 1;
    this.said = new long[iterations];
    this.heard = new long[iterations];
  }

  /** Returns the state of the loop: the requests precede their buffers. */
  Object[] state() {
    return new Object[] {requests, in, any, ofHalf, late, sum, said, heard};
  }

  /** A neighbour that is ahead must not be taken for the other one. */
  private static int tagOfAny(long iteration) {
    return 100 + (int) iteration;
  }

  private int right() {
    return (world.rank() + 1) % world.size();
  }

  private int left() {
    return (world.rank() + world.size() - 1) % world.size();
  }

  /**
   * Completes the requests of the last iteration, begins new ones, and returns what was received.
   */
  long turn(long iteration, long value) {
    Request[] all = requests.get();
    if (iteration > 0) {
      complete(all, iteration);
    }
    if (iteration % 4 == 2) {
      world.send(new long[] {value}, right(), 26);
    }
    if (iteration < last) {
      begin(all, iteration, value);
    }
    return sum[0];
  }

  private void begin(Request[] all, long iteration, long value) {
    long[] into = in.get();
    all[ANY] = world.irecv(Slice.of(any, 0, 1), Comm.ANY_SOURCE, tagOfAny(iteration));
    all[OTHER_ANY] = world.irecv(Slice.of(any, 1, 1), Comm.ANY_SOURCE, tagOfAny(iteration));
    all[FIRST] = world.irecv(Slice.of(into, 0, SHORT), left(), 21);
    if (iteration % 2 == 0) {
      all[SECOND] = world.irecv(Slice.of(into, SHORT, LONG), left(), 21);
    }
    if (iteration % 4 == 0) {
      all[FOR_LONG] = world.irecv(late, Comm.ANY_SOURCE, 26); // sent two iterations later
    }
    int members = half.size();
    all[HALF] = half.irecv(ofHalf, (half.rank() + members - 1) % members, 23);

    Request.waitAll(
        world.isend(new long[] {value, iteration, 1}, right(), 21),
        half.isend(new long[] {value ^ 5}, (half.rank() + 1) % members, 23));
    if (iteration % 2 == 0) {
      long[] out = new long[LONG];
      Arrays.fill(out, value + iteration);
      all[LONG_SEND] = world.isend(out, right(), 21);
    }
    world.send(new long[] {value & 0xff}, left(), tagOfAny(iteration));
    world.send(new long[] {value & 0xff}, right(), tagOfAny(iteration));
    all[SYNCHRONOUS] = world.issend(new long[] {value + 1}, right(), 24);
  }

  private void complete(Request[] all, long iteration) {
    long[] got = new long[1];
    world.recv(got, left(), 24);
    if ((iteration + world.rank()) % 2 == 0) {
      boolean _ = Request.testAll(all[FIRST], all[HALF]); // its result is not used
      int next = Request.waitAny(all[ANY], all[OTHER_ANY]);
      Objects.requireNonNull(all[ANY + next]).waitFor();
    }
    Status first = all[ANY].waitFor();
    said[(int) iteration] = first.source();
    long[] source = {first.source()};
    world.sendRecv(source, right(), 25, Slice.of(heard, iteration, 1), left(), 25);
    Status whole = all[FIRST].waitFor();
    for (int i = 0; i < ALL; i++) {
      Request r = all[i];
      if (r != null && (i != FOR_LONG || iteration % 4 == 3)) {
        sum[0] += r.waitFor().bytes();
        all[i] = null;
      }
    }
    if (whole.source() != left() || whole.tag() != 21) {
      throw new AssertionError("a message of another rank: " + whole);
    }
    long[] values = in.get();
    for (int i = SHORT + 1; i < values.length; i++) {
      if (values[i] != values[SHORT]) {
        throw new AssertionError("parts of two messages: " + values[i] + ", " + values[SHORT]);
      }
    }
    long more = 7 * values[0] + 3 * values[1] + values[2] + values[SHORT] + any[0] + any[1];
    sum[0] = 31 * sum[0] + more + ofHalf[0] + got[0];
    if (iteration % 4 == 3) {
      sum[0] ^= late.getLong(0);
    }
    // what the next message does not reach must be as it was
    in.set(values.clone());
  }

  /** Checks that all decisions were received, and that none changed later. */
  void compare() {
    long[] theirs = new long[said.length];
    world.sendRecv(said, right(), 25, theirs, left(), 25);
    if (!Arrays.equals(theirs, heard)) {
      throw new AssertionError(
          "rank %d has heard %s of its neighbour, which has had %s"
              .formatted(world.rank(), Arrays.toString(heard), Arrays.toString(theirs)));
    }
  }
}
