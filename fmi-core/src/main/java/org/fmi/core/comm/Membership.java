package org.fmi.core.comm;

import java.util.BitSet;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Status;
import org.fmi.core.coll.Channel;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.Losses;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.StatusCache;
import org.jspecify.annotations.Nullable;

/**
 * The members of a communicator, with their ranks in it and in the world, and whether it can still
 * be used.
 */
final class Membership {
  final int id;
  final RankGroup group;
  final int rank;
  final int size;
  final Channel channel;

  /** The members' world ranks; null if each equals the rank in the communicator. */
  final int @Nullable [] worldRanks;

  /** Its lost members. */
  final Losses.Members losses;

  private final ContextIds ids;
  private final StatusCache statuses = new StatusCache();
  private int restores;
  private boolean closed;

  /** Whether it is closed or revoked, so that a call usually reads one field. */
  private boolean refuses;

  /** The number of agreements of its members so far. */
  private int agreements;

  /** Creates the membership of communicator {@code id} of the ranks of {@code group}. */
  Membership(PointToPoint p2p, ContextIds ids, int id, RankGroup group) {
    this.ids = ids;
    this.id = id;
    this.group = group;
    this.rank = group.rank();
    this.size = group.size();
    this.worldRanks = isIdentity(group.worldRanks()) ? null : group.worldRanks();
    this.channel = new Channel(p2p, Contexts.collectives(id), worldRanks, rank, size);
    this.restores = ids.restores();
    this.losses = p2p.losses().communicator(id, group.worldRanks(), () -> refuses = true);
  }

  private static boolean isIdentity(int[] worldRanks) {
    for (int r = 0; r < worldRanks.length; r++) {
      if (worldRanks[r] != r) {
        return false;
      }
    }
    return true;
  }

  /** The world rank of a member; ANY_SOURCE is unchanged. */
  int world(int r) {
    return worldRanks == null || r < 0 ? r : worldRanks[r];
  }

  /** Translates a status with a world rank as its source. */
  Status local(Status status) {
    return worldRanks == null || status.source() < 0
        ? status
        : statuses.of(group.rankOf(status.source()), status.tag(), status.bytes());
  }

  // ---- validity

  /** Refuses a call that communicates if the communicator is invalid or {@code Fmi} is closed. */
  void checkUsable() {
    if (refuses || restores != ids.usable()) {
      ids.requireOpen();
      checkAfterChange();
      if (losses.isRevoked()) {
        requireWhole();
      }
    }
  }

  /** Refuses a collective if a member has died, or has revoked the communicator. */
  void requireWhole() {
    FmiException lost = losses.refusal();
    if (lost != null) {
      throw lost;
    }
  }

  /** Refuses an agreement if the communicator is closed. */
  void checkMayAgree() {
    ids.requireOpen();
    checkExists();
  }

  /** The number of the next agreement. */
  int nextAgreement() {
    return agreements++;
  }

  /** A bit for each world rank that is a member. */
  long[] bits() {
    BitSet bits = new BitSet();
    for (int member : group.worldRanks()) {
      bits.set(member);
    }
    return bits.toLongArray();
  }

  /** Refuses a local call if the communicator is invalid. */
  void checkExists() {
    if (closed || restores != ids.restores()) {
      checkAfterChange();
    }
  }

  /** Whether no rollback has undone its creation. */
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
    // It was closed after the checkpoint to which the ranks rolled back, or the program would not
    // use it now.
    closed = false;
    refuses = losses.isRevoked();
    restores = ids.restores();
  }

  /** Ends the communicator. Without effect if it is not usable any more. */
  void close() {
    boolean wasClosed = closed && restores == ids.restores();
    if (!wasClosed && survives() && ids.usable() == ids.restores()) {
      checkExists(); // it may be from before a rollback
      closed = true;
      refuses = true;
      channel.free();
    }
  }
}
