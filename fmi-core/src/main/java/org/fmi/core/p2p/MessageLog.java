package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.fmi.wire.Memory;
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
  /** What a log tells, in the call that it happens in. */
  public interface Listener {
    /** The last message was made again that has come elsewhere. */
    void caughtUp();

    /** The program is about to make a choice that is not covered. */
    void chooses(Choice choice);

    /**
     * Something may leave the rank that depends on this; returns once that is kept elsewhere.
     *
     * @param first how much was told before
     * @throws org.fmi.Rollback if the epoch is over, and this rank does not go on in the next
     */
    void chose(int first, long[] determinants);

    /**
     * A message that is made again is not the one that came before. Does not return.
     *
     * @throws org.fmi.Rollback as all go back
     */
    void differs(int dest, int context, long tag, long lengthBefore, long length);
  }

  /** The number of a message that is not covered, or is from before the line. */
  static final int NO_NUMBER = -1;

  /** In place of the sum of a message whose data did not come, or not all. */
  private static final long NO_SUM = 0;

  /** Pieces of memory that messages are copied to: the first, and the largest. */
  private static final int FIRST_PIECE = 16 << 10;

  private static final int LARGEST_PIECE = 1 << 20;

  /** What a message costs beside its data. */
  private static final int ENTRY_BYTES = 32;

  private static final int FIRST_ENTRIES = 16;

  private static final long[] NOTHING = {};

  /** What was sent to one rank. */
  private static final class Sent {
    int count;
    int[] contexts = new int[FIRST_ENTRIES];
    long[] tags = new long[FIRST_ENTRIES];
    MemorySegment[] pieces = new MemorySegment[FIRST_ENTRIES];
    long[] offsets = new long[FIRST_ENTRIES];
    long[] lengths = new long[FIRST_ENTRIES];

    /** Messages that have come there, and are not to be sent. */
    BitSet come = new BitSet();

    /**
     * Length and sum of each of them, in turns, as they came; of a rank that is not behind none.
     */
    long[] before = NOTHING;

    /** Whether a message that came is another one now. */
    boolean differs(int number, long length, long sum) {
      if (2 * number + 1 >= before.length) {
        return false;
      }
      long sumBefore = before[2 * number + 1];
      return before[2 * number] != length || (sumBefore != NO_SUM && sumBefore != sum);
    }

    /** Synchronous sends that are not complete. */
    final List<MessageRequest> synchronous = new ArrayList<>();

    /** A line: keeps the room for what is to come. */
    void clear() {
      Arrays.fill(pieces, 0, Math.min(count, pieces.length), null);
      count = 0;
      come.clear();
      before = NOTHING;
      synchronous.clear();
    }

    void add(int context, long tag, MemorySegment piece, long offset, long bytes) {
      if (count == contexts.length) {
        int more = 2 * count;
        contexts = Arrays.copyOf(contexts, more);
        tags = Arrays.copyOf(tags, more);
        pieces = Arrays.copyOf(pieces, more);
        offsets = Arrays.copyOf(offsets, more);
        lengths = Arrays.copyOf(lengths, more);
      }
      contexts[count] = context;
      tags[count] = tag;
      pieces[count] = piece;
      offsets[count] = offset;
      lengths[count] = bytes;
    }
  }

  /** What has come of one rank. */
  private static final class Received {
    final BitSet come = new BitSet();

    /** By number, the length of each message that has come and its sum, in turns. */
    long[] sums = new long[2 * FIRST_ENTRIES];

    void comes(int number, long length, long sum) {
      assert !come.get(number) : "a message is received twice";
      come.set(number);
      if (2 * number + 1 >= sums.length) {
        sums = Arrays.copyOf(sums, 4 * number + 4);
      }
      sums[2 * number] = length;
      sums[2 * number + 1] = sum;
    }

    /** What had come when this epoch began; null if it began at a line. */
    @Nullable BitSet before;

    /** The number of the next message that is announced. */
    int next;

    /** A line: keeps the room for what is to come. */
    void clear() {
      come.clear();
      before = null;
      next = 0;
    }

    void enterEpoch() {
      before = (BitSet) come.clone();
      next = before.nextClearBit(0);
    }

    int take() {
      int number = next++;
      if (before != null) {
        next = before.nextClearBit(next);
      }
      return number;
    }
  }

  /** Whether messages are counted and kept; if not, only what their order decides. */
  private final boolean keeps;

  private long limit;
  private final Listener listener;
  private final @Nullable Sent[] sent;
  private final @Nullable Received[] received;
  private final Determinants determinants = new Determinants();
  private final MessageSum sum = new MessageSum();
  private boolean on;

  /** Messages that have come elsewhere and were not made again yet. */
  private long ahead;

  /** Bytes of the log; and why it is of no use, if so. */
  private long bytes;

  private long messages;

  private @Nullable String unusable;

  // Where the next message is copied to.
  private final List<MemorySegment> pieces = new ArrayList<>();
  private int piece = -1;
  private long used;

  /**
   * An empty log, which is off.
   *
   * @param limit the most that it may hold, in bytes; 0: it keeps no messages, and only what is
   *     decided by their order
   */
  public MessageLog(int size, long limit, Listener listener) {
    this.keeps = limit != 0;
    this.limit = limit;
    this.listener = listener;
    this.sent = new Sent[size];
    this.received = new Received[size];
  }

  /** Whether messages of this context are covered. */
  static boolean covers(int context) {
    return context >> 1 != Contexts.SYSTEM;
  }

  /** Forgets all; begins anew, or covers nothing from now on. */
  void line(boolean begins) {
    on = begins;
    ahead = 0;
    bytes = 0;
    messages = 0;
    unusable = null;
    for (int rank = 0; rank < sent.length; rank++) {
      Sent s = sent[rank];
      if (s != null) {
        s.clear();
      }
      Received r = received[rank];
      if (r != null) {
        r.clear();
      }
    }
    determinants.clear();
    pieces.clear(); // not used again: requests may still send out of them
    piece = -1;
    used = 0;
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
  }

  /** The most that it may hold, in bytes. */
  public long limit() {
    return limit;
  }

  /** What it takes, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** How many messages it holds. */
  long messages() {
    return messages;
  }

  /** Whether messages of this rank have come elsewhere that it has not made again yet. */
  public boolean isBehind() {
    return ahead > 0;
  }

  /** The program is about to make a choice. */
  public void chooses(Choice choice) {
    if (on) {
      listener.chooses(choice);
    }
  }

  // ---- what is decided by the time at which messages come

  /** Tells what was decided, before something leaves the rank. */
  public void tell() {
    if (on && limit > 0 && determinants.areUntold()) {
      if (determinants.areTooMany()) {
        listener.chooses(Choice.TOO_MANY);
        determinants.stop();
      } else {
        int first = determinants.told();
        listener.chose(first, determinants.take());
      }
    }
  }

  /** What is recorded, or repeated; null if there is no line that it would begin at. */
  @Nullable Determinants determinants() {
    return on ? determinants : null;
  }

  /** From the line on, all of this was decided before. */
  public void repeat(long[] decided) {
    determinants.repeat(decided);
  }

  /** This rank comes to a line alone: what was to be repeated behind it still is. */
  public void passLine() {
    on = true;
    determinants.pass();
  }

  /** Ends recording; gives what was decided since the line. */
  public long[] endRecording() {
    long[] decided = determinants.take();
    determinants.stop();
    return decided;
  }

  /** Goes back to a line, behind which this was decided. */
  public void goBack(long[] decided) {
    on = true;
    determinants.repeat(decided);
    determinants.stop();
  }

  /**
   * A receive of the program is posted. If it is known what it got, it gets that again.
   *
   * @return false if no message may match it, as it will be cancelled
   */
  boolean posts(MessageRequest r) {
    if (on) {
      r.posted = determinants.post();
      long got = determinants.receive(r.posted);
      if (got == Determinants.WILL_BE_CANCELLED) {
        r.toBeCancelled = true;
        return false;
      }
      if (got != Determinants.UNKNOWN) {
        r.peer = Determinants.source(got);
        r.tag = Determinants.tag(got);
      }
    }
    return true;
  }

  /** A receive from any source has matched a message. */
  void matches(MessageRequest r) {
    if (on && Contexts.isProgram(r.context)) {
      determinants.received(r.posted, r.matchedSource, r.matchedTag);
    }
  }

  // ---- sending

  private Sent to(int dest) {
    Sent s = sent[dest];
    if (s == null) {
      s = new Sent();
      sent[dest] = s;
    }
    return s;
  }

  /** A message is sent. Gives false if it has come already. */
  boolean sends(Object base, long offset, long length, int dest, int context, long tag) {
    if (!keeps) {
      return true;
    }
    Sent s = to(dest);
    if (unusable == null && bytes + length + ENTRY_BYTES > limit) {
      spoil("has sent more than " + limit + " bytes since the last checkpoint (--log-limit)");
    }
    MemorySegment room = unusable == null ? room(length) : null;
    if (room != null) {
      Memory.toSegment(base, offset, room, used, length);
      s.add(context, tag, room, used, length);
      used += (length + 7) & ~7L;
      bytes += length + ENTRY_BYTES;
      messages++;
    }
    int number = s.count++;
    assert s.count > 0 : "more messages than can be counted";
    if (!s.come.get(number)) {
      return true;
    }
    if (s.differs(number, length, sum.of(base, offset, length))) {
      listener.differs(dest, context, tag, s.before[2 * number], length);
    }
    ahead--;
    assert ahead >= 0 : "more messages were left out than have come";
    if (ahead == 0) {
      listener.caughtUp();
    }
    return false;
  }

  /** The log cannot be used before the next line. */
  public void spoil(String reason) {
    if (on && unusable == null) {
      unusable = reason;
      pieces.clear();
      piece = -1;
      used = 0;
      bytes = 0;
      messages = 0;
    }
  }

  /** Null if there is no memory. */
  private @Nullable MemorySegment room(long length) {
    try {
      return take(length);
    } catch (OutOfMemoryError e) {
      spoil("has no memory for a log of what it sends, beside " + bytes + " bytes of it");
      return null;
    }
  }

  private MemorySegment take(long length) {
    if (length > LARGEST_PIECE) {
      used = 0;
      piece = -1; // the rest of the piece before stays unused
      return MessagePool.memory(length);
    }
    if (piece < 0 || used + length > pieces.get(piece).byteSize()) {
      int size = Math.min(LARGEST_PIECE, FIRST_PIECE << Math.min(pieces.size(), 6));
      pieces.add(MessagePool.memory(Math.max(size, length)));
      piece = pieces.size() - 1;
      used = 0;
    }
    return pieces.get(piece);
  }

  /** Messages to a rank so far. */
  int count(int dest) {
    Sent s = sent[dest];
    return s == null ? 0 : s.count;
  }

  /** Whether a message has come there. */
  boolean hasCome(int dest, int number) {
    return to(dest).come.get(number);
  }

  /** The message sent last is complete only once it has found its receive. */
  void synchronous(MessageRequest r) {
    if (!keeps) {
      return;
    }
    Sent s = to(r.peer);
    r.number = s.count - 1;
    s.synchronous.add(r);
  }

  /** The synchronous send of a message, if it is not complete; else null. */
  @Nullable MessageRequest synchronous(int dest, int number) {
    for (MessageRequest r : to(dest).synchronous) {
      if (r.number == number) {
        return r;
      }
    }
    return null;
  }

  /** A synchronous send is complete. */
  void completed(MessageRequest r) {
    to(r.peer).synchronous.remove(r);
  }

  /** Makes a send of a message in the log. */
  void prepare(MessageRequest r, int dest, int number) {
    Sent s = to(dest);
    r.prepareSend(
        s.pieces[number],
        s.offsets[number],
        s.lengths[number],
        dest,
        s.contexts[number],
        s.tags[number],
        PointToPoint.Mode.STANDARD);
    r.again = true;
  }

  // ---- receiving

  private Received of(int source) {
    Received r = received[source];
    if (r == null) {
      r = new Received();
      received[source] = r;
    }
    return r;
  }

  /** The number of a message that is announced now. */
  int arrives(int source, int context) {
    return on && keeps && covers(context) ? of(source).take() : NO_NUMBER;
  }

  /** A receive has all of a message. */
  void comes(MessageRequest r) {
    boolean whole = r.state == MessageRequest.State.DONE;
    of(r.matchedSource)
        .comes(
            r.number, r.matchedLength, whole ? sum.of(r.base, r.offset, r.matchedLength) : NO_SUM);
  }

  // ---- epochs in which the program goes on

  /** Such an epoch begins: what has not come will be announced again, in order. */
  void enterEpoch() {
    for (Received r : received) {
      if (r != null) {
        r.enterEpoch();
      }
    }
  }

  /**
   * Which messages of a rank have come, as {@link #hasCome} takes it there.
   *
   * @param withSums whether it repeats some of them, to be compared
   */
  public long[] come(int source, boolean withSums) {
    Received r = received[source];
    if (r == null) {
      return new long[] {0};
    }
    long[] bits = r.come.toLongArray();
    int sums = withSums ? 2 * r.come.length() : 0;
    long[] come = new long[1 + bits.length + sums];
    come[0] = bits.length;
    System.arraycopy(bits, 0, come, 1, bits.length);
    System.arraycopy(r.sums, 0, come, 1 + bits.length, sums);
    return come;
  }

  /**
   * Which messages to a rank have come there.
   *
   * @param told the length of a set of bits, the bits, and by number the length and the sum of each
   *     message, if this rank is behind
   */
  public void hasCome(int dest, long[] told) {
    Sent s = to(dest);
    int counted = s.count;
    int sums = 1 + (int) told[0];
    ahead -= s.come.cardinality() - s.come.get(0, counted).cardinality();
    s.come = BitSet.valueOf(Arrays.copyOfRange(told, 1, sums));
    s.before = Arrays.copyOfRange(told, sums, told.length);
    ahead += s.come.cardinality() - s.come.get(0, counted).cardinality();
  }
}
