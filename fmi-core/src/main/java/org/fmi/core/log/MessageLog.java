package org.fmi.core.log;

import java.util.List;
import java.util.stream.IntStream;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.NativePieces;
import org.jspecify.annotations.Nullable;

/**
 * What this rank has sent to each other one since the last line of checkpoints, and which messages
 * of each it has got: all that is needed so that only those go back that have failed ({@code
 * --rollback local}).
 *
 * <p>The messages of an ordered pair of ranks are numbered from 0 at each line, in the order sent;
 * as they are announced in that order, the number need not be sent. A message <i>has come</i> once
 * a receive of the program has all of its data. In an epoch in which the program's calls go on,
 * each rank tells each other one which of its messages have come. That one sends all others again
 * out of its log, in order, and leaves out of those that it sends for the first time, because it
 * repeats iterations, what has come already.
 *
 * <p>Covers the program's messages and those of its collectives; not those of a rank to itself, and
 * not the runtime's own.
 */
public final class MessageLog {
  /** The number of a message that is not covered, or is from before the line. */
  static final int NO_NUMBER = -1;

  /** That of a message behind so many of one rank since the line that all ranks will roll back. */
  static final int UNCOUNTED = -2;

  /** Messages of an ordered pair of ranks that are numbered. */
  private static final int MOST_MESSAGES = 1 << 30;

  /** Sums may take a quarter of what messages may, or this much. */
  private static final long LEAST_SUM_BYTES = 1 << 20;

  /** Whether messages are counted and kept; if not, only what their order decides. */
  private final boolean keeps;

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

  /** Whether ranks have gone back since the line: some repeat what was decided. */
  boolean again;

  /** Messages that have come elsewhere and were not made again yet. */
  private long ahead;

  /** Why the log is of no use; null if it is. */
  private @Nullable String unusable;

  // ---- a line that this rank has come to, and that is not committed

  private boolean marked;

  /** Why nothing that is sent behind it can be sent again; null if it can. */
  private @Nullable String unusableBehind;

  private long last = LogMemory.NONE;

  /** Where messages are copied to. */
  private final LogMemory memory = new LogMemory();

  /** Where sums of those that have come are. */
  private final NativePieces sums = new NativePieces();

  /**
   * An empty log, which is off.
   *
   * @param limit the most that it may hold, in bytes; 0: it keeps no messages, and only what is
   *     decided by their order
   */
  public MessageLog(int rank, int size, long limit, LogListener listener) {
    this(rank, size, limit, listener, MOST_MESSAGES);
  }

  /**
   * The same.
   *
   * @param most messages of an ordered pair of ranks between two lines
   */
  MessageLog(int rank, int size, long limit, LogListener listener, int most) {
    this.most = most;
    this.keeps = limit != 0;
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

  /** Forgets all; begins anew, or covers nothing from now on. */
  void line(boolean begins) {
    if (begins && !on) {
      memory.clearAll();
    }
    on = begins;
    again = false;
    marked = false;
    unusableBehind = null;
    unstable.line();
    ahead = 0;
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

  /** What is remembered of requests and messages. */
  TrackedMessage.Pool tracked() {
    return tracked;
  }

  /** Whether there is a line that it begins at. */
  public boolean on() {
    return on;
  }

  /** Why nothing can be sent again out of it; null if it can. */
  public @Nullable String unusable() {
    return unusable;
  }

  /** From now on it may hold so many bytes. It counts messages though it may hold none. */
  public void limit(long most) {
    limit = most;
    memory.most(most);
    sums.most(Math.max(most / 4, LEAST_SUM_BYTES));
  }

  /** The most that it may hold, in bytes. */
  public long limit() {
    return limit;
  }

  /** What it takes, in bytes. */
  public long bytes() {
    return memory.bytes();
  }

  /** How many messages it holds. */
  long messages() {
    return memory.messages();
  }

  /** How many messages of this loop it has copied. */
  public long messagesInAll() {
    return memory.messagesInAll();
  }

  /** What they took, in bytes. */
  public long bytesInAll() {
    return memory.bytesInAll();
  }

  /** Whether messages of this rank have come elsewhere that it has not made again yet. */
  public boolean isBehind() {
    return ahead > 0;
  }

  /** Whether this rank still does what was done before: it makes messages or decisions again. */
  public boolean isRepeating() {
    return isBehind() || determinants.areRepeated();
  }

  /** Whether messages are numbered, and kept as far as there is room. */
  boolean keeps() {
    return keeps;
  }

  /** The program is about to make a choice. */
  public void chooses(Choice choice) {
    if (on) {
      listener.chooses(choice);
    }
  }

  // ---- what is decided by the time at which messages come

  /** Whether what was decided here may have to be repeated by this rank alone. */
  boolean mayRepeatAlone() {
    return on && limit > 0;
  }

  /** Tells the job what was decided, as far as it may not know: the epoch ends. */
  public void tell() {
    unstable.tell();
  }

  /** The same, and returns once it is kept: something leaves the rank that is no message. */
  public void tellAndWait() {
    unstable.tellAndWait();
  }

  /** What was decided and may be kept nowhere else. */
  UnstableDeterminants unstable() {
    return unstable;
  }

  /** What is recorded, or repeated; null if there is no line that it would begin at. */
  @Nullable Determinants determinants() {
    return on ? determinants : null;
  }

  /**
   * From the line on, all of this was decided before.
   *
   * @param told how much of it is kept elsewhere
   */
  public void repeat(long[] decided, int told) {
    determinants.repeat(decided, told);
  }

  /** This rank comes to a line alone: what was to be repeated behind it still is. */
  public void passLine() {
    on = true;
    determinants.pass();
  }

  /** Gives what was decided since the line; if that is for a checkpoint alone, recording ends. */
  public long[] endRecording() {
    long[] decided = keeps ? determinants.behind() : determinants.take();
    if (!keeps || !unstable.tells()) {
      determinants.stop();
    }
    return decided;
  }

  /** Goes back to a line, behind which this was decided. */
  public void goBack(long[] decided) {
    on = true;
    determinants.repeat(decided, decided.length);
    determinants.stop();
  }

  // ---- lines that each rank comes to at a time of its own

  /**
   * This rank goes back to such a line, of which nothing was sent.
   *
   * @param come messages from behind the line that its state has, by sender in the order sent
   */
  public void goBack(List<InTransitMessages.Received> come) {
    for (InTransitMessages.Received each : come) {
      ReceivedFrom r = of(each.rank());
      r.receive(r.received.length(), each.length(), each.sum());
    }
    willComeAgain();
  }

  /** This rank comes to such a line: the log reaches to before it until it is committed. */
  void mark() {
    assert !marked : "a line is begun while another one is open";
    marked = true;
    unusableBehind = null;
    for (SentTo s : sent) {
      if (s != null) {
        s.mark();
      }
    }
    memory.mark();
    determinants.mark();
  }

  /** Messages to each rank so far. */
  long[] counts() {
    return IntStream.range(0, sent.length).mapToLong(this::count).toArray();
  }

  /** What is announced next by this rank was sent behind the next line. */
  void behindLine(int source) {
    of(source).behindLine();
  }

  /** How many messages that were sent before the line are here. */
  long beforeLine() {
    long all = 0;
    for (ReceivedFrom r : received) {
      all += r == null ? 0 : r.beforeLine();
    }
    return all;
  }

  /** All of them are. */
  void fixLine() {
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.fixLine();
      }
    }
  }

  /** There will be no such line: it is given up, or the epoch is over. */
  void dropLine() {
    marked = false;
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.dropLine();
      }
    }
    determinants.dropMark();
  }

  /** By its number, what a message of this rank is called once {@link #cut} was called. */
  int renumbered(int source, int number) {
    return number < 0 ? number : of(source).renumbered(number);
  }

  /** The line is committed: begins there. */
  void cut() {
    assert marked : "a line is committed that was not begun";
    marked = false;
    unusable = unusableBehind;
    unusableBehind = null;
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
   * A receive of the program is posted. If its message is known, it gets that again.
   *
   * @return false if no message may match it, as it will be cancelled
   */
  boolean posts(MessageRequest r) {
    return !on || isToMatch(r, determinants.post());
  }

  /** The same of one that was under way at the line that this rank has just rolled back to. */
  boolean postsAgain(MessageRequest r, long number) {
    return !on || isToMatch(r, determinants.posted() + number);
  }

  /** What a receive that is under way is called behind the line that this rank stands at. */
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

  /** A receive from any source has matched a message. */
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

  /** A message is sent. Gives false if it was received already. */
  boolean sends(Object base, long offset, long length, int dest, int context, long tag) {
    if (!keeps) {
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
        spoil("has no memory for a log of what it sends, beside " + bytes() + " bytes of it");
      } else {
        s.add(memory, last, marked);
      }
    }
    long count = s.count++;
    if (!s.isReceived(count)) {
      return true;
    }
    s.compare((int) count, length, sum.of(base, offset, length), listener, dest, context, tag);
    ahead--;
    assert ahead >= 0 : "more messages were left out than have come";
    if (ahead == 0) {
      listener.caughtUp();
    }
    return false;
  }

  /** The message sent last is not sent after all. */
  void withdraws(int dest) {
    if (!on || !keeps) {
      return;
    }
    spoil("has given up a send that had failed");
    SentTo s = to(dest);
    s.count--;
    assert s.count >= s.mark : "a send was under way between two iterations";
  }

  private boolean isCopying() {
    return (marked ? unusableBehind : unusable) == null;
  }

  private void makeRoom(long more) {
    listener.outgrown(memory.bytes() + more);
    String reason = "has sent more than " + limit + " bytes since its checkpoint (--log-limit)";
    if (marked) {
      // What is sent behind the line may still have room.
      unusable = unusable == null ? reason : unusable;
      memory.discountBefore();
    }
    if (memory.bytes() + more > limit) {
      spoil(reason);
    }
  }

  /** The log cannot be used before the next line. */
  public void spoil(String reason) {
    if (!on || !isCopying()) {
      return;
    }
    unusable = unusable == null ? reason : unusable;
    unusableBehind = marked ? reason : null;
    memory.discount();
  }

  /** Messages to a rank so far. */
  long count(int dest) {
    SentTo s = sent[dest];
    return s == null ? 0 : s.count;
  }

  /** Whether a message was received there. */
  boolean isReceived(int dest, long number) {
    return to(dest).isReceived(number);
  }

  /** The message sent last is complete only once it has found its receive. */
  void synchronous(MessageRequest r) {
    if (!keeps) {
      return;
    }
    SentTo s = to(r.peer());
    tracked.of(r).number = s.count <= most ? (int) s.count - 1 : UNCOUNTED;
    s.synchronous.add(r);
  }

  /** The synchronous send of a message, if it is not complete; else null. */
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

  /** Where the first message to a rank is in the log; {@link #next} are the others, in order. */
  long first(int dest) {
    return to(dest).first;
  }

  long next(long position) {
    return memory.next(position);
  }

  /** Where the message is that was sent last; {@link LogMemory#NONE} if the log has it not. */
  long last() {
    return last;
  }

  /** The length of the message at a position, in bytes. */
  long length(long position) {
    return memory.length(position);
  }

  /** Shows the message at a position. */
  void read(long position, LogMemory.Reader reader) {
    memory.read(position, reader);
  }

  // ---- receiving

  private ReceivedFrom of(int source) {
    ReceivedFrom r = received[source];
    if (r == null) {
      r = new ReceivedFrom(sums, most);
      received[source] = r;
    }
    return r;
  }

  /** The number of a message that is announced now. */
  int arrives(int source) {
    return on && keeps ? of(source).take() : NO_NUMBER;
  }

  /** A receive has all of a message. */
  void received(MessageRequest r, int number) {
    if (number == UNCOUNTED) {
      return;
    }
    of(r.matchedSource())
        .receive(
            number,
            r.matchedLength(),
            r.isWhole() ? sum.of(r.base(), r.offset(), r.matchedLength()) : SentTo.NO_SUM);
  }

  // ---- epochs in which the program goes on

  /** Such an epoch begins. */
  void enterEpoch() {
    unstable.enterEpoch();
    willComeAgain();
  }

  /** What has not come will be announced again, in order. */
  private void willComeAgain() {
    for (ReceivedFrom r : received) {
      if (r != null) {
        r.enterEpoch();
      }
    }
  }

  /**
   * Which messages of a rank were received, as {@link #receivedThere} takes it there.
   *
   * @param withSums whether it repeats some of them, to be compared
   */
  public long[] received(int source, boolean withSums) {
    ReceivedFrom r = received[source];
    return r == null ? new long[] {0} : r.told(withSums);
  }

  /**
   * Which messages to a rank were received there.
   *
   * @param told the length of a set of bits, the bits, and what {@link MadeAgain} takes, if this
   *     rank is behind
   */
  public void receivedThere(int dest, long[] told) {
    again = true;
    ahead += to(dest).receivedThere(told);
  }
}
