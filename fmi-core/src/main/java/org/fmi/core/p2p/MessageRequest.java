package org.fmi.core.p2p;

import java.lang.reflect.Array;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Status;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Landing;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * A pending send or receive, with its state in {@link Messenger}. The program holds requests of
 * non-blocking calls; requests of blocking calls are reused.
 */
public final class MessageRequest extends MatchTable.Queued implements ArrayRequest {
  /** The state of a request. */
  public enum State {
    PENDING,
    DONE,
    /** Received, and dropped as longer than the buffer. */
    TRUNCATED,
    /** Received, except for its last bytes, which are no whole element of the buffer. */
    UNEVEN,
    /** Received from a rank that is in another collective call. */
    OTHER_CALL,
    /** Received, with elements of another type than the buffer's. */
    OTHER_TYPE,
    /** Received in another iteration than it was sent in. */
    OTHER_ITERATION,
    CANCELLED,
    /** Needs a rank that has died. */
    PEER_DEAD,
    /** Its communicator was revoked. */
    REVOKED
  }

  /** Notified of a complete receive before the program is. */
  public interface Completion {
    /** The receive is complete. */
    void received(MessageRequest r);
  }

  /** Replaces a buffer that is no longer used, so that it is not kept alive. */
  static final Object NO_BUFFER = new byte[0];

  /** Begins {@link #describe} for a message that a probe has matched. */
  public static final String A_MESSAGE = "a Message of ";

  /** The longest array that every JVM can create. */
  private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

  private final Messenger messenger;
  private final Epoch epoch;

  State state = State.DONE;

  /** The epoch in which requests had last become void when it was made. */
  int since;

  boolean send;
  Object base = NO_BUFFER;
  long offset;

  /** The length of a send's message, or the room of a receive. */
  long bytes;

  /** The destination of a send, or the source of a receive. */
  int peer;

  int context;

  /** A {@link MessageTag}, or a {@link CollectiveCall} in a collective. */
  long tag;

  Mode mode = Mode.STANDARD;

  /** Data bytes sent or received so far in a rendezvous. */
  long moved;

  /** Send: no call waits for it, and the request is reused when it is complete. */
  boolean detached;

  /** Send: its message's stamp of the {@link Ledger}. */
  long stamp;

  /** Send: the number of its rendezvous. */
  long sequence;

  /** Posted receive: its place in the order of all receives. */
  long posting;

  /** Receive: whether no message may match it, by decision of the ledger. */
  private boolean withheld;

  /** Whether this receive creates an array of its message's length. */
  private boolean allocates;

  /** Whether a probe has matched this receive's message, before the receive had a buffer. */
  private boolean probed;

  /**
   * The message that a matched probe has taken out of matching, until the receive has a buffer;
   * null while the message must be resent.
   */
  @Nullable UnexpectedMessage claimed;

  private Ledger.@Nullable Tracked tracked;

  /** Send: the memory that its peer may read. */
  RemoteMemory.@Nullable Exposure exposure;

  /**
   * Receive: the start of its data transfer, if that is {@link Pace timed}; and whether it is a
   * read.
   */
  long begun = Pace.UNTIMED;

  boolean read;

  /** Receive: whether its message is being read from its sender's memory. */
  boolean isReading;

  /** Receive: the place of a part of its message that is arriving there; null if none is. */
  @Nullable Landing landing;

  /** Receive: whether its message is received only to be dropped. */
  boolean discards;

  /** The matched message of a receive. */
  int matchedSource;

  long matchedTag;

  /** -1 while unmatched. */
  long matchedLength = -1;

  /** Whether it counts among the program's incomplete requests. */
  boolean counted;

  /** Detached send of a copy: the buffer charged for it, and the copy's place. */
  @Nullable SendBuffer buffer;

  SendBuffer.@Nullable Piece piece;

  /** Notified, before the program, that this receive is complete. */
  @Nullable Completion completion;

  /** The message that this receive, made by the {@link Mailbox} itself, fetches. */
  @Nullable UnexpectedMessage fetches;

  private @Nullable Status status;

  @Nullable MessageRequest next;

  /** While it is counted: its neighbours in the list of counted requests. */
  @Nullable MessageRequest countedBefore;

  @Nullable MessageRequest countedAfter;

  MessageRequest(Messenger messenger, Epoch epoch) {
    this.messenger = messenger;
    this.epoch = epoch;
  }

  /** Makes it a pending send. */
  public void prepareSend(
      Object buffer, long at, long length, int dest, int ofContext, long withTag, Mode how) {
    prepare(buffer, at, length, dest, ofContext, withTag);
    send = true;
    mode = how;
  }

  /** Makes it a pending receive. */
  public void prepareReceive(
      Object buffer, long at, long length, int source, int ofContext, long withTag) {
    prepare(buffer, at, length, source, ofContext, withTag);
    send = false;
    allocates = length == PointToPoint.ALLOCATE;
  }

  /** Makes it a receive of a message that a probe has matched; {@link #use} follows. */
  public void prepareProbed(int source, int ofContext, long messageTag, long length) {
    prepareReceive(NO_BUFFER, 0, length, source, ofContext, messageTag);
    probed = true;
  }

  /** Gives a receive whose message a probe has matched its buffer and its type. */
  public void use(Object buffer, long at, long length, long wanted) {
    assert isClaim() : "a message is received twice";
    base = buffer;
    offset = at;
    bytes = length;
    tag = wanted;
    allocates = length == PointToPoint.ALLOCATE;
  }

  private void prepare(
      Object buffer, long at, long length, int other, int ofContext, long withTag) {
    assert state != State.PENDING : "a request is used again that is under way";
    state = State.PENDING;
    since = epoch.since();
    base = buffer;
    offset = at;
    bytes = length;
    peer = other;
    context = ofContext;
    tag = withTag;
    moved = 0;
    matchedLength = -1;
    exposure = null;
    begun = Pace.UNTIMED;
    status = null;
    withheld = false;
    allocates = false;
    probed = false;
    claimed = null;
    if (tracked != null) {
      tracked.reset();
    }
  }

  // ---- for the ledger, and for recorders of calls

  /** The ledger's state of it; null for none. */
  public Ledger.@Nullable Tracked tracked() {
    return tracked;
  }

  /** Sets the ledger's state of it; null for none. */
  public void track(Ledger.@Nullable Tracked by) {
    tracked = by;
  }

  /** The epoch in which requests had last become void when it was made. */
  public int since() {
    return since;
  }

  /** The state of the request. */
  public State state() {
    return state;
  }

  /** Whether it is a send; else it is a receive. */
  public boolean isSend() {
    return send;
  }

  /** The array or segment of its buffer. */
  public Object base() {
    return base;
  }

  @Override
  public Object array() {
    return base;
  }

  /** Whether a probe has matched the message, and the receive has no buffer yet. */
  @SuppressWarnings("ReferenceEquality") // one object stands for none
  public boolean isClaim() {
    return probed && base == NO_BUFFER;
  }

  /** Whether a probe has matched the message. */
  public boolean isProbed() {
    return probed;
  }

  /** Returns the result of the probe that has matched the message. */
  public Status probedStatus() {
    assert isClaim() : "it has a buffer";
    return new Status(peer, MessageTag.tag(tag), bytes);
  }

  /** Whether it creates an array of its message's length. */
  public boolean allocates() {
    return allocates;
  }

  /**
   * Creates the array for a message of this length, if the receive does that and it is possible.
   */
  public void makeRoom(long length) {
    if (allocates) {
      int element = Memory.elementBytes(base);
      boolean fits = length % element == 0 && length / element <= LONGEST_ARRAY;
      bytes = fits ? length : 0;
      base = Array.newInstance(base.getClass().componentType(), (int) (bytes / element));
    }
  }

  /** The buffer's offset there, in bytes. */
  public long offset() {
    return offset;
  }

  /** The length of a send's message, or the room of a receive; in bytes. */
  public long bytes() {
    return bytes;
  }

  /** The destination of a send, or the source of a receive. */
  public int peer() {
    return peer;
  }

  /** The context of its message. */
  public int context() {
    return context;
  }

  /** A {@link MessageTag}, or a {@link CollectiveCall} in a collective. */
  public long tag() {
    return tag;
  }

  /** The mode of a send. */
  public Mode mode() {
    return mode;
  }

  /** Posted receive: its place in the order of all receives. */
  public long posting() {
    return posting;
  }

  /** The source of the message that a receive has matched. */
  public int matchedSource() {
    return matchedSource;
  }

  /** The tag of the message that a receive has matched. */
  public long matchedTag() {
    return matchedTag;
  }

  /** The length of the message that a receive has matched, in bytes; -1 while unmatched. */
  public long matchedLength() {
    return matchedLength;
  }

  /** Receive: whether no message may match it. */
  public boolean isWithheld() {
    return withheld;
  }

  /** Receive: lets no message match it, as it will be cancelled. */
  public void withhold() {
    withheld = true;
  }

  /** Receive: narrows it to messages of this source and tag. */
  public void narrow(int source, int toTag) {
    peer = source;
    tag = MessageTag.narrow(tag, toTag);
  }

  /** Receive: sets the object notified, before the program, of its completion. */
  public void onCompletion(Completion notified) {
    completion = notified;
  }

  /** Completes a send that is not really made. */
  public void completeSend() {
    state = State.DONE;
  }

  /** Completes a receive whose message does not pass the mailbox; its data is in the buffer. */
  public void completeReceive(int source, long messageTag, long length) {
    matched(source, messageTag, length);
    state = outcome();
  }

  /**
   * Restores a request that was complete in a checkpoint.
   *
   * @param buffer an empty buffer of the same elements
   * @param room the length of the original buffer
   * @param length the length of the message; -1 if there was none
   */
  public void restore(
      boolean isSend,
      State ended,
      Object buffer,
      long room,
      long wanted,
      int source,
      long messageTag,
      long length) {
    since = epoch.since();
    send = isSend;
    state = ended;
    base = buffer;
    bytes = room;
    tag = wanted;
    matched(source, messageTag, length);
  }

  /** Receive: undoes the match, as its message will be sent again. */
  void unmatch() {
    if (Contexts.isProgram(context)) {
      // The match is a determinant on which other ranks may depend.
      peer = matchedSource;
      tag = wantedTag();
    }
    matchedLength = -1;
    moved = 0;
    begun = Pace.UNTIMED;
  }

  /** Whether the program knows its outcome, so that asking again reveals nothing new. */
  public boolean isKnown() {
    return status != null;
  }

  /** Describes the request for a user. */
  public String describe() {
    return (send
            ? "a send of " + bytes + " bytes to "
            : isClaim()
                ? A_MESSAGE + bytes + " bytes that was not received, from "
                : allocates && !hasMatched()
                    ? "a receive of any length from "
                    : "a receive of at most " + bytes + " bytes from ")
        + (peer == Comm.ANY_SOURCE ? "any source" : "rank " + peer)
        + (MessageTag.isAny(tag) ? " with any tag" : " with tag " + MessageTag.tag(tag));
  }

  /** Resets it to the state of a new request. */
  void clear() {
    state = State.DONE;
    base = NO_BUFFER;
    mode = Mode.STANDARD;
    counted = false;
    buffer = null;
    piece = null;
    detached = false;
    completion = null;
    fetches = null;
    exposure = null;
    next = null;
  }

  /** Receive: notes its message. */
  void matched(int source, long messageTag, long length) {
    matchedSource = source;
    matchedTag = messageTag;
    matchedLength = length;
  }

  /** The final state of a receive that has its whole message. */
  State outcome() {
    if (matchedTag != tag) {
      if (Contexts.isCollective(context)) {
        if (!CollectiveCall.isSame(matchedTag, tag)) {
          return State.OTHER_CALL;
        }
      } else if (!MessageTag.isSameIteration(matchedTag, tag)) {
        return State.OTHER_ITERATION;
      } else if (!MessageTag.isSameType(matchedTag, tag, matchedLength)) {
        return State.OTHER_TYPE;
      }
    }
    if (matchedLength > bytes) {
      return allocates && matchedLength % Memory.elementBytes(base) != 0
          ? State.UNEVEN
          : State.TRUNCATED;
    }
    // The longest element has 8 bytes: most messages pass without the division.
    if ((matchedLength & 7) != 0 && matchedLength % elementBytes() != 0) {
      return State.UNEVEN;
    }
    return matchedTag != tag
            && Contexts.isCollective(context)
            && !CollectiveCall.isSameTurn(matchedTag, tag)
        ? State.OTHER_ITERATION
        : State.DONE;
  }

  /** Receive: the size of the buffer's elements, which may be a type given to bytes. */
  int elementBytes() {
    int own = Memory.elementBytes(base);
    return Contexts.isCollective(context) ? own : Math.max(own, MessageTag.elementBytes(tag));
  }

  /** Complete receive: whether its buffer holds all of a message that fits it. */
  public boolean isWhole() {
    return state == State.DONE
        || (state == State.OTHER_ITERATION && Contexts.isCollective(context));
  }

  /** Receive: the tag that it wanted, narrowed to its message if it has matched one. */
  public long wantedTag() {
    return hasMatched() ? MessageTag.narrow(tag, matchedTag) : tag;
  }

  /** Receive: whether it has matched a message. */
  public boolean hasMatched() {
    return matchedLength >= 0;
  }

  /** Whether it is not complete. */
  public boolean pending() {
    return state == State.PENDING;
  }

  /** The error of a call that uses it after a rollback. */
  public static FmiException refusal(int since, int rollback) {
    return new FmiException(
        ErrorClass.REQUEST,
        "a request of epoch "
            + since
            + ", made before the rollback to epoch "
            + rollback
            + ": forget requests when an iteration begins");
  }

  @Override
  public Status waitFor() {
    return messenger.waitFor(this);
  }

  @Override
  public boolean test() {
    return messenger.test(this);
  }

  @Override
  public @Nullable Status status() {
    return messenger.status(this);
  }

  @Override
  public boolean cancel() {
    return messenger.cancel(this);
  }

  @Override
  public void progress() {
    messenger.progress(this);
  }

  /** The request's status, the same object at each call. */
  public Status result() {
    Status s = status;
    if (s == null) {
      s = messenger.result(this);
      status = s;
    }
    return s;
  }
}
