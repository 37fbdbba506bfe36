package org.fmi.core.p2p;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
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
 * Carries one rank's messages for the life of its process, epoch after epoch: the entry point of
 * calls and frames, and the place where epochs begin and end.
 *
 * <p>The protocol is described in the {@link org.fmi.core.p2p package}. Used by one thread at a
 * time, the application's; any thread may call {@link #revoke} and {@link #wakeup}.
 */
public final class Messenger implements PointToPoint, FrameHandler {
  private final int rank;
  private final int size;
  private final MessengerListener listener;
  private final Frame frame = new Frame();
  private final OneThread thread;
  private final Epoch epoch;
  private final Losses losses;
  private final SendList unsent;
  private final Requests requests;
  private final Peers peers;
  private final Mailbox mailbox;
  private final Outbox outbox;
  private final Waits waits;

  private Transport[] transports = {};
  private @Nullable NodeShare share;

  /** The epoch whose frames are taken without a further look; -1 once a peer's are not. */
  private int taken = -1;

  /** The peers that have sent a damaged frame in this epoch, or have died. */
  private final BitSet silenced = new BitSet();

  /** Deaths and revocations that no call has attended to, in order. */
  private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();

  // ---- the process
  private long staleFrames;

  private Ledger ledger = Ledger.NONE;

  /**
   * A messenger outside of any epoch; {@link #enter} follows.
   *
   * @param waiting its wait strategy, not shared with another messenger
   */
  public Messenger(int rank, int size, WaitStrategy waiting, MessengerListener listener) {
    this(rank, size, waiting, listener, false);
  }

  /**
   * The same.
   *
   * @param shrinks whether the job continues without ranks that have died
   */
  public Messenger(
      int rank, int size, WaitStrategy waiting, MessengerListener listener, boolean shrinks) {
    this.rank = rank;
    this.size = size;
    this.listener = listener;
    thread = new OneThread(rank, this::wakeup);
    epoch = new Epoch(thread, this::onRevoked, this::onNews);
    losses = new Losses(size, shrinks);
    unsent = new SendList(size, listener);
    requests = new Requests(rank, size, epoch, losses, () -> new MessageRequest(this, epoch));
    peers = new Peers(rank, size, frame, unsent, requests, losses);
    mailbox = new Mailbox(peers, requests, unsent, losses);
    waits = new Waits(rank, epoch, thread, this, listener, peers, mailbox, unsent, losses, waiting);
    outbox = new Outbox(rank, epoch, peers, mailbox, requests, unsent, waits, losses, listener);
  }

  /** Refuses all calls of a thread that has not started yet: it runs listeners. */
  public void refuse(Thread listener) {
    thread.refuse(listener);
  }

  /**
   * Refuses a call of the thread that runs listeners.
   *
   * @throws IllegalStateException if this is that thread
   */
  public void requireNoListener() {
    thread.requireNoListener();
  }

  // ---- parts, for the package and for ledgers

  /** The sending side. */
  public Outbox outbox() {
    return outbox;
  }

  /** The matching of messages and receives. */
  public Mailbox mailbox() {
    return mailbox;
  }

  /** The pending requests. */
  public Requests requests() {
    return requests;
  }

  /** Passes on each receive whose data is in transit. */
  public void forEachIncoming(Consumer<MessageRequest> each) {
    peers.forEachIncoming(each);
  }

  /** The ledger that tracks the messages. */
  public Ledger ledger() {
    return ledger;
  }

  /** Sets the ledger that tracks the messages from now on. */
  public void ledger(Ledger next) {
    ledger = next;
    requests.ledger(next);
    peers.ledger(next);
    mailbox.ledger(next);
    outbox.ledger(next);
    waits.ledger(next);
  }

  // ---- epochs

  /**
   * Begins an epoch: drops all messages, requests and windows of earlier ones.
   *
   * @param epochTransports open transports in order of preference; a peer is served by the first
   *     one that reaches it. The caller starts them before the first send, and closes the
   *     transports of the old epoch.
   * @throws IllegalArgumentException if the epoch is not newer than the previous one
   */
  public void enter(int newEpoch, Transport[] epochTransports) {
    begin(newEpoch, epochTransports, true);
    unsent.reset();
    requests.reset();
    peers.reset(transports);
    mailbox.reset();
    outbox.reset();
    waits.reset(transports);
    ledger.enters(false);
  }

  /**
   * Begins an epoch in which the program's calls continue: receives wait for messages that will be
   * sent again, and sends are complete, as the ledger resends messages that were not received.
   * Drops interrupted calls of the runtime.
   */
  public void resume(int newEpoch, Transport[] epochTransports) {
    begin(newEpoch, epochTransports, false);
    List<MessageRequest> receives = new ArrayList<>();
    peers.leave(receives);
    unsent.reset();
    peers.reset(transports);
    mailbox.resume(receives);
    outbox.reset();
    waits.reset(transports);
    ledger.enters(true);
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
    taken = newEpoch;
    silenced.clear();
  }

  /** The epoch in which requests became void last. */
  public int since() {
    return epoch.since();
  }

  /**
   * Ends an epoch: all its communication calls throw {@link Rollback}, blocked ones included, until
   * the next {@link #enter}. An epoch may be ended before it is entered; an epoch that is over is
   * ignored. Any thread.
   */
  public void revoke(int ended, String why) {
    if (epoch.revoke(ended, why)) {
      waits.wakeup();
    }
  }

  /**
   * Ends the last epoch: from now on every call throws {@link IllegalStateException}. The caller
   * decides whether to close the transports.
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

  // ---- losses, in a job that continues without the dead

  @Override
  public void requireCaller() {
    thread.require();
  }

  @Override
  public void attend() {
    if (losses.tracks()) {
      epoch.check();
    }
  }

  @Override
  public Losses losses() {
    return losses;
  }

  /**
   * A rank has died. The next call, or the one that waits, ends all that needs it. Any thread, in
   * the order of the deaths.
   *
   * @param seq the number of the death
   */
  public void died(long seq, int dead, String reason) {
    tell(
        () -> {
          if (losses.died(seq, dead, reason)) {
            taken = -1;
            silenced.set(dead);
            peers.bury(dead);
          }
        });
  }

  /** A member has revoked a communicator. Any thread. */
  public void revokedCommunicator(int id) {
    tell(() -> losses.revoked(id));
  }

  private void tell(Runnable what) {
    news.add(what);
    epoch.news();
    waits.wakeup();
  }

  private void onNews() {
    // What a rank had sent before it died may still be received.
    waits.takeIn();
    for (Runnable each = news.poll(); each != null; each = news.poll()) {
      each.run();
    }
    peers.endContexts();
    mailbox.endHopeless();
  }

  private void onRevoked(int ended, String reason) {
    // From here on the program may reuse the memory of its messages.
    for (Transport t : transports) {
      RemoteMemory remote = t.remoteMemory();
      if (remote != null) {
        remote.stop();
      }
    }
    waits.within(() -> listener.revoked(ended, reason));
  }

  /**
   * Throws if the epoch is over, unless a newer one is entered, or if called by a second thread.
   */
  public void check() {
    epoch.check();
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

  /**
   * Lets standard sends that lack credit complete as copies from now on, within this many bytes.
   */
  public void copies(long bytes) {
    requests.copies.room(bytes);
  }

  /** The room for buffered sends in bytes, free or not. */
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

  /** Sends and receives without handing out a request, so that the receive can be reused. */
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
      stopReceiving(r);
      throw e;
    }
    return complete(r);
  }

  /** Withdraws the receive of a failed call, so that it takes no later message. */
  public void withdrawReceive(MessageRequest r) {
    if (r.since == epoch.since() && r.pending() && !r.hasMatched()) {
      mailbox.withdraw(r);
    }
  }

  /** Lets nothing more arrive in the buffer of a receive whose call fails, if the job continues. */
  private void stopReceiving(MessageRequest r) {
    if (losses.any() && r.pending() && r.hasMatched()) {
      Peer from = peers.known(r.matchedSource);
      if (from != null) {
        from.discard(r);
        requests.fail(r, MessageRequest.State.PEER_DEAD);
      }
    }
  }

  /** Waits for the receive of a blocking call. */
  public Status complete(MessageRequest r) {
    await(r);
    try {
      return requests.result(r);
    } finally {
      requests.give(r);
    }
  }

  /** The same of one that makes its array. */
  public NewArray completeNew(MessageRequest r) {
    await(r);
    try {
      Status status = requests.result(r);
      return new NewArray(r.base, status);
    } finally {
      requests.give(r);
    }
  }

  private void await(MessageRequest r) {
    try {
      waits.await(r);
    } catch (RuntimeException | Error e) {
      withdrawReceive(r);
      throw e;
    }
  }

  @Override
  public NewArray recvNew(Object empty, int source, int context, long tag) {
    epoch.check();
    MessageRequest r = requests.takeReceive(empty, 0, ALLOCATE, source, context, tag);
    mailbox.post(r);
    return completeNew(r);
  }

  @Override
  public ArrayRequest irecvNew(Object empty, int source, int context, long tag) {
    return irecv(empty, 0, ALLOCATE, source, context, tag);
  }

  @Override
  public MessageRequest irecv(
      Object base, long offset, long bytes, int source, int context, long tag) {
    epoch.check();
    MessageRequest r = requests.makeReceive(base, offset, bytes, source, context, tag);
    requests.count(r);
    mailbox.post(r);
    return r;
  }

  @Override
  public Status probe(int source, int context, long tag) {
    return requests.status(find(source, context, tag));
  }

  @Override
  public @Nullable Status iprobe(int source, int context, long tag) {
    UnexpectedMessage m = findNow(source, context, tag);
    return m == null ? null : requests.status(m);
  }

  @Override
  public MessageRequest mprobe(int source, int context, long tag) {
    return claim(find(source, context, tag));
  }

  @Override
  public @Nullable MessageRequest improbe(int source, int context, long tag) {
    UnexpectedMessage m = findNow(source, context, tag);
    return m == null ? null : claim(m);
  }

  private MessageRequest claim(UnexpectedMessage m) {
    MessageRequest r = requests.makeProbed(m.source, m.context, m.tag, m.length);
    requests.count(r);
    mailbox.claim(m, r);
    return r;
  }

  @Override
  public ArrayRequest imrecv(
      MessageRequest probed, Object base, long offset, long bytes, long tag) {
    epoch.check(probed.since);
    probed.use(base, offset, bytes, tag);
    mailbox.postProbed(probed);
    return probed;
  }

  /** The message of a probe that waits. */
  private UnexpectedMessage find(int source, int context, long tag) {
    epoch.check();
    Ledger.Found found = ledger.finds(source, context, true);
    if (found != null) {
      return waits.await(found.source(), context, found.tag());
    }
    UnexpectedMessage m = waits.await(source, context, tag);
    ledger.found(source, context, true, m);
    return m;
  }

  /** The message of a probe that does not wait; null if there is none. */
  private @Nullable UnexpectedMessage findNow(int source, int context, long tag) {
    epoch.check();
    Ledger.Found found = ledger.finds(source, context, false);
    if (Ledger.Found.NOTHING.equals(found)) {
      waits.poll();
      return null;
    }
    if (found != null) {
      return waits.await(found.source(), context, found.tag());
    }
    UnexpectedMessage m = mailbox.find(source, context, tag);
    if (m == null) {
      mailbox.allowMoreAnnouncements();
      waits.poll();
      m = mailbox.find(source, context, tag);
      if (m == null) {
        losses.require(context, source);
      }
    }
    ledger.found(source, context, false, m);
    return m;
  }

  // ---- requests

  /** {@link Request#waitFor}. */
  public Status waitFor(MessageRequest r) {
    epoch.check(r.since);
    waits.await(r);
    return r.result();
  }

  boolean test(MessageRequest r) {
    epoch.check(r.since);
    if (r.pending()) {
      waits.poll();
    }
    return answer(r) != null;
  }

  @Nullable Status status(MessageRequest r) {
    epoch.check(r.since);
    return answer(r);
  }

  private @Nullable Status answer(MessageRequest r) {
    if (!ledger.answers(r, !r.pending())) {
      return null;
    }
    return r.pending() ? waitFor(r) : r.result();
  }

  /** Throws if a request is void; as {@link #check} otherwise. */
  public void check(MessageRequest r) {
    epoch.check(r.since);
  }

  /** Whether a request is complete, without progress, its result, or the ledger. */
  public boolean completed(MessageRequest r) {
    epoch.check(r.since);
    return !r.pending();
  }

  boolean cancel(MessageRequest r) {
    epoch.check(r.since);
    if (!ledger.mayCancel(r)) {
      return false;
    }
    boolean cancelled = cancelNow(r);
    ledger.cancels(r, cancelled);
    return cancelled;
  }

  /** Cancels a request if possible, without the ledger. */
  public boolean cancelNow(MessageRequest r) {
    epoch.check(r.since);
    if (!r.pending() || r.send || r.hasMatched() || r.isProbed()) {
      return false;
    }
    mailbox.withdraw(r);
    requests.cancel(r);
    return true;
  }

  /** Does the same as {@link MessageRequest#progress}. */
  void progress(MessageRequest r) {
    if (ledger.hasJustAnswered(r)) {
      // The awaited message may have arrived before the program asked for it.
      epoch.check(r.since);
      waits.poll();
    } else {
      progressNow(r);
    }
  }

  /** Blocks until something may have changed. */
  public void progressNow(MessageRequest r) {
    epoch.check(r.since);
    waits.progress(r);
  }

  Status result(MessageRequest r) {
    return requests.result(r);
  }

  // ---- frames

  /** Takes a frame that has arrived. The only place that drops frames of other epochs. */
  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    int of = memory.get(FrameLayout.INT, at + FrameLayout.EPOCH);
    if (of != taken && isDropped(peer, of)) {
      staleFrames++;
      return;
    }
    try {
      take(peers.get(peer), memory, at);
    } catch (DamagedFrame e) {
      broken(peer, e);
    }
  }

  private boolean isDropped(int peer, int of) {
    return of != epoch.number() || silenced.get(peer);
  }

  /**
   * Gives up the connection to a peer: its other frames of the epoch are dropped, as messages must
   * not close the gap.
   */
  private void broken(int peer, DamagedFrame why) {
    taken = -1;
    silenced.set(peer);
    onPeerLost(peer, "damaged frame: rank " + peer + " " + why.getMessage());
  }

  private void take(Peer p, MemorySegment memory, long at) {
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
      case FrameKind.LEDGER -> ledger.onFrame(p.rank, memory, at);
      case FrameKind.ASK -> waits.onAsk(p);
      case FrameKind.LEFT -> waits.onLeft(p);
      case FrameKind.STUCK -> waits.onStuck(p);
      default -> throw new DamagedFrame("sent a frame of unknown kind " + kind);
    }
  }

  @Override
  public void onRead(int peer, long sequence, boolean whole) {
    peers.get(peer).read(sequence, whole);
  }

  private void onData(Peer p, long sequence, MemorySegment memory, long at) {
    MessageRequest r = p.receiving(sequence);
    int payload = payloadOf(r, memory, at);
    if (!r.discards) {
      Memory.fromSegment(
          memory, at + FrameLayout.HEADER_BYTES, r.base, r.offset + r.moved, payload);
    }
    moved(p, r, sequence, payload);
  }

  /** The length of a part of an announced message, which its receive has room for. */
  private static int payloadOf(MessageRequest r, MemorySegment memory, long at) {
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    long length = memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH);
    if (length != r.matchedLength || payload < 0 || payload > length - r.moved) {
      throw new DamagedFrame(
          "sent %d bytes from byte %d on of a message of %d bytes, which was announced with %d"
              .formatted(payload, r.moved, length, r.matchedLength));
    }
    return payload;
  }

  /** Gives the destination of an announced message's data. */
  @Override
  public boolean land(int peer, MemorySegment memory, long at, Landing landing) {
    int of = memory.get(FrameLayout.INT, at + FrameLayout.EPOCH);
    if ((of != taken && isDropped(peer, of))
        || memory.get(FrameLayout.BYTE, at + FrameLayout.KIND) != FrameKind.DATA) {
      return false;
    }
    try {
      MessageRequest r =
          peers.get(peer).receiving(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE));
      if (r.discards || r.base instanceof boolean[]) {
        return false; // whose elements are more than bytes
      }
      int _ = payloadOf(r, memory, at);
      r.landing = landing;
      landing.base = r.base;
      landing.offset = r.offset + r.moved;
      return true;
    } catch (DamagedFrame e) {
      broken(peer, e);
      return false;
    }
  }

  @Override
  public void onLanded(int peer, MemorySegment memory, long at) {
    if (silenced.get(peer)) {
      return; // it has died since
    }
    Peer p = peers.get(peer);
    long sequence = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    MessageRequest r = p.receiving(sequence);
    r.landing = null;
    moved(p, r, sequence, payload);
  }

  private void moved(Peer p, MessageRequest r, long sequence, int payload) {
    r.moved += payload;
    assert r.moved <= r.matchedLength : "more bytes arrived than the message has";
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

  @Override
  public void nudge(NodeShare of, int peer) {
    try {
      of.nudge(peer);
    } catch (UncheckedIOException e) {
      throw listener.refused(e);
    }
  }

  // ---- progress

  /**
   * Notes that the program has left: it makes no more calls except those by which the runtime ends
   * it. If another rank waits for a message of it, every blocking call from now on throws {@link
   * FmiException}.
   */
  public void leave() {
    waits.leave();
  }

  /** Makes progress without blocking. */
  public void poll() {
    waits.poll();
  }

  /** Makes progress; blocks until something may have changed, or {@link #wakeup} is called. */
  public void park() {
    waits.progress(null);
  }

  /** Ends {@link #park} now, or the next one at once. Any thread. */
  public void wakeup() {
    waits.wakeup();
  }

  // ---- checkpoints

  /**
   * Fetches all announced messages of the program, and makes progress until they are here. Peers
   * will announce the sends that they hold back.
   */
  public void fetchUnexpected() {
    epoch.check();
    waits.askToAnnounce();
    while (!mailbox.fetchAll()) {
      waits.progress(null);
    }
  }

  /**
   * Makes progress until the program's requests are complete, except receives without a message.
   * All ranks call this after {@link #fetchUnexpected}.
   */
  public void settle() {
    while (!requests.areAtRest()) {
      waits.progress(null);
    }
  }

  /** The number of pending non-blocking operations of the program. */
  public int activeRequests() {
    return requests.active();
  }

  /**
   * The number of the program's messages to other ranks in this epoch, counted when sent or queued.
   */
  public long userSent() {
    return outbox.userSent();
  }

  /**
   * The number of messages from other ranks to the program in this epoch, counted when they or
   * their RTS arrived.
   */
  public long userArrived() {
    return mailbox.userArrived();
  }

  /** Adds the counts of this process. Any thread: the numbers may be slightly outdated. */
  public void count(Map<Counter, Long> counters) {
    outbox.count(counters);
    mailbox.count(counters);
    waits.count(counters);
    peers.count(counters);
    ledger.count(counters);
  }

  /** The call that has waited for a while, if there is one. Any thread. */
  public @Nullable LongWait longWait() {
    return waits.longWait();
  }

  /** The number of frames dropped because they belonged to another epoch. */
  public long staleFrames() {
    return staleFrames;
  }
}
