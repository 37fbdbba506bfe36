package org.fmi.ckpt.xor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Computes the missing blocks of all stripes of a group at once: sums when a checkpoint is taken,
 * chunks of lost members when it is rebuilt.
 *
 * <p>A <i>unit</i> is one block of one stripe. One member works on it: it receives the blocks of
 * the other members, adds them up in order of arrival, and sends the results to the members that
 * will hold them. The members that have their image, the <i>workers</i>, take units in turn, in
 * rounds of one unit each.
 *
 * <pre>
 *   round:   unit of stripe p      at worker A
 *            unit of stripe p+1    at worker B      each gets place losses, losses+1, ... of its
 *            ...                                    stripe in turn; at the same time
 * </pre>
 *
 * Stripes are numbered so that member i has place x of stripe i-x. Each turn is therefore a
 * permutation: every member sends one block directly from its piece, and receives one. For n
 * members, s bytes and k losses a rank sends and receives s (n-1)/(n-k) bytes when sums are
 * computed. To rebuild lost members, each surviving one sends about s bytes, and each lost one
 * receives all that it held.
 *
 * <p>Every member executes the same sequence of steps, and waits in a step only for earlier steps
 * of other members, so there is no deadlock.
 */
final class Gather {
  private static final int BLOCK_TAG = 3;
  private static final int RESULT_TAG = 4;

  /** Blocks in flight. */
  private static final int WINDOW = 4;

  /** Rounds whose results are in flight. */
  private static final int ROUNDS = 2;

  private static final int ALIGNMENT = 4096;

  /**
   * Buffers reused by all checkpoints, as large as the blocks of the largest one, so that a network
   * that reads memory remotely registers them only once.
   */
  static final class Buffers {
    private final int losses;
    private int blockBytes;
    private MemorySegment memory = MemorySegment.NULL;
    private @Nullable Sums sums;

    Buffers(int losses) {
      this.losses = losses;
    }

    /** Makes room for blocks of this size. Nothing may be in flight. */
    private void fit(int bytes) {
      if (bytes > blockBytes) {
        // A power of two, as images may grow slightly from one checkpoint to the next.
        blockBytes = Integer.highestOneBit(Math.max(bytes, ALIGNMENT) - 1) << 1;
        memory = Arena.ofAuto().allocate((WINDOW + (long) ROUNDS * losses) * blockBytes, ALIGNMENT);
        sums = null;
      }
    }

    private long received(long turn) {
      return turn % WINDOW * blockBytes;
    }

    private long result(int slot) {
      return (WINDOW + (long) slot) * blockBytes;
    }

    private Sums sums() {
      Sums made = sums;
      if (made == null) {
        made = new Sums(losses, blockBytes);
        sums = made;
      }
      return made;
    }
  }

  private final Comm comm;
  private final int[] group;
  private final int me;
  private final Buffers buffers;
  private final PieceLayout[] layouts;
  private final int[] rows;
  private final StoredCheckpoint mine;
  private final Stripes stripes;
  private final boolean encoding;
  private final int[] workers;

  /** This member's turn among the workers; negative if it is not one of them. */
  private final int turn;

  /** By stripe. */
  private final Erasures[] erasures;

  /** The places of a stripe in the order of their addition. */
  private final int[] order;

  private final long units;
  private final @Nullable Request[] sending = new Request[WINDOW];
  private final @Nullable Request[] receiving = new Request[WINDOW];
  private final @Nullable Request[] resultSending;
  private final Deque<Result> expected = new ArrayDeque<>();
  private boolean intact = true;

  /** The next step; after the last one, pending transfers are awaited. */
  private long next;

  /**
   * @param group world ranks
   * @param me the index of this rank in it
   * @param layouts the layouts of the members' pieces
   * @param piece the piece of this rank
   * @param rows the rows to compute, the same on all members
   * @param lost the members to rebuild; none to compute the sums
   */
  Gather(
      Comm comm,
      int[] group,
      int me,
      Buffers buffers,
      PieceLayout[] layouts,
      MemorySegment piece,
      int[] rows,
      int... lost) {
    this.comm = comm;
    this.group = group;
    this.me = me;
    this.buffers = buffers;
    buffers.fit(layouts[me].blockBytes(0));
    this.layouts = layouts;
    this.rows = rows;
    this.mine = new StoredCheckpoint(piece, layouts[me]);
    this.stripes = new Stripes(group.length, buffers.losses);
    this.encoding = lost.length == 0;
    this.workers =
        IntStream.range(0, group.length)
            .filter(member -> IntStream.of(lost).noneMatch(l -> l == member))
            .toArray();
    this.turn = Arrays.binarySearch(workers, me);
    this.erasures = new Erasures[group.length];
    if (encoding) {
      int[] sums = IntStream.range(0, buffers.losses).toArray();
      Arrays.fill(erasures, new Erasures(stripes, sums));
    } else {
      Arrays.setAll(
          erasures,
          stripe ->
              new Erasures(
                  stripes,
                  IntStream.of(lost).map(member -> stripes.place(stripe, member)).toArray()));
    }
    IntStream data = IntStream.range(buffers.losses, group.length);
    this.order =
        encoding
            ? data.toArray()
            : IntStream.concat(data, IntStream.range(0, buffers.losses)).toArray();
    this.units = (long) rows.length * group.length;
    this.resultSending = new Request[ROUNDS * buffers.losses];
  }

  /**
   * Runs all steps; collective over the group. Seals computed blocks, and those from which sums are
   * computed.
   *
   * @return false if a block of this rank did not match its checksum
   */
  boolean run() {
    while (!isDone()) {
      step();
    }
    return intact;
  }

  private long rounds() {
    return Math.ceilDiv(units, workers.length);
  }

  /** The step that awaits pending transfers. */
  private long lastStep() {
    return rounds() * order.length + WINDOW - 1;
  }

  /** Whether all steps are done. */
  boolean isDone() {
    return next > lastStep();
  }

  /** Does the next step of {@link #run}. */
  void step() {
    if (next < lastStep()) {
      if (next < rounds() * order.length) {
        begin(next);
      }
      if (next >= WINDOW - 1) {
        finish(next - (WINDOW - 1));
      }
    } else {
      takeExpected(rounds());
      for (int i = 0; i < resultSending.length; i++) {
        await(resultSending, i);
      }
    }
    next++;
  }

  /** Whether the next step need not wait for another member. */
  boolean isReady() {
    if (next >= lastStep()) {
      return isHere(rounds()) && areSent(0, resultSending.length);
    }
    long finished = next - (WINDOW - 1);
    if (finished < 0) {
      return true;
    }
    int lane = (int) (finished % WINDOW);
    if (!isOver(sending[lane]) || !isOver(receiving[lane])) {
      return false;
    }
    if (!endsRound(finished)) {
      return true;
    }
    int slot = (int) (round(finished) % ROUNDS) * buffers.losses;
    return isHere(round(finished) - 1) && areSent(slot, slot + buffers.losses);
  }

  private boolean isHere(long lastRound) {
    for (Result result : expected) {
      if (result.round <= lastRound && !isOver(result.receiving)) {
        return false;
      }
    }
    return true;
  }

  private boolean areSent(int from, int to) {
    for (int i = from; i < to; i++) {
      if (!isOver(resultSending[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOver(@Nullable Request request) {
    return request == null || request.status() != null;
  }

  private long round(long step) {
    return step / order.length;
  }

  private int place(long step) {
    return order[(int) (step % order.length)];
  }

  private boolean beginsRound(long step) {
    return step % order.length == 0;
  }

  private boolean endsRound(long step) {
    return beginsRound(step + 1);
  }

  /** The unit of a stripe in a round; null if the round has none. */
  private @Nullable Unit unitOf(int stripe, long round) {
    long first = round * workers.length;
    long number = first + Math.floorMod(stripe - first, stripes.members());
    return number < Math.min(first + workers.length, units) ? new Unit(number) : null;
  }

  /** This rank's unit in a round; null if there is none. */
  private @Nullable Unit ownUnit(long round) {
    long number = round * workers.length + turn;
    return turn >= 0 && number < units ? new Unit(number) : null;
  }

  /** A block of one stripe, numbered by rows, then by stripes. */
  private final class Unit {
    final long number;
    final int stripe;
    final long block;

    Unit(long number) {
      this.number = number;
      this.stripe = (int) (number % stripes.members());
      this.block = rows[(int) (number / stripes.members())];
    }

    int worker() {
      return workers[(int) (number % workers.length)];
    }

    int member(int place) {
      return stripes.member(stripe, place);
    }

    boolean needs(int place) {
      return erasures[stripe].needs(place);
    }

    /** The number of stored bytes of its block at a place. */
    int bytes(int place) {
      return layouts[member(place)].storedBytes(stripes.chunk(place), block);
    }

    /** The offset of its block at this rank's place. */
    long at(int place) {
      return mine.blockAt(stripes.chunk(place), block);
    }
  }

  /** A block that this rank will hold, and that another rank computes. */
  private record Result(long round, int chunk, long block, Request receiving) {}

  private void begin(long step) {
    long round = round(step);
    if (beginsRound(step)) {
      expect(round);
    }
    int place = place(step);
    int lane = (int) (step % WINDOW);
    Unit theirs = unitOf(stripes.stripe(me, place), round);
    if (theirs != null && theirs.needs(place)) {
      check(stripes.chunk(place), theirs.block);
      int bytes = theirs.bytes(place);
      if (theirs.worker() != me && bytes > 0) {
        sending[lane] =
            comm.isend(
                Slice.of(mine.piece(), theirs.at(place), bytes), group[theirs.worker()], BLOCK_TAG);
      }
    }
    Unit own = ownUnit(round);
    if (own != null && own.needs(place)) {
      int bytes = own.bytes(place);
      int member = own.member(place);
      if (member != me && bytes > 0) {
        receiving[lane] =
            comm.irecv(
                Slice.of(buffers.memory, buffers.received(step), bytes), group[member], BLOCK_TAG);
      }
    }
  }

  private void check(int chunk, long block) {
    if (encoding) {
      mine.seal(chunk, block);
    } else {
      intact &= mine.isIntact(chunk, block);
    }
  }

  private void finish(long step) {
    int lane = (int) (step % WINDOW);
    await(sending, lane);
    await(receiving, lane);
    long round = round(step);
    Unit own = ownUnit(round);
    if (own != null) {
      Sums sums = buffers.sums();
      if (beginsRound(step)) {
        sums.begin(erasures[own.stripe], layouts[me].blockBytes(own.block));
      }
      add(sums, own, step);
      if (endsRound(step)) {
        sums.solve();
        deliver(sums, own, round);
      }
    }
    if (endsRound(step)) {
      takeExpected(round - 1);
    }
  }

  private void add(Sums sums, Unit unit, long step) {
    int place = place(step);
    boolean here = unit.member(place) == me;
    MemorySegment from = here ? mine.piece() : buffers.memory;
    long at = here ? unit.at(place) : buffers.received(step);
    if (!stripes.isSum(place)) {
      sums.addData(from, at, unit.needs(place) ? unit.bytes(place) : 0);
    } else if (unit.needs(place)) {
      sums.addSum(place, from, at);
    }
  }

  /** Sends results to the members that hold them. */
  private void deliver(Sums sums, Unit unit, long round) {
    int[] missing = erasures[unit.stripe].missing();
    for (int which = 0; which < missing.length; which++) {
      int place = missing[which];
      int bytes = unit.bytes(place);
      if (unit.member(place) == me) {
        sums.copyTo(place, mine.piece(), unit.at(place), bytes);
        mine.seal(stripes.chunk(place), unit.block);
      } else if (bytes > 0) {
        int slot = (int) (round % ROUNDS) * buffers.losses + which;
        await(resultSending, slot);
        long at = buffers.result(slot);
        sums.copyTo(place, buffers.memory, at, bytes);
        resultSending[slot] =
            comm.isend(Slice.of(buffers.memory, at, bytes), group[unit.member(place)], RESULT_TAG);
      }
    }
  }

  /** Posts receives for this rank's results of a round. */
  private void expect(long round) {
    for (int place = 0; place < stripes.members(); place++) {
      Unit unit = unitOf(stripes.stripe(me, place), round);
      if (unit == null || !erasures[unit.stripe].isMissing(place) || unit.worker() == me) {
        continue;
      }
      int chunk = stripes.chunk(place);
      int bytes = unit.bytes(place);
      if (bytes == 0) {
        mine.seal(chunk, unit.block);
      } else {
        Request receive =
            comm.irecv(
                Slice.of(mine.piece(), unit.at(place), bytes), group[unit.worker()], RESULT_TAG);
        expected.add(new Result(round, chunk, unit.block, receive));
      }
    }
  }

  private void takeExpected(long lastRound) {
    while (!expected.isEmpty() && expected.getFirst().round <= lastRound) {
      Result result = expected.removeFirst();
      result.receiving.waitFor();
      mine.seal(result.chunk, result.block);
    }
  }

  private static void await(@Nullable Request[] requests, int which) {
    Request request = requests[which];
    if (request != null) {
      request.waitFor();
      requests[which] = null;
    }
  }
}
