package org.fmi.core.p2p;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that have died in a job that continues without them, the communicators that were
 * revoked, and what that means for calls: which of them cannot succeed, and with which error.
 *
 * <p>A call fails if it needs a dead rank: as its peer; as a member of the communicator of a
 * collective; or, if it receives from any source, as a member whose loss the program has not
 * {@linkplain Members#acknowledge acknowledged}. In a revoked communicator each call fails.
 *
 * <p>Used by the application's thread. Empty where lost ranks are replaced: then, and until
 * something is lost, each answer costs one field.
 */
public final class Losses {
  /** A communicator, and what it has lost. */
  public final class Members {
    private final int id;

    private final int[] worldRanks;

    private boolean revoked;

    /** The first member that has died, or {@link #NONE}. */
    private int firstDead = NONE;

    /** The number of deaths that the program has acknowledged. */
    private int acknowledged;

    /** Whether a member has died since. */
    private boolean news;

    private final Runnable onRevoked;

    Members(int id, int[] worldRanks, Runnable onRevoked) {
      this.id = id;
      this.worldRanks = worldRanks;
      this.onRevoked = onRevoked;
    }

    private boolean contains(int rank) {
      return Arrays.stream(worldRanks).anyMatch(member -> member == rank);
    }

    private void loses(int rank) {
      firstDead = firstDead == NONE ? rank : firstDead;
      news = true;
      ended.set(Contexts.collectives(id));
    }

    private void revoke() {
      revoked = true;
      ended.set(Contexts.collectives(id));
      ended.set(Contexts.pointToPoint(id));
      onRevoked.run();
    }

    /** Whether a member has revoked it. */
    public boolean isRevoked() {
      return revoked;
    }

    /** Whether all members live. */
    public boolean isWhole() {
      return firstDead == NONE;
    }

    /** The world ranks of the members that have died, in the order of their deaths. */
    public int[] dead() {
      return IntStream.range(0, deaths).map(i -> order[i]).filter(this::contains).toArray();
    }

    /** The world ranks of the members that have died up to this death of the sequence. */
    public BitSet deadUpTo(long seq) {
      BitSet found = new BitSet();
      for (int i = 0; i < deaths && seqs[i] <= seq; i++) {
        if (contains(order[i])) {
          found.set(order[i]);
        }
      }
      return found;
    }

    /** Receives from any source wait again, for the living members. */
    public void acknowledge() {
      acknowledged = deaths;
      news = false;
    }

    /** The error of a collective; null if all members live and it is not revoked. */
    public @Nullable FmiException refusal() {
      return revoked ? revokedError(id) : isWhole() ? null : deadMember(this, firstDead);
    }

    private int firstUnacknowledged() {
      return IntStream.range(acknowledged, deaths)
          .map(i -> order[i])
          .filter(this::contains)
          .findFirst()
          .orElse(firstDead);
    }
  }

  private static final int NONE = -1;

  /** Whether this job continues without its dead, so that communicators are remembered. */
  private final boolean tracks;

  private final BitSet dead = new BitSet();

  /** The reasons by rank. */
  private final @Nullable String[] reasons;

  /** The dead in the order of their deaths, in the first {@link #deaths} elements. */
  private final int[] order;

  /** Their numbers, which grow. */
  private final long[] seqs;

  private int deaths;

  /**
   * All communicators of this process by their ids, for its life: a request may outlive the
   * program's reference to the communicator.
   */
  private final Map<Integer, Members> communicators = new HashMap<>();

  /** Communicators that were revoked before this rank had made them. */
  private final BitSet revokedEarly = new BitSet();

  /** The contexts in which nothing is awaited any more. */
  private final BitSet ended = new BitSet();

  /** Whether anything was lost or revoked. Usually the only field that is read. */
  private boolean any;

  /** Nothing is lost. */
  public Losses(int size, boolean tracks) {
    this.tracks = tracks;
    int most = tracks ? size : 0;
    this.reasons = new String[most];
    this.order = new int[most];
    this.seqs = new long[most];
  }

  /** Whether this job continues without its dead. */
  public boolean tracks() {
    return tracks;
  }

  /**
   * Notes a communicator.
   *
   * @param worldRanks the members' world ranks; not changed later
   * @param onRevoked run when it is revoked
   */
  public Members communicator(int id, int[] worldRanks, Runnable onRevoked) {
    Members made = new Members(id, worldRanks, onRevoked);
    if (tracks) {
      communicators.put(id, made);
      for (int i = 0; i < deaths; i++) {
        if (made.contains(order[i])) {
          made.loses(order[i]);
        }
      }
      if (revokedEarly.get(id)) {
        made.revoke();
      }
    }
    return made;
  }

  // ---- what happens

  /**
   * Notes a death.
   *
   * @return whether it is news
   */
  boolean died(long seq, int rank, String reason) {
    if (dead.get(rank)) {
      return false;
    }
    any = true;
    dead.set(rank);
    reasons[rank] = reason;
    assert deaths == 0 || seqs[deaths - 1] < seq : "deaths come out of order";
    seqs[deaths] = seq;
    order[deaths++] = rank;
    for (Members each : communicators.values()) {
      if (each.contains(rank)) {
        each.loses(rank);
      }
    }
    return true;
  }

  /** Notes that a member has revoked a communicator, which this rank may not have made yet. */
  void revoked(int id) {
    any = true;
    Members members = communicators.get(id);
    if (members == null) {
      revokedEarly.set(id);
    } else {
      members.revoke();
    }
  }

  // ---- what it means

  /** Whether anything was lost or revoked. */
  boolean any() {
    return any;
  }

  /** Whether a rank has died. */
  boolean isDead(int rank) {
    return any && dead.get(rank);
  }

  /** Whether nothing is awaited in a context any more, and what arrives there is dropped. */
  boolean isEnded(int context) {
    return any && ended.get(context);
  }

  /** The state in which a receive ends that no message has matched; pending if it may wait. */
  MessageRequest.State fate(int context, int source) {
    if (!any) {
      return MessageRequest.State.PENDING;
    }
    Members of = communicators.get(context >> 1);
    if (of != null && of.revoked) {
      return MessageRequest.State.REVOKED;
    }
    boolean hopeless =
        ended.get(context)
            || (source >= 0
                ? dead.get(source)
                : of != null && source == Comm.ANY_SOURCE && of.news);
    return hopeless ? MessageRequest.State.PEER_DEAD : MessageRequest.State.PENDING;
  }

  /**
   * Refuses to wait for a message, or for a rank to take one.
   *
   * @param peer may be ANY_SOURCE
   * @throws FmiException if it cannot come
   */
  void require(int context, int peer) {
    MessageRequest.State fate = fate(context, peer);
    if (fate != MessageRequest.State.PENDING) {
      throw error(fate, context, peer);
    }
  }

  /** The error of a call that needs a dead rank, or a revoked communicator. */
  FmiException error(MessageRequest.State fate, int context, int peer) {
    Members of = communicators.get(context >> 1);
    if (fate == MessageRequest.State.REVOKED) {
      return revokedError(context >> 1);
    }
    if (peer >= 0 && dead.get(peer)) {
      return new FmiException(
          ErrorClass.PROC_FAILED,
          "rank %d has died (%s): this call needs it".formatted(peer, reasons[peer]));
    }
    if (of == null) {
      return new FmiException(ErrorClass.PROC_FAILED, "a rank that this call needs has died");
    }
    if (Contexts.isCollective(context)) {
      return deadMember(of, of.firstDead);
    }
    int first = of.firstUnacknowledged();
    return new FmiException(
        ErrorClass.PROC_FAILED,
        "rank %d has died (%s), so the awaited message may never come: call ackFailed to wait for the living only"
            .formatted(first, reasons[first]));
  }

  private FmiException deadMember(Members of, int rank) {
    return new FmiException(
        ErrorClass.PROC_FAILED,
        "rank %d has died (%s), and is a member of %s: continue on the communicator that shrink returns"
            .formatted(rank, reasons[rank], name(of.id)));
  }

  private static FmiException revokedError(int id) {
    return new FmiException(
        ErrorClass.REVOKED,
        name(id) + " was revoked by one of its members: only agree and shrink work on it");
  }

  private static String name(int id) {
    return id == Contexts.WORLD ? "the communicator world" : "communicator " + id;
  }
}
