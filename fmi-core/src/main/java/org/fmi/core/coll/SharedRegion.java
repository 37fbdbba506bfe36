package org.fmi.core.coll;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;
import org.fmi.Datatype;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * Memory that all ranks of a communicator share, being on one node: what its collectives go through
 * instead of messages. Lives for one epoch.
 *
 * <pre>
 *   for each rank a line of 128 bytes:   0   written   the last round whose data is in its slot
 *                                        8   call      what it wrote that for, in even rounds
 *                                        16        and in odd ones
 *                                        64  done      the last round that it has nothing to do with any more
 *   for each rank two slots              used in turn, in even rounds and odd ones
 * </pre>
 *
 * <p>Collectives are made of rounds, and all ranks count them alike. A rank that writes in a round
 * does so after {@link #awaitFree}, and then says {@link #written}; others read after {@link
 * #awaitWritten}. At the end all say {@link #done}. A slot may be written when all are done with
 * the round before last, the last one that used it.
 *
 * <p>A rank that dies never writes; those that wait for it hear of it as in any other call.
 */
final class SharedRegion {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final long LINE = 128;
  private static final long CALL = 8;
  private static final long DONE = 64;
  private static final int KIND_BITS = 8;
  private static final long MAX_SLOT = 128 << 10;
  private static final long MIN_SLOT = 16 << 10;

  /** What all slots of a region take together, unless it has very many ranks. */
  private static final long ALL_SLOTS = 2 << 20;

  /** Looks at a number in a row while each rank has a core. */
  private static final int SPINS = 400;

  /** While ranks share cores: the time that the other's cache line takes to come. */
  private static final int SPINS_SHARING = 20;

  /** Then as many with a yield in between, before what else the rank has to do is seen to. */
  private static final int YIELDS = 100;

  private final PointToPoint p2p;
  private final NodeShare share;
  private final MemorySegment memory;
  private final int[] worldRanks;
  private final int rank;
  private final int size;
  private final long slotBytes;
  private final int spins;
  private final int yields;
  private final ReductionOrder doubling;
  private long round;

  /** What this rank is doing: bytes, and the kind's tag. */
  private long call;

  /** For reductions, one row a rank; made when a type is used first. */
  private final Map<Datatype, Region[]> rows = new EnumMap<>(Datatype.class);

  private SharedRegion(
      PointToPoint p2p, NodeShare share, MemorySegment memory, int[] worldRanks, int rank) {
    this.p2p = p2p;
    this.share = share;
    this.memory = memory;
    this.worldRanks = worldRanks;
    this.rank = rank;
    this.size = worldRanks.length;
    this.slotBytes = slotBytes(size);
    this.doubling = ReductionOrder.doubling(size);
    boolean busily = p2p.mayWaitBusily();
    this.spins = busily ? SPINS : SPINS_SHARING;
    this.yields = busily ? 0 : YIELDS;
  }

  /** Bytes of a slot in a region of {@code size} ranks. */
  static long slotBytes(int size) {
    return Math.clamp(ALL_SLOTS / (2L * size) & -LINE, MIN_SLOT, MAX_SLOT);
  }

  private static long bytes(int size) {
    return size * (LINE + 2 * slotBytes(size));
  }

  /**
   * Makes the region of a channel; collective over its ranks.
   *
   * @param key names it among those of the channel's rank 0
   * @return null at all ranks if one of them could not
   */
  static @Nullable SharedRegion open(
      Channel channel, PointToPoint p2p, NodeShare share, int[] worldRanks, int key) {
    int[] ok = {1};
    Region agreed = new Region(ok, 0);
    @Nullable MemorySegment memory = null;
    boolean first = channel.rank() == 0;
    if (first) {
      memory = ok(() -> share.create(key, bytes(worldRanks.length)), ok);
    }
    BinomialBcast.run(channel, agreed, Integer.BYTES, 0);
    if (ok[0] == 0) {
      return null;
    }
    if (!first) {
      memory = ok(() -> share.open(worldRanks[0], key), ok);
    }
    Reducer min = Reducer.of(Op.MIN, Datatype.INT);
    RecursiveDoublingAllReduce.run(channel, min, agreed, agreed, Integer.BYTES);
    if (first) {
      share.hide(key);
    }
    return ok[0] == 0 || memory == null
        ? null
        : new SharedRegion(p2p, share, memory, worldRanks, channel.rank());
  }

  private interface Attempt {
    MemorySegment run() throws IOException;
  }

  /** Without the memory the collectives go by messages, as between nodes. */
  private static @Nullable MemorySegment ok(Attempt attempt, int[] ok) {
    try {
      return attempt.run();
    } catch (IOException e) {
      ok[0] = 0;
      return null;
    }
  }

  int rank() {
    return rank;
  }

  int size() {
    return size;
  }

  long slotBytes() {
    return slotBytes;
  }

  /** The order of short allreduces, kept since these are the most frequent. */
  ReductionOrder doubling() {
    return doubling;
  }

  // ---- rounds

  /**
   * The next round begins.
   *
   * @param bytes of the call that it belongs to, the same at all ranks
   */
  void begin(Kind kind, long bytes) {
    round++;
    call = bytes << KIND_BITS | kind.tag;
  }

  /** Returns when nobody uses the slots of this round's turn any more. */
  void awaitFree() {
    for (int r = 0; r < size; r++) {
      if (r != rank) {
        await(r * LINE + DONE, round - 2);
      }
    }
  }

  /** The slots that this rank was to write in this round are complete. */
  void written() {
    NUMBER.set(memory, call(rank), call);
    NUMBER.setRelease(memory, rank * LINE, round);
    nudgeAll();
  }

  /**
   * Returns when the rank has written in this round.
   *
   * @throws FmiException if it is in another call, or in one with another count
   */
  void awaitWritten(int r) {
    await(r * LINE, round);
    long theirs = (long) NUMBER.get(memory, call(r));
    if (theirs != call) {
      throw new FmiException(
          ErrorClass.TRUNCATE,
          "rank "
              + r
              + " has "
              + text(theirs)
              + " where this rank has "
              + text(call)
              + ": all ranks must call the same, with counts that match");
    }
  }

  private long call(int r) {
    return r * LINE + CALL + (round & 1) * Long.BYTES;
  }

  private static String text(long call) {
    return (call >> KIND_BITS) + " bytes in " + Kind.of((int) (call & (1 << KIND_BITS) - 1));
  }

  /** This rank neither reads nor writes in this round any more. */
  void done() {
    NUMBER.setRelease(memory, rank * LINE + DONE, round);
    nudgeAll();
  }

  private void await(long at, long least) {
    for (int i = 0; i < spins; i++) {
      if (number(at) >= least) {
        return;
      }
      Thread.onSpinWait();
    }
    awaitSlowly(at, least);
  }

  @SuppressWarnings(
      "ThreadPriorityCheck") // to let the other rank run on this core is what is wanted
  private void awaitSlowly(long at, long least) {
    for (int i = 0; i < yields; i++) {
      if (number(at) >= least) {
        return;
      }
      Thread.yield();
    }
    p2p.awaitShared(memory, at, least);
  }

  private long number(long at) {
    return (long) NUMBER.getAcquire(memory, at);
  }

  private void nudgeAll() {
    for (int r = 0; r < size; r++) {
      if (r != rank) {
        share.nudge(worldRanks[r]);
      }
    }
  }

  // ---- data

  private long slot(int r) {
    return size * LINE + (2L * r + (round & 1)) * slotBytes;
  }

  /** Copies into a rank's slot of this round. */
  void put(Region from, int r, long at, long bytes) {
    from.copyTo(memory, slot(r) + at, bytes);
  }

  /** Copies out of a rank's slot of this round. */
  void get(int r, long at, Region to, long bytes) {
    to.copyFrom(memory, slot(r) + at, bytes);
  }

  /** Scratch for the operands of all ranks: a row each, of a slot's size. */
  Region[] rows(Reducer reducer) {
    Region[] made = rows.get(reducer.type());
    if (made == null) {
      made = new Region[size];
      for (int r = 0; r < size; r++) {
        made[r] = reducer.scratch(slotBytes);
      }
      rows.put(reducer.type(), made);
    }
    return made;
  }
}
