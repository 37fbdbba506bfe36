package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Rollback;
import org.fmi.Status;
import org.fmi.core.p2p.MessageRequest.State;
import org.fmi.core.p2p.UnexpectedMessage.Place;
import org.fmi.core.progress.Progress;
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
 * Carries one rank's messages for the life of its process, epoch after epoch: decides the way each
 * one takes, matches, completes requests, and makes all progress on the caller's thread.
 *
 * <p>The protocol is told in the {@link org.fmi.core.p2p package}. Used by one thread at a time,
 * the application's; {@link #revoke} and {@link #wakeup} may be called by any. Contexts with even
 * numbers are the program's, odd ones the runtime's own.
 */
public final class Messenger implements PointToPoint, FrameHandler {
  /** A non-blocking send to oneself is complete at once up to here; a longer one is not copied. */
  private static final int SELF_COPY_BYTES = 64 << 10;

  private static final int NO_EPOCH = -1;
  private static final int NOBODY = -1;

  private static final VarHandle SHARED = ValueLayout.JAVA_LONG.varHandle();

  private final int rank;
  private final int size;
  private final long window;
  private final MessengerListener listener;
  private final Progress progress;
  private final Frame frame = new Frame();
  private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];
  private final MessagePool pool = new MessagePool();
  private Recorder recorder;

  // ---- the epoch
  private int epoch = NO_EPOCH;
  private Transport[] transports = {};
  private @Nullable Peer[] peers;
  private PostedQueue posted = new PostedQueue();
  private UnexpectedQueue unexpected = new UnexpectedQueue();

  /** Peers with something to send, the first {@link #unsentPeers} elements. */
  private @Nullable Peer[] unsent;

  private int unsentPeers;

  /** How many peers have used up their announcements here. */
  private int stalledPeers;

  private @Nullable NodeShare share;
  private boolean probing;
  private int probedContext;
  private int probedTag;

  /** The rank that a blocking call waits for; negative if there is none, or any would do. */
  private int awaited = NOBODY;

  /** What that call waits for; null in a probe, and where it is a number in shared memory. */
  private @Nullable MessageRequest awaitedRequest;

  /** Where that number stands. */
  private @Nullable MemorySegment awaitedMemory;

  private long awaitedOffset;
  private long awaitedLeast;

  /** A rank that waits for this one, which has left; negative if there is none. */
  private int stuck = NOBODY;

  private int activeRequests;
  private long userSent;
  private long userArrived;

  // ---- the process
  private long attached;
  private long attachedUsed;
  private long staleFrames;
  private boolean left;

  /**
   * Whether announced messages of the program are fetched as they come: see {@link #pull(boolean)}.
   */
  private boolean pulling;

  private @Nullable MessageRequest freeRequests;

  private final StatusCache statuses = new StatusCache();

  /** The newest epoch that is over, and why. Written under the lock of this object. */
  private volatile int revoked = NO_EPOCH;

  private volatile String reason = "no epoch was entered yet";

  /**
   * A messenger outside of any epoch; {@link #enter} comes next.
   *
   * @param waiting how it waits; for this messenger alone
   * @param recordLimitBytes the most its {@link Recorder} holds
   */
  public Messenger(
      int rank, int size, WaitStrategy waiting, long recordLimitBytes, MessengerListener listener) {
    this.rank = rank;
    this.size = size;
    this.listener = listener;
    window = Window.bytes(size);
    progress = new Progress(waiting);
    recorder = new Recorder(recordLimitBytes);
    peers = new Peer[size];
    unsent = new Peer[size];
    frame.source = rank;
  }

  // ---- epochs

  /**
   * Begins an epoch: forgets all messages, requests and windows of the one before. Requests of
   * earlier epochs are void.
   *
   * @param epochTransports in order of preference, already opened; a peer is served by the first
   *     one that reaches it. The caller starts them before the first send, and closes those of the
   *     old epoch.
   * @throws IllegalArgumentException if the epoch is not newer than the one before
   */
  public void enter(int newEpoch, Transport[] epochTransports) {
    if (newEpoch <= epoch) {
      throw new IllegalArgumentException("epoch " + newEpoch + " does not follow epoch " + epoch);
    }
    epoch = newEpoch;
    transports = epochTransports.clone();
    progress.use(epochTransports);
    share = null;
    for (Transport t : epochTransports) {
      share = share == null ? t.share() : share;
    }
    peers = new Peer[size];
    unsent = new Peer[size];
    unsentPeers = 0;
    stalledPeers = 0;
    posted = new PostedQueue();
    unexpected = new UnexpectedQueue();
    probing = false;
    awaited = NOBODY;
    stuck = NOBODY;
    activeRequests = 0;
    userSent = 0;
    userArrived = 0;
    attachedUsed = 0;
    frame.epoch = newEpoch;
    frame.base = null;
  }

  /**
   * Ends an epoch: all communication calls of it throw {@link Rollback}, those that block now
   * included, until the next {@link #enter}. An epoch that is not entered yet may be ended too; one
   * that is over is ignored. Any thread.
   */
  public void revoke(int ended, String why) {
    synchronized (this) {
      if (ended <= revoked) {
        return;
      }
      reason = why;
      revoked = ended;
    }
    progress.wakeup();
  }

  /** The last epoch is over, and its transports are closed: every call throws from now on. */
  public void close() {
    transports = new Transport[0];
    revoke(epoch, "Fmi is closed");
  }

  /** Whether the current epoch is over. */
  public boolean revoked() {
    return revoked >= epoch;
  }

  /** The current epoch; -1 before the first. */
  @Override
  public int epoch() {
    return epoch;
  }

  private void check() {
    while (revoked >= epoch) {
      // From here on the program may use the memory of its messages for something else.
      for (Transport t : transports) {
        RemoteMemory remote = t.remoteMemory();
        if (remote != null) {
          remote.stop();
        }
      }
      listener.revoked(epoch, reason);
    }
  }

  /** At the begin of a call that sends or receives. */
  private void begin() {
    check();
    if (recorder.on()) {
      listener.recordedCall();
    }
  }

  private void check(MessageRequest r) {
    check();
    if (r.epoch != epoch && !recorder.replaying()) {
      throw new FmiException(
          ErrorClass.REQUEST,
          "a request of epoch "
              + r.epoch
              + ", made before the rollback to epoch "
              + epoch
              + ": forget requests when an iteration begins");
    }
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
      Object base, long offset, long bytes, int dest, int context, int tag, Mode mode) {
    begin();
    if (recorder.on() && recorder.send(dest, context, tag, bytes)) {
      if (mode == Mode.BUFFERED) {
        requireRoom(bytes);
      } else if (mode == Mode.SYNCHRONOUS && dest == rank) {
        requireReceive(true, tag);
      }
      return;
    }
    if (mode == Mode.BUFFERED) {
      sendBuffered(base, offset, bytes, dest, context, tag);
    } else if (dest == rank) {
      sendSelf(base, offset, bytes, context, tag, mode);
    } else {
      Peer p = peer(dest);
      if (mode == Mode.SYNCHRONOUS || !sendNow(p, base, offset, bytes, context, tag)) {
        sendAndWait(p, base, offset, bytes, context, tag, mode);
      }
    }
  }

  /** Sends a message at once if nothing stands in the way; else does nothing. */
  private boolean sendNow(Peer p, Object base, long offset, long bytes, int context, int tag) {
    if (!p.sendNow(base, offset, bytes, context, tag)) {
      return false;
    }
    countSent(context);
    return true;
  }

  private void sendAndWait(
      Peer p, Object base, long offset, long bytes, int context, int tag, Mode mode) {
    MessageRequest r = takeRequest();
    r.prepare(true, epoch, base, offset, bytes, p.rank, context, tag);
    r.mode = mode;
    enqueue(p, r);
    try {
      await(r);
    } catch (RuntimeException | Error e) {
      withdraw(p, r);
      throw e;
    }
    giveRequest(r);
  }

  @Override
  public Request isend(
      Object base, long offset, long bytes, int dest, int context, int tag, Mode mode) {
    begin();
    MessageRequest r = new MessageRequest(this);
    r.prepare(true, epoch, base, offset, bytes, dest, context, tag);
    r.mode = mode;
    if (recorder.on() && recorder.send(dest, context, tag, bytes)) {
      if (mode == Mode.BUFFERED) {
        requireRoom(bytes);
      }
      r.state = State.DONE;
      return r;
    }
    if (mode == Mode.BUFFERED) {
      sendBuffered(base, offset, bytes, dest, context, tag);
      r.state = State.DONE;
    } else if (dest == rank) {
      count(r);
      startSelf(r);
    } else {
      Peer p = peer(dest);
      if (mode == Mode.STANDARD && sendNow(p, base, offset, bytes, context, tag)) {
        r.state = State.DONE;
      } else {
        count(r);
        enqueue(p, r);
      }
    }
    return r;
  }

  /** Hands a send to its peer, and what can go now to the transport. */
  private void enqueue(Peer p, MessageRequest r) {
    countSent(r.context);
    p.send(r);
    try {
      flush();
    } catch (RuntimeException | Error e) {
      withdraw(p, r);
      throw e;
    }
  }

  /** The call that sends has failed: what the peer has not heard of is not sent any more. */
  private void withdraw(Peer p, MessageRequest r) {
    if (r.epoch == epoch && p.withdraw(r)) {
      userSent -= ~r.context & 1;
      finishSend(r);
    }
  }

  private void sendBuffered(Object base, long offset, long bytes, int dest, int context, int tag) {
    requireRoom(bytes);
    if (dest == rank) {
      if (!deliverSelf(base, offset, bytes, context, tag)) {
        keepSelf(base, offset, bytes, context, tag).buffered = bytes;
        attachedUsed += bytes;
      }
      return;
    }
    Peer p = peer(dest);
    if (!sendNow(p, base, offset, bytes, context, tag)) {
      MemorySegment copy = MessagePool.memory(bytes);
      Memory.toSegment(base, offset, copy, 0, bytes);
      attachedUsed += bytes;
      MessageRequest r = takeRequest();
      r.prepare(true, epoch, copy, 0, bytes, dest, context, tag);
      r.buffered = true;
      enqueue(p, r);
    }
  }

  private void requireRoom(long bytes) {
    if (!accepted(bytes <= attached - attachedUsed)) {
      throw new FmiException(
          ErrorClass.BUFFER,
          "a buffered send of "
              + bytes
              + " bytes does not fit: "
              + attachedUsed
              + " of "
              + attached
              + " attached bytes are in use; attach a larger buffer");
    }
  }

  /** Whether a send is accepted that may be refused: a replay refuses what was refused. */
  private boolean accepted(boolean now) {
    return recorder.on() ? recorder.answer(now) : now;
  }

  @Override
  public void attachBuffer(long bytes) {
    check();
    while (bytes == 0 && attachedUsed > 0) {
      step();
    }
    attached = bytes;
  }

  /** Room for buffered sends in bytes, free or not. */
  public long attached() {
    return attached;
  }

  /** Goes back to what {@link #attached} was. */
  public void restoreAttached(long bytes) {
    attached = bytes;
  }

  // ---- a rank's messages to itself

  /**
   * A blocking send to oneself. If no receive is posted yet the message is copied whatever its
   * length: the receive can only be posted after this call.
   */
  private void sendSelf(Object base, long offset, long bytes, int context, int tag, Mode mode) {
    boolean delivered = deliverSelf(base, offset, bytes, context, tag);
    if (mode == Mode.SYNCHRONOUS) {
      requireReceive(delivered, tag);
    } else if (!delivered) {
      keepSelf(base, offset, bytes, context, tag);
    }
  }

  private void requireReceive(boolean delivered, int tag) {
    if (!accepted(delivered)) {
      throw new FmiException(
          ErrorClass.OTHER,
          "a synchronous send of rank "
              + rank
              + " to itself with tag "
              + tag
              + " would wait for ever: post its receive first");
    }
  }

  private void startSelf(MessageRequest r) {
    if (deliverSelf(r.base, r.offset, r.bytes, r.context, r.tag)) {
      finishSend(r);
    } else if (r.mode == Mode.STANDARD && r.bytes <= SELF_COPY_BYTES) {
      keepSelf(r.base, r.offset, r.bytes, r.context, r.tag);
      finishSend(r);
    } else {
      UnexpectedMessage m = pool.take(0);
      describe(m, Place.SELF, r.context, rank, r.tag, r.bytes);
      m.sender = r;
      unexpected.add(m);
    }
  }

  /** Gives a message to the receive that waits for it, if there is one. */
  private boolean deliverSelf(Object base, long offset, long bytes, int context, int tag) {
    MessageRequest r = posted.take(context, rank, tag);
    if (r == null) {
      return false;
    }
    r.matched(rank, tag, bytes);
    if (bytes <= r.bytes) {
      Memory.copy(base, offset, r.base, r.offset, bytes);
    }
    finishReceive(r);
    return true;
  }

  private UnexpectedMessage keepSelf(Object base, long offset, long bytes, int context, int tag) {
    UnexpectedMessage m = pool.take(bytes);
    describe(m, Place.HELD, context, rank, tag, bytes);
    Memory.toSegment(base, offset, m.data, 0, bytes);
    unexpected.add(m);
    return m;
  }

  // ---- receiving

  @Override
  public Status recv(Object base, long offset, long bytes, int source, int context, int tag) {
    begin();
    MessageRequest r = takeRequest();
    r.prepare(false, epoch, base, offset, bytes, source, context, tag);
    startReceive(r);
    return complete(r);
  }

  /** Without a request for the caller: its receive is one that blocking calls use again. */
  @Override
  public Status sendRecv(
      Object out,
      long outOffset,
      long outBytes,
      int dest,
      int outTag,
      Object in,
      long inOffset,
      long inBytes,
      int source,
      int inTag,
      int context) {
    begin();
    MessageRequest r = takeRequest();
    r.prepare(false, epoch, in, inOffset, inBytes, source, context, inTag);
    startReceive(r);
    try {
      send(out, outOffset, outBytes, dest, context, outTag, Mode.STANDARD);
    } catch (RuntimeException | Error e) {
      withdraw(r);
      throw e;
    }
    return complete(r);
  }

  /** The call that receives has failed: its receive must not take a message that is to come. */
  private void withdraw(MessageRequest r) {
    if (r.epoch == epoch && r.pending() && !r.hasMatched() && !recorder.replaying()) {
      posted.remove(r);
    }
  }

  /** Waits for the receive of a blocking call. */
  private Status complete(MessageRequest r) {
    try {
      await(r);
    } catch (RuntimeException | Error e) {
      withdraw(r);
      throw e;
    }
    try {
      return result(r);
    } finally {
      giveRequest(r);
    }
  }

  @Override
  public Request irecv(Object base, long offset, long bytes, int source, int context, int tag) {
    begin();
    MessageRequest r = new MessageRequest(this);
    r.prepare(false, epoch, base, offset, bytes, source, context, tag);
    count(r);
    startReceive(r);
    return r;
  }

  private void startReceive(MessageRequest r) {
    if (recorder.on() && recorder.receive(r)) {
      if (r.counted && !r.pending()) {
        activeRequests--;
      }
      return;
    }
    UnexpectedMessage m = unexpected.first(r.context, r.peer, r.tag);
    if (m == null) {
      posted.add(r);
      if (stalledPeers > 0) {
        allowMoreAnnouncements();
      }
    } else {
      unexpected.remove(m);
      deliver(m, r);
      // The sender waits for the answer, and the program may compute for long before its next call.
      if (unsentPeers > 0) {
        flush();
      }
    }
  }

  /** Gives a message, which is in no queue, to the receive that wants it. */
  private void deliver(UnexpectedMessage m, MessageRequest r) {
    r.matched(m.source, m.tag, m.length);
    boolean fits = m.length <= r.bytes;
    switch (m.place) {
      case HELD -> {
        if (fits) {
          Memory.fromSegment(m.data, 0, r.base, r.offset, m.length);
        }
        finishReceive(r);
      }
      case SELF -> {
        MessageRequest sender = m.sender;
        if (fits && sender != null) {
          Memory.copy(sender.base, sender.offset, r.base, r.offset, m.length);
        }
        finishReceive(r);
      }
      case REMOTE -> startData(peer(m.source), r, m.sequence, m.exposed ? m.ticket : null);
    }
    consume(m);
  }

  /** Settles with the sender that a message has found its receive, or is thrown away. */
  private void consume(UnexpectedMessage m) {
    if (m.charge > 0) {
      peer(m.source).consumed(m.charge);
    }
    attachedUsed -= m.buffered;
    if (m.sender != null) {
      finishSend(m.sender);
    }
    if (m.place == Place.REMOTE && peer(m.source).waitingRemoved()) {
      stalledPeers--;
    }
    pool.give(m);
  }

  /**
   * Lets a matched message of a peer come, if it is wanted.
   *
   * @param ticket how it can be read; null if it cannot
   */
  private void startData(Peer p, MessageRequest r, long sequence, long @Nullable [] ticket) {
    if (r.matchedLength == 0 || r.matchedLength > r.bytes) {
      p.dismiss(sequence);
      finishReceive(r);
    } else if (ticket == null) {
      p.receive(r, sequence);
    } else {
      p.receive(r, sequence, ticket);
    }
  }

  /** What a receive waits for may be announced only after those that nobody wants yet. */
  private void allowMoreAnnouncements() {
    for (Peer p : peers) {
      if (p != null && p.mayAnnounceNoMore()) {
        p.allowMoreAnnouncements();
      }
    }
    stalledPeers = 0;
  }

  @Override
  public Status probe(int source, int context, int tag) {
    begin();
    if (recorder.replaying()) {
      return recorder.findAgain(source, context, tag);
    }
    Status s = find(source, context, tag);
    probing = true;
    probedContext = context;
    probedTag = tag;
    awaited = source;
    try {
      while (s == null) {
        if (stalledPeers > 0) {
          allowMoreAnnouncements();
        }
        step();
        askIfLong();
        s = find(source, context, tag);
      }
    } finally {
      probing = false;
      awaited = NOBODY;
    }
    if (recorder.on()) {
      recorder.found(s);
    }
    return s;
  }

  @Override
  public @Nullable Status iprobe(int source, int context, int tag) {
    begin();
    if (recorder.replaying()) {
      return recorder.answer(false) ? recorder.findAgain(source, context, tag) : null;
    }
    Status s = find(source, context, tag);
    if (s == null) {
      if (stalledPeers > 0) {
        allowMoreAnnouncements();
      }
      poll();
      s = find(source, context, tag);
    }
    if (recorder.on() && recorder.answer(s != null) && s != null) {
      recorder.found(s);
    }
    return s;
  }

  private @Nullable Status find(int source, int context, int tag) {
    UnexpectedMessage m = unexpected.first(context, source, tag);
    return m == null ? null : statuses.of(m.source, m.tag, m.length);
  }

  // ---- frames

  /** Takes a frame that has arrived. Frames of other epochs end here, and nowhere else. */
  @Override
  public void onFrame(int peer, MemorySegment memory, long at) {
    if (memory.get(FrameLayout.INT, at + FrameLayout.EPOCH) != epoch) {
      staleFrames++;
      return;
    }
    Peer p = peer(peer);
    byte kind = memory.get(FrameLayout.BYTE, at + FrameLayout.KIND);
    long sequence = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    long length = memory.get(FrameLayout.LONG, at + FrameLayout.LENGTH);
    switch (kind) {
      case FrameKind.EAGER -> onEager(p, length, memory, at);
      case FrameKind.RTS -> onAnnouncement(p, sequence, length, memory, at);
      case FrameKind.CTS -> p.onClear(sequence, length);
      case FrameKind.DATA -> onData(p, sequence, memory, at);
      case FrameKind.CREDIT -> p.onCredit(length, sequence);
      case FrameKind.ASK -> {
        if (left && p.settled()) {
          p.tell(FrameKind.LEFT);
        }
      }
      case FrameKind.LEFT -> {
        // The answer may be late: who has left too waits for what the runtime sends.
        if (!left && awaited == peer && waitsFor(p)) {
          p.tell(FrameKind.STUCK);
        }
      }
      case FrameKind.STUCK -> stuck = left ? peer : NOBODY;
      default ->
          throw new IllegalStateException("rank " + peer + " sent a frame of unknown kind " + kind);
    }
  }

  private void onEager(Peer p, long length, MemorySegment memory, long at) {
    int context = memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT);
    int tag = memory.get(FrameLayout.INT, at + FrameLayout.TAG);
    countArrived(context);
    MessageRequest r = posted.take(context, p.rank, tag);
    long data = at + FrameLayout.HEADER_BYTES;
    if (r == null) {
      UnexpectedMessage m = pool.take(length);
      describe(m, Place.HELD, context, p.rank, tag, length);
      MemorySegment.copy(memory, data, m.data, 0, length);
      m.charge = length + Window.MESSAGE_COST;
      unexpected.add(m);
      return;
    }
    r.matched(p.rank, tag, length);
    if (length <= r.bytes) {
      Memory.fromSegment(memory, data, r.base, r.offset, length);
    }
    finishReceive(r);
    p.consumed(length + Window.MESSAGE_COST);
  }

  private void onAnnouncement(Peer p, long sequence, long length, MemorySegment memory, long at) {
    int context = memory.get(FrameLayout.INT, at + FrameLayout.CONTEXT);
    int tag = memory.get(FrameLayout.INT, at + FrameLayout.TAG);
    countArrived(context);
    boolean exposed = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD) > 0;
    MessageRequest r = posted.take(context, p.rank, tag);
    if (r != null) {
      r.matched(p.rank, tag, length);
      startData(p, r, sequence, exposed ? ticketOf(memory, at, ticket) : null);
      return;
    }
    UnexpectedMessage m = pool.take(0);
    describe(m, Place.REMOTE, context, p.rank, tag, length);
    m.sequence = sequence;
    m.exposed = exposed;
    if (exposed) {
      ticketOf(memory, at, m.ticket);
    }
    unexpected.add(m);
    if (p.waitingAdded()) {
      stalledPeers++;
      if (probing || posted.count() > 0) {
        allowMoreAnnouncements();
      }
    }
    if (pulling && UnexpectedImage.isUser(context)) {
      fetch(m);
    }
  }

  private static long[] ticketOf(MemorySegment memory, long at, long[] ticket) {
    for (int i = 0; i < ticket.length; i++) {
      ticket[i] =
          memory.get(
              ValueLayout.JAVA_LONG_UNALIGNED,
              at + FrameLayout.HEADER_BYTES + (long) Long.BYTES * i);
    }
    return ticket;
  }

  /** A message has been read out of its sender's memory. */
  @Override
  public void onRead(int peer, long sequence) {
    Peer p = peer(peer);
    MessageRequest r = p.receiving(sequence);
    p.read(sequence);
    finishReceive(r);
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
    if (memory.get(FrameLayout.INT, at + FrameLayout.EPOCH) != epoch
        || memory.get(FrameLayout.BYTE, at + FrameLayout.KIND) != FrameKind.DATA) {
      return false;
    }
    MessageRequest r =
        peer(peer).receiving(memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE));
    if (r.base instanceof boolean[]) {
      return false; // whose elements are more than bytes
    }
    landing.base = r.base;
    landing.offset = r.offset + r.moved;
    return true;
  }

  @Override
  public void onLanded(int peer, MemorySegment memory, long at) {
    Peer p = peer(peer);
    long sequence = memory.get(FrameLayout.LONG, at + FrameLayout.SEQUENCE);
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    moved(p, p.receiving(sequence), sequence, payload);
  }

  private void moved(Peer p, MessageRequest r, long sequence, int payload) {
    r.moved += payload;
    if (r.moved == r.matchedLength) {
      p.received(sequence);
      finishReceive(r);
    }
  }

  @Override
  public void onPeerLost(int peer, String why) {
    listener.peerLost(peer, why);
  }

  private static void describe(
      UnexpectedMessage m, Place place, int context, int source, int tag, long length) {
    m.place = place;
    m.context = context;
    m.source = source;
    m.tag = tag;
    m.length = length;
  }

  private Peer peer(int other) {
    Peer p = peers[other];
    return p != null ? p : connect(other);
  }

  private Peer connect(int other) {
    for (Transport t : transports) {
      if (t.reaches(other)) {
        Peer p = new Peer(other, this, t, frame, window);
        peers[other] = p;
        return p;
      }
    }
    StringBuilder names = new StringBuilder();
    for (Transport t : transports) {
      names.append(' ').append(t.name());
    }
    throw new FmiException(
        ErrorClass.OTHER,
        "rank " + other + " cannot be reached from rank " + rank + "; transports:" + names);
  }

  // ---- requests

  void finishSend(MessageRequest r) {
    r.state = State.DONE;
    if (r.counted) {
      activeRequests--;
    }
    if (r.buffered) {
      attachedUsed -= r.bytes;
      giveRequest(r);
    }
  }

  private void finishReceive(MessageRequest r) {
    r.state = r.outcome();
    if (r.counted) {
      activeRequests--;
    }
    if (r.recordNumber >= 0) {
      recorder.received(r);
    }
    if (r.pulls != null) {
      finishPull(r, r.pulls);
    }
  }

  Status waitFor(MessageRequest r) {
    check(r);
    await(r);
    return r.result();
  }

  boolean test(MessageRequest r) {
    check(r);
    if (r.pending() && !recorder.replaying()) {
      poll();
    }
    if (!answer(r, !r.pending())) {
      return false;
    }
    r.result();
    return true;
  }

  /** {@link #test} without progress, and without its result. */
  boolean completed(MessageRequest r) {
    check(r);
    return answer(r, !r.pending());
  }

  boolean cancel(MessageRequest r) {
    check(r);
    boolean cancel = r.pending() && !r.send && !r.hasMatched();
    if (recorder.on()) {
      cancel = recorder.answer(cancel);
    }
    if (cancel) {
      if (!recorder.replaying()) {
        posted.remove(r);
      }
      r.state = State.CANCELLED;
      if (r.counted) {
        activeRequests--;
      }
    }
    return cancel;
  }

  /** Blocks until something may have changed. */
  void progress(MessageRequest r) {
    check(r);
    if (!recorder.replaying()) {
      step();
    }
  }

  Status result(MessageRequest r) {
    return switch (r.state) {
      case DONE ->
          r.send ? Status.EMPTY : statuses.of(r.matchedSource, r.matchedTag, r.matchedLength);
      case CANCELLED -> Status.EMPTY;
      case TRUNCATED ->
          throw new FmiException(
              ErrorClass.TRUNCATE, describe(r) + ", the receive buffer only " + r.bytes);
      case UNEVEN ->
          throw new FmiException(
              ErrorClass.TYPE,
              describe(r)
                  + ", which is no whole number of elements of the receive buffer's "
                  + Memory.elementBytes(r.base)
                  + " bytes each");
      case PENDING -> throw new IllegalStateException("the request is not complete");
    };
  }

  private boolean answer(MessageRequest r, boolean complete) {
    // What was answered with yes stays so. To record that again, each time that a program looks at
    // all of its requests, would fill the record.
    if (!recorder.on() || r.told) {
      return complete;
    }
    boolean answer = recorder.answer(complete);
    if (answer && r.pending()) {
      throw recorder.mismatch("a test of a request");
    }
    r.told = answer;
    return answer;
  }

  private static String describe(MessageRequest r) {
    return "the message of world rank "
        + r.matchedSource
        + " with tag "
        + r.matchedTag
        + " has "
        + r.matchedLength
        + " bytes";
  }

  private void count(MessageRequest r) {
    if (UnexpectedImage.isUser(r.context)) {
      r.counted = true;
      activeRequests++;
    }
  }

  private MessageRequest takeRequest() {
    MessageRequest r = freeRequests;
    if (r == null) {
      return new MessageRequest(this);
    }
    freeRequests = r.next;
    r.next = null;
    return r;
  }

  private void giveRequest(MessageRequest r) {
    r.clear();
    r.next = freeRequests;
    freeRequests = r;
  }

  // ---- shared memory

  @Override
  public @Nullable NodeShare share() {
    check();
    return recorder.on() ? null : share;
  }

  @Override
  public boolean mayWaitBusily() {
    return progress.mayWaitBusily();
  }

  @Override
  public void awaitShared(MemorySegment memory, long offset, long least, int source) {
    progress.busy();
    awaited = source;
    awaitedMemory = memory;
    awaitedOffset = offset;
    awaitedLeast = least;
    try {
      while (sharedIsLess()) {
        step();
        askIfLong();
      }
    } finally {
      awaited = NOBODY;
      awaitedMemory = null;
    }
  }

  private boolean sharedIsLess() {
    MemorySegment memory = awaitedMemory;
    return memory != null && (long) SHARED.getAcquire(memory, awaitedOffset) < awaitedLeast;
  }

  // ---- progress

  private void await(MessageRequest r) {
    if (r.pending() && recorder.replaying()) {
      throw recorder.mismatch("waiting for a receive from rank " + r.peer + ", tag " + r.tag);
    }
    if (!r.pending()) {
      return;
    }
    awaited = r.peer;
    awaitedRequest = r;
    try {
      while (r.pending()) {
        step();
        askIfLong();
      }
    } finally {
      awaited = NOBODY;
      awaitedRequest = null;
    }
  }

  /** What is waited for may never come: the peer may have left without sending it. */
  private void askIfLong() {
    if (progress.longWait() && !left && awaited >= 0 && awaited != rank) {
      Peer p = peer(awaited);
      if (waitsFor(p)) {
        p.tell(FrameKind.ASK);
      }
    }
  }

  /** Whether nothing has come of what the blocking call wants of this peer. */
  private boolean waitsFor(Peer p) {
    if (awaitedMemory != null) {
      return sharedIsLess();
    }
    MessageRequest r = awaitedRequest;
    if (r == null) {
      return unexpected.first(probedContext, p.rank, probedTag) == null;
    }
    return r.pending() && (r.send ? p.unmatched(r) : !r.hasMatched());
  }

  /**
   * The program has left and makes no more calls, but for what the runtime does to end it. If
   * another rank waits for it in vain, all that blocks from now on throws {@link FmiException}.
   */
  public void leave() {
    left = true;
  }

  /** Polls once, and waits a moment if there was nothing. */
  private void step() {
    check();
    if (stuck >= 0) {
      throw new FmiException(
          ErrorClass.OTHER,
          "rank "
              + stuck
              + " waits for this rank, which is in Fmi.close and will neither send nor receive: the"
              + " calls of the two do not match, or this one has thrown an exception outside of a"
              + " loop");
    }
    if (work(progress.poll(this)) == 0) {
      progress.idle();
    }
  }

  /** What is done behind each poll; returns the amount of work with that of the poll. */
  private int work(int polled) {
    int work = polled;
    if (unsentPeers > 0) {
      work += flush();
    }
    if (work > 0) {
      progress.busy();
    }
    return work;
  }

  /** Makes what progress is possible now. */
  public void poll() {
    check();
    work(progress.look(this));
  }

  /** Makes progress; blocks until something may have changed, or {@link #wakeup} is called. */
  public void park() {
    step();
  }

  /** Ends a {@link #park}, now or the next one. Any thread. */
  public void wakeup() {
    progress.wakeup();
  }

  /** Notes that a peer has something to send. */
  void list(Peer p) {
    if (!p.listed) {
      p.listed = true;
      unsent[unsentPeers++] = p;
    }
  }

  private int flush() {
    int frames = 0;
    int kept = 0;
    int next = 0;
    try {
      while (next < unsentPeers) {
        Peer p = unsent[next];
        if (p != null) {
          frames += p.flush();
          if (p.unsent()) {
            unsent[kept++] = p;
          } else {
            p.listed = false;
          }
        }
        next++;
      }
    } finally {
      keep(kept, next);
    }
    return frames;
  }

  /** The first {@code kept} peers stay listed, and those from {@code next} on: one has thrown. */
  private void keep(int kept, int next) {
    int n = kept;
    for (int i = next; i < unsentPeers; i++) {
      unsent[n++] = unsent[i];
    }
    for (int i = n; i < unsentPeers; i++) {
      unsent[i] = null;
    }
    unsentPeers = n;
  }

  // ---- checkpoints

  /** What this rank records or replays; off at first. */
  public Recorder recorder() {
    return recorder;
  }

  /** Goes on with another record, such as one out of a checkpoint. */
  public void recorder(Recorder next) {
    recorder = next;
  }

  /** Non-blocking operations of the program that are not complete. */
  public int activeRequests() {
    return activeRequests;
  }

  /** Messages of the program to others in this epoch, counted when they are sent or queued. */
  public long userSent() {
    return userSent;
  }

  /** Messages of others to the program in this epoch, counted when they or their RTS arrived. */
  public long userArrived() {
    return userArrived;
  }

  private void countSent(int context) {
    userSent += ~context & 1;
  }

  private void countArrived(int context) {
    userArrived += ~context & 1;
  }

  /** Frames dropped because they belonged to another epoch. */
  public long staleFrames() {
    return staleFrames;
  }

  /**
   * Whether messages of the program that are announced, and that no receive has matched, are
   * fetched as they come, until this is called anew. Without it their senders wait, and could not
   * come to where all ranks meet.
   */
  public void pull(boolean announced) {
    pulling = announced;
  }

  /**
   * Fetches all announced messages of the program that no receive has matched, and makes progress
   * until they are here.
   */
  public void pullUnexpected() {
    check();
    boolean complete = false;
    while (!complete) {
      complete = true;
      for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
        if (m.place != Place.HELD && UnexpectedImage.isUser(m.context)) {
          complete = false;
          fetch(m);
        }
      }
      if (!complete) {
        step();
      }
    }
  }

  /** Begins to fetch a message unless that is under way already. It stays in the queue. */
  private void fetch(UnexpectedMessage m) {
    if (m.fetching) {
      return;
    }
    m.fetching = true;
    MemorySegment copy = MessagePool.memory(m.length);
    MessageRequest sender = m.sender;
    if (sender != null) {
      Memory.toSegment(sender.base, sender.offset, copy, 0, m.length);
      m.sender = null;
      finishSend(sender);
      unexpected.hold(m, copy);
      return;
    }
    Peer p = peer(m.source);
    if (p.waitingRemoved()) {
      stalledPeers--;
    }
    MessageRequest r = takeRequest();
    r.prepare(false, epoch, copy, 0, m.length, m.source, m.context, m.tag);
    r.matched(m.source, m.tag, m.length);
    r.pulls = m;
    startData(p, r, m.sequence, null);
  }

  private void finishPull(MessageRequest r, UnexpectedMessage m) {
    unexpected.hold(m, (MemorySegment) r.base);
    giveRequest(r);
  }

  /** Size of what {@link #writeUnexpected} writes, in bytes. */
  public long unexpectedBytes() {
    return UnexpectedImage.bytes(unexpected);
  }

  /**
   * Saves the program's messages that were not received yet; they stay here too.
   *
   * @throws IllegalStateException if one is not here; {@link #pullUnexpected} comes first
   */
  public void writeUnexpected(MemorySegment image) {
    UnexpectedImage.write(unexpected, image);
  }

  /** Puts saved messages before all that have arrived meanwhile. No receive is posted by now. */
  public void readUnexpected(MemorySegment image) {
    UnexpectedQueue arrived = unexpected;
    unexpected = new UnexpectedQueue();
    UnexpectedImage.read(image, unexpected, pool);
    for (UnexpectedMessage m = arrived.oldest(); m != null; m = arrived.oldest()) {
      arrived.remove(m);
      unexpected.add(m);
    }
  }

  /** Throws the program's messages away that were not received yet. */
  public void discardUnexpected() {
    UnexpectedMessage m = unexpected.oldest();
    while (m != null) {
      UnexpectedMessage following = m.next;
      if (UnexpectedImage.isUser(m.context)) {
        unexpected.remove(m);
        if (m.place == Place.REMOTE) {
          peer(m.source).dismiss(m.sequence);
        }
        consume(m);
      }
      m = following;
    }
  }

  /** For tests: memory taken by messages that no receive has matched. */
  long unexpectedHeldBytes() {
    return unexpected.heldBytes();
  }

  /** For tests: the number of messages that no receive has matched. */
  int unexpectedCount() {
    return unexpected.count();
  }
}
