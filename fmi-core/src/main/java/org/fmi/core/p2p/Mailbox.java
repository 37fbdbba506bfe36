package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.fmi.control.Counter;
import org.fmi.core.p2p.UnexpectedMessage.Place;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Matches messages with receives: queues the unmatched ones of both, and moves the data of a
 * matched pair.
 *
 * <p>Every message that a receive gets passes {@link #match}, once, in the order of matching.
 */
public final class Mailbox implements MessageRequest.Completion {
  /** Takes the messages of a checkpoint, one by one. */
  public interface Restored {
    /** Takes a message whose data is in {@code memory} from {@code at} on. */
    void message(int context, int source, long tag, long bytes, MemorySegment memory, long at);
  }

  private final Peers peers;
  private final Requests requests;
  private final Losses losses;
  private final SendBuffer attached;
  private final SendList unsent;
  private final MessagePool pool = new MessagePool();
  private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];

  private PostedQueue posted = new PostedQueue();
  private UnexpectedQueue unexpected = new UnexpectedQueue();

  /** The number of peers that have used up their announcements here. */
  private int stalledPeers;

  private Ledger ledger = Ledger.NONE;

  private long userArrived;

  /** The bytes of these messages, and the number of them that were unexpected; in all epochs. */
  private long userBytes;

  private long userUnexpected;

  /** Like {@link #userArrived}, in earlier epochs. */
  private long arrivedEarlier;

  /** Whether announced messages of the program are fetched as they arrive: see {@link #pull}. */
  private boolean pulling;

  /** Whether a blocking probe is active, and the message that it wants. */
  private boolean probed;

  private int probedSource;
  private int probedContext;
  private long probedTag;

  Mailbox(Peers peers, Requests requests, SendList unsent, Losses losses) {
    this.losses = losses;
    this.peers = peers;
    this.requests = requests;
    this.attached = requests.attached;
    this.unsent = unsent;
  }

  void ledger(Ledger next) {
    ledger = next;
  }

  /** Begins an epoch: drops all messages and receives. */
  void reset() {
    posted = new PostedQueue();
    unexpected = new UnexpectedQueue();
    beginCounting();
  }

  private void beginCounting() {
    stalledPeers = 0;
    arrivedEarlier += userArrived;
    userArrived = 0;
    probed = false;
  }

  /**
   * Begins an epoch in which the program's calls continue. Preserves the receives, in the order
   * posted, and the messages that will not be sent again, ahead of future ones.
   *
   * @param inFlight receives whose data was in transit
   */
  void resume(List<MessageRequest> inFlight) {
    List<MessageRequest> receives = posted.all();
    receives.forEach(posted::remove);
    receives.removeIf(r -> Contexts.isSystem(r.context));
    receives.addAll(inFlight);
    UnexpectedQueue before = unexpected;
    unexpected = new UnexpectedQueue();
    for (UnexpectedMessage m = before.oldest(); m != null; m = before.oldest()) {
      before.remove(m);
      if (!Contexts.isSystem(m.context) && !ledger.isResent(m)) {
        assert m.place != Place.REMOTE : "a message that is not resent is still at its sender";
        m.charge = 0; // of a window that is gone
        unexpected.add(m);
      } else if (m.claimedBy != null) {
        m.claimedBy.claimed = null; // until it is sent again
        receives.add(m.claimedBy);
      }
    }
    receives.sort(Comparator.comparingLong(r -> r.posting));
    posted = new PostedQueue();
    for (MessageRequest r : receives) {
      posted.stamp(r);
      posted.add(r);
    }
    pulling = false;
    beginCounting();
  }

  /** Passes on each unmatched message, in the order of arrival. */
  public void forEach(Consumer<UnexpectedMessage> each) {
    for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
      each.accept(m);
    }
  }

  /** The oldest unmatched message that satisfies the predicate; null for none. */
  public @Nullable UnexpectedMessage first(Predicate<UnexpectedMessage> wanted) {
    UnexpectedMessage m = unexpected.oldest();
    while (m != null && !wanted.test(m)) {
      m = m.next;
    }
    return m;
  }

  // ---- receives

  /** Matches a receive with the oldest fitting message, or queues it until one arrives. */
  public void post(MessageRequest r) {
    if (ledger.posts(r)) {
      find(r);
    } else {
      r.withhold();
    }
  }

  /** Posts a receive that the ledger has already recorded. */
  public void postAgain(MessageRequest r) {
    find(r);
  }

  private void find(MessageRequest r) {
    UnexpectedMessage m = unexpected.first(r.context, r.peer, r.tag);
    posted.stamp(r);
    if (m == null) {
      if (failsAtOnce(r)) {
        return;
      }
      posted.add(r);
      allowMoreAnnouncements();
    } else {
      unexpected.remove(m);
      deliver(m, r);
      // The sender waits for the answer, and the program may compute for a long time before its
      // next call.
      if (!unsent.isEmpty()) {
        unsent.flush();
      }
    }
  }

  private boolean failsAtOnce(MessageRequest r) {
    MessageRequest.State fate = losses.fate(r.context, r.peer);
    if (fate == MessageRequest.State.PENDING) {
      return false;
    }
    requests.fail(r, fate);
    return true;
  }

  /** Removes an unmatched receive. */
  void withdraw(MessageRequest r) {
    if (!r.isWithheld()) {
      posted.remove(r);
    }
  }

  /** Whether a receive waits for this message. */
  boolean isWanted(int context, int source, long tag) {
    return posted.wants(context, source, tag);
  }

  /** The oldest message that a probe wants. It stays unmatched. */
  @Nullable UnexpectedMessage find(int source, int context, long tag) {
    return unexpected.first(context, source, tag);
  }

  /** Takes a message that a probe has matched out of matching, for a receive without a buffer. */
  void claim(UnexpectedMessage m, MessageRequest r) {
    unexpected.claim(m, r);
    r.claimed = m;
    posted.stamp(r);
  }

  /** Posts a receive that now has its buffer for the message that a probe has matched. */
  public void postProbed(MessageRequest r) {
    boolean open = ledger.posts(r);
    assert open : "a receive will be cancelled whose message was matched";
    UnexpectedMessage m = r.claimed;
    if (m != null) { // else it is posted already, because the message is resent
      r.claimed = null;
      unexpected.remove(m);
      m.claimedBy = null;
      deliver(m, r);
      if (!unsent.isEmpty()) {
        unsent.flush();
      }
    }
  }

  /** Stores an unexpected message, for the receive without a buffer that claims it, if any. */
  private void keep(UnexpectedMessage m, @Nullable MessageRequest claimant) {
    if (claimant != null) {
      m.claimedBy = claimant;
      claimant.claimed = m;
    }
    unexpected.add(m);
  }

  /** Begins a blocking probe. */
  void beginProbe(int source, int context, long tag) {
    probed = true;
    probedSource = source;
    probedContext = context;
    probedTag = tag;
  }

  void endProbe() {
    probed = false;
  }

  /** Whether a receive or a probe waits for a message that has not arrived. */
  private boolean isWaitedFor() {
    // Many messages may arrive before a probe checks for its own.
    return posted.count() > 0 || (probed && find(probedSource, probedContext, probedTag) == null);
  }

  /**
   * Allows more announcements: the message that a receive waits for may be announced after ones
   * that no receive wants yet.
   */
  void allowMoreAnnouncements() {
    if (stalledPeers > 0) {
      peers.allowMoreAnnouncements();
      stalledPeers = 0;
    }
  }

  // ---- arriving messages

  /**
   * Takes the receive that matches an arriving message; null if none does. A receive that
   * {@linkplain MessageRequest#isClaim has no buffer} is not matched yet.
   */
  private @Nullable MessageRequest take(int context, int source, long tag, long length) {
    MessageRequest r = posted.take(context, source, tag);
    if (r != null && !r.isClaim()) {
      match(r, null, source, tag, length);
    }
    return r;
  }

  /** Matches a receive with its message; the only place that does. */
  private void match(
      MessageRequest r, @Nullable UnexpectedMessage waited, int source, long tag, long length) {
    assert r.pending() && !r.hasMatched() : "a receive gets a second message";
    r.matched(source, tag, length);
    r.makeRoom(length);
    ledger.matches(r, waited);
  }

  /** Delivers a message of this rank to a waiting receive, if there is one. */
  boolean deliver(Object base, long offset, long bytes, int context, int self, long tag) {
    MessageRequest r = take(context, self, tag, bytes);
    if (r == null) {
      return false;
    }
    assert !r.isClaim() : "a rank sends a message of its own again";
    if (bytes <= r.bytes) {
      Memory.copy(base, offset, r.base, r.offset, bytes);
    }
    requests.finishReceive(r);
    return true;
  }

  /**
   * Stores a copy of a message of this rank.
   *
   * @param buffered the bytes that it takes in the attached buffer
   */
  void keep(Object base, long offset, long bytes, int context, int self, long tag, long buffered) {
    UnexpectedMessage m = pool.take(bytes);
    m.describe(Place.HELD, context, self, tag, bytes);
    Memory.toSegment(base, offset, m.data, 0, bytes);
    m.buffered = buffered;
    unexpected.add(m);
  }

  /** Stores a message of this rank by reference to its send. */
  void keep(MessageRequest send, int self) {
    UnexpectedMessage m = pool.take(0);
    m.describe(Place.SELF, send.context, self, send.tag, send.bytes);
    m.sender = send;
    unexpected.add(m);
  }

  /** Handles an eager message. */
  void onEager(Peer p, int context, long tag, long length, MemorySegment memory, long data) {
    long header = data - FrameLayout.HEADER_BYTES;
    int payload = memory.get(FrameLayout.INT, header + FrameLayout.PAYLOAD);
    if (length != payload) {
      throw new DamagedFrame(
          "sent a message of %d bytes in a frame of %d".formatted(length, payload));
    }
    countArrived(context, length);
    long stamp = stamp(memory, header);
    ledger.arrives(p.rank, context, tag, length, stamp, memory, data);
    MessageRequest r = take(context, p.rank, tag, length);
    if (r == null || r.isClaim()) {
      if (losses.isEnded(context)) {
        p.consumed(length + FlowLimits.MESSAGE_COST);
        return;
      }
      countUnexpected(context);
      UnexpectedMessage m = pool.take(length);
      m.describe(Place.HELD, context, p.rank, tag, length);
      ledger.keeps(m);
      MemorySegment.copy(memory, data, m.data, 0, length);
      m.charge = length + FlowLimits.MESSAGE_COST;
      keep(m, r);
      return;
    }
    if (length <= r.bytes) {
      Memory.fromSegment(memory, data, r.base, r.offset, length);
    }
    requests.finishReceive(r);
    p.consumed(length + FlowLimits.MESSAGE_COST);
  }

  /**
   * Handles an announcement.
   *
   * @param at the start of its frame in {@code memory}
   */
  void onAnnouncement(
      Peer p, int context, long tag, long sequence, long length, MemorySegment memory, long at) {
    int ticketBytes = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    if (length < 0 || ticketBytes % Long.BYTES != 0 || ticketBytes > Long.BYTES * ticket.length) {
      throw new DamagedFrame(
          "announced a message of %d bytes with a ticket of %d".formatted(length, ticketBytes));
    }
    countArrived(context, length);
    ledger.arrives(p.rank, context, tag, length, stamp(memory, at), null, 0);
    boolean exposed = ticketBytes > 0;
    MessageRequest r = take(context, p.rank, tag, length);
    if (r != null && !r.isClaim()) {
      startData(p, r, sequence, exposed ? ticketOf(memory, at, ticketBytes, ticket) : null);
      return;
    }
    if (losses.isEnded(context)) {
      p.drop(sequence, context);
      return;
    }
    countUnexpected(context);
    UnexpectedMessage m = pool.take(0);
    m.describe(Place.REMOTE, context, p.rank, tag, length);
    ledger.keeps(m);
    m.sequence = sequence;
    m.exposed = exposed;
    if (exposed) {
      ticketOf(memory, at, ticketBytes, m.ticket);
    }
    keep(m, r);
    if (p.waiting.added()) {
      stalledPeers++;
      if (isWaitedFor()) {
        allowMoreAnnouncements();
      }
    }
    if (pulling && Contexts.isProgram(context)) {
      fetch(m);
    }
  }

  private static long stamp(MemorySegment memory, long frame) {
    return memory.get(FrameLayout.LONG, frame + FrameLayout.LOOP);
  }

  private static long[] ticketOf(MemorySegment memory, long at, int bytes, long[] ticket) {
    for (int i = 0; i < ticket.length; i++) {
      ticket[i] =
          Long.BYTES * i < bytes
              ? memory.get(
                  ValueLayout.JAVA_LONG_UNALIGNED,
                  at + FrameLayout.HEADER_BYTES + (long) Long.BYTES * i)
              : 0;
    }
    return ticket;
  }

  private void countArrived(int context, long length) {
    if (Contexts.isProgram(context)) {
      userArrived++;
      userBytes += length;
    }
  }

  private void countUnexpected(int context) {
    if (Contexts.isProgram(context)) {
      userUnexpected++;
    }
  }

  /**
   * The number of messages from other ranks to the program in this epoch, counted when announced.
   */
  long userArrived() {
    return userArrived;
  }

  /** Adds its counts over all epochs, and the current size of its queue. Any thread. */
  void count(Map<Counter, Long> counters) {
    UnexpectedQueue queue = unexpected;
    counters.put(Counter.MESSAGES_RECEIVED, arrivedEarlier + userArrived);
    counters.put(Counter.BYTES_RECEIVED, userBytes);
    counters.put(Counter.MESSAGES_UNEXPECTED, userUnexpected);
    counters.put(Counter.UNEXPECTED_MESSAGES, (long) queue.count());
    counters.put(Counter.UNEXPECTED_BYTES, queue.heldBytes());
  }

  // ---- matched pairs

  /** Delivers a message, which is in no queue, to its receive. */
  private void deliver(UnexpectedMessage m, MessageRequest r) {
    assert m.place != Place.REMOTE || !m.fetching : "a message is asked for twice";
    match(r, m, m.source, m.tag, m.length);
    boolean fits = m.length <= r.bytes;
    switch (m.place) {
      case HELD -> {
        if (fits) {
          Memory.fromSegment(m.data, 0, r.base, r.offset, m.length);
        }
        requests.finishReceive(r);
      }
      case SELF -> {
        MessageRequest sender = m.sender;
        if (fits && sender != null) {
          Memory.copy(sender.base, sender.offset, r.base, r.offset, m.length);
        }
        requests.finishReceive(r);
      }
      case REMOTE -> startData(peers.get(m.source), r, m.sequence, m.exposed ? m.ticket : null);
    }
    consume(m);
  }

  /** Settles the cost of a message that was received or dropped. */
  private void consume(UnexpectedMessage m) {
    if (m.charge > 0) {
      Peer from = peers.known(m.source);
      if (from != null) { // else it has died since
        from.consumed(m.charge);
      }
    }
    attached.give(m.buffered);
    if (m.sender != null) {
      requests.finishSend(m.sender);
    }
    if (m.place == Place.REMOTE) {
      noLongerWaits(peers.get(m.source));
    }
    pool.give(m);
  }

  private void noLongerWaits(Peer p) {
    if (p.waiting.removed()) {
      stalledPeers--;
      assert stalledPeers >= 0 : "more peers may announce again than were stalled";
    }
  }

  /**
   * Starts the transfer of a matched message from a peer, if the receive has room for it.
   *
   * @param from the ticket to read it by; null if it cannot be read
   */
  private void startData(Peer p, MessageRequest r, long sequence, long @Nullable [] from) {
    if (r.matchedLength == 0 || r.matchedLength > r.bytes) {
      p.dismiss(sequence);
      requests.finishReceive(r);
    } else if (from == null) {
      p.receive(r, sequence);
    } else {
      p.receive(r, sequence, from);
    }
  }

  // ---- losses

  /**
   * A rank has died, or a communicator was revoked: drops the messages that cannot be received any
   * more, and ends the receives that no message will match.
   */
  void endHopeless() {
    UnexpectedMessage m = unexpected.oldest();
    while (m != null) {
      UnexpectedMessage following = m.next;
      boolean dead = losses.isDead(m.source);
      if (losses.isEnded(m.context) || (dead && m.place == Place.REMOTE)) {
        drop(m, dead);
      }
      m = following;
    }
    for (MessageRequest r : posted.all()) {
      MessageRequest.State fate = losses.fate(r.context, r.peer);
      if (fate != MessageRequest.State.PENDING) {
        withdraw(r);
        requests.fail(r, fate);
      }
    }
  }

  private void drop(UnexpectedMessage m, boolean dead) {
    MessageRequest claimant = m.claimedBy;
    MessageRequest sender = m.sender;
    unexpected.remove(m);
    m.claimedBy = null;
    if (claimant != null) {
      claimant.claimed = null;
      requests.fail(claimant, losses.fate(m.context, m.source));
    }
    if (sender != null) {
      m.sender = null;
      requests.fail(sender, losses.fate(m.context, m.source));
    }
    if (m.place == Place.REMOTE) {
      if (dead) {
        // Its window is gone with it.
        m.place = Place.HELD;
        m.charge = 0;
      } else {
        peers.get(m.source).drop(m.sequence, m.context);
      }
    }
    consume(m);
  }

  // ---- checkpoints

  /**
   * Sets whether announced messages of the program are fetched as they arrive. Otherwise their
   * senders wait, and could not reach the place of a blocking checkpoint.
   */
  public void pull(boolean announced) {
    pulling = announced;
  }

  /**
   * Begins to fetch all announced, unmatched messages of the program.
   *
   * @return whether all of them are here
   */
  boolean fetchAll() {
    boolean complete = true;
    for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
      if (m.place != Place.HELD && Contexts.isProgram(m.context)) {
        complete = false;
        fetch(m);
      }
    }
    return complete;
  }

  /** Begins to fetch a message unless this has already begun. It stays in the queue. */
  public void fetch(UnexpectedMessage m) {
    if (m.fetching) {
      return;
    }
    m.fetching = true;
    MemorySegment copy = MessagePool.memory(m.length);
    MessageRequest sender = m.sender;
    if (sender != null) {
      Memory.toSegment(sender.base, sender.offset, copy, 0, m.length);
      m.sender = null;
      requests.finishSend(sender);
      unexpected.hold(m, copy);
      return;
    }
    Peer p = peers.get(m.source);
    noLongerWaits(p);
    MessageRequest r = requests.take();
    r.prepareReceive(copy, 0, m.length, m.source, m.context, m.tag);
    r.matched(m.source, m.tag, m.length); // with itself: the message stays unexpected
    r.fetches = m;
    ledger.fetches(r, m);
    r.completion = this;
    startData(p, r, m.sequence, null);
  }

  /** Takes in a fetched message. */
  @Override
  public void received(MessageRequest r) {
    unexpected.hold(Objects.requireNonNull(r.fetches), (MemorySegment) r.base);
    requests.give(r);
  }

  /**
   * Puts saved messages ahead of all messages that have arrived since. No receive is posted yet.
   *
   * @param saved passes on each of them, in order
   */
  public void restore(Consumer<Restored> saved) {
    assert posted.count() == 0 : "a receive is posted that a saved message could be for";
    UnexpectedQueue arrived = unexpected;
    unexpected = new UnexpectedQueue();
    saved.accept(
        (context, source, tag, bytes, memory, at) -> {
          UnexpectedMessage m = pool.take(bytes);
          m.describe(Place.HELD, context, source, tag, bytes);
          MemorySegment.copy(memory, at, m.data, 0, bytes);
          unexpected.add(m);
        });
    for (UnexpectedMessage m = arrived.oldest(); m != null; m = arrived.oldest()) {
      arrived.remove(m);
      unexpected.add(m);
    }
  }

  /** Drops the program's unreceived messages. */
  public void discard() {
    UnexpectedMessage m = unexpected.oldest();
    while (m != null) {
      UnexpectedMessage following = m.next;
      if (Contexts.isProgram(m.context)) {
        unexpected.remove(m);
        if (m.place == Place.REMOTE) {
          peers.get(m.source).dismiss(m.sequence);
        }
        consume(m);
      }
      m = following;
    }
  }

  /** The unmatched messages. */
  UnexpectedQueue unexpected() {
    return unexpected;
  }
}
