package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.fmi.core.p2p.MessagePool;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Tells the messages that cross a line of checkpoints from the others, where each rank comes to its
 * own part of the line at a time of its own ({@code --checkpoint overlapped}).
 *
 * <p>Each message carries the number of the line that its sender has come to (a {@link #stamp}). A
 * message is
 *
 * <ul>
 *   <li><i>late</i> if it was sent before the line and announced behind it: it is kept with the
 *       checkpoint, and so is what was announced before and no receive has matched;
 *   <li><i>early</i> if it was sent behind the line and announced before it: its length and a sum
 *       over its data are kept, and its sender does not send it when it goes back to the line, but
 *       compares. As messages of a pair are announced in the order sent, these are its first ones
 *       from the line on.
 * </ul>
 *
 * <p>All late messages have come once as many have been announced as all ranks together had sent to
 * this one before their line.
 *
 * <p>Where the {@link MessageLog} numbers messages, as only failed ranks go back, the numbers say
 * what is late and what is early, and that log leaves out what has come.
 *
 * <p>Covers the same messages as the {@link MessageLog}: those of the program and those of its
 * collectives, to other ranks.
 */
public final class InTransitMessages {
  /** A message that comes from one side of a line to the other. */
  sealed interface Crossing {
    /** Its data is here. */
    void received(MemorySegment memory, long at);

    /** A receive that has matched it is complete. */
    void received(MessageRequest r);
  }

  /**
   * A message that has come, and that its sender makes again when it goes back.
   *
   * @param rank its sender where it has come, its receiver where it is made again
   * @param sum of its data, or {@link #NO_SUM}
   */
  public record Received(int rank, long length, long sum) {
    /** In place of the sum of data that did not come, or not all. */
    static final long NO_SUM = 0;
  }

  /** A message that is sent again though it has come. */
  final class Early implements Crossing {
    private final int source;
    private final long length;
    private long sum = Received.NO_SUM;

    private Early(int source, long length) {
      this.source = source;
      this.length = length;
    }

    @Override
    public void received(MemorySegment memory, long at) {
      sum = sums().of(memory, at, length);
    }

    @Override
    public void received(MessageRequest r) {
      if (r.isWhole()) {
        sum = sums().of(r.base(), r.offset(), length);
      }
    }

    private Received toReceived() {
      return new Received(source, length, sum);
    }
  }

  /** A message that belongs to the checkpoint: it was here before the line, or is late. */
  final class Kept implements Crossing {
    final int context;
    final int source;
    final long tag;
    final long length;

    /** The line that it belongs to, by its place among those begun and closed. */
    private final long turn = turns;

    /** What else waits for its data, as it has come early. */
    private final @Nullable Early early;

    /** Null until it is here. */
    private @Nullable MemorySegment data;

    private Kept(int context, int source, long tag, long length, @Nullable Early early) {
      this.early = early;
      this.context = context;
      this.source = source;
      this.tag = tag;
      this.length = length;
    }

    @Override
    public void received(MemorySegment memory, long at) {
      if (early != null) {
        early.received(memory, at);
      }
      MemorySegment copy = MessagePool.memory(length);
      MemorySegment.copy(memory, at, copy, 0, length);
      hold(copy);
    }

    @Override
    public void received(MessageRequest r) {
      if (early != null) {
        early.received(r);
      }
      if (!r.isWhole()) {
        if (turn == turns) {
          spoil("a message that does not fit its receive crosses it");
        }
        hold(MessagePool.memory(0));
        return;
      }
      MemorySegment copy = MessagePool.memory(length);
      Memory.toSegment(r.base(), r.offset(), copy, 0, length);
      hold(copy);
    }

    private void hold(MemorySegment copy) {
      data = copy;
      if (turn == turns) {
        missing--;
        assert missing >= 0 : "more messages have come than were missing";
      }
    }

    MemorySegment data() {
      MemorySegment here = data;
      if (here == null) {
        throw new IllegalStateException("a message of rank " + source + " is not here yet");
      }
      return here;
    }
  }

  private final long[] sent;
  private List<Early> early = new ArrayList<>();
  private @Nullable MessageLog log;
  private @Nullable LogListener listener;
  private @Nullable MessageSum sums;

  /** The line that this rank has come to. */
  private long line;

  /** Whether what this rank decides by the order of messages need no longer be recorded. */
  private boolean stopped = true;

  private long[] decided = {};

  /** Whether a sender has come to a line that this rank has not come to. */
  private boolean othersAreAhead;

  /** Messages announced here in this epoch. */
  private long arrived;

  // ---- the line that is not committed yet
  private boolean open;

  /** Messages from before the line are still missing. */
  private boolean collecting;

  private long[] sentBefore = {};
  private List<Early> earlyThere = new ArrayList<>();
  private long arrivedBefore;
  private List<Kept> kept = new ArrayList<>();
  private int missing;

  /** Counts what has been begun and closed: what was kept for one does not count for another. */
  private long turns;

  private @Nullable String spoiled;

  /** Messages that have come already, and are not sent again: by rank, in the order sent. */
  private final Map<Integer, ArrayDeque<Received>> unneeded = new TreeMap<>();

  /** Off, for a rank of a job of this many. */
  public InTransitMessages(int size) {
    sent = new long[size];
  }

  /**
   * From now on.
   *
   * @param decisions records what this rank decides by the order of messages; may number these too
   * @param listener is notified of messages that are not the same when they are made again
   */
  public void enable(MessageLog decisions, LogListener listener) {
    log = decisions;
    this.listener = listener;
    sums = new MessageSum();
  }

  /** Begins an epoch, in which all go back. */
  void enter() {
    Arrays.fill(sent, 0);
    early = new ArrayList<>();
    unneeded.clear();
    arrived = 0;
    othersAreAhead = false;
    close();
  }

  /** All ranks stand behind this line. */
  public void reach(long number) {
    line = number;
    if (isNumbered()) {
      log().dropLine();
      stopped = true;
      decided = new long[0];
    } else {
      log().passLine();
      stopped = false;
      stop();
    }
    othersAreAhead = false;
    early = new ArrayList<>();
    close();
  }

  private boolean isNumbered() {
    return log().keeps();
  }

  /** Whether a rank has sent something from behind a line that this one has not come to. */
  public boolean othersAreAhead() {
    return othersAreAhead;
  }

  // ---- messages

  /** What a message that is sent now carries. */
  long stamp() {
    return line << 1 | (stopped ? 1 : 0);
  }

  /** A message is sent. Gives false if it has come already. */
  boolean sends(Object base, long offset, long length, int dest, int context, long tag) {
    if (!unneeded.isEmpty() && isReceived(base, offset, length, dest, context, tag)) {
      return false;
    }
    sent[dest]++;
    return true;
  }

  private boolean isReceived(
      Object base, long offset, long length, int dest, int context, long tag) {
    ArrayDeque<Received> received = unneeded.get(dest);
    if (received == null) {
      return false;
    }
    Received before = received.removeFirst();
    if (received.isEmpty()) {
      unneeded.remove(dest);
    }
    if (before.length != length
        || (before.sum != Received.NO_SUM && before.sum != sums().of(base, offset, length))) {
      Objects.requireNonNull(listener).differs(dest, context, tag, before.length, length);
    }
    return true;
  }

  /** A message is not sent after all. */
  void withdraws(int dest) {
    sent[dest]--;
  }

  /** A message is announced. Gives who waits for its data, as it is late or early; else null. */
  @Nullable Crossing arrives(int source, int context, long tag, long length, long stamp) {
    arrived++;
    long theirs = stamp >> 1;
    if (isNumbered() && (theirs > line || (theirs == line && collecting))) {
      log().behindLine(source);
    }
    if (theirs > line) {
      Early message = new Early(source, length);
      early.add(message);
      othersAreAhead = true;
      return message;
    }
    if (theirs == line) {
      if ((stamp & 1) != 0) {
        stop();
      }
      return null;
    }
    assert open && theirs == line - 1 : "a message is late for a line that is closed";
    arrivedBefore++;
    return keep(context, source, tag, length, null);
  }

  /**
   * A message that no receive has matched is announced when this rank comes to its line.
   *
   * @param early if it is early, and its data is not here
   */
  Kept keep(int context, int source, long tag, long length, @Nullable Early early) {
    Kept message = new Kept(context, source, tag, length, early);
    kept.add(message);
    missing++;
    return message;
  }

  // ---- the line

  /** This rank comes to the next line; {@link #keep} follows for what is here. */
  void begin(long number) {
    assert !open : "a line is begun while another one is open";
    line = number;
    if (isNumbered()) {
      log().mark();
    } else {
      log().passLine();
    }
    stopped = false;
    othersAreAhead = false;
    open = true;
    collecting = true;
    spoiled = null;
    kept = new ArrayList<>();
    turns++;
    missing = 0;
    sentBefore = isNumbered() ? log().counts() : sent.clone();
    earlyThere = early;
    early = new ArrayList<>();
    arrivedBefore = arrived - earlyThere.size();
  }

  /**
   * By rank, how many messages this one had sent to it before its line: in this epoch, or since the
   * line before where they are numbered.
   */
  public long[] sentBefore() {
    return sentBefore.clone();
  }

  /** Whether all of the messages that were sent to this rank before the line are here. */
  public boolean isComplete(long sentToThis) {
    long here = isNumbered() ? log().beforeLine() : arrivedBefore;
    assert here <= sentToThis : "more messages have come than were sent";
    return here == sentToThis && missing == 0;
  }

  /** Whether messages that belong to a line may be missing here. */
  boolean isCollecting() {
    return collecting;
  }

  /** All that belongs to the line is here. */
  public void complete() {
    collecting = false;
    if (isNumbered()) {
      log().fixLine();
    }
  }

  /**
   * All ranks have come to the line, or one that knows that has sent something: what is decided by
   * the order of messages need no longer be recorded, as no message that depends on it is early.
   */
  public void stop() {
    if (!stopped) {
      stopped = true;
      decided = log().endRecording();
    }
  }

  /** What was decided from the line on until then. */
  public long[] decided() {
    return decided;
  }

  /** Whether a checkpoint would have to hold what is decided now. */
  public boolean isRecording() {
    return open && !stopped;
  }

  private MessageSum sums() {
    return Objects.requireNonNull(sums);
  }

  private MessageLog log() {
    return Objects.requireNonNull(log);
  }

  /** The checkpoint would not be whole. */
  public void spoil(String why) {
    if (open && spoiled == null) {
      spoiled = why;
    }
  }

  /** Why the checkpoint cannot be used; null if it can. */
  public @Nullable String spoiled() {
    return spoiled;
  }

  /** The checkpoint is given up. */
  public void giveUp() {
    if (isNumbered()) {
      log().dropLine();
    }
    close();
  }

  /** The checkpoint is written, or given up: what belongs to it is forgotten. */
  public void close() {
    open = false;
    collecting = false;
    kept = new ArrayList<>();
    turns++;
    missing = 0;
    spoiled = null;
    earlyThere = new ArrayList<>();
  }

  // ---- with the checkpoint

  List<Kept> kept() {
    return kept;
  }

  /** Messages that have come here and are sent behind the line, in the order announced. */
  List<Received> earlyThere() {
    return earlyThere.stream().map(Early::toReceived).toList();
  }

  /** What is not sent again to each rank, in the order sent. */
  public List<Received> unneeded() {
    return unneeded.values().stream().flatMap(ArrayDeque::stream).toList();
  }

  /**
   * Goes back to a checkpoint.
   *
   * @param own messages that are not sent again, as this rank's image says
   * @param told those of them that come behind these, as the others' images say
   * @param decisions what was decided behind the line
   */
  public void goBack(List<Received> own, List<Received> told, long[] decisions) {
    log().goBack(decisions);
    unneeded.clear();
    for (List<Received> part : List.of(own, told)) {
      for (Received each : part) {
        unneeded.computeIfAbsent(each.rank, _ -> new ArrayDeque<>()).add(each);
      }
    }
  }
}
