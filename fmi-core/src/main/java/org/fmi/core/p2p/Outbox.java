package org.fmi.core.p2p;

import java.util.Map;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.control.Counter;
import org.fmi.core.p2p.MessageRequest.State;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages: decides the way of each, and makes those wait that cannot go at once.
 *
 * <p>Every message passes {@link #sendNow}, once, in the order of the calls.
 */
final class Outbox {
  private final int rank;
  private final Epoch epoch;
  private final Peers peers;
  private final Requests requests;
  private final SendBuffer attached;
  private final SendBuffer copies;
  private final SendList unsent;
  private final Waits waits;
  private final SelfSends self;
  private final LineMessages lines;
  private @Nullable MessageLog log;
  private long userSent;

  /** Bytes of those messages, in all epochs. */
  private long userBytes;

  /** What was sent again, in all epochs. */
  private long messagesAgain;

  private long bytesAgain;

  /** As {@link #userSent}, in the epochs before. */
  private long sentEarlier;

  Outbox(
      int rank,
      Epoch epoch,
      Peers peers,
      Mailbox mailbox,
      Requests requests,
      SendList unsent,
      Waits waits,
      LineMessages lines) {
    this.lines = lines;
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

  /** Copies what is sent from now on. */
  void log(MessageLog kept) {
    log = kept;
  }

  /** Begins an epoch. */
  void reset() {
    lines.enter();
    sentEarlier += userSent;
    userSent = 0;
  }

  /** Messages of the program to others in this epoch, counted when they are sent or queued. */
  long userSent() {
    return userSent;
  }

  /** Adds what it has counted in all epochs. Any thread. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.MESSAGES_SENT, sentEarlier + userSent);
    counters.put(Counter.BYTES_SENT, userBytes);
    counters.put(Counter.MESSAGES_SENT_AGAIN, messagesAgain);
    counters.put(Counter.BYTES_SENT_AGAIN, bytesAgain);
    MessageLog kept = log;
    counters.put(Counter.LOG_MESSAGES, kept == null ? 0 : kept.messages());
    counters.put(Counter.LOG_BYTES, kept == null ? 0 : kept.bytes());
    counters.put(Counter.LOG_LIMIT_BYTES, kept == null ? 0 : kept.limit());
  }

  /** {@link PointToPoint#send}. */
  void send(Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    if (sendNow(base, offset, bytes, dest, context, tag, mode)) {
      return;
    }
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
    if (log != null) {
      return begin(base, offset, bytes, dest, context, tag, mode);
    }
    return sendNow(base, offset, bytes, dest, context, tag, mode)
        ? new SentRequest(epoch, waits, epoch.since())
        : sendLater(requests.makeSend(base, offset, bytes, dest, context, tag, mode));
  }

  /** The same, if answers on the request are recorded. */
  MessageRequest begin(
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
   * Completes a send at once if nothing stands in the way; else the caller makes it wait. The one
   * place that every message passes on its way out.
   */
  private boolean sendNow(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    epoch.check();
    if (mode == Mode.BUFFERED && !attached.hasRoom(bytes)) {
      refuses(context);
      throw attached.refusal(bytes);
    }
    if (dest == rank) {
      return self.sendNow(base, offset, bytes, context, tag, mode);
    }
    MessageLog kept = logFor(context);
    if (kept != null) {
      kept.unkept().sends();
      if (!kept.sends(base, offset, bytes, dest, context, tag)) {
        return true; // it has come there before this rank went back
      }
    }
    if (lines.on()
        && MessageLog.covers(context)
        && !lines.sends(base, offset, bytes, dest, context, tag)) {
      return true; // the checkpoint that this rank has gone back to has it there
    }
    boolean sent = false;
    // What was done behind a synchronous send that is made again tells that it was complete.
    if (mode != Mode.SYNCHRONOUS || (kept != null && kept.isRepeating())) {
      sent = peers.get(dest).sendNow(base, offset, bytes, context, tag);
      if (!sent && kept != null && kept.again) {
        sent = hold(kept, dest);
      }
    }
    if (Contexts.isProgram(context)) {
      userSent++;
      userBytes += bytes;
    }
    return sent;
  }

  /** Where messages of this context are copied; null if they are not. */
  private @Nullable MessageLog logFor(int context) {
    MessageLog kept = log;
    return kept != null && kept.on() && MessageLog.covers(context) ? kept : null;
  }

  /**
   * Completes a send if the log has its message, which leaves when it can. One that is made again
   * must not wait for its receive: before, it did not need to if the message had come already, and
   * what was decided then may be that the receive is cancelled, or comes later.
   */
  private boolean hold(MessageLog kept, int dest) {
    long copy = kept.last();
    if (copy == LogMemory.NONE) {
      return false;
    }
    MessageRequest r = requests.take();
    kept.prepare(r, dest, copy);
    r.decided = kept.unkept().changes();
    r.stamp = lines.stamp();
    peers.get(dest).send(r);
    return true;
  }

  private void refuses(int context) {
    MessageLog kept = log;
    if (kept != null && MessageLog.covers(context)) {
      kept.chooses(Choice.REFUSED);
    }
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
    requests.give(r);
  }

  /** Whether a send that cannot go at once is complete as a copy, and so waits for nobody. */
  private boolean mayCopy(long bytes, int dest, Mode mode) {
    return mode == Mode.STANDARD
        && dest != rank
        && peers.get(dest).isShort(bytes)
        && copies.hasRoom(bytes);
  }

  /** Makes a copy wait, which there is room for, in place of its send. */
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
    // A program that only sends makes progress nowhere else: credit would not be noticed.
    int _ = waits.look();
  }

  /** Hands a send to its peer, and what can go now to the transport. */
  private void enqueue(MessageRequest r) {
    MessageLog kept = logFor(r.context);
    if (kept != null) {
      if (r.mode == Mode.SYNCHRONOUS) {
        kept.synchronous(r);
      }
      r.decided = kept.unkept().changes();
    }
    r.stamp = lines.stamp();
    peers.get(r.peer).send(r);
    try {
      unsent.flush();
    } catch (RuntimeException | Error e) {
      withdrawSend(r);
      throw e;
    }
  }

  /** The call that sends has failed: what the peer has not heard of is not sent any more. */
  private void withdrawSend(MessageRequest r) {
    if (r.since == epoch.since() && r.pending() && peers.get(r.peer).withdraw(r)) {
      MessageLog kept = log;
      if (kept != null && MessageLog.covers(r.context)) {
        kept.withdraws(r.peer);
      }
      if (lines.on() && MessageLog.covers(r.context)) {
        lines.withdraws(r.peer);
      }
      if (Contexts.isProgram(r.context)) {
        userSent--;
        userBytes -= r.bytes;
      }
      assert userSent >= 0 : "more messages were taken back than sent";
      requests.finishSend(r);
    }
  }

  /**
   * Sends all that has not come to a rank again out of the log, in order, before anything else.
   *
   * @return the messages, and their bytes
   */
  long[] sendAgain(MessageLog kept, int dest) {
    long messages = 0;
    long bytes = 0;
    long count = kept.count(dest);
    long copy = kept.first(dest);
    for (long number = 0; number < count; number++) {
      MessageRequest waiting = kept.synchronous(dest, number);
      if (kept.hasCome(dest, number)) {
        if (waiting != null) {
          requests.finishSend(waiting);
        }
      } else {
        MessageRequest r = waiting;
        if (r == null) {
          r = requests.take();
          kept.prepare(r, dest, copy);
        }
        r.stamp = lines.stamp();
        messages++;
        bytes += r.bytes;
        if (Contexts.isProgram(r.context)) {
          userSent++;
        }
        peers.get(dest).send(r);
      }
      copy = kept.next(copy);
    }
    messagesAgain += messages;
    bytesAgain += bytes;
    return new long[] {messages, bytes};
  }

  /** Whether a send that must not wait, a buffered one or one to oneself, can be made now. */
  boolean accepts(long bytes, int context, long tag, Mode mode) {
    return mode == Mode.BUFFERED ? attached.hasRoom(bytes) : self.hasReceive(context, tag);
  }

  /** The error of such a send. */
  FmiException refusal(long bytes, long tag, Mode mode) {
    return mode == Mode.BUFFERED ? attached.refusal(bytes) : self.refusal(tag);
  }
}
