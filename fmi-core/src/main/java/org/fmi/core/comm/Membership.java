package org.fmi.core.comm;

import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Status;
import org.fmi.core.coll.Channel;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.StatusCache;
import org.jspecify.annotations.Nullable;

/**
 * Who belongs to a communicator, by which ranks here and in the world, and whether it can still be
 * used.
 */
final class Membership {
  final int id;
  final RankGroup group;
  final int rank;
  final int size;
  final Channel channel;

  /** The members' world ranks; null where ranks here and in the world are the same. */
  final int @Nullable [] worldRanks;

  private final ContextIds ids;
  private final StatusCache statuses = new StatusCache();
  private int restores;
  private boolean closed;

  /** Communicator {@code id} of the ranks of {@code group}. */
  Membership(PointToPoint p2p, ContextIds ids, int id, RankGroup group) {
    this.ids = ids;
    this.id = id;
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
    this.worldRanks = isIdentity(group.worldRanks()) ? null : group.worldRanks();
    this.channel = new Channel(p2p, Contexts.collectives(id), worldRanks, rank, size);
    this.restores = ids.restores();
  }

  private static boolean isIdentity(int[] worldRanks) {
    for (int r = 0; r < worldRanks.length; r++) {
      if (worldRanks[r] != r) {
        return false;
      }
    }
    return true;
  }

  /** The world rank of a rank here; ANY_SOURCE stays what it is. */
  int world(int r) {
    return worldRanks == null || r < 0 ? r : worldRanks[r];
  }

  /** A status whose source is the rank here, from one with its world rank. */
  Status local(Status status) {
    return worldRanks == null || status.source() < 0
        ? status
        : statuses.of(group.rankOf(status.source()), status.tag(), status.bytes());
  }

  // ---- its life

  /** Refuses a call that communicates if it is void, or {@code Fmi} closed. */
  void checkUsable() {
    if (closed || restores != ids.usable()) {
      ids.requireOpen();
      checkAfterChange();
    }
  }

  /** Refuses a call that only looks if it is void. */
  void checkExists() {
    if (closed || restores != ids.restores()) {
      checkAfterChange();
    }
  }

  /** Whether the ranks have not gone back to before it was made. */
  boolean survives() {
    return ids.survives(id, restores);
  }

  private void checkAfterChange() {
    if (closed && restores == ids.restores()) {
      throw new FmiException(
          ErrorClass.COMM, "this communicator was closed: use it no more, or make another");
    }
    if (!survives()) {
      throw new FmiException(
          ErrorClass.COMM,
          "this communicator was made in an iteration that was rolled back: make it before the"
              + " loop, or again in the iteration");
    }
    // It was closed after what the ranks went back to, or the program would not use it now.
    closed = false;
    restores = ids.restores();
  }

  /** Ends the communicator. Without effect if it is not usable any more. */
  void close() {
    boolean wasClosed = closed && restores == ids.restores();
    if (!wasClosed && survives() && ids.usable() == ids.restores()) {
      checkExists(); // it may be from before a rollback
      closed = true;
      channel.free();
    }
  }
}
