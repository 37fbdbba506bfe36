package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.FlowPart;
import org.fmi.core.p2p.Losses;
import org.fmi.core.p2p.Mailbox;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.Outbox;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Requests;
import org.fmi.core.p2p.Turns;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * Passes the program's calls to a {@link Recorder} while it is on, which records or replays them;
 * otherwise forwards them to the {@link Messenger}.
 *
 * <p>The runtime's own calls go to the messenger directly, and so are never recorded. A call that
 * is not recorded costs one test of a field.
 */
public final class Recording implements PointToPoint {
  private final Messenger messenger;
  private final Outbox outbox;
  private final Mailbox mailbox;
  private final Requests requests;
  private final Runnable onCall;
  private Recorder recorder;

  /** Observes calls in loops; null if there is no observer. */
  private @Nullable CallObserver observer;

  /** The reach of the part of a {@code flowLoop} that is running; null outside. */
  private @Nullable FlowPart reach;

  private @Nullable Turns turns;

  /**
   * Calls on a messenger, neither recorded nor replayed at first.
   *
   * @param limit maximum size of the record, in bytes
   * @param onCall run when a recorded or replayed call begins
   */
  public Recording(Messenger messenger, long limit, Runnable onCall) {
    this.messenger = messenger;
    this.outbox = messenger.outbox();
    this.mailbox = messenger.mailbox();
    this.requests = messenger.requests();
    this.onCall = onCall;
    this.recorder = new Recorder(limit);
  }

  /** The recorder of this rank; off at first. */
  public Recorder recorder() {
    return recorder;
  }

  /** Continues with another record, such as one from a checkpoint. */
  public void recorder(Recorder next) {
    recorder = next;
  }

  /** Shows calls that are not recorded to an observer from now on. */
  public void observer(CallObserver seeing) {
    observer = seeing;
  }

  /** Sets the reach of a part of a {@code flowLoop} that begins; null as it ends. */
  public void reach(@Nullable FlowPart of) {
    reach = of;
  }

  @Override
  public @Nullable FlowPart reach() {
    return reach;
  }

  /** From now on collectives carry the iteration that they are called in. */
  public void turns(Turns of) {
    turns = of;
  }

  @Override
  public int turn() {
    Turns of = turns;
    return of == null ? Turns.NONE : of.now(messenger.epoch());
  }

  @Override
  public void turnsDiffer(int source, long theirs) {
    Turns of = turns;
    if (of != null) {
      of.differ(rank(), source, CollectiveCall.text(theirs), CollectiveCall.turn(theirs));
    }
  }

  /** The number of the program's pending nonblocking operations. */
  public int activeRequests() {
    return requests.active();
  }

  /** Shows a send that is not recorded to the observer. */
  private void sends(Object base, long offset, long bytes, int dest, int context, long tag) {
    CallObserver seeing = observer;
    if (seeing != null && !recorder.on()) {
      seeing.sends(base, offset, bytes, dest, context, tag);
    }
  }

  /** Shows a receive that is not recorded to the observer. */
  private void receives(int source) {
    CallObserver seeing = observer;
    if (seeing != null && !recorder.on()) {
      seeing.receives(source);
    }
  }

  /** Begins a call that sends or receives. Returns whether it is recorded or replayed. */
  private boolean begin() {
    if (!recorder.on()) {
      return false;
    }
    messenger.check();
    onCall.run();
    return true;
  }

  @Override
  public int rank() {
    return messenger.rank();
  }

  @Override
  public int size() {
    return messenger.size();
  }

  @Override
  public int epoch() {
    return messenger.epoch();
  }

  @Override
  public void requireCaller() {
    messenger.requireCaller();
  }

  @Override
  public void attend() {
    messenger.attend();
  }

  @Override
  public Losses losses() {
    return messenger.losses();
  }

  // ---- sending

  @Override
  public void send(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    sends(base, offset, bytes, dest, context, tag);
    if (!begin() || !replaySend(bytes, dest, context, tag, mode, true)) {
      messenger.send(base, offset, bytes, dest, context, tag, mode);
    }
  }

  @Override
  public Request isend(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    sends(base, offset, bytes, dest, context, tag);
    if (!begin()) {
      return messenger.isend(base, offset, bytes, dest, context, tag, mode);
    }
    if (replaySend(bytes, dest, context, tag, mode, false)) {
      MessageRequest r = requests.makeSend(base, offset, bytes, dest, context, tag, mode);
      r.completeSend();
      return new RecordedRequest(this, r);
    }
    return new RecordedRequest(this, outbox.begin(base, offset, bytes, dest, context, tag, mode));
  }

  /**
   * Records or replays a send.
   *
   * @return whether the send must not really be made
   * @throws FmiException if it was refused
   */
  private boolean replaySend(
      long bytes, int dest, int context, long tag, Mode mode, boolean blocking) {
    boolean replayed = recorder.send(dest, context, tag, bytes);
    boolean refusable =
        mode == Mode.BUFFERED || (mode == Mode.SYNCHRONOUS && blocking && dest == messenger.rank());
    if (refusable && !recorder.answer(outbox.accepts(bytes, context, tag, mode))) {
      throw outbox.refusal(bytes, tag, mode);
    }
    return replayed;
  }

  @Override
  public void attachBuffer(long bytes) {
    messenger.attachBuffer(bytes);
  }

  // ---- receiving

  @Override
  public Status recv(Object base, long offset, long bytes, int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.recv(base, offset, bytes, source, context, tag);
    }
    MessageRequest r = requests.takeReceive(base, offset, bytes, source, context, tag);
    post(r);
    return complete(r);
  }

  @Override
  public Status sendRecv(
      Object out,
      long outOffset,
      long outBytes,
      int dest,
      long outTag,
      Object in,
      long inOffset,
      long inBytes,
      int source,
      long inTag,
      int context) {
    receives(source);
    if (!begin()) {
      sends(out, outOffset, outBytes, dest, context, outTag);
      return messenger.sendRecv(
          out, outOffset, outBytes, dest, outTag, in, inOffset, inBytes, source, inTag, context);
    }
    MessageRequest r = requests.takeReceive(in, inOffset, inBytes, source, context, inTag);
    post(r);
    try {
      send(out, outOffset, outBytes, dest, context, outTag, Mode.STANDARD);
    } catch (RuntimeException | Error e) {
      if (!recorder.replaying()) {
        messenger.withdrawReceive(r);
      }
      throw e;
    }
    return complete(r);
  }

  @Override
  public NewArray recvNew(Object empty, int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.recvNew(empty, source, context, tag);
    }
    MessageRequest r = requests.takeReceive(empty, 0, ALLOCATE, source, context, tag);
    post(r);
    requireAnswer(r);
    return messenger.completeNew(r);
  }

  @Override
  public Request irecv(Object base, long offset, long bytes, int source, int context, long tag) {
    receives(source);
    return begin()
        ? irecvRecorded(base, offset, bytes, source, context, tag)
        : messenger.irecv(base, offset, bytes, source, context, tag);
  }

  @Override
  public ArrayRequest irecvNew(Object empty, int source, int context, long tag) {
    receives(source);
    return begin()
        ? irecvRecorded(empty, 0, ALLOCATE, source, context, tag)
        : messenger.irecvNew(empty, source, context, tag);
  }

  private RecordedRequest irecvRecorded(
      Object base, long offset, long bytes, int source, int context, long tag) {
    MessageRequest r = requests.makeReceive(base, offset, bytes, source, context, tag);
    if (recorder.receive(r)) {
      if (r.pending()) {
        requests.count(r);
      }
    } else {
      requests.count(r);
      mailbox.post(r);
    }
    return new RecordedRequest(this, r);
  }

  private void post(MessageRequest r) {
    if (!recorder.receive(r)) {
      mailbox.post(r);
    }
  }

  private Status complete(MessageRequest r) {
    requireAnswer(r);
    return messenger.complete(r);
  }

  /** Fails a wait of a replay that the record does not satisfy: nothing else will arrive. */
  private void requireAnswer(MessageRequest r) {
    if (recorder.replaying() && r.pending()) {
      throw recorder.mismatch("waiting for " + Recorder.receiveOf(r));
    }
  }

  @Override
  public Status probe(int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.probe(source, context, tag);
    }
    if (recorder.replaying()) {
      return recorder.replayProbe(source, context, tag);
    }
    Status s = messenger.probe(source, context, tag);
    recorder.found(s);
    return s;
  }

  @Override
  public @Nullable Status iprobe(int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.iprobe(source, context, tag);
    }
    if (recorder.replaying()) {
      return recorder.answer(false) ? recorder.replayProbe(source, context, tag) : null;
    }
    Status s = messenger.iprobe(source, context, tag);
    recorder.answer(s != null);
    if (s != null) {
      recorder.found(s);
    }
    return s;
  }

  @Override
  public MessageRequest mprobe(int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.mprobe(source, context, tag);
    }
    if (recorder.replaying()) {
      return matchAgain(source, context, tag);
    }
    MessageRequest r = messenger.mprobe(source, context, tag);
    recorder.found(r);
    return r;
  }

  @Override
  public @Nullable MessageRequest improbe(int source, int context, long tag) {
    receives(source);
    if (!begin()) {
      return messenger.improbe(source, context, tag);
    }
    if (recorder.replaying()) {
      return recorder.answer(false) ? matchAgain(source, context, tag) : null;
    }
    MessageRequest r = messenger.improbe(source, context, tag);
    recorder.answer(r != null);
    if (r != null) {
      recorder.found(r);
    }
    return r;
  }

  private MessageRequest matchAgain(int source, int context, long tag) {
    Status found = recorder.replayProbe(source, context, tag);
    MessageRequest r = requests.makeProbed(found.source(), context, found.tag(), found.bytes());
    requests.count(r);
    return r;
  }

  @Override
  public ArrayRequest imrecv(
      MessageRequest probed, Object base, long offset, long bytes, long tag) {
    if (!begin()) {
      return messenger.imrecv(probed, base, offset, bytes, tag);
    }
    messenger.check(probed);
    probed.use(base, offset, bytes, tag);
    if (!recorder.receive(probed)) {
      mailbox.postProbed(probed);
    } else if (!probed.pending()) {
      requests.uncount(probed);
    }
    return new RecordedRequest(this, probed);
  }

  // ---- requests begun while the recorder was on

  Status waitFor(MessageRequest r) {
    if (!recorder.replaying()) {
      return messenger.waitFor(r);
    }
    messenger.check();
    requireAnswer(r);
    return r.result();
  }

  /**
   * Whether a request is complete.
   *
   * @param progress whether to make progress if it is not
   */
  boolean test(RecordedRequest request, boolean progress) {
    MessageRequest r = request.request();
    if (!recorder.on()) {
      boolean complete = messenger.completed(r);
      if (!complete && progress) {
        messenger.poll();
        complete = messenger.completed(r);
      }
      return complete;
    }
    if (recorder.replaying()) {
      messenger.check();
    } else if (!messenger.completed(r) && progress) {
      messenger.poll();
    }
    return answer(request, !r.pending());
  }

  private boolean answer(RecordedRequest request, boolean complete) {
    // Complete once means complete forever. Recording it again each time that a program tests all
    // of its requests would fill the record.
    if (request.seenComplete) {
      return complete;
    }
    boolean answer = recorder.answer(complete);
    if (answer && request.request().pending()) {
      throw recorder.mismatch("a test of a request");
    }
    request.seenComplete = answer;
    return answer;
  }

  boolean cancel(MessageRequest r) {
    if (!recorder.on()) {
      return messenger.cancelNow(r);
    }
    if (!recorder.replaying()) {
      return recorder.answer(messenger.cancelNow(r));
    }
    messenger.check();
    boolean cancelled = recorder.answer(false);
    if (cancelled) {
      requests.cancel(r);
    }
    return cancelled;
  }

  void progress(MessageRequest r) {
    if (recorder.replaying()) {
      messenger.check();
    } else {
      messenger.progressNow(r);
    }
  }

  // ---- shared memory

  @Override
  public @Nullable NodeShare share() {
    NodeShare share = messenger.share();
    return recorder.on() || observer != null || messenger.ledger().isOn() ? null : share;
  }

  @Override
  public boolean mayWaitBusily() {
    return messenger.mayWaitBusily();
  }

  @Override
  public void awaitShared(MemorySegment memory, long offset, long least, int source, int context) {
    messenger.awaitShared(memory, offset, least, source, context);
  }

  @Override
  public void nudge(NodeShare share, int rank) {
    messenger.nudge(share, rank);
  }
}
