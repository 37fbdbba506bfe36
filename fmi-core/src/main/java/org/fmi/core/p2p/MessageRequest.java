package org.fmi.core.p2p;

import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * One send or receive under way: what {@link Messenger} knows of it. The program holds those of
 * non-blocking calls; those of blocking calls are reused.
 */
final class MessageRequest extends MatchTable.Queued implements Request {
  /** How far it has come. */
  enum State {
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

  /** Told of a receive that is complete, before the program is. */
  interface Completion {
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

  /**
   * The number of its message in the {@link MessageLog}, or NO_NUMBER: of a receive once it has
   * matched; of a synchronous send.
   */
  int number = MessageLog.NO_NUMBER;

  /** A send: it sends a message out of the log, and nobody waits for it. */
  boolean again;

  /** A send: what its peer has to know first, as {@link Unkept#changes} was then. */
  long decided;

  /** A send: what its message carries of {@link LineMessages}. */
  long stamp;

  /** A receive: who else waits for its message, as that crosses a line. */
  LineMessages.@Nullable Crossing crossing;

  /** A send: names its rendezvous. */
  long sequence;

  /** A posted receive: orders it among all. */
  long posting;

  /** A receive of the program: its number in the {@link Determinants}. */
  long posted;

  /** A receive: no message matches it, as the process before had cancelled it. */
  boolean toBeCancelled;

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

  void prepareSend(
      Object buffer, long at, long length, int dest, int ofContext, long withTag, Mode how) {
    prepare(buffer, at, length, dest, ofContext, withTag);
    send = true;
    mode = how;
  }

  void prepareReceive(
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
    number = MessageLog.NO_NUMBER;
    exposure = null;
    crossing = null;
    begun = Pace.UNTIMED;
    status = null;
    toBeCancelled = false;
    decided = 0;
  }

  /** A receive: its message will come again. */
  void unmatch() {
    if (Contexts.isProgram(context)) {
      // What it has got is decided, and others may depend on it.
      peer = matchedSource;
      tag = wantedTag();
    }
    matchedLength = -1;
    number = MessageLog.NO_NUMBER;
    moved = 0;
    begun = Pace.UNTIMED;
  }

  /** Whether the program was told how it has ended: it learns nothing new by asking again. */
  boolean told() {
    return status != null;
  }

  /** In words. */
  String describe() {
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
    again = false;
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
  boolean isWhole() {
    return state == State.DONE
        || (state == State.OTHER_ITERATION && Contexts.isCollective(context));
  }

  /** A receive: what it has wanted, or would have to in order to get its message again. */
  long wantedTag() {
    return hasMatched() ? MessageTag.narrow(tag, matchedTag) : tag;
  }

  boolean hasMatched() {
    return matchedLength >= 0;
  }

  boolean pending() {
    return state == State.PENDING;
  }

  /** The error of a call that uses it after a rollback. */
  static FmiException refusal(int since, int rollback) {
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
    return messenger.answers().test(this);
  }

  @Override
  public @Nullable Status status() {
    return messenger.answers().status(this);
  }

  @Override
  public boolean cancel() {
    return messenger.answers().cancel(this);
  }

  @Override
  public void progress() {
    messenger.answers().progress(this);
  }

  /** The same status each time it is asked. */
  Status result() {
    Status s = status;
    if (s == null) {
      s = messenger.result(this);
      status = s;
    }
    return s;
  }
}
