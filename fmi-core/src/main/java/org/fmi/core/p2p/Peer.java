package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.fmi.spi.Landing;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Another rank during one epoch: the queue of messages to it, and both ends' windows. The protocol
 * is described in the {@link org.fmi.core.p2p package}.
 */
final class Peer implements Ledger.Link {
  /** Data bytes sent to one peer before the next peer's turn. */
  private static final long TURN_BYTES = 256 << 10;

  final int rank;
  private final SendList unsent;
  private final Requests requests;
  private final Transport transport;
  private final @Nullable RemoteMemory remote;
  private final Losses losses;
  private final Frame frame;
  private Ledger ledger;
  private final long window;
  private final int eagerLimit;

  /** Sends that are not announced yet. */
  private final RequestQueue sends = new RequestQueue();

  /** Announced sends that wait for their CTS. */
  private final SequenceMap announced = new SequenceMap();

  /** Cleared sends whose data is in transit. */
  private final RequestQueue streams = new RequestQueue();

  /** Receives whose data is in transit. */
  private final SequenceMap incoming = new SequenceMap();

  private final ClearQueue clears = new ClearQueue();

  /** The number of messages announced so far. */
  private long announcements;

  private long eagerCredit;
  private int unanswered;
  private long unansweredLimit = FlowLimits.ANNOUNCEMENTS;

  private final HeldSends held = new HeldSends();

  /** Whether the peer has reported sends that it holds back for this rank's credit. */
  private boolean holds;

  /** Whether the peer is to be asked to announce them. */
  private boolean askedToAnnounce;

  /** Bytes of the peer's eager window that were consumed here and not returned yet. */
  private long consumed;

  final AnnouncementWindow waiting = new AnnouncementWindow();

  /** Messages being read from the peer's memory. */
  private int reading;

  /** Null if every readable message is read. */
  private final @Nullable Pace pace;

  private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];

  /** The kind of a pending control frame about a long wait, or 0. */
  private byte note;

  /** Whether it is in the {@link SendList}. */
  boolean listed;

  Peer(
      int rank,
      SendList unsent,
      Requests requests,
      Transport transport,
      Frame frame,
      long window,
      Losses losses,
      Ledger ledger) {
    this.losses = losses;
    this.ledger = ledger;
    this.rank = rank;
    this.unsent = unsent;
    this.requests = requests;
    this.transport = transport;
    RemoteMemory memory = transport.remoteMemory();
    // A read that cannot be cancelled would continue after the call that has failed.
    this.remote = memory == null || (losses.tracks() && !memory.cancels()) ? null : memory;
    this.pace = remote != null && remote.byProcessor() ? new Pace() : null;
    this.frame = frame;
    this.window = Math.min(window, transport.windowBytes());
    eagerCredit = this.window;
    eagerLimit =
        (int)
            Math.min(
                Math.min(transport.eagerLimit(), transport.maxPayload()),
                this.window / 4 - FlowLimits.MESSAGE_COST);
  }

  // ---- sending

  /** Whether a message is short enough to be eager if there is credit. */
  boolean isShort(long bytes) {
    return bytes <= eagerLimit;
  }

  /** Sends a message at once if possible; else does nothing. */
  boolean sendNow(Object base, long offset, long bytes, int context, long tag) {
    return fitsEager(bytes)
        && sends.isEmpty()
        && ledger.precedes(this, context)
        && sendEager(base, offset, bytes, context, tag, ledger.stamp());
  }

  /** Queues a message after the waiting ones. */
  void send(MessageRequest r) {
    sends.add(r);
    unsent.add(this);
  }

  /** Withdraws a send; false if it was already sent or announced. */
  boolean withdraw(MessageRequest r) {
    return sends.remove(r);
  }

  private boolean sendEager(
      Object base, long offset, long bytes, int context, long tag, long stamp) {
    Frame f = frame;
    f.kind = FrameKind.EAGER;
    f.loop = stamp;
    f.context = context;
    f.tag = tag;
    f.sequence = announcements;
    f.length = bytes;
    f.base = base;
    f.baseOffset = offset;
    f.payload = (int) bytes;
    if (!transport.offer(rank, f)) {
      return false;
    }
    announcements++;
    eagerCredit -= bytes + FlowLimits.MESSAGE_COST;
    assert eagerCredit >= -requests.copies.bytes() : "an eager message was sent without credit";
    return true;
  }

  private boolean announce(MessageRequest r) {
    if (unanswered >= unansweredLimit) {
      return false;
    }
    RemoteMemory.Exposure exposure = expose(r);
    Frame f = frame;
    f.kind = FrameKind.RTS;
    f.loop = r.stamp;
    f.context = r.context;
    f.tag = r.tag;
    f.sequence = announcements;
    f.length = r.bytes;
    f.base = ticket;
    f.baseOffset = 0;
    f.payload = exposure == null ? 0 : ticketBytes(ticket);
    boolean taken = false;
    try {
      taken = transport.offer(rank, f);
    } finally {
      if (!taken && exposure != null) {
        exposure.close();
      }
    }
    if (!taken) {
      return false;
    }
    r.exposure = exposure;
    r.sequence = announcements++;
    unanswered++;
    announced.put(r.sequence, r);
    return true;
  }

  /**
   * The length without trailing zeros: a ticket of eight bytes shares the cache line of the frame's
   * header.
   */
  private static int ticketBytes(long[] ticket) {
    int longs = ticket.length;
    while (longs > 1 && ticket[longs - 1] == 0) {
      longs--;
    }
    return Long.BYTES * longs;
  }

  private RemoteMemory.@Nullable Exposure expose(MessageRequest r) {
    // The send of a collective that a loss ends returns, while its peer may not know of it yet.
    boolean stays = !losses.tracks() || !Contexts.isCollective(r.context);
    return remote != null
            && stays
            && r.bytes >= remote.leastBytes()
            && r.base instanceof MemorySegment memory
            && memory.isNative()
        ? remote.expose(memory, r.offset, r.bytes, ticket)
        : null;
  }

  /** Handles a CTS: the peer has matched an announcement and wants {@code wanted} bytes. */
  void onClear(long sequence, long wanted) {
    MessageRequest r = announced.remove(sequence);
    if (r == null) {
      throw new DamagedFrame("cleared message " + sequence + ", which was not announced to it");
    }
    if (wanted == ClearQueue.REVOKED && losses.tracks()) {
      unanswered--;
      if (r.exposure != null) {
        r.exposure.close();
        r.exposure = null;
      }
      if (r.detached) {
        requests.finishSend(r);
      } else {
        requests.fail(r, MessageRequest.State.REVOKED);
      }
      unsent.add(this);
      return;
    }
    if (wanted != 0 && wanted != r.bytes) {
      announced.put(sequence, r); // it still waits, until the epoch is over
      throw new DamagedFrame(
          "cleared %d bytes of message %d, which has %d".formatted(wanted, sequence, r.bytes));
    }
    unanswered--;
    assert unanswered >= 0 : "more announcements were answered than made";
    if (r.exposure != null) {
      r.exposure.close();
      r.exposure = null;
    }
    if (wanted == 0) {
      requests.finishSend(r);
    } else {
      streams.add(r);
    }
    // Even if no stream was added: there is room for another announcement.
    unsent.add(this);
  }

  /** Handles credit: the peer has consumed eager messages, or allows more announcements. */
  void onCredit(long bytes, long announcementsAllowed) {
    if (bytes < 0
        || bytes > window - eagerCredit
        || announcementsAllowed < 0
        || announcementsAllowed > Integer.MAX_VALUE) {
      throw new DamagedFrame(
          "returned credit of %d bytes, of which %d were in use, and allowed %d announcements"
              .formatted(bytes, window - eagerCredit, announcementsAllowed));
    }
    eagerCredit += bytes;
    unansweredLimit += announcementsAllowed;
    if (bytes > 0) {
      held.onCredit();
    }
    unsent.add(this);
  }

  /**
   * Handles a request to announce: the peer waits for a message that may be queued after ones
   * without credit.
   */
  void onAnnounce() {
    held.onAnnounce();
    unsent.add(this);
  }

  // ---- receiving

  /** Receives the data of a matched, announced message into {@code r}. */
  void receive(MessageRequest r, long sequence) {
    clears.add(sequence, r.matchedLength);
    incoming.put(sequence, r);
    unsent.add(this);
  }

  /**
   * Receives the data of a matched message that can be read into {@code r}.
   *
   * @param whereTo the ticket of {@link RemoteMemory#expose}
   */
  void receive(MessageRequest r, long sequence, long[] whereTo) {
    if (remote != null
        && (pace == null || pace.begins(r))
        && remote.read(rank, whereTo, r.base, r.offset, r.matchedLength, sequence)) {
      reading++;
      r.isReading = true;
      incoming.put(sequence, r);
    } else {
      r.read = false;
      receive(r, sequence);
    }
  }

  /**
   * Ends the read of a message.
   *
   * @param whole whether all of it is here, so that its send completes
   */
  void read(long sequence, boolean whole) {
    reading--;
    assert reading >= 0 : "more messages were read than reads begun";
    MessageRequest r = receiving(sequence);
    r.isReading = false;
    if (whole) {
      received(sequence);
      dismiss(sequence);
      requests.finishReceive(r);
    } else {
      r.begun = Pace.UNTIMED;
      clears.add(sequence, r.matchedLength);
      unsent.add(this);
    }
  }

  /** Clears a matched message of which no data is wanted. */
  void dismiss(long sequence) {
    clears.add(sequence, 0);
    unsent.add(this);
  }

  /** Clears an announced message of a context that has ended, and of which no data is wanted. */
  void drop(long sequence, int context) {
    // A collective ends by itself. Other sends must not take it for a receive.
    clears.add(sequence, Contexts.isCollective(context) ? 0 : ClearQueue.REVOKED);
    unsent.add(this);
  }

  /** The receive of this data. */
  MessageRequest receiving(long sequence) {
    MessageRequest r = incoming.get(sequence);
    if (r == null) {
      throw new DamagedFrame("sent data of message " + sequence + ", which was not cleared");
    }
    return r;
  }

  void received(long sequence) {
    MessageRequest r = incoming.remove(sequence);
    if (pace != null && r != null && r.begun != Pace.UNTIMED) {
      pace.ends(r);
    }
  }

  /** Counts a consumed eager message. */
  void consumed(long cost) {
    consumed += cost;
    if (consumed >= window / 4) {
      unsent.add(this);
    }
  }

  /** Notes that the peer holds sends back for this rank's credit. */
  void onHeld() {
    holds = true;
  }

  /** Asks such a peer to announce some of them. */
  void askToAnnounce() {
    if (holds) {
      holds = false;
      askedToAnnounce = true;
      unsent.add(this);
    }
  }

  void allowMoreAnnouncements() {
    waiting.widen();
    unsent.add(this);
  }

  // ---- long waits

  /** Sends a frame without content after all frames queued now. */
  void sendNote(byte kind) {
    note = kind;
    unsent.add(this);
  }

  /** Whether a message is announced to the peer and unmatched there. */
  boolean unmatched(MessageRequest r) {
    return announced.get(r.sequence) == r;
  }

  /** Whether everything for the peer has been announced, and none of it is being read. */
  boolean settled() {
    return sends.isEmpty() && reading == 0;
  }

  // ---- the end of an epoch in which the program's calls continue

  /**
   * Completes the pending sends: the log resends messages that were not received.
   *
   * @param receives collects the program's receives whose data was in transit, unmatched
   */
  void leave(List<MessageRequest> receives) {
    sends.drain(this::leaveSend);
    announced.forEach(this::leaveSend);
    streams.drain(this::leaveSend);
    incoming.forEach(
        r -> {
          if (r.fetches == null && !Contexts.isSystem(r.context)) {
            r.unmatch();
            receives.add(r);
          }
        });
  }

  /** Passes on each pending send. */
  void forEachSend(Consumer<MessageRequest> each) {
    sends.forEach(each);
    announced.forEach(each);
    streams.forEach(each);
  }

  /** Passes on each receive whose data is in transit. */
  void forEachIncoming(Consumer<MessageRequest> each) {
    incoming.forEach(each);
  }

  // ---- losses

  /** The peer has died: ends all requests that need it. */
  void bury() {
    sends.drain(this::buryRequest);
    announced.forEach(this::buryRequest);
    streams.drain(this::buryRequest);
    incoming.forEachEntry(
        (sequence, r) -> {
          stopWriting(r, null, sequence);
          buryRequest(r);
        });
  }

  private void buryRequest(MessageRequest r) {
    RemoteMemory.Exposure exposed = r.exposure;
    if (exposed != null) {
      r.exposure = null;
      exposed.close();
    }
    if (r.discards) {
      requests.giveDiscarding(r);
    } else {
      requests.fail(r, MessageRequest.State.PEER_DEAD);
    }
  }

  /**
   * Ends the requests in contexts that have ended, and only these: what the peer and this rank have
   * told each other about the messages stays true, as copies of sends continue, and data that the
   * peer sends is dropped.
   */
  void endContexts() {
    sends.replaceAll(
        r -> {
          if (r.detached || !hasEnded(r)) {
            return r;
          }
          requests.fail(r, losses.fate(r.context, r.peer));
          return null;
        });
    announced.forEachEntry(
        (sequence, r) -> {
          // The peer may be reading memory that is exposed; it answers at its next call.
          if (!r.detached && r.exposure == null && hasEnded(r)) {
            announced.replace(sequence, endSend(r, requests.makeRest(r)));
          }
        });
    streams.replaceAll(r -> r.detached || !hasEnded(r) ? r : endSend(r, requests.makeRest(r)));
    for (MessageRequest r :
        discard(r -> r.fetches == null && !r.discards && losses.isEnded(r.context))) {
      requests.fail(r, losses.fate(r.context, r.peer));
    }
  }

  private boolean hasEnded(MessageRequest r) {
    return losses.isEnded(r.context);
  }

  private MessageRequest endSend(MessageRequest r, MessageRequest instead) {
    requests.fail(r, losses.fate(r.context, r.peer));
    return instead;
  }

  /** Drops the rest of a message that is arriving for a receive whose call fails. */
  void discard(MessageRequest r) {
    List<MessageRequest> _ = discard(each -> each == r);
  }

  /** Drops the rests of messages that are arriving for some receives; returns these. */
  private List<MessageRequest> discard(Predicate<MessageRequest> of) {
    Map<Long, MessageRequest> found = new LinkedHashMap<>();
    incoming.forEachEntry(
        (sequence, r) -> {
          if (of.test(r)) {
            found.put(sequence, r);
          }
        });
    found.forEach(
        (sequence, r) -> {
          MessageRequest rest = requests.makeDiscarding(r);
          if (stopWriting(r, rest, sequence)) {
            incoming.remove(sequence);
            requests.giveDiscarding(rest);
            dismiss(sequence);
          } else {
            incoming.replace(sequence, rest);
          }
        });
    return List.copyOf(found.values());
  }

  /**
   * Lets nothing more of a message arrive in its receive's buffer.
   *
   * @param instead takes the rest in its place; null if the peer is dead
   * @return whether the message was being read, and no more of it comes
   */
  private boolean stopWriting(MessageRequest r, @Nullable MessageRequest instead, long sequence) {
    if (r.isReading && remote != null) {
      remote.cancel(rank, sequence);
      r.isReading = false;
      reading--;
      return true;
    }
    Landing landing = r.landing;
    if (landing != null) {
      landing.offset -= r.offset + r.moved;
      landing.base =
          MessagePool.memory(Math.min(r.matchedLength - r.moved, transport.maxPayload()));
      r.landing = null;
      if (instead != null) {
        instead.landing = landing;
      }
    }
    return false;
  }

  private void leaveSend(MessageRequest r) {
    if (r.buffer != null) {
      requests.finishSend(r);
    } else if (!Contexts.isSystem(r.context) && !r.detached) {
      r.exposure = null;
      if (ledger.isResent(r)) {
        r.moved = 0; // complete once its message has found its receive
      } else {
        requests.finishSend(r);
      }
    }
  }

  // ---- work that waits for the transport

  /**
   * Sends as much as possible.
   *
   * @return the amount of work done; 0 if there was none
   */
  int flush() {
    int frames = 0;
    if (waiting.newlyAllowed() > 0 || consumed >= window / 4) {
      if (!offerBare(FrameKind.CREDIT, waiting.newlyAllowed(), consumed)) {
        return frames;
      }
      holds &= consumed == 0;
      waiting.limitSent();
      consumed = 0;
      frames++;
    }
    if (askedToAnnounce) {
      if (!offerBare(FrameKind.ANNOUNCE, 0, 0)) {
        return frames;
      }
      askedToAnnounce = false;
      frames++;
    }
    while (!clears.isEmpty()) {
      if (!offerBare(FrameKind.CTS, clears.sequence(), clears.wanted())) {
        return frames;
      }
      clears.removeFirst();
      frames++;
    }
    for (MessageRequest r = sends.first(); r != null; r = sends.first()) {
      // An eager send may wait for the transport, but its sender relies on not waiting for the
      // peer.
      boolean forCredit = isForCredit(r) && !mayGoEagerly(r);
      if (forCredit && !held.mayAnnounce()) {
        if (held.mustNotify() && offerBare(FrameKind.HELD, 0, 0)) {
          held.notified();
          frames++;
        }
        break;
      }
      if (!ledger.precedes(this, r)) {
        break;
      }
      boolean whole = goesWhole(r);
      if (!(whole
          ? sendEager(r.base, r.offset, r.bytes, r.context, r.tag, r.stamp)
          : announce(r))) {
        break;
      }
      sends.removeFirst();
      if (forCredit) {
        held.announced();
      }
      if (whole) {
        requests.finishSend(r);
      }
      frames++;
    }
    frames += stream();
    if (note != 0 && offerBare(note, 0, 0)) {
      note = 0;
      frames++;
    }
    return frames;
  }

  private int stream() {
    int work = 0;
    long turn = TURN_BYTES;
    MessageRequest r = streams.first();
    while (r != null && turn > 0) {
      if (r.moved < r.bytes) {
        int chunk = (int) Math.min(transport.maxPayload(), r.bytes - r.moved);
        if (!offerData(r, chunk)) {
          break;
        }
        work++;
        turn -= chunk;
        r.moved += chunk;
        assert r.moved <= r.bytes : "more was sent than the message has";
      }
      if (r.moved == r.bytes) {
        // After completion the program may compute for a long time: the receiver must not lack the
        // rest.
        if (!transport.handedOver(rank)) {
          break;
        }
        work++;
        streams.removeFirst();
        requests.finishSend(r);
        r = streams.first();
      }
    }
    return work;
  }

  private boolean offerData(MessageRequest r, int chunk) {
    Frame f = frame;
    f.kind = FrameKind.DATA;
    f.sequence = r.sequence;
    f.length = r.bytes;
    f.base = r.base;
    f.baseOffset = r.offset + r.moved;
    f.payload = chunk;
    return transport.offer(rank, f);
  }

  /** Whether {@link #flush} has work as soon as the transport has room. */
  boolean unsent() {
    return waiting.newlyAllowed() > 0
        || consumed >= window / 4
        || askedToAnnounce
        || !clears.isEmpty()
        || !streams.isEmpty()
        || note != 0
        || waitsForTransport(sends.first());
  }

  /**
   * Whether the first send waits for the transport; if not, it waits for the peer: for credit, or
   * an answer.
   */
  private boolean waitsForTransport(@Nullable MessageRequest r) {
    if (r == null || goesWhole(r)) {
      return r != null;
    }
    return (isForCredit(r) && !held.mayAnnounce())
        ? held.mustNotify()
        : unanswered < unansweredLimit;
  }

  /**
   * Whether a message is sent whole: eagerly, or without credit if an announcement would take as
   * much of the peer's memory. The total without credit is limited to the size of this rank's
   * copies.
   */
  private boolean goesWhole(MessageRequest r) {
    return mayGoEagerly(r)
        || (r.bytes <= FlowLimits.ANNOUNCEMENT_COST
            && isForCredit(r)
            && held.mayAnnounce()
            && eagerCredit - r.bytes - FlowLimits.MESSAGE_COST >= -requests.copies.bytes());
  }

  /** Whether a send without credit waits for it, as no call waits for the send. */
  private boolean isForCredit(MessageRequest r) {
    return r.detached && r.mode != PointToPoint.Mode.SYNCHRONOUS && isShort(r.bytes);
  }

  private boolean fitsEager(long bytes) {
    return isShort(bytes) && bytes + FlowLimits.MESSAGE_COST <= eagerCredit;
  }

  private boolean mayGoEagerly(MessageRequest r) {
    return r.mode != PointToPoint.Mode.SYNCHRONOUS && fitsEager(r.bytes);
  }

  // ---- frames of a ledger

  void ledger(Ledger next) {
    ledger = next;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public Frame frame() {
    return frame;
  }

  @Override
  public boolean offer() {
    frame.kind = FrameKind.LEDGER;
    return transport.offer(rank, frame);
  }

  @Override
  public int maxPayload() {
    return transport.maxPayload();
  }

  private boolean offerBare(byte kind, long sequence, long length) {
    Frame f = frame;
    f.kind = kind;
    f.sequence = sequence;
    f.length = length;
    f.base = null;
    f.payload = 0;
    return transport.offer(rank, f);
  }
}
