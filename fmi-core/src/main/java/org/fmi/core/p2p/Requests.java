package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Status;
import org.fmi.core.p2p.MessageRequest.State;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/** Creates, reuses and completes requests, and counts the program's pending ones. */
public final class Requests {
  private final int rank;
  private final Epoch epoch;
  private final Supplier<MessageRequest> maker;
  private final Losses losses;

  /** The buffer of buffered sends, attached by the program. */
  final SendBuffer attached;

  /** The buffer of standard sends that their peers have not taken yet. */
  final SendBuffer copies;

  private final StatusCache statuses = new StatusCache();
  private @Nullable MessageRequest free;

  /** The program's pending non-blocking operations: their number, and the newest one. */
  private int active;

  private @Nullable MessageRequest newest;
  private Ledger ledger = Ledger.NONE;

  /**
   * An empty set of requests.
   *
   * @param maker creates a request
   */
  Requests(int rank, int size, Epoch epoch, Losses losses, Supplier<MessageRequest> maker) {
    this.losses = losses;
    this.rank = rank;
    this.epoch = epoch;
    this.maker = maker;
    this.attached = new SendBuffer(size, 0);
    this.copies = new SendBuffer(size, FlowLimits.MESSAGE_COST);
  }

  void ledger(Ledger next) {
    ledger = next;
  }

  /** Begins an epoch: all requests are void. */
  void reset() {
    active = 0;
    newest = null;
    attached.reset();
    copies.reset();
  }

  /** The number of the program's pending non-blocking operations. */
  public int active() {
    return active;
  }

  /** The pending operations, in the order begun. */
  public List<MessageRequest> pending() {
    List<MessageRequest> all = new ArrayList<>();
    for (MessageRequest r = newest; r != null; r = r.countedBefore) {
      all.add(r);
    }
    return all.reversed();
  }

  /** Whether none of them has a message in transit. */
  boolean areAtRest() {
    for (MessageRequest r = newest; r != null; r = r.countedBefore) {
      if (r.send || r.hasMatched()) {
        return false;
      }
    }
    return true;
  }

  /** Creates a request for the program. */
  public MessageRequest make() {
    return maker.get();
  }

  /** Takes a request from the pool; {@link #give} returns it. */
  MessageRequest take() {
    MessageRequest r = free;
    if (r == null) {
      return make();
    }
    free = r.next;
    r.next = null;
    return r;
  }

  /** Creates the send of a non-blocking call, to be completed, or counted and queued. */
  public MessageRequest makeSend(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    MessageRequest r = make();
    r.prepareSend(base, offset, bytes, dest, context, tag, mode);
    return r;
  }

  /** Creates the receive of a non-blocking call, to be counted and posted. */
  public MessageRequest makeReceive(
      Object base, long offset, long bytes, int source, int context, long tag) {
    MessageRequest r = make();
    r.prepareReceive(base, offset, bytes, source, context, tag);
    return r;
  }

  /** The receive of a message that a probe has matched, to be counted. */
  public MessageRequest makeProbed(int source, int context, long tag, long length) {
    MessageRequest r = make();
    r.prepareProbed(source, context, tag, length);
    return r;
  }

  /** Takes the receive of a blocking call, to be posted; {@link Messenger#complete} ends it. */
  public MessageRequest takeReceive(
      Object base, long offset, long bytes, int source, int context, long tag) {
    MessageRequest r = take();
    r.prepareReceive(base, offset, bytes, source, context, tag);
    return r;
  }

  void give(MessageRequest r) {
    r.clear();
    r.next = free;
    free = r;
  }

  /** Counts a request of the program until it is complete. */
  public void count(MessageRequest r) {
    if (Contexts.isProgram(r.context)) {
      r.counted = true;
      active++;
      r.countedBefore = newest;
      if (newest != null) {
        newest.countedAfter = r;
      }
      newest = r;
    }
  }

  /** A request that was counted is complete, or will never be. */
  public void uncount(MessageRequest r) {
    // A request made by a replay may belong to an earlier epoch, whose requests no longer count.
    if (r.counted && r.since == epoch.since()) {
      active--;
      assert active >= 0 : "more requests were completed than begun";
      MessageRequest before = r.countedBefore;
      MessageRequest after = r.countedAfter;
      if (before != null) {
        before.countedAfter = after;
      }
      if (after == null) {
        newest = before;
      } else {
        after.countedBefore = before;
      }
      r.countedBefore = null;
      r.countedAfter = null;
    }
  }

  void finishSend(MessageRequest r) {
    assert r.send && r.pending() : "a send is completed twice, or is none";
    r.state = State.DONE;
    uncount(r);
    ledger.completes(r);
    SendBuffer buffer = r.buffer;
    if (buffer != null) {
      buffer.give(r);
    }
    if (r.detached) {
      give(r);
    }
  }

  void finishReceive(MessageRequest r) {
    assert !r.send && r.pending() && r.hasMatched() : "a receive is completed twice, or is none";
    r.state = r.outcome();
    uncount(r);
    ledger.delivers(r);
    MessageRequest.Completion completion = r.completion;
    if (completion != null) {
      completion.received(r);
    }
  }

  /**
   * A request cannot complete any more.
   *
   * @param state {@link State#PEER_DEAD} or {@link State#REVOKED}
   */
  void fail(MessageRequest r, State state) {
    assert r.pending() : "a request fails that has ended";
    r.state = state;
    uncount(r);
    SendBuffer buffer = r.buffer;
    if (buffer != null) {
      buffer.give(r);
    }
    if (r.detached) {
      give(r);
    }
  }

  /** The receive of the rest of a message in place of one that has failed; it drops the rest. */
  MessageRequest makeDiscarding(MessageRequest failed) {
    MessageRequest r = take();
    r.prepareReceive(
        MessageRequest.NO_BUFFER, 0, failed.matchedLength, failed.peer, failed.context, failed.tag);
    r.matched(failed.matchedSource, failed.matchedTag, failed.matchedLength);
    r.moved = failed.moved;
    r.discards = true;
    r.completion = this::giveDiscarding;
    return r;
  }

  /** Takes back a receive that drops its message. */
  void giveDiscarding(MessageRequest r) {
    r.discards = false;
    r.landing = null;
    give(r);
  }

  /** The rest of a send that has failed, as a copy, which no call waits for. */
  MessageRequest makeRest(MessageRequest failed) {
    MemorySegment copy = MessagePool.memory(failed.bytes);
    Memory.toSegment(
        failed.base, failed.offset + failed.moved, copy, failed.moved, failed.bytes - failed.moved);
    MessageRequest r = take();
    r.prepareSend(copy, 0, failed.bytes, failed.peer, failed.context, failed.tag, failed.mode);
    r.detached = true;
    r.sequence = failed.sequence;
    r.stamp = failed.stamp;
    r.moved = failed.moved;
    return r;
  }

  public void cancel(MessageRequest r) {
    r.state = State.CANCELLED;
    uncount(r);
  }

  /** The {@link Status} of a message. */
  Status status(UnexpectedMessage m) {
    return statuses.of(m.source, MessageTag.tag(m.tag), m.length);
  }

  /** The result of a request; throws if it has failed. */
  Status result(MessageRequest r) {
    return switch (r.state) {
      case DONE ->
          r.send
              ? Status.EMPTY
              : statuses.of(r.matchedSource, MessageTag.tag(r.matchedTag), r.matchedLength);
      case CANCELLED -> Status.EMPTY;
      case TRUNCATED, UNEVEN, OTHER_CALL, OTHER_TYPE, OTHER_ITERATION -> throw unfit(r);
      case PEER_DEAD, REVOKED -> throw losses.error(r.state, r.context, r.peer);
      case PENDING -> throw new IllegalStateException("the request is not complete");
    };
  }

  private RuntimeException unfit(MessageRequest r) {
    if (Contexts.isCollective(r.context)) {
      return new UnfitMessageException(r.matchedSource, r.matchedTag, r.matchedLength);
    }
    return switch (r.state) {
      case TRUNCATED ->
          new FmiException(
              ErrorClass.TRUNCATE,
              describe(r)
                  + (r.allocates()
                      ? ", more than an array holds: receive it into a MemorySegment"
                      : ", the receive buffer only " + r.bytes));
      case OTHER_TYPE -> otherType(r);
      case OTHER_ITERATION -> otherIteration(r);
      default ->
          new FmiException(
              ErrorClass.TYPE,
              describe(r)
                  + ", which is not a whole number of elements of the receive buffer's "
                  + r.elementBytes()
                  + " bytes each");
    };
  }

  private IllegalStateException otherIteration(MessageRequest r) {
    long sent = MessageTag.iteration(r.matchedTag);
    return new IllegalStateException(
        "rank "
            + rank
            + " receives in iteration "
            + MessageTag.iteration(r.tag)
            + " of a flowLoop a message that rank "
            + r.matchedSource
            + " has sent "
            + (sent == MessageTag.NO_ITERATION ? "outside of the loop" : "in iteration " + sent)
            + ", with tag "
            + MessageTag.tag(r.matchedTag)
            + ": receive each message in the iteration that sends it");
  }

  private FmiException otherType(MessageRequest r) {
    int sent = MessageTag.type(r.matchedTag);
    int wanted = MessageTag.type(r.tag);
    return new FmiException(
        ErrorClass.TYPE,
        "world rank "
            + r.matchedSource
            + " has sent "
            + ElementType.text(sent, r.matchedLength)
            + " where world rank "
            + rank
            + " receives "
            + ElementType.text(wanted, r.bytes)
            + ", with tag "
            + MessageTag.tag(r.matchedTag)
            + (sent == ElementType.OBJECT
                ? ": receive it with recvObject"
                : wanted == ElementType.OBJECT
                    ? ": send it with sendObject, or receive an array"
                    : ": send and receive elements of one type, or receive bytes (byte[],"
                        + " ByteBuffer, MemorySegment)"));
  }

  private static String describe(MessageRequest r) {
    return "the message of world rank "
        + r.matchedSource
        + " with tag "
        + MessageTag.tag(r.matchedTag)
        + " has "
        + r.matchedLength
        + " bytes";
  }
}
