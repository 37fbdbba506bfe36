package org.fmi.core.coll;

import java.util.Arrays;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.UnfitMessageException;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * The collectives' messages of one communicator: between its ranks, in a context of their own.
 *
 * <p>Messages match by their order alone. That suffices: messages from one source match in the
 * order sent, all ranks call the collectives of a communicator in the same order, and within each
 * algorithm a rank posts its receives from a peer in the order of that peer's sends. So the k-th
 * message always meets the k-th receive. Each message carries the signature of its call, a {@link
 * CollectiveCall}. If it differs from the signature of the receiver's call, the program is at
 * fault, and gets an error.
 *
 * <p>A rollback leaves no inconsistency here: messages of an interrupted collective belong to the
 * old epoch and are dropped, and a signature does not depend on earlier calls.
 *
 * <p>Ranks that are all on one node share a {@link SharedRegion} after a few uses of the channel in
 * an epoch. If only some ranks share nodes, the ranks of each node do ({@link Nodes}). The count
 * restarts with each epoch.
 */
public final class Channel {
  private static final Location NOTHING = new Location(new byte[0], 0);

  /** The number of collectives by messages before a region is worth its memory. */
  public static final int USES_BEFORE_REGION = 8;

  /**
   * The most ranks for which all calls go through a region. In an all-to-all, a piece of a rank's
   * ring has room for a pair of the longest elements, 16 bytes, for this many ranks.
   */
  private static final int MOST_SHARING = 1024;

  /** Less than any epoch, and than the number before the first one. */
  private static final int NO_EPOCH = Integer.MIN_VALUE;

  private final PointToPoint p2p;
  private final int context;
  private final int @Nullable [] worldRanks;
  private final int rank;
  private final int size;

  /** The channel of all ranks of the call. */
  private final Channel whole;

  /** The current call, and the previous one in this epoch; 0 for none. */
  private long call;

  private long callBefore;

  /** The number of calls in this epoch, for messages to users. */
  private long calls;

  private int countedEpoch = NO_EPOCH;

  /** The epoch of a collective that has begun here and not ended. */
  private int unfinished = NO_EPOCH;

  // State of the epoch.
  private int epoch = NO_EPOCH;
  private int uses;
  private @Nullable SharedRegion region;
  private @Nullable Nodes nodes;
  private int scratchEpoch = -1;
  private Scratch scratch = new Scratch();

  /**
   * A channel of {@code size} ranks.
   *
   * @param worldRanks the members' world ranks, null if they are the same as the ranks here
   * @param rank this process' rank here
   */
  public Channel(PointToPoint p2p, int context, int @Nullable [] worldRanks, int rank, int size) {
    this(p2p, context, worldRanks, rank, size, null);
  }

  private Channel(
      PointToPoint p2p,
      int context,
      int @Nullable [] worldRanks,
      int rank,
      int size,
      @Nullable Channel whole) {
    this.p2p = p2p;
    this.context = context;
    this.worldRanks = worldRanks;
    this.rank = rank;
    this.size = size;
    this.whole = whole == null ? this : whole;
  }

  int rank() {
    return rank;
  }

  int size() {
    return size;
  }

  /** The current call. */
  long call() {
    return whole.call;
  }

  /**
   * Begins a collective; {@link #end} follows unless it throws.
   *
   * @param beginning a signature made by {@link CollectiveCall}
   * @throws FmiException if an earlier collective has thrown in this epoch: its pending receives
   *     could take messages of this collective, and the other way round
   */
  public void begin(long beginning) {
    int now = p2p.epoch();
    if (unfinished == now) {
      refuse();
    }
    unfinished = now;
    if (countedEpoch != now) {
      countedEpoch = now;
      calls = 0;
      call = 0;
    }
    calls++;
    callBefore = call;
    call = CollectiveCall.in(p2p.turn(), beginning);
  }

  private void refuse() {
    p2p.share(); // throws first if the epoch is over
    throw new FmiException(
        ErrorClass.COMM,
        "a collective on this communicator has failed at this rank, and its messages could match"
            + " those of later collectives: use another communicator, or abort");
  }

  /** Ends the collective: all its sends and receives are complete. */
  public void end() {
    unfinished = NO_EPOCH;
  }

  /**
   * The region for the next collective; null if it uses messages. Every rank calls this once per
   * collective, as it may be collective itself.
   */
  @Nullable SharedRegion region() {
    NodeShare share = p2p.share();
    if (share == null || size == 1) {
      return null;
    }
    if (epoch != p2p.epoch()) {
      epoch = p2p.epoch();
      uses = 0;
      region = null;
      nodes = null;
    }
    assert uses <= USES_BEFORE_REGION : "more uses are counted than matter";
    if (uses < USES_BEFORE_REGION && ++uses == USES_BEFORE_REGION) {
      share(share);
    }
    return region;
  }

  private void share(NodeShare share) {
    int[] members = members();
    int[] numbers = new int[size];
    for (int r = 0; r < size; r++) {
      numbers[r] = share.node(members[r]);
      if (numbers[r] < 0) {
        return;
      }
    }
    long distinct = Arrays.stream(numbers).distinct().count();
    if (distinct == 1) {
      region = size > MOST_SHARING ? null : SharedRegion.open(this, p2p, share, members, context);
    } else if (distinct < size) {
      nodes = Nodes.open(this, p2p, share, members, numbers, context);
    }
  }

  /**
   * The distribution of the ranks over nodes if it is useful: some ranks share a node, but not all.
   * Called after {@link #region}.
   */
  @Nullable Nodes nodes() {
    // Outside of loops none: their traffic is not recorded, and they may belong to an earlier
    // epoch.
    return p2p.share() == null || epoch != p2p.epoch() ? null : nodes;
  }

  /** Gives up the memory that the ranks share, as the communicator is no longer used. */
  public void free() {
    Nodes known = nodes;
    SharedRegion own = known == null ? region : known.region();
    if (own != null) {
      own.close();
    }
    region = null;
    nodes = null;
  }

  /**
   * A channel of some of the ranks, numbered in this order; the own rank is -1 if it is not among
   * them.
   */
  Channel of(int[] ranks) {
    int[] members = new int[ranks.length];
    int own = -1;
    for (int i = 0; i < ranks.length; i++) {
      members[i] = world(ranks[i]);
      own = ranks[i] == rank ? i : own;
    }
    return new Channel(p2p, context, members, own, members.length, whole);
  }

  /** An array to reduce in, valid during this collective. */
  Location scratch(Reducer reducer, Scratch.Use use, long bytes) {
    return scratch().get(reducer, use, bytes);
  }

  private Scratch scratch() {
    if (scratchEpoch != p2p.epoch()) {
      scratchEpoch = p2p.epoch();
      scratch = new Scratch();
    }
    return scratch;
  }

  /** Combines like {@link Scratch#combine}. */
  void combine(Reducer reducer, Location left, Location right, Location result, long bytes) {
    scratch().combine(reducer, left, right, result, bytes);
  }

  /** An array to reduce in with a copy of {@code source}. */
  Location copyOf(Reducer reducer, Scratch.Use use, Location source, long bytes) {
    Location copy = scratch(reducer, use, bytes);
    source.copyTo(copy, bytes);
    return copy;
  }

  private int[] members() {
    int[] members = new int[size];
    for (int r = 0; r < size; r++) {
      members[r] = world(r);
    }
    return members;
  }

  /** The rank {@code distance} (less than the size, may be negative) further round the ring. */
  int neighbour(int distance) {
    return Math.floorMod(rank + distance, size);
  }

  void send(Location data, long bytes, int dest) {
    p2p.send(
        data.base(), data.at(), bytes, world(dest), context, call(), PointToPoint.Mode.STANDARD);
  }

  Request isend(Location data, long bytes, int dest) {
    return p2p.isend(
        data.base(), data.at(), bytes, world(dest), context, call(), PointToPoint.Mode.STANDARD);
  }

  void recv(Location data, long bytes, int source) {
    try {
      checkLength(p2p.recv(data.base(), data.at(), bytes, world(source), context, call()), bytes);
    } catch (UnfitMessageException e) {
      judge(e, data, bytes);
    }
  }

  Request irecv(Location data, long bytes, int source) {
    return p2p.irecv(data.base(), data.at(), bytes, world(source), context, call());
  }

  /** Waits for a receive from {@link #irecv} of the same data. */
  void complete(Request receive, Location data, long bytes) {
    try {
      checkLength(receive.waitFor(), bytes);
    } catch (UnfitMessageException e) {
      judge(e, data, bytes);
    }
  }

  /**
   * Sends to one rank and receives from another at once.
   *
   * @return the length received: {@code inBytes}, or less where a call allows that
   */
  long exchange(Location out, long outBytes, int dest, Location in, long inBytes, int source) {
    try {
      return checkLength(
          p2p.sendRecv(
              out.base(),
              out.at(),
              outBytes,
              world(dest),
              call(),
              in.base(),
              in.at(),
              inBytes,
              world(source),
              call(),
              context),
          inBytes);
    } catch (UnfitMessageException e) {
      return judge(e, in, inBytes);
    }
  }

  /**
   * Notes that a message did not fit, in a call whose other messages can be received in spite of
   * that; so no other rank waits for this one without end. Throws any other error.
   *
   * @param before the first such error of the call
   * @return the exception that the call throws at its end
   */
  static FmiException truncated(FmiException error, @Nullable FmiException before) {
    if (error.errorClass() != ErrorClass.TRUNCATE) {
      throw error;
    }
    return before == null ? error : before;
  }

  /** Sends a signal to one rank and waits for the signal of another. */
  void signal(int dest, int source) {
    exchange(NOTHING, 0, dest, NOTHING, 0, source);
  }

  private int world(int r) {
    return worldRanks == null ? r : worldRanks[r];
  }

  private long checkLength(Status status, long bytes) {
    if (!fits(status.bytes(), bytes)) {
      throw otherLength(status.source(), status.bytes(), bytes);
    }
    return status.bytes();
  }

  /** Whether a message may have this length where {@code bytes} are expected. */
  private boolean fits(long length, long bytes) {
    return length == bytes || (length < bytes && CollectiveCall.mayBeShorter(call()));
  }

  /**
   * Throws, unless the message differs only in its iteration.
   *
   * @return the message's length
   */
  private long judge(UnfitMessageException e, Location data, long bytes) {
    compare(e.source(), e.call());
    if (!fits(e.bytes(), bytes)) {
      throw otherLength(e.source(), e.bytes(), bytes);
    }
    if (e.bytes() % data.elementBytes() != 0) {
      throw uneven(e.source(), e.bytes(), data.elementBytes());
    }
    return e.bytes();
  }

  /**
   * Compares another rank's call with the current one.
   *
   * @param source the other rank's world rank
   * @param theirs its call
   * @throws FmiException if the calls differ; or if their iterations do, and the runtime refuses
   *     that
   */
  void compare(int source, long theirs) {
    if (!CollectiveCall.isSame(theirs, call())) {
      throw otherCall(source, theirs);
    }
    if (!CollectiveCall.isSameTurn(theirs, call())) {
      p2p.turnsDiffer(source, theirs);
    }
  }

  private FmiException otherLength(int source, long theirs, long ours) {
    return new FmiException(
        theirs > ours ? ErrorClass.TRUNCATE : ErrorClass.MISMATCH,
        "rank "
            + source
            + " has sent "
            + theirs
            + " bytes in "
            + CollectiveCall.text(call())
            + ", where rank "
            + p2p.rank()
            + " expects "
            + ours
            + whole.number()
            + ": all ranks must pass counts that match");
  }

  private FmiException uneven(int source, long theirs, int element) {
    return new FmiException(
        ErrorClass.TYPE,
        "rank "
            + source
            + " has sent "
            + theirs
            + " bytes in "
            + CollectiveCall.text(call())
            + ", not a whole number of the elements of "
            + element
            + " bytes that rank "
            + p2p.rank()
            + " expects"
            + whole.number());
  }

  /**
   * The error of a rank that meets another rank in a different call.
   *
   * @param source the other rank's world rank
   * @param theirs its call
   */
  private FmiException otherCall(int source, long theirs) {
    return new FmiException(
        ErrorClass.MISMATCH,
        "rank "
            + source
            + " calls "
            + CollectiveCall.text(theirs)
            + " where rank "
            + p2p.rank()
            + " calls "
            + CollectiveCall.text(call())
            + whole.number()
            + ": all ranks of a communicator must make the same collective calls in the same order,"
            + " with roots, counts, types and operations that match");
  }

  private String name() {
    if (context == Contexts.collectives(Contexts.WORLD)) {
      return "communicator world";
    }
    return context == Contexts.collectives(Contexts.SYSTEM)
        ? "the communicator of the runtime"
        : "communicator " + context / 2 + " of " + size + " ranks";
  }

  /** The number of the current call, for an error message. */
  private String number() {
    return ", its collective number "
        + calls
        + " on "
        + name()
        + (countedEpoch > 0 ? " since the last recovery" : "")
        + (callBefore == 0 ? "" : ", after " + CollectiveCall.text(callBefore));
  }
}
