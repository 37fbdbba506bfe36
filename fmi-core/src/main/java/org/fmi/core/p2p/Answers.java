package org.fmi.core.p2p;

import org.fmi.Status;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the calls of a program on a request whose answer depends on time: whether it is
 * complete, or can be cancelled. Answers are recorded with the {@link Determinants}; a process that
 * repeats what one before it has done gives the same, and waits where that one had not to.
 *
 * <p>Not recorded is what the program knows already: it has been told how the request ended.
 */
final class Answers {
  private final Messenger messenger;
  private @Nullable MessageLog log;

  Answers(Messenger messenger) {
    this.messenger = messenger;
  }

  /** Records from now on. */
  void log(MessageLog kept) {
    log = kept;
  }

  /** Where the answer on a request is recorded, or repeated from; null if it need not be. */
  private @Nullable Determinants of(MessageRequest r) {
    MessageLog kept = log;
    return kept == null || r.told() || !Contexts.isProgram(r.context) ? null : kept.determinants();
  }

  /** {@link MessageRequest#test}. */
  boolean test(MessageRequest r) {
    Determinants d = of(r);
    if (d == null) {
      return messenger.test(r);
    }
    if (!messenger.completed(r)) {
      messenger.poll();
    }
    return answer(d, r) != null;
  }

  /** {@link MessageRequest#status}. */
  @Nullable Status status(MessageRequest r) {
    boolean complete = messenger.completed(r);
    Determinants d = of(r);
    if (d != null) {
      return answer(d, r);
    }
    return complete ? r.result() : null;
  }

  /** The status of a complete request. */
  private @Nullable Status answer(Determinants d, MessageRequest r) {
    if (d.haveAnswer()) {
      return d.answer() ? messenger.waitFor(r) : null;
    }
    boolean complete = !r.pending();
    d.answered(complete);
    return complete ? r.result() : null;
  }

  /** {@link MessageRequest#cancel}. */
  boolean cancel(MessageRequest r) {
    Determinants d = r.send || r.toBeCancelled ? null : of(r);
    if (d == null) {
      return messenger.cancel(r);
    }
    if (d.haveAnswer()) {
      boolean before = d.answer();
      assert !before : "a receive was cancelled that is not to be";
      boolean _ = messenger.completed(r); // it is checked as in any call
      return false;
    }
    boolean cancelled = messenger.cancel(r);
    if (cancelled) {
      d.cancelled(r.posted);
    } else {
      d.answered(false);
    }
    return cancelled;
  }

  /** {@link MessageRequest#progress}. */
  void progress(MessageRequest r) {
    Determinants d = of(r);
    if (d != null && d.haveJustAnswered()) {
      // What the program waits for may have come before it was asked for.
      boolean _ = messenger.completed(r);
      messenger.poll();
    } else {
      messenger.progress(r);
    }
  }

  // ---- probes

  /** {@link PointToPoint#probe}. */
  Status probe(int source, int context, long tag) {
    Determinants d = Determinants.isOpen(source) ? recording() : null;
    if (d == null) {
      return messenger.probe(source, context, tag);
    }
    long before = d.find();
    if (before != Determinants.UNKNOWN) {
      return messenger.probe(Determinants.source(before), context, Determinants.tag(before));
    }
    Status status = messenger.probe(source, context, tag);
    d.found(status.source(), status.tag());
    return status;
  }

  /** {@link PointToPoint#iprobe}. */
  @Nullable Status iprobe(int source, int context, long tag) {
    Determinants d = recording();
    if (d == null) {
      return messenger.iprobe(source, context, tag);
    }
    if (d.haveAnswer()) {
      if (!d.answer()) {
        messenger.poll();
        return null;
      }
      long before = d.find();
      return messenger.probe(Determinants.source(before), context, Determinants.tag(before));
    }
    Status status = messenger.iprobe(source, context, tag);
    if (status == null) {
      d.answered(false);
    } else {
      d.foundAtOnce(status.source(), status.tag());
    }
    return status;
  }

  private @Nullable Determinants recording() {
    MessageLog kept = log;
    return kept == null ? null : kept.determinants();
  }
}
