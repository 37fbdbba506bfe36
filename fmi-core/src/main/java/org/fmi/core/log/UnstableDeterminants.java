package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.fmi.core.p2p.Ledger;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * What this rank, and those whose messages it has got, have decided since the line and the job may
 * not keep yet. It goes to a peer ahead of the next message, so whoever depends on a decision knows
 * it, and tells the job at a failure: a rank that is lost gets back what others depend on.
 *
 * <p>This is causal message logging (Alvisi and Marzullo, "Message logging: pessimistic,
 * optimistic, causal, and optimal", IEEE TSE 24(2), 1998, section 5): nobody waits, and there are
 * no orphans. What travels stays little, as each rank tells the job now and then, and the more
 * often, the more others there are that decide.
 */
final class UnstableDeterminants {
  /** What all that decide may decide, in longs, before they tell the job. */
  static final int UNTOLD = 256;

  /** How many times its share of that the job may not keep of a rank, before that waits for it. */
  static final int WAIT = 16;

  /** Longs that there is room for at first. */
  private static final int ROOM = 64;

  /** What a frame carries at most, in bytes. */
  private static final int FRAME_BYTES = 2048;

  /** What one rank has decided since one line. */
  static final class Decided {
    final int rank;
    final long version;

    /** How much of it the job keeps, as far as is known here; the values begin behind that. */
    int kept;

    long[] values;
    int count;

    /** Up to where the job was told of it from here, if this rank has not decided it. */
    int told;

    /** The peer that it was heard from last. */
    int from = NOBODY;

    /** When it has grown last, by {@link UnstableDeterminants#changes}. */
    long changed;

    Decided(int rank, long version, long[] room) {
      this.rank = rank;
      this.version = version;
      this.values = room;
    }

    int end() {
      return kept + count;
    }

    /** The job keeps so much. */
    void keeps(int now) {
      if (now > kept) {
        int known = Math.min(count, now - kept);
        System.arraycopy(values, known, values, 0, count - known);
        count -= known;
        kept = now;
      }
    }

    /** Makes room for more. */
    void fits(int more) {
      if (count + more > values.length) {
        values = Arrays.copyOf(values, 2 * (count + more));
      }
    }
  }

  private static final int NOBODY = -1;

  /** How much of all that was piggybacked on messages to a peer in this epoch. */
  private static final class Peer {
    /** Of {@link UnstableDeterminants#changes}. */
    long knows;

    /** What is under way, and up to where. */
    @Nullable Decided passing;

    int passed;
  }

  private final int rank;
  private final MessageLog log;
  private final Determinants own;
  private final LogListener listener;
  private final @Nullable Peer[] peers;

  /** By rank and line, what grew last at the end. */
  private final List<Decided> all = new ArrayList<>();

  /** Where one that was dropped had its values, for the next one. */
  private long[] room = new long[ROOM];

  /** Of how many others there was something at a time in this epoch: each adds to each message. */
  private int deciders;

  /** How often something of that has grown. */
  private long changes;

  /** What this rank had decided when that was put there, by {@link Determinants#changes}. */
  private long synced;

  /** Whether this rank's own decisions are reported. */
  private boolean tells = true;

  /** The number of what was reported last, as the listener gave it. */
  private long told;

  UnstableDeterminants(int rank, int size, MessageLog log, Determinants own, LogListener listener) {
    this.rank = rank;
    this.peers = new Peer[size];
    this.log = log;
    this.own = own;
    this.listener = listener;
  }

  /** A line: this rank's decisions count from here. */
  void line() {
    tells = true;
    drop(each -> each.rank == rank);
  }

  /** Whether this rank's own decisions are reported. */
  boolean tells() {
    return tells;
  }

  /** An epoch begins: before it, each rank has told the job all that it had heard of. */
  void enterEpoch() {
    all.clear();
    deciders = 0;
    Arrays.fill(peers, null);
    own.keep();
  }

  // ---- to the job

  /**
   * The program sends a message. What was decided until now must reach its receiver first: see
   * {@link #changes}.
   */
  void sends() {
    if (!log.mayRepeatAlone()) {
      return;
    }
    noteKept();
    int share = UNTOLD / (1 + deciders); // 0 where very many decide: then each waits for the job
    int count = own.unkeptCount();
    if (count > share && !own.areUnderWay()) {
      tell();
    }
    if (count > WAIT * share) {
      tellAndWait();
    }
    if (synced != own.changes()) {
      sync();
    }
  }

  /** Tells the job what it has not been told of by this rank. */
  void tell() {
    if (!log.mayRepeatAlone()) {
      return;
    }
    if (tells && own.areTooMany()) {
      listener.chooses(Choice.TOO_MANY);
      own.stop();
      tells = false;
    }
    if (tells && own.areUntold()) {
      LogListener.Told behind = own.untoldBehind();
      int first = own.told();
      LogListener.Told now = new LogListener.Told(first, own.take());
      told = listener.chose(rank, listener.version(), now);
      if (behind != null) {
        told = listener.chose(rank, listener.versionBehind(), behind);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      Decided each = all.get(i);
      int place = Math.max(each.told, each.kept);
      if (each.rank != rank && place < each.end()) {
        long[] values = Arrays.copyOfRange(each.values, place - each.kept, each.count);
        told = listener.chose(each.rank, each.version, new LogListener.Told(place, values));
        each.told = each.end();
      }
    }
  }

  /** The same, and returns once the job keeps it. */
  void tellAndWait() {
    tell();
    listener.awaitKept(told);
    noteKept();
  }

  /** What the job has answered since. */
  private void noteKept() {
    if (own.areUnderWay() && listener.isKept(told)) {
      own.keep();
    }
  }

  // ---- to a peer

  /** How often something has grown: what a message depends on that is sent now. */
  long changes() {
    return changes;
  }

  /**
   * Sends a peer what it may not know, ahead of a message.
   *
   * @param depends what the message may depend on: {@link #changes} when it was sent
   * @return false if the transport does not take all of that now
   */
  boolean piggyback(Ledger.Link link, long depends) {
    Peer peer = peers[link.rank()];
    if (depends <= (peer == null ? 0 : peer.knows)) {
      return true;
    }
    if (peer == null) {
      peer = new Peer();
      peers[link.rank()] = peer;
    }
    if (log.mayRepeatAlone()) {
      long committed = listener.version();
      for (int i = 0; i < all.size(); i++) { // an iterator would be made for each message
        Decided each = all.get(i);
        if (each.changed > peer.knows) {
          boolean unknown = each.rank != link.rank() && each.from != link.rank();
          if (unknown && each.version >= committed && !piggyback(link, peer, each)) {
            return false;
          }
          peer.knows = each.changed;
        }
      }
    }
    peer.knows = changes;
    return true;
  }

  /**
   * Continues where the transport has taken no more. What has arrived is reported if the epoch
   * ends.
   */
  private static boolean piggyback(Ledger.Link link, Peer peer, Decided all) {
    int most = Math.min(FRAME_BYTES, link.maxPayload()) / Long.BYTES;
    if (peer.passing != all) {
      peer.passing = all;
      peer.passed = 0;
    }
    peer.passed = Math.max(peer.passed, all.kept);
    while (peer.passed < all.end()) {
      int at = peer.passed - all.kept;
      int count = Determinants.whole(all.values, at, Math.min(most, all.count - at));
      Frame f = link.frame();
      f.context = all.rank;
      f.tag = all.version;
      f.sequence = peer.passed;
      f.length = all.kept;
      f.base = all.values;
      f.baseOffset = (long) Long.BYTES * at;
      f.payload = Long.BYTES * count;
      if (!link.offer()) {
        return false;
      }
      peer.passed += count;
    }
    return true;
  }

  /** What this rank has decided goes to others like what it has heard of. */
  private void sync() {
    synced = own.changes();
    if (tells) {
      Decided since = find(rank, listener.version());
      since.keeps(own.kept());
      int more = own.end() - since.end();
      since.fits(more);
      own.copy(since.end(), since.values, since.count);
      grows(since, more);
      if (own.areMarked()) {
        Decided behind = find(rank, listener.versionBehind());
        behind.keeps(own.keptBehind());
        more = own.endBehind() - behind.end();
        behind.fits(more);
        own.copyBehind(behind.end(), behind.values, behind.count);
        grows(behind, more);
      }
    }
  }

  /**
   * What a peer passes on, in a frame: who has decided it and since which checkpoint; of how much
   * of that it knows the job to keep it, where its payload stands in it, and the payload.
   */
  void onFrame(int peer, MemorySegment memory, long at) {
    int owner = memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT);
    long version = memory.get(FrameLayout.LONG, at + FrameLayout.TAG);
    int place = (int) memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    int kept = (int) memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH);
    int count = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD) / Long.BYTES;
    assert owner != rank : "a rank is told what it has decided itself";
    if (version < listener.version()) {
      return; // nobody goes back to that
    }
    Decided of = find(owner, version);
    of.keeps(kept);
    int known = of.end() - place;
    assert known >= 0
        : "rank %d's decisions since %d from %d on (%d are kept) follow %d"
            .formatted(owner, version, place, kept, of.end());
    if (known >= count) {
      return;
    }
    int more = count - known;
    of.fits(more);
    long first = at + FrameLayout.HEADER_BYTES + (long) Long.BYTES * known;
    long to = (long) Long.BYTES * of.count;
    Memory.fromSegment(memory, first, of.values, to, (long) Long.BYTES * more);
    grows(of, more);
    of.from = peer;
  }

  private void grows(Decided of, int more) {
    if (more > 0) {
      of.count += more;
      of.changed = ++changes;
      all.remove(of);
      all.add(of);
    }
  }

  private Decided find(int owner, long version) {
    for (int i = 0; i < all.size(); i++) {
      Decided each = all.get(i);
      if (each.rank == owner && each.version == version) {
        return each;
      }
    }
    long committed = listener.version();
    drop(each -> each.version < committed);
    Decided found = new Decided(owner, version, room);
    room = new long[ROOM];
    all.add(found);
    deciders = Math.max(deciders, others());
    return found;
  }

  private int others() {
    int count = 0;
    for (Decided each : all) {
      count += each.rank == rank ? 0 : 1;
    }
    return count;
  }

  private void drop(Predicate<Decided> which) {
    for (Decided each : all) {
      if (which.test(each) && each.values.length > room.length) {
        room = each.values;
      }
    }
    all.removeIf(which);
  }
}
