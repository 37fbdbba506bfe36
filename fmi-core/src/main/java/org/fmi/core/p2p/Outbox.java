package org.fmi.core.p2p;

import java.io.UncheckedIOException;
import java.util.Map;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.control.Counter;
import org.fmi.core.p2p.MessageRequest.State;
import org.fmi.core.p2p.PointToPoint.Mode;

/**
 * Sends messages: chooses the path of each, and queues those that cannot leave at once.
 *
 * <p>Every message passes {@link #sendNow}, once, in the order of the calls.
 */
public final class Outbox {
  private final int rank;
  private final Epoch epoch;
  private final Peers peers;
  private final Requests requests;
  private final SendBuffer attached;
  private final SendBuffer copies;
  private final SendList unsent;
  private final Waits waits;
  private final Losses losses;
  private final MessengerListener listener;
  private final SelfSends self;
  private Ledger ledger = Ledger.NONE;
  private long userSent;

  /** The bytes of these messages, in all epochs. */
  private long userBytes;

  /** The messages resent, in all epochs. */
  private long messagesAgain;

  private long bytesAgain;

  /** Like {@link #userSent}, in earlier epochs. */
  private long sentEarlier;

  Outbox(
      int rank,
      Epoch epoch,
      Peers peers,
      Mailbox mailbox,
      Requests requests,
      SendList unsent,
      Waits waits,
      Losses losses,
      MessengerListener listener) {
    this.losses = losses;
    this.listener = listener;
    this.rank = rank;
    this.epoch = epoch;
    this.peers = peers;
    this.requests = requests;
    this.attached = requests.attached;
    this.copies = requests.copies;
    this.unsent = unsent;
    this.waits = waits;
    this.self = new SelfSends(rank, mailbox);
  }

  void ledger(Ledger next) {
    ledger = next;
  }

  /** Begins an epoch. */
  void reset() {
    sentEarlier += userSent;
    userSent = 0;
  }

  /**
   * The number of the program's messages to other ranks in this epoch, counted when sent or queued.
   */
  long userSent() {
    return userSent;
  }

  /** Adds the counts over all epochs. Any thread. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.MESSAGES_SENT, sentEarlier + userSent);
    counters.put(Counter.BYTES_SENT, userBytes);
    counters.put(Counter.MESSAGES_SENT_AGAIN, messagesAgain);
    counters.put(Counter.BYTES_SENT_AGAIN, bytesAgain);
  }

  /** {@link PointToPoint#send}. */
  void send(Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    if (sendNow(base, offset, bytes, dest, context, tag, mode)) {
      return;
    }
    losses.require(context, dest);
    if (mode == Mode.BUFFERED) {
      sendCopy(attached, base, offset, bytes, dest, context, tag);
    } else if (dest == rank) {
      self.sendLater(base, offset, bytes, context, tag, mode);
    } else if (mayCopy(bytes, dest, mode)) {
      sendCopy(copies, base, offset, bytes, dest, context, tag);
    } else {
      sendAndWait(base, offset, bytes, dest, context, tag, mode);
    }
  }

  /** {@link PointToPoint#isend}. */
  Request isend(Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    if (ledger.isOn()) {
      return begin(base, offset, bytes, dest, context, tag, mode);
    }
    return sendNow(base, offset, bytes, dest, context, tag, mode)
        ? new SentRequest(epoch, waits, epoch.since())
        : sendLater(requests.makeSend(base, offset, bytes, dest, context, tag, mode));
  }

  /** Starts a send whose tests are recorded. */
  public MessageRequest begin(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    boolean sent = sendNow(base, offset, bytes, dest, context, tag, mode);
    MessageRequest r = requests.makeSend(base, offset, bytes, dest, context, tag, mode);
    if (!sent) {
      return sendLater(r);
    }
    r.state = State.DONE;
    return r;
  }

  private MessageRequest sendLater(MessageRequest r) {
    losses.require(r.context, r.peer);
    boolean buffered = r.mode == Mode.BUFFERED;
    if (buffered || mayCopy(r.bytes, r.peer, r.mode)) {
      sendCopy(buffered ? attached : copies, r.base, r.offset, r.bytes, r.peer, r.context, r.tag);
      r.state = State.DONE;
      return r;
    }
    requests.count(r);
    if (r.peer == rank) {
      self.sendLater(r);
    } else {
      enqueue(r);
    }
    return r;
  }

  /**
   * Completes a send at once if possible; else the caller queues it. The one place that every
   * outgoing message passes.
   */
  private boolean sendNow(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    epoch.check();
    if (mode == Mode.BUFFERED && !attached.hasRoom(bytes)) {
      ledger.refuses(context);
      throw attached.refusal(bytes);
    }
    if (dest == rank) {
      return self.sendNow(base, offset, bytes, context, tag, mode);
    }
    if (!ledger.sends(base, offset, bytes, dest, context, tag)) {
      return true;
    }
    boolean sent = false;
    // The calls after a replayed synchronous send show that it had completed.
    if (mode != Mode.SYNCHRONOUS || ledger.isRepeating(context)) {
      try {
        sent =
            peers.get(dest).sendNow(base, offset, bytes, context, tag)
                || ledger.holds(dest, context);
      } catch (UncheckedIOException e) {
        throw listener.refused(e);
      }
    }
    if (Contexts.isProgram(context)) {
      userSent++;
      userBytes += bytes;
    }
    return sent;
  }

  private void sendAndWait(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    MessageRequest r = requests.take();
    r.prepareSend(base, offset, bytes, dest, context, tag, mode);
    enqueue(r);
    try {
      waits.await(r);
    } catch (RuntimeException | Error e) {
      withdrawSend(r);
      throw e;
    }
    try {
      Status _ = requests.result(r); // throws if the peer has died
    } finally {
      requests.give(r);
    }
  }

  /** Whether a send that cannot leave at once completes by copying its message. */
  private boolean mayCopy(long bytes, int dest, Mode mode) {
    return mode == Mode.STANDARD
        && dest != rank
        && peers.get(dest).isShort(bytes)
        && copies.hasRoom(bytes);
  }

  /** Queues a copy, for which there is room, in place of its send. */
  private void sendCopy(
      SendBuffer to, Object base, long offset, long bytes, int dest, int context, long tag) {
    if (dest == rank) {
      self.sendLater(base, offset, bytes, context, tag, Mode.BUFFERED);
      to.take(bytes);
      return;
    }
    MessageRequest r = requests.take();
    to.prepare(r, base, offset, bytes, dest, context, tag);
    enqueue(r);
    // A program that only sends makes progress nowhere else: credit would go unnoticed.
    int _ = waits.look();
  }

  /** Hands a send to its peer, and everything possible to the transport. */
  private void enqueue(MessageRequest r) {
    ledger.queues(r);
    r.stamp = ledger.stamp();
    peers.get(r.peer).send(r);
    try {
      unsent.flush();
    } catch (RuntimeException | Error e) {
      withdrawSend(r);
      throw e;
    }
  }

  /** Withdraws the send of a failed call, unless the peer knows of it. */
  private void withdrawSend(MessageRequest r) {
    if (r.since == epoch.since() && r.pending() && peers.get(r.peer).withdraw(r)) {
      ledger.withdraws(r);
      if (Contexts.isProgram(r.context)) {
        userSent--;
        userBytes -= r.bytes;
      }
      assert userSent >= 0 : "more messages were taken back than sent";
      requests.finishSend(r);
    }
  }

  // ---- sends of a ledger

  /**
   * Queues a send of a message that a ledger has. It waits for its turn, and no call waits for it.
   *
   * @return the request, which is reused when it is complete
   */
  public MessageRequest hold(
      Object base, long offset, long bytes, int dest, int context, long tag) {
    MessageRequest r = requests.take();
    r.prepareSend(base, offset, bytes, dest, context, tag, Mode.STANDARD);
    r.detached = true;
    hold(r);
    return r;
  }

  private void hold(MessageRequest r) {
    r.stamp = ledger.stamp();
    peers.get(r.peer).send(r);
  }

  /** {@link #hold Queues} a message that was sent in an earlier epoch. */
  public void resend(Object base, long offset, long bytes, int dest, int context, long tag) {
    countAgain(hold(base, offset, bytes, dest, context, tag));
  }

  /** Queues a message of an earlier epoch whose send waits for its receive. */
  public void resend(MessageRequest waiting) {
    hold(waiting);
    countAgain(waiting);
  }

  private void countAgain(MessageRequest r) {
    messagesAgain++;
    bytesAgain += r.bytes;
    if (Contexts.isProgram(r.context)) {
      userSent++;
    }
  }

  /** Completes a send whose message was received in an earlier epoch. */
  public void complete(MessageRequest send) {
    requests.finishSend(send);
  }

  // ---- for a recorder of calls

  /** Whether a send that must not wait, buffered or to this rank itself, can be made now. */
  public boolean accepts(long bytes, int context, long tag, Mode mode) {
    return mode == Mode.BUFFERED ? attached.hasRoom(bytes) : self.hasReceive(context, tag);
  }

  /** The error of such a send. */
  public FmiException refusal(long bytes, long tag, Mode mode) {
    return mode == Mode.BUFFERED ? attached.refusal(bytes) : self.refusal(tag);
  }
}
