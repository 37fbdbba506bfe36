package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.RemoteMemory;
import org.jspecify.annotations.Nullable;

/** A message that arrived, or was announced, before its receive. Reused. */
public final class UnexpectedMessage {
  /** The place of its data. */
  enum Place {
    /** Here, in {@link #data}. */
    HELD,
    /** At the sender; a CTS requests it. */
    REMOTE,
    /** In the buffer of {@link #sender}, a send of this rank to itself. */
    SELF
  }

  /** Its entry in the queue of one kind of pattern. */
  static final class Entry extends MatchTable.Queued {
    final UnexpectedMessage message;

    Entry(UnexpectedMessage message) {
      this.message = message;
    }
  }

  static final MemorySegment NO_DATA = MemorySegment.ofArray(new byte[0]);

  /** The entries for each kind of {@link Pattern}. */
  final Entry[] entries = {new Entry(this), new Entry(this), new Entry(this), new Entry(this)};

  /** The pool's size class; -1 if {@link #data} is not the pool's. */
  final int sizeClass;

  Place place = Place.HELD;
  int context;
  int source;
  long tag;
  long length;

  private Ledger.@Nullable Tracked tracked;

  /** The number of a remote message's rendezvous. */
  long sequence;

  /** Whether a remote message can be read, and its ticket: see {@link RemoteMemory#expose}. */
  boolean exposed;

  final long[] ticket = new long[RemoteMemory.TICKET_LONGS];

  /** The part of the sender's eager window that is returned when it is consumed. */
  long charge;

  /** The room of the attached buffer that is freed when it is consumed. */
  long buffered;

  /** The memory whose first {@link #length} bytes are the message, if it is held. */
  MemorySegment data;

  @Nullable MessageRequest sender;

  /** Whether its data is being fetched, for a checkpoint. */
  boolean fetching;

  /**
   * The receive that has taken it out of matching, and has no buffer yet; null if there is none.
   */
  @Nullable MessageRequest claimedBy;

  /** Its neighbours in the order of arrival, or in the pool. */
  @Nullable UnexpectedMessage previous;

  @Nullable UnexpectedMessage next;

  UnexpectedMessage(int sizeClass, MemorySegment data) {
    this.sizeClass = sizeClass;
    this.data = data;
  }

  void describe(Place where, int ofContext, int from, long withTag, long bytes) {
    place = where;
    context = ofContext;
    source = from;
    tag = withTag;
    length = bytes;
    if (tracked != null) {
      tracked.reset();
    }
  }

  /** The context of the message. */
  public int context() {
    return context;
  }

  /** The rank that has sent it. */
  public int source() {
    return source;
  }

  /** Its {@link MessageTag}. */
  public long tag() {
    return tag;
  }

  /** Its length in bytes. */
  public long length() {
    return length;
  }

  /** Its sender and call or tag, as part of a sentence. */
  public String describe() {
    return "rank " + source + " " + CollectiveCall.belonging(context, tag);
  }

  /** Whether its data is here. */
  public boolean isHere() {
    return place == Place.HELD;
  }

  /** Whether this rank has sent it, and its data is in the buffer of the send. */
  public boolean isInOwnSend() {
    return place == Place.SELF;
  }

  /** Its data, from offset 0 on, if it {@linkplain #isHere is here}. */
  public MemorySegment data() {
    return data;
  }

  /** The ledger's state of it; null for none. */
  public Ledger.@Nullable Tracked tracked() {
    return tracked;
  }

  /** Sets the ledger's state of it; null for none. */
  public void track(Ledger.@Nullable Tracked by) {
    tracked = by;
  }
}
