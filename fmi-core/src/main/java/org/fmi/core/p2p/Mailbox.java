package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.control.Counter;
import org.fmi.core.p2p.UnexpectedMessage.Place;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Matches messages with receives: keeps those that wait for the other, and brings the data of a
 * pair together.
 *
 * <p>Every message that a receive gets passes {@link #match}, once, in the order of matching.
 */
final class Mailbox implements MessageRequest.Completion {
  private final Peers peers;
  private final Requests requests;
  private final SendBuffer attached;
  private final SendList unsent;
  private final LineMessages lines;
  private final MessagePool pool = new MessagePool();
  private final long[] ticket = new long[RemoteMemory.TICKET_LONGS];

  private PostedQueue posted = new PostedQueue();
  private UnexpectedQueue unexpected = new UnexpectedQueue();

  /** How many peers have used up their announcements here. */
  private int stalledPeers;

  private @Nullable MessageLog log;

  private long userArrived;

  /** Bytes of those messages, and how many came before their receive; in all epochs. */
  private long userBytes;

  private long userUnexpected;

  /** As {@link #userArrived}, in the epochs before. */
  private long arrivedEarlier;

  /** Whether announced messages of the program are fetched as they come: see {@link #pull}. */
  private boolean pulling;

  /** Whether a blocking probe is under way, and what it wants. */
  private boolean probed;

  private int probedSource;
  private int probedContext;
  private long probedTag;

  Mailbox(Peers peers, Requests requests, SendList unsent, LineMessages lines) {
    this.lines = lines;
    this.peers = peers;
    this.requests = requests;
    this.attached = requests.attached;
    this.unsent = unsent;
  }

  /** Numbers what comes from now on. */
  void log(MessageLog kept) {
    log = kept;
  }

  /** Begins an epoch: forgets all messages and receives. */
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
   * Begins an epoch in which the program's calls go on. Keeps its receives, in the order posted,
   * and what nobody will send again: messages from before the line, and of this rank to itself.
   * They stay in front of those that are to come.
   *
   * @param underWay receives whose data was under way
   */
  void goOn(List<MessageRequest> underWay) {
    List<MessageRequest> receives = posted.all();
    receives.forEach(posted::remove);
    receives.removeIf(r -> !MessageLog.covers(r.context));
    receives.addAll(underWay);
    receives.sort(Comparator.comparingLong(r -> r.posting));
    posted = new PostedQueue();
    for (MessageRequest r : receives) {
      posted.stamp(r);
      posted.add(r);
    }
    UnexpectedQueue before = unexpected;
    unexpected = new UnexpectedQueue();
    for (UnexpectedMessage m = before.oldest(); m != null; m = before.oldest()) {
      before.remove(m);
      if (m.number == MessageLog.NO_NUMBER && MessageLog.covers(m.context)) {
        assert m.place != Place.REMOTE : "a message from before the line is still at its sender";
        m.charge = 0; // of a window that is no more
        unexpected.add(m);
      }
    }
    pulling = false;
    beginCounting();
  }

  /** All ranks stand at a line: what is here is from before it. */
  void line() {
    for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
      m.number = MessageLog.NO_NUMBER;
    }
  }

  /** A line is committed: what comes from before it is not sent again, all else has new numbers. */
  void renumber(MessageLog kept) {
    for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
      m.number = kept.renumbered(m.source, m.number);
      assert m.number != MessageLog.NO_NUMBER
              || m.place != Place.REMOTE
              || !MessageLog.covers(m.context)
          : "a message from before the line is still at its sender";
    }
  }

  /** This rank comes to a line: what is here, and no receive has matched, belongs to it. */
  void line(LineMessages crossing) {
    for (UnexpectedMessage m = unexpected.oldest(); m != null; m = m.next) {
      if (MessageLog.covers(m.context)) {
        LineMessages.Early early = m.crossing instanceof LineMessages.Early e ? e : null;
        LineMessages.Kept kept = crossing.keep(m.context, m.source, m.tag, m.length, early);
        switch (m.place) {
          case HELD -> kept.comes(m.data, 0);
          case REMOTE -> m.crossing = kept;
          case SELF -> {
            fetch(m); // from this rank's own buffer
            kept.comes(m.data, 0);
          }
        }
      }
    }
  }

  /** Who waits for the data of a message that is announced now, as it crosses a line. */
  private LineMessages.@Nullable Crossing crosses(
      Peer p, int context, long tag, long length, MemorySegment memory, long at) {
    return lines.on() && MessageLog.covers(context)
        ? lines.arrives(
            p.rank, context, tag, length, memory.get(FrameLayout.LONG, at + FrameLayout.LOOP))
        : null;
  }

  private int numberOf(int source, int context) {
    MessageLog kept = log;
    return kept == null ? MessageLog.NO_NUMBER : kept.arrives(source, context);
  }

  // ---- receives

  /** Gives a receive the oldest message that it wants, or keeps it until that comes. */
  void post(MessageRequest r) {
    MessageLog kept = log;
    if (kept != null && Contexts.isProgram(r.context) && !kept.posts(r)) {
      return;
    }
    find(r);
  }

  /**
   * Posts a receive again that was under way at the line that this rank has gone back to.
   *
   * @param number see {@link #number}
   */
  void postAgain(MessageRequest r, long number) {
    MessageLog kept = log;
    if (kept == null || kept.postsAgain(r, number)) {
      find(r);
    }
  }

  /** See {@link MessageLog#number}. */
  long number(MessageRequest r) {
    MessageLog kept = log;
    return kept == null ? 0 : kept.number(r);
  }

  private void find(MessageRequest r) {
    UnexpectedMessage m = unexpected.first(r.context, r.peer, r.tag);
    posted.stamp(r);
    if (m == null) {
      posted.add(r);
      allowMoreAnnouncements();
    } else {
      unexpected.remove(m);
      deliver(m, r);
      // The sender waits for the answer, and the program may compute for long before its next call.
      if (!unsent.isEmpty()) {
        unsent.flush();
      }
    }
  }

  /** Takes back a receive that no message has matched. */
  void withdraw(MessageRequest r) {
    if (!r.toBeCancelled) {
      posted.remove(r);
    }
  }

  /** Whether a receive waits for this message. */
  boolean isWanted(int context, int source, long tag) {
    return posted.wants(context, source, tag);
  }

  /** The oldest message that a probe wants; it stays. */
  @Nullable UnexpectedMessage find(int source, int context, long tag) {
    return unexpected.first(context, source, tag);
  }

  /** A blocking probe begins. */
  void beginProbe(int source, int context, long tag) {
    probed = true;
    probedSource = source;
    probedContext = context;
    probedTag = tag;
  }

  void endProbe() {
    probed = false;
  }

  /** Whether a receive or a probe waits for a message that has not come. */
  private boolean isWaitedFor() {
    // Many messages may come before a probe looks whether its own is among them.
    return posted.count() > 0 || (probed && find(probedSource, probedContext, probedTag) == null);
  }

  /** What a receive waits for may be announced only after those that nobody wants yet. */
  void allowMoreAnnouncements() {
    if (stalledPeers > 0) {
      peers.allowMoreAnnouncements();
      stalledPeers = 0;
    }
  }

  // ---- messages that come

  /** The receive that takes a message which comes now, already matched; null if none wants it. */
  private @Nullable MessageRequest take(int context, int source, long tag, long length) {
    MessageRequest r = posted.take(context, source, tag);
    if (r != null) {
      match(r, source, tag, length);
    }
    return r;
  }

  /** The one place where receives get their messages. */
  private void match(MessageRequest r, int source, long tag, long length) {
    assert r.pending() && !r.hasMatched() : "a receive gets a second message";
    r.matched(source, tag, length);
    MessageLog kept = log;
    if (kept != null && Determinants.isOpen(r.peer)) {
      kept.matches(r);
    }
  }

  /** Gives a message of this rank to the receive that waits for it, if there is one. */
  boolean deliver(Object base, long offset, long bytes, int context, int self, long tag) {
    MessageRequest r = take(context, self, tag, bytes);
    if (r == null) {
      return false;
    }
    if (bytes <= r.bytes) {
      Memory.copy(base, offset, r.base, r.offset, bytes);
    }
    requests.finishReceive(r);
    return true;
  }

  /**
   * Keeps a copy of a message of this rank.
   *
   * @param buffered how much of the attached buffer it takes, in bytes
   */
  void keep(Object base, long offset, long bytes, int context, int self, long tag, long buffered) {
    UnexpectedMessage m = pool.take(bytes);
    m.describe(Place.HELD, context, self, tag, bytes);
    Memory.toSegment(base, offset, m.data, 0, bytes);
    m.buffered = buffered;
    unexpected.add(m);
  }

  /** Keeps a message of this rank where its send has it. */
  void keep(MessageRequest send, int self) {
    UnexpectedMessage m = pool.take(0);
    m.describe(Place.SELF, send.context, self, send.tag, send.bytes);
    m.sender = send;
    unexpected.add(m);
  }

  /** An eager message has come. */
  void onEager(Peer p, int context, long tag, long length, MemorySegment memory, long data) {
    countArrived(context, length);
    LineMessages.Crossing crossing =
        crosses(p, context, tag, length, memory, data - FrameLayout.HEADER_BYTES);
    if (crossing != null) {
      crossing.comes(memory, data);
    }
    int number = numberOf(p.rank, context);
    MessageRequest r = take(context, p.rank, tag, length);
    if (r == null) {
      countUnexpected(context);
      UnexpectedMessage m = pool.take(length);
      m.describe(Place.HELD, context, p.rank, tag, length);
      m.number = number;
      MemorySegment.copy(memory, data, m.data, 0, length);
      m.charge = length + FlowLimits.MESSAGE_COST;
      unexpected.add(m);
      return;
    }
    if (length <= r.bytes) {
      Memory.fromSegment(memory, data, r.base, r.offset, length);
    }
    r.number = number;
    requests.finishReceive(r);
    p.consumed(length + FlowLimits.MESSAGE_COST);
  }

  /**
   * A message was announced.
   *
   * @param at where its frame begins in {@code memory}
   */
  void onAnnouncement(
      Peer p, int context, long tag, long sequence, long length, MemorySegment memory, long at) {
    countArrived(context, length);
    LineMessages.Crossing crossing = crosses(p, context, tag, length, memory, at);
    int ticketBytes = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    boolean exposed = ticketBytes > 0;
    int number = numberOf(p.rank, context);
    MessageRequest r = take(context, p.rank, tag, length);
    if (r != null) {
      r.number = number;
      r.crossing = crossing;
      startData(p, r, sequence, exposed ? ticketOf(memory, at, ticketBytes, ticket) : null);
      return;
    }
    countUnexpected(context);
    UnexpectedMessage m = pool.take(0);
    m.describe(Place.REMOTE, context, p.rank, tag, length);
    m.number = number;
    m.crossing = crossing;
    m.sequence = sequence;
    m.exposed = exposed;
    if (exposed) {
      ticketOf(memory, at, ticketBytes, m.ticket);
    }
    unexpected.add(m);
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

  /** Messages of others to the program in this epoch, counted when they were announced. */
  long userArrived() {
    return userArrived;
  }

  /** Adds what it has counted in all epochs, and what it holds. Any thread. */
  void count(Map<Counter, Long> counters) {
    UnexpectedQueue queue = unexpected;
    counters.put(Counter.MESSAGES_RECEIVED, arrivedEarlier + userArrived);
    counters.put(Counter.BYTES_RECEIVED, userBytes);
    counters.put(Counter.MESSAGES_UNEXPECTED, userUnexpected);
    counters.put(Counter.UNEXPECTED_MESSAGES, (long) queue.count());
    counters.put(Counter.UNEXPECTED_BYTES, queue.heldBytes());
  }

  // ---- a pair is complete

  /** Gives a message, which is in no queue, to the receive that wants it. */
  private void deliver(UnexpectedMessage m, MessageRequest r) {
    assert m.place != Place.REMOTE || !m.fetching : "a message is asked for twice";
    match(r, m.source, m.tag, m.length);
    r.number = m.number;
    r.crossing = m.crossing;
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

  /** Settles with the sender that a message has found its receive, or is thrown away. */
  private void consume(UnexpectedMessage m) {
    if (m.charge > 0) {
      peers.get(m.source).consumed(m.charge);
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
   * Lets a matched message of a peer come, if it is wanted.
   *
   * @param from how it can be read; null if it cannot
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

  // ---- checkpoints

  /** Whether announced messages of the program are fetched as they come, until called anew. */
  void pull(boolean announced) {
    pulling = announced;
  }

  /**
   * Begins to fetch all announced messages of the program that no receive has matched.
   *
   * @return whether all are here
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
      requests.finishSend(sender);
      unexpected.hold(m, copy);
      return;
    }
    Peer p = peers.get(m.source);
    noLongerWaits(p);
    MessageRequest r = requests.take();
    r.prepareReceive(copy, 0, m.length, m.source, m.context, m.tag);
    r.matched(m.source, m.tag, m.length); // with itself: it stays unexpected
    r.fetches = m;
    r.crossing = m.crossing;
    m.crossing = null;
    r.completion = this;
    startData(p, r, m.sequence, null);
  }

  /** A message that was fetched is here. */
  @Override
  public void received(MessageRequest r) {
    unexpected.hold(Objects.requireNonNull(r.fetches), (MemorySegment) r.base);
    requests.give(r);
  }

  /** Size of what {@link #write} writes, in bytes. */
  long imageBytes() {
    return UnexpectedImage.bytes(unexpected);
  }

  /** Saves the program's messages that were not received yet; they stay here too. */
  void write(MemorySegment image) {
    UnexpectedImage.write(unexpected, image);
  }

  /** Puts saved messages before all that have arrived meanwhile. No receive is posted by now. */
  void read(MemorySegment image, @Nullable LineImage crossing) {
    assert posted.count() == 0 : "a receive is posted that a saved message could be for";
    UnexpectedQueue arrived = unexpected;
    unexpected = new UnexpectedQueue();
    UnexpectedImage.read(image, unexpected, pool);
    if (crossing != null) {
      crossing.read(unexpected, pool);
    }
    for (UnexpectedMessage m = arrived.oldest(); m != null; m = arrived.oldest()) {
      arrived.remove(m);
      unexpected.add(m);
    }
  }

  /** Throws the program's messages away that were not received yet. */
  void discard() {
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

  /** The messages that no receive has matched. */
  UnexpectedQueue unexpected() {
    return unexpected;
  }
}
