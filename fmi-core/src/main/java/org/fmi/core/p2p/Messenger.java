package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.control.Counter;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Landing;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Carries one rank's messages for the life of its process, epoch after epoch: where calls and
 * frames come in, and where epochs begin and end.
 *
 * <p>The protocol is described in the {@link org.fmi.core.p2p package}. Used by one thread at a
 * time, the application's; {@link #revoke} and {@link #wakeup} may be called by any.
 */
public final class Messenger implements PointToPoint, FrameHandler {
  private final int rank;
  private final int size;
  private final MessengerListener listener;
  private final Frame frame = new Frame();
  private final Epoch epoch;
  private final SendList unsent;
  private final Requests requests;
  private final Peers peers;
  private final Mailbox mailbox;
  private final Outbox outbox;
  private final Waits waits;
  private final Unreceived unreceived;
  private final Answers answers = new Answers(this);

  // ---- the epoch
  private Transport[] transports = {};
  private @Nullable NodeShare share;

  // ---- the process
  private long staleFrames;

  private @Nullable MessageLog log;

  /**
   * A messenger outside of any epoch; {@link #enter} comes next.
   *
   * @param waiting how it waits; for this messenger alone
   */
  public Messenger(int rank, int size, WaitStrategy waiting, MessengerListener listener) {
    this.rank = rank;
    this.size = size;
    this.listener = listener;
    OneThread thread = new OneThread(rank, this::wakeup);
    epoch = new Epoch(thread, this::onRevoked);
    unsent = new SendList(size);
    requests = new Requests(rank, size, epoch, () -> new MessageRequest(this, epoch));
    LineMessages lines = new LineMessages(size);
    peers = new Peers(rank, size, frame, unsent, requests, lines);
    mailbox = new Mailbox(peers, requests, unsent, lines);
    waits = new Waits(rank, epoch, thread, this, listener, peers, mailbox, unsent, lines, waiting);
    unreceived = new Unreceived(epoch, peers, mailbox, requests, waits, lines);
    outbox = new Outbox(rank, epoch, peers, mailbox, requests, unsent, waits, lines);
  }

  // ---- its parts, for the package

  Epoch currentEpoch() {
    return epoch;
  }

  Outbox outbox() {
    return outbox;
  }

  Mailbox mailbox() {
    return mailbox;
  }

  Requests requests() {
    return requests;
  }

  /** The calls that ask how far a request is. */
  Answers answers() {
    return answers;
  }

  /** The program's messages that no receive has matched. */
  public Unreceived unreceived() {
    return unreceived;
  }

  // ---- epochs

  /**
   * Begins an epoch: forgets all messages, requests and windows of those before.
   *
   * @param epochTransports in order of preference, already opened; a peer is served by the first
   *     one that reaches it. The caller starts them before the first send, and closes those of the
   *     old epoch.
   * @throws IllegalArgumentException if the epoch is not newer than the one before
   */
  public void enter(int newEpoch, Transport[] epochTransports) {
    begin(newEpoch, epochTransports, true);
    unsent.reset();
    requests.reset();
    peers.reset(transports);
    mailbox.reset();
    outbox.reset();
    waits.reset(transports);
  }

  /**
   * Begins an epoch in which the program's calls go on where they are: receives wait for messages
   * that will come again, and sends are complete, as {@link #sendAgain} sends what has not come.
   * Calls of the runtime that were interrupted are forgotten.
   */
  public void goOn(int newEpoch, Transport[] epochTransports) {
    MessageLog kept = Objects.requireNonNull(log);
    begin(newEpoch, epochTransports, false);
    List<MessageRequest> receives = new ArrayList<>();
    peers.leave(receives);
    unsent.reset();
    peers.reset(transports);
    mailbox.goOn(receives);
    outbox.reset();
    waits.reset(transports);
    kept.enterEpoch();
  }

  private void begin(int newEpoch, Transport[] epochTransports, boolean voids) {
    epoch.begin(newEpoch, voids);
    transports = epochTransports.clone();
    share = null;
    for (Transport t : transports) {
      share = share == null ? t.share() : share;
    }
    frame.epoch = newEpoch;
    frame.base = null;
  }

  /** Keeps a log of what the program sends, and of what has come for it. */
  public void log(MessageLog kept) {
    log = kept;
    requests.log(kept);
    answers.log(kept);
    mailbox.log(kept);
    outbox.log(kept);
  }

  /** All ranks stand at a line: the log begins there, or ends. */
  public void line(boolean begins) {
    Objects.requireNonNull(log).line(begins);
    mailbox.line();
  }

  /** Sends a rank again what has not come there: as many messages, and as many bytes. */
  public long[] sendAgain(int dest) {
    return outbox.sendAgain(Objects.requireNonNull(log), dest);
  }

  /**
   * Ends an epoch: all communication calls of it throw {@link Rollback}, those that block now
   * included, until the next {@link #enter}. An epoch that is not entered yet may be ended too; one
   * that is over is ignored. Any thread.
   */
  public void revoke(int ended, String why) {
    if (epoch.revoke(ended, why)) {
      waits.wakeup();
    }
  }

  /**
   * The last epoch is over: from now on every call throws {@link IllegalStateException}. Leaves the
   * transports to the caller, to be closed or not.
   */
  public void close() {
    epoch.close();
    revoke(epoch.number(), "Fmi is closed");
    transports = new Transport[0];
  }

  /** Whether the current epoch is over. */
  public boolean revoked() {
    return epoch.isRevoked();
  }

  /** The current epoch; -1 before the first. */
  @Override
  public int epoch() {
    return epoch.number();
  }

  private void onRevoked(int ended, String reason) {
    // From here on the program may use the memory of its messages for something else.
    for (Transport t : transports) {
      RemoteMemory remote = t.remoteMemory();
      if (remote != null) {
        remote.stop();
      }
    }
    waits.within(() -> listener.revoked(ended, reason));
  }

  /** The error of a call that communicates after the end. */
  public static IllegalStateException afterClose() {
    return new IllegalStateException(
        "a call after Fmi.close, with which all communication has ended: call close last");
  }

  // ---- sending

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void send(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    outbox.send(base, offset, bytes, dest, context, tag, mode);
  }

  @Override
  public Request isend(
      Object base, long offset, long bytes, int dest, int context, long tag, Mode mode) {
    return outbox.isend(base, offset, bytes, dest, context, tag, mode);
  }

  @Override
  public void attachBuffer(long bytes) {
    epoch.check();
    while (bytes == 0 && requests.attached.inUse()) {
      waits.progress(null);
    }
    requests.attached.room(bytes);
  }

  /** Standard sends that lack credit are complete as copies from now on, which take this much. */
  public void copies(long bytes) {
    requests.copies.room(bytes);
  }

  /** Room for buffered sends in bytes, free or not. */
  public long attached() {
    return requests.attached.bytes();
  }

  // ---- receiving

  @Override
  public Status recv(Object base, long offset, long bytes, int source, int context, long tag) {
    epoch.check();
    MessageRequest r = requests.takeReceive(base, offset, bytes, source, context, tag);
    mailbox.post(r);
    return complete(r);
  }

  /** Gives the caller no request: the receive is one that blocking calls use again. */
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
    epoch.check();
    MessageRequest r = requests.takeReceive(in, inOffset, inBytes, source, context, inTag);
    mailbox.post(r);
    try {
      send(out, outOffset, outBytes, dest, context, outTag, Mode.STANDARD);
    } catch (RuntimeException | Error e) {
      withdrawReceive(r);
      throw e;
    }
    return complete(r);
  }

  /** The call that receives has failed: its receive must not take a message that is to come. */
  void withdrawReceive(MessageRequest r) {
    if (r.since == epoch.since() && r.pending() && !r.hasMatched()) {
      mailbox.withdraw(r);
    }
  }

  /** Waits for the receive of a blocking call. */
  Status complete(MessageRequest r) {
    try {
      waits.await(r);
    } catch (RuntimeException | Error e) {
      withdrawReceive(r);
      throw e;
    }
    try {
      return requests.result(r);
    } finally {
      requests.give(r);
    }
  }

  @Override
  public Request irecv(Object base, long offset, long bytes, int source, int context, long tag) {
    epoch.check();
    MessageRequest r = requests.makeReceive(base, offset, bytes, source, context, tag);
    requests.count(r);
    mailbox.post(r);
    return r;
  }

  @Override
  public Status probe(int source, int context, long tag) {
    epoch.check();
    return requests.status(waits.await(source, context, tag));
  }

  @Override
  public @Nullable Status iprobe(int source, int context, long tag) {
    epoch.check();
    UnexpectedMessage m = mailbox.find(source, context, tag);
    if (m == null) {
      mailbox.allowMoreAnnouncements();
      waits.poll();
      m = mailbox.find(source, context, tag);
    }
    return m == null ? null : requests.status(m);
  }

  // ---- requests

  Status waitFor(MessageRequest r) {
    epoch.check(r.since);
    waits.await(r);
    return r.result();
  }

  boolean test(MessageRequest r) {
    epoch.check(r.since);
    if (r.pending()) {
      waits.poll();
    }
    if (r.pending()) {
      return false;
    }
    r.result();
    return true;
  }

  /** {@link #test} without progress, and without its result. */
  boolean completed(MessageRequest r) {
    epoch.check(r.since);
    return !r.pending();
  }

  boolean cancel(MessageRequest r) {
    epoch.check(r.since);
    if (!r.pending() || r.send || r.hasMatched()) {
      return false;
    }
    mailbox.withdraw(r);
    requests.cancel(r);
    return true;
  }

  /** Blocks until something may have changed. */
  void progress(MessageRequest r) {
    epoch.check(r.since);
    waits.progress(r);
  }

  Status result(MessageRequest r) {
    return requests.result(r);
  }

  // ---- frames

  /** Takes a frame that has arrived. Frames of other epochs end here, and nowhere else. */
  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    if (memory.get(FrameLayout.INT, at + FrameLayout.EPOCH) != epoch.number()) {
      staleFrames++;
      return;
    }
    Peer p = peers.get(peer);
    byte kind = memory.get(FrameLayout.BYTE, at + FrameLayout.KIND);
    long sequence = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    long length = memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH);
    switch (kind) {
      case FrameKind.EAGER ->
          mailbox.onEager(
              p,
              memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT),
              memory.get(FrameLayout.LONG, at + FrameLayout.TAG),
              length,
              memory,
              at + FrameLayout.HEADER_BYTES);
      case FrameKind.RTS ->
          mailbox.onAnnouncement(
              p,
              memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT),
              memory.get(FrameLayout.LONG, at + FrameLayout.TAG),
              sequence,
              length,
              memory,
              at);
      case FrameKind.CTS -> p.onClear(sequence, length);
      case FrameKind.DATA -> onData(p, sequence, memory, at);
      case FrameKind.CREDIT -> p.onCredit(length, sequence);
      case FrameKind.HELD -> waits.onHeld(p);
      case FrameKind.ANNOUNCE -> p.onAnnounce();
      case FrameKind.DECIDED -> requests.onDecided(peer, memory, at);
      case FrameKind.ASK -> waits.onAsk(p);
      case FrameKind.LEFT -> waits.onLeft(p);
      case FrameKind.STUCK -> waits.onStuck(p);
      default ->
          throw new IllegalStateException("rank " + peer + " sent a frame of unknown kind " + kind);
    }
  }

  @Override
  public void onRead(int peer, long sequence, boolean whole) {
    peers.get(peer).read(sequence, whole);
  }

  private void onData(Peer p, long sequence, MemorySegment memory, long at) {
    MessageRequest r = p.receiving(sequence);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    Memory.fromSegment(memory, at + FrameLayout.HEADER_BYTES, r.base, r.offset + r.moved, payload);
    moved(p, r, sequence, payload);
  }

  /** Data of announced messages can be put where it belongs. */
  @Override
  public boolean land(int peer, MemorySegment memory, long at, Landing landing) {
    if (memory.get(FrameLayout.INT, at + FrameLayout.EPOCH) != epoch.number()
        || memory.get(FrameLayout.BYTE, at + FrameLayout.KIND) != FrameKind.DATA) {
      return false;
    }
    MessageRequest r =
        peers.get(peer).receiving(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE));
    if (r.base instanceof boolean[]) {
      return false; // whose elements are more than bytes
    }
    landing.base = r.base;
    landing.offset = r.offset + r.moved;
    return true;
  }

  @Override
  public void onLanded(int peer, MemorySegment memory, long at) {
    Peer p = peers.get(peer);
    long sequence = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    moved(p, p.receiving(sequence), sequence, payload);
  }

  private void moved(Peer p, MessageRequest r, long sequence, int payload) {
    r.moved += payload;
    assert r.moved <= r.matchedLength : "more has come than the message has";
    if (r.moved == r.matchedLength) {
      p.received(sequence);
      requests.finishReceive(r);
    }
  }

  @Override
  public void onPeerLost(int peer, String why) {
    listener.peerLost(peer, why);
  }

  // ---- shared memory

  @Override
  public @Nullable NodeShare share() {
    epoch.check();
    return share;
  }

  @Override
  public boolean mayWaitBusily() {
    return waits.mayWaitBusily();
  }

  @Override
  public void awaitShared(MemorySegment memory, long offset, long least, int source, int context) {
    waits.await(memory, offset, least, source, context);
  }

  // ---- progress

  /**
   * The program has left and makes no more calls, but for what the runtime does to end it. If
   * another rank waits for a message of it, all that blocks from now on throws {@link
   * FmiException}.
   */
  public void leave() {
    waits.leave();
  }

  /** Makes what progress is possible now. */
  public void poll() {
    waits.poll();
  }

  /** Makes progress; blocks until something may have changed, or {@link #wakeup} is called. */
  public void park() {
    waits.progress(null);
  }

  /** Ends a {@link #park}, now or the next one. Any thread. */
  public void wakeup() {
    waits.wakeup();
  }

  // ---- checkpoints

  /** Non-blocking operations of the program that are not complete. */
  public int activeRequests() {
    return requests.active();
  }

  /** Messages of the program to others in this epoch, counted when they are sent or queued. */
  public long userSent() {
    return outbox.userSent();
  }

  /** Messages of others to the program in this epoch, counted when they or their RTS arrived. */
  public long userArrived() {
    return mailbox.userArrived();
  }

  /** Adds what this process has counted. Any thread: the numbers may be a little old. */
  public void count(Map<Counter, Long> counters) {
    outbox.count(counters);
    mailbox.count(counters);
    waits.count(counters);
    peers.count(counters);
  }

  /** The call that has not returned for a while, if there is one. Any thread. */
  public @Nullable LongWait longWait() {
    return waits.longWait();
  }

  /** Frames dropped because they belonged to another epoch. */
  public long staleFrames() {
    return staleFrames;
  }
}
