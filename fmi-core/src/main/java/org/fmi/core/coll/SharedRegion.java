package org.fmi.core.coll;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;
import org.fmi.Datatype.Predefined;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * Memory that all ranks of a communicator share if they are on one node; its collectives use it
 * instead of messages. Lives for one epoch.
 *
 * <pre>
 *   for each rank a line of 128 bytes:   done    the last round that it has nothing to do with any more
 *   for each rank 64 slots of 128 bytes, used in turn:
 *                                        0       the round that this slot is written in
 *                                        8       what was called for that: a CollectiveCall
 *                                        16      data, if they are short
 *   for each rank a ring                 of longer data, one piece after the other, none cut in two
 * </pre>
 *
 * <p>Collectives consist of rounds, which all ranks number alike, so that every rank knows the
 * position of a round's data in the ring. A rank that writes in a round waits by {@link
 * #awaitFree}, writes, and calls {@link #written}; other ranks read after {@link #awaitWritten}. At
 * the end all ranks call {@link #done}. Memory may be reused when all ranks are done with the round
 * that used it last.
 *
 * <p>So a rank that only writes, as the root of a broadcast, need not wait for readers until all
 * slots or the ring are full. This matters when ranks share cores: the root continues for many
 * rounds before another rank must run. Once it has to wait, it waits for half of the slots, not for
 * one.
 *
 * <p>A rank that dies never writes; ranks that wait for it learn of its death as in any other call.
 */
final class SharedRegion {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final long LINE = 128;
  private static final int TURNS = 64;
  private static final long CALL = 8;
  private static final long DATA = 16;
  private static final long SHORT_BYTES = LINE - DATA;
  private static final long MAX_PIECE = 128 << 10;
  private static final long MIN_PIECE = 16 << 10;

  /**
   * The size of all rings of a region together, unless it has very many ranks. Two ranks get 2 MiB
   * each: more than a core's private cache holds. Such a cache gives up lines only slowly to
   * another core that has just written them, so that with 256 KiB long data take up to five times
   * as long.
   */
  private static final long ALL_RINGS = 4 << 20;

  /** The least number of longest pieces in a ring. */
  private static final int PIECES = 2;

  /** Reads of a number in a row while each rank has a core. */
  private static final int SPINS = 400;

  /** While ranks share cores: the time that a cache line takes from another core. */
  private static final int SPINS_SHARING = 20;

  /** Further reads with a yield in between, before the rank makes other progress. */
  private static final int YIELDS = 100;

  private final Channel channel;
  private final PointToPoint p2p;
  private final NodeShare share;
  private final MemorySegment memory;
  private final int[] worldRanks;
  private final int rank;
  private final int size;
  private final boolean coresShared;
  private final long pieceBytes;
  private final int context;
  private final long ringBytes;
  private final int spins;
  private final int yields;
  private final ReductionOrder doubling;
  private final ReductionOrder halving;
  private final @Nullable ReductionOrder[] binomial;

  /** The last round that all other ranks are known to be done with. */
  private long free;

  private long round;

  /** This rank's call. */
  private long call;

  /** The offset of this round's data in a rank's slots or in its ring. */
  private long place;

  private boolean inRing;

  /** The end of the data in the ring if the ring were endless. */
  private long ringEnd;

  // The last TURNS rounds with data in the ring, and the starts of their data.
  private final long[] ringRounds = new long[TURNS];
  private final long[] ringStarts = new long[TURNS];
  private long ringUses;

  /** The first of these rounds, counted as ringUses, whose data are still in the ring. */
  private long ringFirst;

  /** Rows for reductions, one per rank; created at the first use of a type. */
  private final Map<Predefined, Location[]> rows = new EnumMap<>(Predefined.class);

  private final Scratch scratch = new Scratch();

  private SharedRegion(
      Channel channel,
      PointToPoint p2p,
      NodeShare share,
      MemorySegment memory,
      int[] worldRanks,
      int rank,
      int context,
      boolean coresShared) {
    this.channel = channel;
    this.p2p = p2p;
    this.share = share;
    this.memory = memory;
    this.worldRanks = worldRanks;
    this.rank = rank;
    this.context = context;
    this.size = worldRanks.length;
    this.coresShared = coresShared;
    this.pieceBytes = pieceBytes(size);
    this.ringBytes = ringBytes(size);
    this.doubling = ReductionOrder.doubling(size);
    this.halving = ReductionOrder.halving(size);
    this.binomial = new ReductionOrder[size];
    this.spins = coresShared ? SPINS_SHARING : SPINS;
    this.yields = coresShared ? YIELDS : 0;
  }

  private static long ringBytes(int size) {
    return Math.max(ALL_RINGS / size & -LINE, PIECES * MIN_PIECE);
  }

  /** The most bytes that a rank may write in a round, in a region of {@code size} ranks. */
  private static long pieceBytes(int size) {
    return Math.min(ringBytes(size) / PIECES & -LINE, MAX_PIECE);
  }

  private static long bytes(int size) {
    return size * (LINE + TURNS * LINE + ringBytes(size));
  }

  /**
   * Creates the region of a channel; collective over its ranks.
   *
   * @param context the context of the collectives that use it; names it among the regions of the
   *     channel's rank 0
   * @return null at all ranks if one of them could not create or open it
   */
  static @Nullable SharedRegion open(
      Channel channel, PointToPoint p2p, NodeShare share, int[] worldRanks, int context) {
    int[] ok = {1};
    Location agreed = new Location(ok, 0);
    @Nullable MemorySegment memory = null;
    boolean first = channel.rank() == 0;
    if (first) {
      memory = ok(() -> share.create(context, bytes(worldRanks.length)), ok);
    }
    BinomialBcast.run(channel, agreed, Integer.BYTES, 0);
    if (ok[0] == 0) {
      return null;
    }
    if (!first) {
      memory = ok(() -> share.open(worldRanks[0], context), ok);
    }
    // A rank's view of its node may be outdated: only an agreed value is the same at all ranks.
    int[] okAndCores = {ok[0], p2p.mayWaitBusily() ? 1 : 0};
    agreed = new Location(okAndCores, 0);
    Reducer min = Reducer.of(Op.MIN, Predefined.INT);
    RecursiveDoublingAllReduce.run(channel, min, agreed, agreed, 2L * Integer.BYTES);
    if (first) {
      share.hide(context);
    }
    if (memory == null) {
      return null;
    }
    if (okAndCores[0] == 0) {
      share.unmap(memory);
      return null;
    }
    return new SharedRegion(
        channel, p2p, share, memory, worldRanks, channel.rank(), context, okAndCores[1] == 0);
  }

  /** Ends this rank's use of the region. */
  void close() {
    share.unmap(memory);
  }

  private interface Attempt {
    MemorySegment run() throws IOException;
  }

  /** Tries to get the memory. If that fails, the collectives use messages, as between nodes. */
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

  /** The most bytes that a rank may write in a round. */
  long pieceBytes() {
    return pieceBytes;
  }

  /** Whether there are more ranks than cores; the same at all ranks. */
  boolean coresShared() {
    return coresShared;
  }

  // Orders are cached: making one takes longer than combining a few numbers.

  ReductionOrder doubling() {
    return doubling;
  }

  ReductionOrder halving() {
    return halving;
  }

  ReductionOrder binomial(int treeRoot) {
    ReductionOrder order = binomial[treeRoot];
    if (order == null) {
      order = ReductionOrder.binomial(size, treeRoot);
      binomial[treeRoot] = order;
    }
    return order;
  }

  // ---- rounds

  /**
   * Begins the next round, with the same argument at all ranks.
   *
   * @param most the most bytes that any rank writes in this round, at most {@link #pieceBytes}
   */
  void begin(long most) {
    assert most <= pieceBytes : "a rank writes more in a round than its place holds";
    round++;
    call = channel.call();
    inRing = most > SHORT_BYTES;
    place = inRing ? nextInRing(most) : turn() * LINE + DATA;
  }

  private long turn() {
    return round & (TURNS - 1);
  }

  private long nextInRing(long bytes) {
    long at = ringEnd % ringBytes;
    if (at + bytes > ringBytes) {
      ringEnd += ringBytes - at;
      at = 0;
    }
    int use = (int) (ringUses++ & (TURNS - 1));
    ringRounds[use] = round;
    ringStarts[use] = ringEnd;
    ringEnd += (bytes + LINE - 1) & -LINE;
    assert at % LINE == 0 && at + bytes <= ringBytes : "data are cut in two by the ring's end";
    return at;
  }

  /** The last round whose data in the ring this round overwrites. */
  private long overwritten() {
    // The round of TURNS uses ago is over, as its slot is used again.
    ringFirst = Math.max(ringFirst, ringUses - TURNS + 1);
    assert ringFirst <= ringUses : "more data left the ring than were written";
    while (ringStarts[(int) (ringFirst & (TURNS - 1))] < ringEnd - ringBytes) {
      ringFirst++;
    }
    return ringFirst == 0 ? 0 : ringRounds[(int) ((ringFirst - 1) & (TURNS - 1))];
  }

  /** Returns when no rank uses this round's memory any more. */
  void awaitFree() {
    long needed = round - TURNS;
    if (inRing) {
      needed = Math.max(needed, overwritten());
    }
    if (free < needed) {
      // Data that other ranks wrote before this round do not depend on this rank's data in it.
      awaitDone(Math.max(needed, round - TURNS / 2));
    }
  }

  private void awaitDone(long least) {
    long all = Long.MAX_VALUE;
    for (int r = 0; r < size; r++) {
      if (r != rank) {
        await(r, r * LINE, least);
        all = Math.min(all, number(r * LINE));
      }
    }
    assert all >= least : "a rank takes back that it is done";
    free = all;
  }

  /** Publishes this rank's data of this round. */
  void written() {
    long slot = slot(rank);
    NUMBER.set(memory, slot + CALL, call);
    NUMBER.setRelease(memory, slot, round);
    nudgeAll();
  }

  /**
   * Returns when the rank has written in this round.
   *
   * @throws FmiException if that rank is in another call: see {@link Channel#compare}
   */
  void awaitWritten(int r) {
    long slot = slot(r);
    await(r, slot, round);
    long theirs = (long) NUMBER.get(memory, slot + CALL);
    if (theirs != call) {
      channel.compare(worldRanks[r], theirs);
    }
  }

  private long slot(int r) {
    return size * LINE + ((long) r * TURNS + turn()) * LINE;
  }

  /** Reports that this rank neither reads nor writes in this round any more. */
  void done() {
    NUMBER.setRelease(memory, rank * LINE, round);
    nudgeAll();
  }

  /** Waits for a number that rank {@code r} sets. */
  private void await(int r, long at, long least) {
    for (int i = 0; i < spins; i++) {
      if (number(at) >= least) {
        return;
      }
      Thread.onSpinWait();
    }
    awaitSlowly(r, at, least);
  }

  @SuppressWarnings("ThreadPriorityCheck") // the purpose is to let the other rank run on this core
  private void awaitSlowly(int r, long at, long least) {
    for (int i = 0; i < yields; i++) {
      if (number(at) >= least) {
        return;
      }
      Thread.yield();
    }
    p2p.awaitShared(memory, at, least, worldRanks[r], context);
  }

  private long number(long at) {
    return (long) NUMBER.getAcquire(memory, at);
  }

  private void nudgeAll() {
    for (int r = 0; r < size; r++) {
      if (r != rank) {
        p2p.nudge(share, worldRanks[r]);
      }
    }
  }

  // ---- data

  private long data(int r) {
    long slots = size * LINE;
    long slotsBytes = TURNS * LINE;
    return inRing
        ? slots + size * slotsBytes + r * ringBytes + place
        : slots + r * slotsBytes + place;
  }

  /** Copies to a rank's memory of this round. */
  void put(Location from, int r, long at, long bytes) {
    from.copyTo(memory, data(r) + at, bytes);
  }

  /** Copies from a rank's memory of this round. */
  void get(int r, long at, Location to, long bytes) {
    to.copyFrom(memory, data(r) + at, bytes);
  }

  /** Scratch rows for the operands of all ranks, of at least this size each. */
  Location[] rows(Reducer reducer, long bytes) {
    Location[] made = rows.get(reducer.type());
    if (made == null || made[0].arrayBytes() < bytes) {
      made = new Location[size];
      for (int r = 0; r < size; r++) {
        made[r] = reducer.scratch(bytes);
      }
      rows.put(reducer.type(), made);
    }
    return made;
  }

  /** An array for this rank's combined data. */
  Location sum(Reducer reducer, long bytes) {
    return scratch.get(reducer, Scratch.Use.SUM, bytes);
  }
}
