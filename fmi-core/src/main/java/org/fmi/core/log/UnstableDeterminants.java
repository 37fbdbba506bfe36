package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.fmi.core.p2p.DamagedFrame;
import org.fmi.core.p2p.Ledger;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Determinants since the recovery line, this rank's and received ones, that the job has not
 * acknowledged. They go to a peer ahead of the next message, so that each rank holds every
 * determinant that it depends on, and reports them to the job at a failure: a lost rank replays all
 * determinants that others depend on.
 *
 * <p>This is causal message logging (Alvisi and Marzullo, "Message logging: pessimistic,
 * optimistic, causal, and optimal", IEEE TSE 24(2), 1998, section 5): no rank waits, and there are
 * no orphans. The piggybacked data stays small because each rank reports to the job from time to
 * time, and more often, the more ranks have determinants.
 */
final class UnstableDeterminants {
  /** Budget for the unreported determinants of all ranks, in longs; ranks share it. */
  static final int BUDGET = 256;

  /**
   * Multiple of its share at which a rank waits until the job has acknowledged its determinants.
   */
  static final int WAIT_FACTOR = 16;

  /** Initial capacity, in longs. */
  private static final int ROOM = 64;

  /** Maximum payload of a frame, in bytes. */
  private static final int FRAME_BYTES = 2048;

  /** Determinants of one rank since one recovery line. */
  static final class RankDeterminants {
    final int rank;
    final long version;

    /** Length of the stable determinants, as known here; {@link #values} begin after them. */
    int stable;

    long[] values;
    int count;

    /** Length that this rank has reported to the job, if the determinants are another rank's. */
    int reported;

    /** The peer that these were last received from. */
    int from = NO_PEER;

    /** Value of {@link UnstableDeterminants#changes} when these last grew. */
    long grownAt;

    RankDeterminants(int rank, long version, long[] room) {
      this.rank = rank;
      this.version = version;
      this.values = room;
    }

    int end() {
      return stable + count;
    }

    /** Drops the values before this position, which are stable. */
    void acknowledge(int now) {
      if (now > stable) {
        int known = Math.min(count, now - stable);
        System.arraycopy(values, known, values, 0, count - known);
        count -= known;
        stable = now;
      }
    }

    /** Makes room for more longs. */
    void ensureRoom(int more) {
      if (count + more > values.length) {
        values = Arrays.copyOf(values, 2 * (count + more));
      }
    }
  }

  private static final int NO_PEER = -1;

  /** Progress of piggybacking to one peer in this epoch. */
  private static final class Peer {
    /** Value of {@link UnstableDeterminants#changes} up to which the peer has all determinants. */
    long known;

    /** Determinants that are partly sent; {@link #sent} is their length so far. */
    @Nullable RankDeterminants sending;

    int sent;
  }

  private final int rank;
  private final MessageLog log;
  private final Determinants own;
  private final LogListener listener;
  private final @Nullable Peer[] peers;

  /** By rank and recovery line; the entry that grew last is at the end. */
  private final List<RankDeterminants> all = new ArrayList<>();

  /** The value array of a dropped entry, for the next entry. */
  private long[] room = new long[ROOM];

  /**
   * Highest number of other ranks with determinants at the same time in this epoch: each adds to
   * each message.
   */
  private int otherOwners;

  /** Counts how often any entry has grown. */
  private long changes;

  /**
   * Value of {@link Determinants#changes} up to which this rank's own are copied to {@link #all}.
   */
  private long synced;

  /** Whether this rank's own determinants are reported. */
  private boolean reports = true;

  /** Number of the last report, from the listener. */
  private long lastReport;

  UnstableDeterminants(int rank, int size, MessageLog log, Determinants own, LogListener listener) {
    this.rank = rank;
    this.peers = new Peer[size];
    this.log = log;
    this.own = own;
    this.listener = listener;
  }

  /** Drops this rank's own determinants, at a recovery line. */
  void dropOwn() {
    reports = true;
    drop(each -> each.rank == rank);
  }

  /** Whether this rank's own determinants are reported. */
  boolean reports() {
    return reports;
  }

  /** Begins an epoch: each rank has reported all determinants that it holds to the job before. */
  void enterEpoch() {
    all.clear();
    otherOwners = 0;
    Arrays.fill(peers, null);
    own.acknowledge();
  }

  // ---- to the job

  /**
   * The program sends a message. Its receiver must first have the determinants up to now: see
   * {@link #changes}.
   */
  void sends() {
    if (!log.mayReplayAlone()) {
      return;
    }
    noteAcknowledged();
    // 0 if very many ranks have determinants: each then waits for the job.
    int share = BUDGET / (1 + otherOwners);
    int count = own.unstableCount();
    if (count > share && !own.hasUnacknowledged()) {
      report();
    }
    if (count > WAIT_FACTOR * share) {
      reportAndWait();
    }
    if (synced != own.changes()) {
      sync();
    }
  }

  /** Reports unreported determinants to the job. */
  void report() {
    if (!log.mayReplayAlone()) {
      return;
    }
    if (reports && own.exceedLimit()) {
      listener.chooses(Choice.TOO_MANY);
      own.stop();
      reports = false;
    }
    if (reports && own.hasUnreported()) {
      LogListener.NewDeterminants afterMark = own.unreportedAfterMark();
      int first = own.reported();
      LogListener.NewDeterminants now =
          new LogListener.NewDeterminants(first, own.takeUnreported());
      lastReport = listener.report(rank, listener.version(), now);
      if (afterMark != null) {
        lastReport = listener.report(rank, listener.versionBegun(), afterMark);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      RankDeterminants each = all.get(i);
      int place = Math.max(each.reported, each.stable);
      if (each.rank != rank && place < each.end()) {
        long[] values = Arrays.copyOfRange(each.values, place - each.stable, each.count);
        lastReport =
            listener.report(
                each.rank, each.version, new LogListener.NewDeterminants(place, values));
        each.reported = each.end();
      }
    }
  }

  /** Reports unreported determinants to the job, and waits until they are stable. */
  void reportAndWait() {
    report();
    listener.awaitStable(lastReport);
    noteAcknowledged();
  }

  /** Takes note of the job's acknowledgements. */
  private void noteAcknowledged() {
    if (own.hasUnacknowledged() && listener.isStable(lastReport)) {
      own.acknowledge();
    }
  }

  // ---- to a peer

  /** Identifies the determinants that a message sent now depends on. */
  long changes() {
    return changes;
  }

  /**
   * Sends a peer the determinants that it may not have, ahead of a message.
   *
   * @param depends determinants that the message may depend on: {@link #changes} when it was sent
   * @return false if the transport does not take all of them now
   */
  boolean piggyback(Ledger.Link link, long depends) {
    Peer peer = peers[link.rank()];
    if (depends <= (peer == null ? 0 : peer.known)) {
      return true;
    }
    if (peer == null) {
      peer = new Peer();
      peers[link.rank()] = peer;
    }
    if (log.mayReplayAlone()) {
      long committed = listener.version();
      for (int i = 0; i < all.size(); i++) { // no iterator, to allocate nothing per message
        RankDeterminants each = all.get(i);
        if (each.grownAt > peer.known) {
          boolean unknown = each.rank != link.rank() && each.from != link.rank();
          if (unknown && each.version >= committed && !piggyback(link, peer, each)) {
            return false;
          }
          peer.known = each.grownAt;
        }
      }
    }
    peer.known = changes;
    return true;
  }

  /**
   * Sends determinants of one entry, from where the transport last refused. A peer reports the part
   * that it has received if the epoch ends.
   */
  private static boolean piggyback(Ledger.Link link, Peer peer, RankDeterminants all) {
    int most = Math.min(FRAME_BYTES, link.maxPayload()) / Long.BYTES;
    if (peer.sending != all) {
      peer.sending = all;
      peer.sent = 0;
    }
    peer.sent = Math.max(peer.sent, all.stable);
    while (peer.sent < all.end()) {
      int at = peer.sent - all.stable;
      int count = Determinants.whole(all.values, at, Math.min(most, all.count - at));
      Frame f = link.frame();
      f.context = all.rank;
      f.tag = all.version;
      f.sequence = peer.sent;
      f.length = all.stable;
      f.base = all.values;
      f.baseOffset = (long) Long.BYTES * at;
      f.payload = Long.BYTES * count;
      if (!link.offer()) {
        return false;
      }
      peer.sent += count;
    }
    return true;
  }

  /**
   * Copies new determinants of this rank to {@link #all}, from where they go to peers like received
   * ones.
   */
  private void sync() {
    synced = own.changes();
    if (reports) {
      RankDeterminants since = find(rank, listener.version());
      since.acknowledge(own.stable());
      int more = own.end() - since.end();
      since.ensureRoom(more);
      own.copy(since.end(), since.values, since.count);
      grown(since, more);
      if (own.isMarked()) {
        RankDeterminants afterMark = find(rank, listener.versionBegun());
        afterMark.acknowledge(own.stableAfterMark());
        more = own.endAfterMark() - afterMark.end();
        afterMark.ensureRoom(more);
        own.copyAfterMark(afterMark.end(), afterMark.values, afterMark.count);
        grown(afterMark, more);
      }
    }
  }

  /**
   * Receives piggybacked determinants in a frame: their rank and checkpoint version, the length
   * that the peer knows to be stable, the payload's position, and the payload.
   */
  void onFrame(int peer, MemorySegment memory, long at) {
    int owner = memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT);
    long version = memory.get(FrameLayout.LONG, at + FrameLayout.TAG);
    int place = (int) memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    int stable = (int) memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    int count = payload / Long.BYTES;
    if (owner < 0 || owner == rank || owner >= peers.length || payload % Long.BYTES != 0) {
      throw new DamagedFrame("sent determinants of rank " + owner + " in " + payload + " bytes");
    }
    if (version < listener.version()) {
      return; // no rank rolls back to that checkpoint
    }
    RankDeterminants of = find(owner, version);
    of.acknowledge(stable);
    int known = of.end() - place;
    if (known < 0) {
      throw new DamagedFrame(
          "sent determinants of rank %d since version %d from %d on (%d are stable), which follow %d"
              .formatted(owner, version, place, stable, of.end()));
    }
    if (known >= count) {
      return;
    }
    int more = count - known;
    of.ensureRoom(more);
    long first = at + FrameLayout.HEADER_BYTES + (long) Long.BYTES * known;
    long to = (long) Long.BYTES * of.count;
    Memory.fromSegment(memory, first, of.values, to, (long) Long.BYTES * more);
    grown(of, more);
    of.from = peer;
  }

  private void grown(RankDeterminants of, int more) {
    if (more > 0) {
      of.count += more;
      of.grownAt = ++changes;
      all.remove(of);
      all.add(of);
    }
  }

  private RankDeterminants find(int owner, long version) {
    for (int i = 0; i < all.size(); i++) {
      RankDeterminants each = all.get(i);
      if (each.rank == owner && each.version == version) {
        return each;
      }
    }
    long committed = listener.version();
    drop(each -> each.version < committed);
    RankDeterminants found = new RankDeterminants(owner, version, room);
    room = new long[ROOM];
    all.add(found);
    otherOwners = Math.max(otherOwners, countOthers());
    return found;
  }

  private int countOthers() {
    int count = 0;
    for (RankDeterminants each : all) {
      count += each.rank == rank ? 0 : 1;
    }
    return count;
  }

  private void drop(Predicate<RankDeterminants> which) {
    for (RankDeterminants each : all) {
      if (which.test(each) && each.values.length > room.length) {
        room = each.values;
      }
    }
    all.removeIf(which);
  }
}
