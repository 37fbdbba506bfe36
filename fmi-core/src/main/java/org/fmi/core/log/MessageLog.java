package org.fmi.core.log;

import java.util.List;
import java.util.stream.IntStream;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.NativePieces;
import org.jspecify.annotations.Nullable;

/**
 * The messages that this rank has sent to each peer since the last recovery line, and which of each
 * peer's messages it has received: what it takes to roll back only failed ranks ({@code --rollback
 * local}).
 *
 * <p>The messages of an ordered pair of ranks are numbered from 0 at each recovery line, in the
 * order sent. They are announced in that order, so the number need not be sent. A message counts as
 * <i>received</i> once a receive of the program has all of its data. In an epoch that the program's
 * calls continue into, each rank reports to each peer which of the peer's messages it has received.
 * The peer resends the other messages from its log, in order. A peer that repeats iterations sends
 * messages for the first time since it failed; it leaves out those that were received before.
 *
 * <p>Covers messages of the program and of its collectives, to other ranks; the runtime's own
 * messages are not covered.
 */
public final class MessageLog {
  /** The number of a message that is not covered, or is from before the recovery line. */
  static final int NO_NUMBER = -1;

  /**
   * The number of a message beyond the maximum; a failure before the next recovery line then rolls
   * back all ranks.
   */
  static final int UNCOUNTED = -2;

  /** Maximum number of messages of an ordered pair of ranks between two recovery lines. */
  private static final int MAX_MESSAGES = 1 << 30;

  /** Checksums may take a quarter of the log's limit, or this much. */
  private static final long MIN_SUM_BYTES = 1 << 20;

  /** Whether messages are numbered and logged; if not, only determinants are recorded. */
  private final boolean logsMessages;

  private final int most;
  private long limit;
  private final LogListener listener;
  private final @Nullable SentTo[] sent;
  private final @Nullable ReceivedFrom[] received;
  private final Determinants determinants = new Determinants();
  private final UnstableDeterminants unstable;
  private final MessageSum sum = new MessageSum();
  private final TrackedMessage.Pool tracked = new TrackedMessage.Pool();
  private boolean on;

  /** Whether ranks have rolled back since the recovery line and may be replaying. */
  boolean replayPossible;

  /** Number of messages that their receivers have and that this rank has not replayed yet. */
  private long unreplayed;

  /** The reason why the log cannot be used; null if it can. */
  private @Nullable String unusable;

  // ---- a recovery line that this rank has reached and that is not committed

  private boolean marked;

  /** The reason why messages sent after it cannot be resent; null if they can. */
  private @Nullable String unusableAfterMark;

  private long last = LogMemory.NONE;

  /** Copies of messages. */
  private final LogMemory memory = new LogMemory();

  /** Memory for the checksums of received messages. */
  private final NativePieces sums = new NativePieces();

  /**
   * An empty log, switched off.
   *
   * @param limit its maximum size in bytes; 0 records determinants only
   */
  public MessageLog(int rank, int size, long limit, LogListener listener) {
    this(rank, size, limit, listener, MAX_MESSAGES);
  }

  /**
   * An empty log, switched off.
   *
   * @param most maximum number of messages of an ordered pair of ranks between two recovery lines
   */
  MessageLog(int rank, int size, long limit, LogListener listener, int most) {
    this.most = most;
    this.logsMessages = limit != 0;
    limit(limit);
    this.listener = listener;
    this.unstable = new UnstableDeterminants(rank, size, this, determinants, listener);
    this.sent = new SentTo[size];
    this.received = new ReceivedFrom[size];
  }

  /** Whether messages of this context are covered. */
  static boolean covers(int context) {
    return !Contexts.isSystem(context);
  }

  /**
   * Empties the log at a recovery line.
   *
   * @param begins whether it covers the messages from now on
   */
  void reachLine(boolean begins) {
    if (begins && !on) {
      memory.clearAll();
    }
    on = begins;
    replayPossible = false;
    marked = false;
    unusableAfterMark = null;
    unstable.dropOwn();
    unreplayed = 0;
    unusable = null;
    for (SentTo s : sent) {
      if (s != null) {
        s.clear();
      }
    }
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.clear();
      }
    }
    determinants.clear();
    memory.clear();
    if (!begins) {
      memory.free();
      sums.drop();
    }
  }

  /** The tracking data of requests and messages. */
  TrackedMessage.Pool tracked() {
    return tracked;
  }

  /** Whether there is a recovery line that the log begins at. */
  public boolean on() {
    return on;
  }

  /** The reason why messages cannot be resent from the log; null if they can. */
  public @Nullable String unusable() {
    return unusable;
  }

  /** Sets the maximum size in bytes. With 0 the log still counts messages. */
  public void limit(long most) {
    limit = most;
    memory.most(most);
    sums.most(Math.max(most / 4, MIN_SUM_BYTES));
  }

  /** The maximum size, in bytes. */
  public long limit() {
    return limit;
  }

  /** The current size, in bytes. */
  public long bytes() {
    return memory.bytes();
  }

  /** The number of messages held. */
  long messages() {
    return memory.messages();
  }

  /** The number of messages copied since the loop began. */
  public long messagesInAll() {
    return memory.messagesInAll();
  }

  /** The size of the messages copied since the loop began, in bytes. */
  public long bytesInAll() {
    return memory.bytesInAll();
  }

  /** Whether peers have messages from this rank that it has not replayed yet. */
  public boolean hasUnreplayed() {
    return unreplayed > 0;
  }

  /** Whether this rank still replays messages or determinants. */
  public boolean isRepeating() {
    return hasUnreplayed() || determinants.isReplaying();
  }

  /** Whether messages are numbered, and logged while there is room. */
  boolean logsMessages() {
    return logsMessages;
  }

  /** The program is about to make a choice that is not covered. */
  public void chooses(Choice choice) {
    if (on) {
      listener.chooses(choice);
    }
  }

  // ---- determinants

  /** Whether this rank may have to replay its determinants alone. */
  boolean mayReplayAlone() {
    return on && limit > 0;
  }

  /** Reports unreported determinants to the job, as the epoch ends. */
  public void report() {
    unstable.report();
  }

  /**
   * Reports unreported determinants to the job, and waits until they are stable: the rank is about
   * to do something visible that is not a message.
   */
  public void reportAndWait() {
    unstable.reportAndWait();
  }

  /** The determinants that may not be stable yet. */
  UnstableDeterminants unstable() {
    return unstable;
  }

  /**
   * The determinants to record to or replay from; null if there is no recovery line that they begin
   * at.
   */
  @Nullable Determinants determinants() {
    return on ? determinants : null;
  }

  /**
   * Replays these determinants, which are those since the recovery line.
   *
   * @param stable how much of them is stable, in longs
   */
  public void replay(long[] recorded, int stable) {
    determinants.replay(recorded, stable);
  }

  /** Reaches a recovery line alone; determinants after it that were to be replayed still are. */
  public void reachLineAlone() {
    on = true;
    determinants.keepUnreplayed();
  }

  /**
   * Returns the determinants since the recovery line. Stops recording if only the checkpoint needs
   * them.
   */
  public long[] endRecording() {
    long[] recorded = logsMessages ? determinants.afterMark() : determinants.takeUnreported();
    if (!logsMessages || !unstable.reports()) {
      determinants.stop();
    }
    return recorded;
  }

  /** Rolls back to a recovery line, and replays these determinants after it. */
  public void rollBack(long[] recorded) {
    on = true;
    determinants.replay(recorded, recorded.length);
    determinants.stop();
  }

  // ---- asynchronous recovery lines

  /**
   * Rolls back to an asynchronous recovery line. No message after it was sent.
   *
   * @param early messages from after the recovery line that the state has, by sender in the order
   *     sent
   */
  public void rollBack(List<InTransitMessages.Received> early) {
    for (InTransitMessages.Received each : early) {
      ReceivedFrom r = from(each.rank());
      r.receive(r.received.length(), each.length(), each.sum());
    }
    expectResending();
  }

  /**
   * Marks an asynchronous recovery line, which this rank reaches. The log still reaches back to the
   * previous one until this one is committed.
   */
  void mark() {
    assert !marked : "a recovery line is begun while another one is open";
    marked = true;
    unusableAfterMark = null;
    for (SentTo s : sent) {
      if (s != null) {
        s.mark();
      }
    }
    memory.mark();
    determinants.mark();
  }

  /** The number of messages sent to each rank so far. */
  long[] counts() {
    return IntStream.range(0, sent.length).mapToLong(this::count).toArray();
  }

  /** The next message announced by this source was sent after the next recovery line. */
  void sentAfterLine(int source) {
    from(source).sentAfterLine();
  }

  /** The number of messages here that were sent before the recovery line. */
  long countBeforeLine() {
    long all = 0;
    for (ReceivedFrom r : received) {
      all += r == null ? 0 : r.countBeforeLine();
    }
    return all;
  }

  /** All messages sent before the recovery line are here. */
  void completeLine() {
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.completeLine();
      }
    }
  }

  /** The recovery line, to which all messages are complete, is not committed. */
  void skipLine() {
    marked = false;
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.skipLine();
      }
    }
    determinants.dropMark();
  }

  /** Forgets recovery lines that are not committed, as the epoch is over. */
  void abandonLine() {
    marked = false;
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.abandonLine();
      }
    }
    determinants.dropMark();
  }

  /** The number that a message of this source will have once {@link #cut} was called. */
  int renumbered(int source, int number) {
    return number < 0 ? number : from(source).renumbered(number);
  }

  /** Moves the log's beginning to the recovery line, which is committed. */
  void cut() {
    assert marked : "a recovery line is committed that was not begun";
    marked = false;
    unusable = unusableAfterMark;
    unusableAfterMark = null;
    for (SentTo s : sent) {
      if (s != null) {
        s.cut();
      }
    }
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.cut();
      }
    }
    determinants.cut();
    memory.cut();
  }

  /**
   * Posts a receive of the program. If a determinant of it is known, the receive matches that
   * message alone.
   *
   * @return false if no message may match the receive, as it will be cancelled
   */
  boolean posts(MessageRequest r) {
    return !on || isToMatch(r, determinants.post());
  }

  /**
   * Posts a receive again that was pending at the recovery line which this rank has just rolled
   * back to.
   */
  boolean repost(MessageRequest r, long number) {
    return !on || isToMatch(r, determinants.posted() + number);
  }

  /** The number of a pending receive, counted from the recovery line that this rank has reached. */
  long number(MessageRequest r) {
    return tracked.of(r).posted - determinants.posted();
  }

  private boolean isToMatch(MessageRequest r, long number) {
    tracked.of(r).posted = number;
    long got = determinants.receive(number);
    if (got == Determinants.WILL_BE_CANCELLED) {
      return false;
    }
    if (got != Determinants.UNKNOWN) {
      r.narrow(Determinants.source(got), Determinants.tag(got));
    }
    return true;
  }

  /** Records the message that a receive from any source has matched. */
  void matches(MessageRequest r) {
    if (on && Contexts.isProgram(r.context())) {
      determinants.received(tracked.of(r).posted, r.matchedSource(), r.matchedTag());
    }
  }

  // ---- sending

  private SentTo to(int dest) {
    SentTo s = sent[dest];
    if (s == null) {
      s = new SentTo();
      sent[dest] = s;
    }
    return s;
  }

  /** Logs a message that the program sends. Returns false if its receiver already has it. */
  boolean sends(Object base, long offset, long length, int dest, int context, long tag) {
    if (!logsMessages) {
      return true;
    }
    SentTo s = to(dest);
    if (s.count >= most && isCopying()) {
      listener.chooses(Choice.UNCOUNTED);
      spoil(Choice.UNCOUNTED.text());
    }
    long more = LogMemory.bytes(length);
    if (isCopying() && memory.bytes() + more > limit) {
      makeRoom(more);
    }
    last = LogMemory.NONE;
    if (isCopying()) {
      last = memory.add(context, tag, base, offset, length);
      if (last == LogMemory.NONE) {
        spoil("has no memory left for its message log of " + bytes() + " bytes");
      } else {
        s.add(memory, last, marked);
      }
    }
    long count = s.count++;
    if (!s.isReceived(count)) {
      return true;
    }
    s.compare((int) count, length, sum.of(base, offset, length), listener, dest, context, tag);
    unreplayed--;
    assert unreplayed >= 0 : "more messages were left out than were received";
    if (unreplayed == 0) {
      listener.caughtUp();
    }
    return false;
  }

  /** Takes back the message sent last, which is not sent after all. */
  void withdraws(int dest) {
    if (!on || !logsMessages) {
      return;
    }
    spoil("has withdrawn a send that had failed");
    SentTo s = to(dest);
    s.count--;
    assert s.count >= s.mark : "a send was under way between two iterations";
  }

  private boolean isCopying() {
    return (marked ? unusableAfterMark : unusable) == null;
  }

  private void makeRoom(long more) {
    listener.outgrown(memory.bytes() + more);
    String reason = "has sent more than " + limit + " bytes since its checkpoint (--log-limit)";
    if (marked) {
      // Messages sent after the recovery line may still have room.
      unusable = unusable == null ? reason : unusable;
      memory.discountBefore();
    }
    if (memory.bytes() + more > limit) {
      spoil(reason);
    }
  }

  /** Makes the log unusable until the next recovery line. */
  public void spoil(String reason) {
    if (!on || !isCopying()) {
      return;
    }
    unusable = unusable == null ? reason : unusable;
    unusableAfterMark = marked ? reason : null;
    memory.discount();
  }

  /** The number of messages sent to a rank so far. */
  long count(int dest) {
    SentTo s = sent[dest];
    return s == null ? 0 : s.count;
  }

  /** Whether the receiver has this message. */
  boolean isReceived(int dest, long number) {
    return to(dest).isReceived(number);
  }

  /**
   * Registers the message sent last as synchronous: it completes only once a receive has matched
   * it.
   */
  void synchronous(MessageRequest r) {
    if (!logsMessages) {
      return;
    }
    SentTo s = to(r.peer());
    tracked.of(r).number = s.count <= most ? (int) s.count - 1 : UNCOUNTED;
    s.synchronous.add(r);
  }

  /** The synchronous send of a message if it is still pending; else null. */
  @Nullable MessageRequest synchronous(int dest, long number) {
    for (MessageRequest r : to(dest).synchronous) {
      if (TrackedMessage.numberOf(r) == number) {
        return r;
      }
    }
    return null;
  }

  /** A synchronous send is complete. */
  void completed(MessageRequest r) {
    to(r.peer()).synchronous.remove(r);
  }

  /**
   * Position of the first message to a rank in the log; {@link #next} leads to the others, in
   * order.
   */
  long first(int dest) {
    return to(dest).first;
  }

  long next(long position) {
    return memory.next(position);
  }

  /** Position of the message sent last; {@link LogMemory#NONE} if the log does not have it. */
  long last() {
    return last;
  }

  /** The length of the message at a position, in bytes. */
  long length(long position) {
    return memory.length(position);
  }

  /** Passes the message at a position to a reader. */
  void read(long position, LogMemory.Reader reader) {
    memory.read(position, reader);
  }

  // ---- receiving

  private ReceivedFrom from(int source) {
    ReceivedFrom r = received[source];
    if (r == null) {
      r = new ReceivedFrom(sums, most);
      received[source] = r;
    }
    return r;
  }

  /** The number of a message that is announced now. */
  int arrives(int source) {
    return on && logsMessages ? from(source).take() : NO_NUMBER;
  }

  /** A receive has all of a message. */
  void received(MessageRequest r, int number) {
    if (number == UNCOUNTED) {
      return;
    }
    from(r.matchedSource())
        .receive(
            number,
            r.matchedLength(),
            r.isWhole() ? sum.of(r.base(), r.offset(), r.matchedLength()) : SentTo.NO_SUM);
  }

  // ---- epochs that the program's calls continue into

  /** Begins such an epoch. */
  void enterEpoch() {
    unstable.enterEpoch();
    expectResending();
  }

  /** Peers will announce all messages again that were not received, in order. */
  private void expectResending() {
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.enterEpoch();
      }
    }
  }

  /**
   * The report of which messages of a peer were received, in the form that {@link #receivedByPeer}
   * takes.
   *
   * @param withSums whether to add checksums, as the peer replays some of the messages
   */
  public long[] received(int source, boolean withSums) {
    ReceivedFrom r = received[source];
    return r == null ? new long[] {0} : r.report(withSums);
  }

  /**
   * Applies a peer's report of which messages it has received.
   *
   * @param report the length of a bit set, the bit set, and the input of {@link ReplayComparison}
   *     if this rank replays
   */
  public void receivedByPeer(int dest, long[] report) {
    replayPossible = true;
    unreplayed += to(dest).receivedByPeer(report);
  }
}
