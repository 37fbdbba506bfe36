package org.fmi.core.p2p;

import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.provider.Progressing;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * One send or receive under way: what {@link Messenger} knows of it. The program holds those of
 * non-blocking calls; those of blocking calls are reused.
 */
public final class MessageRequest extends MatchTable.Queued implements Request, Progressing {
  /** How far it is. */
  public enum State {
    PENDING,
    DONE,
    /** Received, and thrown away: longer than the buffer. */
    TRUNCATED,
    /** Received, but for its last bytes, which make no whole element of the buffer. */
    UNEVEN,
    /** Received, from a rank that is in another collective call. */
    OTHER_CALL,
    /** Received, and its elements are of another type than the buffer's. */
    OTHER_TYPE,
    /** Received, in another iteration than it was sent in. */
    OTHER_ITERATION,
    CANCELLED
  }

  /** Notified of a receive that is complete, before the program is. */
  public interface Completion {
    /** The receive is complete. */
    void received(MessageRequest r);
  }

  /** In place of a buffer, so that one that is no longer used is not kept alive. */
  private static final Object NO_BUFFER = new byte[0];

  private final Messenger messenger;
  private final Epoch epoch;

  State state = State.DONE;

  /** The epoch in which requests became void last, when it was made. */
  int since;

  boolean send;
  Object base = NO_BUFFER;
  long offset;

  /** The message's length of a send, the room of a receive. */
  long bytes;

  /** Destination of a send, wanted source of a receive. */
  int peer;

  int context;

  /** A {@link MessageTag}; of a collective a {@link CollectiveCall}. */
  long tag;

  Mode mode = Mode.STANDARD;

  /** Data bytes sent or received so far in a rendezvous. */
  long moved;

  /** A send: no call waits for it, and the request is used again when it is complete. */
  boolean detached;

  /** A send: what its message carries of the {@link Ledger}. */
  long stamp;

  /** A send: names its rendezvous. */
  long sequence;

  /** A posted receive: orders it among all. */
  long posting;

  /** A receive: no message may match it, as the ledger says. */
  private boolean withheld;

  private Ledger.@Nullable Tracked tracked;

  /** A send: the memory that its peer may read. */
  RemoteMemory.@Nullable Exposure exposure;

  /**
   * A receive: when its data began to come, if that is {@link Pace timed}; and whether it is read.
   */
  long begun = Pace.UNTIMED;

  boolean read;

  /** What a receive has matched. */
  int matchedSource;

  long matchedTag;

  /** -1 before. */
  long matchedLength = -1;

  /** Whether it counts among the program's incomplete requests. */
  boolean counted;

  /** A send of a copy, which nobody waits for: where that takes room, and lies. */
  @Nullable SendBuffer buffer;

  SendBuffer.@Nullable Piece piece;

  /** Who learns, before the program, that this receive is complete. */
  @Nullable Completion completion;

  /** What this receive, made by the {@link Mailbox} itself, fetches. */
  @Nullable UnexpectedMessage fetches;

  private @Nullable Status status;

  @Nullable MessageRequest next;

  /** While it is counted: those counted before and after it. */
  @Nullable MessageRequest countedBefore;

  @Nullable MessageRequest countedAfter;

  MessageRequest(Messenger messenger, Epoch epoch) {
    this.messenger = messenger;
    this.epoch = epoch;
  }

  /** Makes it a send that is under way. */
  public void prepareSend(
      Object buffer, long at, long length, int dest, int ofContext, long withTag, Mode how) {
    prepare(buffer, at, length, dest, ofContext, withTag);
    send = true;
    mode = how;
  }

  /** Makes it a receive that is under way. */
  public void prepareReceive(
      Object buffer, long at, long length, int source, int ofContext, long withTag) {
    prepare(buffer, at, length, source, ofContext, withTag);
    send = false;
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
    if (tracked != null) {
      tracked.reset();
    }
  }

  // ---- for the ledger, and for what records calls

  /** What the ledger remembers of it; null if nothing. */
  public Ledger.@Nullable Tracked tracked() {
    return tracked;
  }

  /** Has the ledger remember something of it from now on; null for nothing. */
  public void track(Ledger.@Nullable Tracked by) {
    tracked = by;
  }

  /** The epoch in which requests became void last, when it was made. */
  public int since() {
    return since;
  }

  /** How far it is. */
  public State state() {
    return state;
  }

  /** Whether it is a send; else a receive. */
  public boolean isSend() {
    return send;
  }

  /** The array or segment that its buffer is in. */
  public Object base() {
    return base;
  }

  /** Where its buffer is there, in bytes. */
  public long offset() {
    return offset;
  }

  /** The message's length of a send, the room of a receive; in bytes. */
  public long bytes() {
    return bytes;
  }

  /** The destination of a send, the wanted source of a receive. */
  public int peer() {
    return peer;
  }

  /** The context of its message. */
  public int context() {
    return context;
  }

  /** A {@link MessageTag}; of a collective a {@link CollectiveCall}. */
  public long tag() {
    return tag;
  }

  /** How a send ends. */
  public Mode mode() {
    return mode;
  }

  /** A posted receive: orders it among all. */
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

  /** The length of the message that a receive has matched, in bytes; -1 before. */
  public long matchedLength() {
    return matchedLength;
  }

  /** A receive: whether no message may match it. */
  public boolean isWithheld() {
    return withheld;
  }

  /** A receive: no message may match it, as it will be cancelled. */
  public void withhold() {
    withheld = true;
  }

  /** A receive: from now on it wants messages of this source and tag alone. */
  public void narrow(int source, int toTag) {
    peer = source;
    tag = MessageTag.narrow(tag, toTag);
  }

  /** A receive: who is notified, before the program, that it is complete. */
  public void onCompletion(Completion notified) {
    completion = notified;
  }

  /** Ends a send that is not really made. */
  public void completeSend() {
    state = State.DONE;
  }

  /** Ends a receive whose message does not come through here; its data is in the buffer. */
  public void completeReceive(int source, long messageTag, long length) {
    matched(source, messageTag, length);
    state = outcome();
  }

  /**
   * Makes it a request that was complete in a checkpoint.
   *
   * @param buffer an empty one, of the same elements
   * @param room the length of the buffer that there was
   * @param length of the message; -1 if there was none
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

  /** A receive: its message will come again. */
  void unmatch() {
    if (Contexts.isProgram(context)) {
      // Which message it gets is determined, and others may depend on that.
      peer = matchedSource;
      tag = wantedTag();
    }
    matchedLength = -1;
    moved = 0;
    begun = Pace.UNTIMED;
  }

  /** Whether the program knows how it has ended: it learns nothing new by asking again. */
  public boolean isKnown() {
    return status != null;
  }

  /** In words. */
  public String describe() {
    return (send ? "a send of " : "a receive of at most ")
        + bytes
        + (send ? " bytes to " : " bytes from ")
        + (peer == Comm.ANY_SOURCE ? "any source" : "rank " + peer)
        + (MessageTag.isAny(tag) ? " with any tag" : " with tag " + MessageTag.tag(tag));
  }

  /** Back to what a new one is. */
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

  /** A receive: notes what it got. */
  void matched(int source, long messageTag, long length) {
    matchedSource = source;
    matchedTag = messageTag;
    matchedLength = length;
  }

  /** How a receive ends that has all of its message. */
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
      return State.TRUNCATED;
    }
    // The longest element has 8 bytes: most messages need no closer look.
    if ((matchedLength & 7) != 0 && matchedLength % Memory.elementBytes(base) != 0) {
      return State.UNEVEN;
    }
    return matchedTag != tag
            && Contexts.isCollective(context)
            && !CollectiveCall.isSameTurn(matchedTag, tag)
        ? State.OTHER_ITERATION
        : State.DONE;
  }

  /** A receive that is complete: whether its buffer has all of a message that fits it. */
  public boolean isWhole() {
    return state == State.DONE
        || (state == State.OTHER_ITERATION && Contexts.isCollective(context));
  }

  /** A receive: what it has wanted, or would have to in order to get its message again. */
  public long wantedTag() {
    return hasMatched() ? MessageTag.narrow(tag, matchedTag) : tag;
  }

  /** A receive: whether it has matched a message. */
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

  /** The same status each time it is asked. */
  public Status result() {
    Status s = status;
    if (s == null) {
      s = messenger.result(this);
      status = s;
    }
    return s;
  }
}
