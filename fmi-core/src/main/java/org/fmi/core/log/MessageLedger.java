package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import org.fmi.control.Counter;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.Ledger;
import org.fmi.core.p2p.Mailbox;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.Outbox;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.UnexpectedMessage;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of a rank that logs messages or takes asynchronous checkpoints: reports each step of
 * the data path to the {@link MessageLog}, with its {@link Determinants}, and to {@link
 * InTransitMessages}.
 */
public final class MessageLedger implements Ledger {
  private final Messenger messenger;
  private final Mailbox mailbox;
  private final Outbox outbox;
  private final MessageLog log;
  private final UnstableDeterminants unstable;
  private final TrackedMessage.Pool tracked;

  /** Null if all ranks wait for checkpoints. */
  private final @Nullable InTransitMessages inTransit;

  // ---- the message that arrived last, until it is matched or queued as unexpected
  private int number = MessageLog.NO_NUMBER;
  private InTransitMessages.@Nullable Crossing crossing;

  /**
   * A ledger that follows a messenger's messages from now on.
   *
   * @param inTransit messages that cross recovery lines; null if none can
   */
  public MessageLedger(Messenger messenger, MessageLog log, @Nullable InTransitMessages inTransit) {
    this.messenger = messenger;
    this.mailbox = messenger.mailbox();
    this.outbox = messenger.outbox();
    this.log = log;
    this.unstable = log.unstable();
    this.tracked = log.tracked();
    this.inTransit = inTransit;
    messenger.ledger(this);
  }

  /** The log of messages and determinants. */
  public MessageLog log() {
    return log;
  }

  @Override
  public boolean isOn() {
    return true;
  }

  // ---- epochs and recovery lines

  @Override
  public void enters(boolean continues) {
    if (inTransit != null) {
      inTransit.enter();
    }
    if (continues) {
      log.enterEpoch();
    } else {
      unstable.enterEpoch();
    }
  }

  @Override
  public void atRecoveryLine(boolean begins) {
    log.reachLine(begins);
    mailbox.forEach(
        m -> {
          if (m.tracked() instanceof TrackedMessage t) {
            t.number = MessageLog.NO_NUMBER;
          }
        });
  }

  /**
   * Reaches an asynchronous recovery line. The unexpected messages here belong to its checkpoint,
   * and before them the messages that receives have matched and whose data is still pending.
   */
  public void begin(long line) {
    InTransitMessages lines = Objects.requireNonNull(inTransit);
    lines.begin(line);
    for (MessageRequest r : messenger.requests().pending()) {
      if (!r.isSend() && r.hasMatched()) {
        TrackedMessage t = tracked.of(r);
        t.crossing =
            lines.save(
                r.context(),
                r.matchedSource(),
                r.matchedTag(),
                r.matchedLength(),
                earlyOf(t.crossing));
      }
    }
    mailbox.forEach(
        m -> {
          if (MessageLog.covers(m.context())) {
            keep(lines, m);
          }
        });
  }

  private void keep(InTransitMessages lines, UnexpectedMessage m) {
    TrackedMessage t = tracked.of(m);
    InTransitMessages.Saved saved =
        lines.save(m.context(), m.source(), m.tag(), m.length(), earlyOf(t.crossing));
    if (m.isInOwnSend()) {
      mailbox.fetch(m);
    }
    if (m.isHere()) {
      saved.received(m.data(), 0);
    } else {
      t.crossing = saved;
    }
  }

  private static InTransitMessages.@Nullable Early earlyOf(
      InTransitMessages.@Nullable Crossing crossing) {
    return crossing instanceof InTransitMessages.Early early ? early : null;
  }

  /** Moves the log's beginning to the recovery line, which is committed. */
  public void committed() {
    mailbox.forEach(
        m -> {
          renumber(m.tracked(), m.source());
          assert m.isHere() || m.isInOwnSend() || isResent(m) || !MessageLog.covers(m.context())
              : "a message from before the line is still at its sender";
        });
    messenger.forEachIncoming(r -> renumber(r.tracked(), r.matchedSource()));
    log.cut();
  }

  private void renumber(@Nullable Tracked of, int source) {
    if (of instanceof TrackedMessage t) {
      t.number = log.renumbered(source, t.number);
    }
  }

  // ---- resending

  @Override
  public boolean isResent(UnexpectedMessage message) {
    return message.tracked() instanceof TrackedMessage t && t.number != MessageLog.NO_NUMBER;
  }

  @Override
  public boolean isResent(MessageRequest send) {
    return TrackedMessage.numberOf(send) != MessageLog.NO_NUMBER;
  }

  /**
   * Resends all messages that a rank has not received, in order and ahead of anything else.
   *
   * @return the number of messages, and of their bytes
   */
  public long[] resend(int dest) {
    long messages = 0;
    long bytes = 0;
    long count = log.count(dest);
    long copy = log.first(dest);
    for (long each = 0; each < count; each++) {
      MessageRequest waiting = log.synchronous(dest, each);
      if (log.isReceived(dest, each)) {
        if (waiting != null) {
          outbox.complete(waiting);
        }
      } else {
        messages++;
        if (waiting == null) {
          bytes += log.length(copy);
          log.read(
              copy,
              (memory, at, length, context, tag) ->
                  outbox.resend(memory, at, length, dest, context, tag));
        } else {
          bytes += waiting.bytes();
          outbox.resend(waiting);
        }
      }
      copy = log.next(copy);
    }
    return new long[] {messages, bytes};
  }

  // ---- sends

  @Override
  public boolean sends(Object base, long offset, long bytes, int dest, int context, long tag) {
    if (!MessageLog.covers(context)) {
      return true;
    }
    if (log.on()) {
      unstable.sends();
      if (!log.sends(base, offset, bytes, dest, context, tag)) {
        return false; // it was received there before this rank rolled back
      }
    }
    // Otherwise the checkpoint that this rank has rolled back to already has the message at its
    // receiver.
    return inTransit == null || inTransit.sends(base, offset, bytes, dest, context, tag);
  }

  @Override
  public boolean isRepeating(int context) {
    return log.on() && MessageLog.covers(context) && log.isRepeating();
  }

  /**
   * Holds a replayed send in the log's copy, so that the program never waits for its receive. The
   * original send may have completed before its receive was cancelled or delayed, and the replayed
   * determinants repeat that.
   */
  @Override
  public boolean holds(int dest, int context) {
    if (!log.on() || !log.replayPossible || !MessageLog.covers(context)) {
      return false;
    }
    long copy = log.last();
    if (copy == LogMemory.NONE) {
      return false;
    }
    log.read(
        copy,
        (memory, at, length, _, tag) -> {
          MessageRequest r = outbox.hold(memory, at, length, dest, context, tag);
          tracked.of(r).depends = unstable.changes();
        });
    return true;
  }

  @Override
  public void queues(MessageRequest send) {
    if (log.on() && MessageLog.covers(send.context())) {
      if (send.mode() == Mode.SYNCHRONOUS) {
        log.synchronous(send);
      }
      tracked.of(send).depends = unstable.changes();
    }
  }

  @Override
  public long stamp() {
    return inTransit == null ? 0 : inTransit.stamp();
  }

  @Override
  public boolean precedes(Link link, int context) {
    return !MessageLog.covers(context) || unstable.piggyback(link, unstable.changes());
  }

  @Override
  public boolean precedes(Link link, MessageRequest send) {
    return !(send.tracked() instanceof TrackedMessage t) || unstable.piggyback(link, t.depends);
  }

  @Override
  public void withdraws(MessageRequest send) {
    if (MessageLog.covers(send.context())) {
      log.withdraws(send.peer());
      if (inTransit != null) {
        inTransit.withdraws(send.peer());
      }
    }
  }

  @Override
  public void completes(MessageRequest send) {
    if (TrackedMessage.numberOf(send) != MessageLog.NO_NUMBER) {
      log.completed(send);
    }
    tracked.forget(send);
  }

  @Override
  public void refuses(int context) {
    if (MessageLog.covers(context)) {
      log.chooses(Choice.REFUSED);
    }
  }

  // ---- receives

  @Override
  public boolean posts(MessageRequest receive) {
    return !Contexts.isProgram(receive.context()) || log.posts(receive);
  }

  @Override
  public void arrives(
      int source,
      int context,
      long tag,
      long bytes,
      long stamp,
      @Nullable MemorySegment memory,
      long at) {
    if (!MessageLog.covers(context)) {
      return;
    }
    if (inTransit != null) {
      InTransitMessages.Crossing by = inTransit.arrives(source, context, tag, bytes, stamp);
      if (by != null && memory != null) {
        by.received(memory, at);
      } else {
        crossing = by;
      }
    }
    number = log.arrives(source);
  }

  @Override
  public void keeps(UnexpectedMessage message) {
    if (number != MessageLog.NO_NUMBER || crossing != null) {
      arrivedTo(tracked.of(message));
    }
  }

  private void arrivedTo(TrackedMessage t) {
    t.number = number;
    t.crossing = crossing;
    number = MessageLog.NO_NUMBER;
    crossing = null;
  }

  @Override
  public void matches(MessageRequest receive, @Nullable UnexpectedMessage waited) {
    if (waited == null) {
      if (number != MessageLog.NO_NUMBER || crossing != null || receive.tracked() != null) {
        arrivedTo(tracked.of(receive));
      }
    } else if (waited.tracked() instanceof TrackedMessage from) {
      TrackedMessage t = tracked.of(receive);
      t.number = from.number;
      t.crossing = from.crossing;
      tracked.forget(waited);
    }
    if (Determinants.isNondeterministic(receive.peer())) {
      log.matches(receive);
    }
  }

  @Override
  public void fetches(MessageRequest by, UnexpectedMessage message) {
    TrackedMessage from = tracked.of(message);
    tracked.of(by).crossing = from.crossing;
    from.crossing = null;
  }

  @Override
  public void delivers(MessageRequest receive) {
    if (receive.tracked() instanceof TrackedMessage t) {
      if (t.number != MessageLog.NO_NUMBER) {
        log.received(receive, t.number);
      }
      InTransitMessages.Crossing by = t.crossing;
      if (by != null) {
        by.received(receive);
      }
      tracked.forget(receive);
    }
  }

  @Override
  public boolean isUrgent() {
    return inTransit != null && inTransit.isCollecting();
  }

  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    unstable.onFrame(peer, memory, at);
  }

  // ---- answers

  /** The determinants that record or replay a request's answer; null if none need to. */
  private @Nullable Determinants of(MessageRequest r) {
    return r.isKnown() || !Contexts.isProgram(r.context()) ? null : log.determinants();
  }

  @Override
  public boolean answers(MessageRequest request, boolean complete) {
    Determinants d = of(request);
    if (d == null) {
      return complete;
    }
    if (d.hasAnswer()) {
      return d.answer();
    }
    d.answered(complete);
    return complete;
  }

  @Override
  public boolean hasJustAnswered(MessageRequest request) {
    Determinants d = of(request);
    return d != null && d.hasJustAnswered();
  }

  /** The determinants that record or replay a cancel; null if none need to. */
  private @Nullable Determinants ofCancel(MessageRequest r) {
    return r.isSend() || r.isWithheld() ? null : of(r);
  }

  @Override
  public boolean mayCancel(MessageRequest request) {
    Determinants d = ofCancel(request);
    if (d == null || !d.hasAnswer()) {
      return true;
    }
    boolean before = d.answer();
    assert !before : "a receive was cancelled that is not to be";
    return false;
  }

  @Override
  public void cancels(MessageRequest request, boolean cancelled) {
    Determinants d = ofCancel(request);
    if (d != null) {
      if (cancelled) {
        d.cancelled(tracked.of(request).posted);
        tracked.forget(request);
      } else {
        d.answered(false);
      }
    }
  }

  @Override
  public @Nullable Found finds(int source, int context, boolean waits) {
    Determinants d = ofProbe(source, context, waits);
    if (d == null) {
      return null;
    }
    if (!waits) {
      if (!d.hasAnswer()) {
        return null;
      }
      if (!d.answer()) {
        return Found.NOTHING;
      }
    }
    long found = d.find();
    return found == Determinants.UNKNOWN
        ? null
        : new Found(Determinants.source(found), Determinants.tag(found));
  }

  @Override
  public void found(int source, int context, boolean waits, @Nullable UnexpectedMessage message) {
    Determinants d = ofProbe(source, context, waits);
    if (d == null) {
      return;
    }
    if (message == null) {
      d.answered(false);
    } else if (waits) {
      d.found(message.source(), message.tag());
    } else {
      d.foundAtOnce(message.source(), message.tag());
    }
  }

  /**
   * The determinants of a probe; null if none need to record it. A blocking probe is
   * nondeterministic only if it names no source.
   */
  private @Nullable Determinants ofProbe(int source, int context, boolean waits) {
    return !Contexts.isProgram(context) || (waits && !Determinants.isNondeterministic(source))
        ? null
        : log.determinants();
  }

  // ---- counters

  @Override
  public void count(Map<Counter, Long> counters) {
    counters.put(Counter.LOG_MESSAGES, log.messages());
    counters.put(Counter.LOG_BYTES, log.bytes());
    counters.put(Counter.LOG_LIMIT_BYTES, log.limit());
  }
}
