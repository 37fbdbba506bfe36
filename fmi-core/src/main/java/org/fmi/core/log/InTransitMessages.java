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
 * Classifies messages relative to an asynchronous recovery line, which each rank reaches at its own
 * time ({@code --checkpoint overlapped}).
 *
 * <p>Each message carries the number of the recovery line that its sender has reached (a {@link
 * #stamp}). A message that crosses a recovery line is
 *
 * <ul>
 *   <li><i>late</i> (in transit) if it was sent before the line and announced after it. It is saved
 *       with the checkpoint, as are the messages announced before the line that no receive has
 *       matched;
 *   <li><i>early</i> (an orphan) if it was sent after the line and announced before it. Its length
 *       and the checksum of its data are saved. A sender that rolls back to the line compares the
 *       message instead of sending it again. As messages of a pair are announced in the order sent,
 *       the early messages are the sender's first ones after the line.
 * </ul>
 *
 * <p>All late messages have been announced once as many messages have been announced as all ranks
 * together had sent to this one before their line.
 *
 * <p>With local rollback the {@link MessageLog} numbers messages: the numbers then determine which
 * messages are late and which early, and the log leaves out received ones.
 *
 * <p>Covers the same messages as the {@link MessageLog}: messages of the program and its
 * collectives, to other ranks.
 */
public final class InTransitMessages {
  /** A message that crosses a recovery line. */
  sealed interface Crossing {
    /** The data has arrived. */
    void received(MemorySegment memory, long at);

    /** The receive that has matched the message is complete. */
    void received(MessageRequest r);
  }

  /**
   * A received message that its sender replays after a rollback.
   *
   * @param rank the sender, in a record of the receiver; the receiver, in a record of the sender
   * @param sum checksum of the data, or {@link #NO_SUM}
   */
  public record Received(int rank, long length, long sum) {
    /** Stands for the checksum of data that was not received whole. */
    static final long NO_SUM = 0;
  }

  /** An early message: it is received before the recovery line and replayed after it. */
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

  /** A message that belongs to the checkpoint: it arrived before the recovery line, or is late. */
  final class Saved implements Crossing {
    final int context;
    final int source;
    final long tag;
    final long length;

    /** The recovery line that it belongs to, by {@link InTransitMessages#lineTurns}. */
    private final long turn = lineTurns;

    /** The early message that waits for the same data; null if the message is not early. */
    private final @Nullable Early early;

    /** Null until the data has arrived. */
    private @Nullable MemorySegment data;

    private Saved(int context, int source, long tag, long length, @Nullable Early early) {
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
        if (turn == lineTurns) {
          spoil("has an in-transit message that does not fit its receive");
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
      if (turn == lineTurns) {
        missing--;
        assert missing >= 0 : "more messages were received than were missing";
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

  /** The recovery line that this rank has reached. */
  private long line;

  /** Whether this rank's determinants need no longer be recorded. */
  private boolean stopped = true;

  private long[] determinants = {};

  /** Whether a sender has reached a recovery line that this rank has not reached. */
  private boolean othersAhead;

  /** Messages announced here in this epoch. */
  private long arrived;

  // ---- the recovery line that is not committed yet
  private boolean open;

  /** Messages from before the recovery line are still missing. */
  private boolean collecting;

  private long[] sentBefore = {};
  private List<Early> earlyAtLine = new ArrayList<>();
  private long arrivedBefore;
  private List<Saved> saved = new ArrayList<>();
  private int missing;

  /**
   * Counts recovery lines begun and closed. Distinguishes the data of an earlier line from the
   * current one's.
   */
  private long lineTurns;

  private @Nullable String spoiled;

  /** Early messages that are not to be sent again: by receiver, in the order sent. */
  private final Map<Integer, ArrayDeque<Received>> notToSend = new TreeMap<>();

  /** The messages of a rank in a job of this size; disabled at first. */
  public InTransitMessages(int size) {
    sent = new long[size];
  }

  /**
   * Enables the classification.
   *
   * @param decisions records this rank's determinants; may number messages too
   * @param listener is notified of messages that differ when they are replayed
   */
  public void enable(MessageLog decisions, LogListener listener) {
    log = decisions;
    this.listener = listener;
    sums = new MessageSum();
  }

  /** Begins an epoch in which all ranks roll back. */
  void enter() {
    Arrays.fill(sent, 0);
    early = new ArrayList<>();
    notToSend.clear();
    arrived = 0;
    othersAhead = false;
    close();
  }

  /** All ranks have reached this recovery line. */
  public void reach(long number) {
    line = number;
    if (isNumbered()) {
      log().abandonLine();
      stopped = true;
      determinants = new long[0];
    } else {
      log().reachLineAlone();
      stopped = false;
      stop();
    }
    othersAhead = false;
    early = new ArrayList<>();
    close();
  }

  private boolean isNumbered() {
    return log().logsMessages();
  }

  /** Whether a rank has sent a message after a recovery line that this rank has not reached. */
  public boolean othersAhead() {
    return othersAhead;
  }

  // ---- messages

  /** The stamp of a message that is sent now. */
  long stamp() {
    return line << 1 | (stopped ? 1 : 0);
  }

  /** Counts a message that the program sends. Returns false if its receiver already has it. */
  boolean sends(Object base, long offset, long length, int dest, int context, long tag) {
    if (!notToSend.isEmpty() && isReceived(base, offset, length, dest, context, tag)) {
      return false;
    }
    sent[dest]++;
    return true;
  }

  private boolean isReceived(
      Object base, long offset, long length, int dest, int context, long tag) {
    ArrayDeque<Received> received = notToSend.get(dest);
    if (received == null) {
      return false;
    }
    Received before = received.removeFirst();
    if (received.isEmpty()) {
      notToSend.remove(dest);
    }
    if (before.length != length
        || (before.sum != Received.NO_SUM && before.sum != sums().of(base, offset, length))) {
      Objects.requireNonNull(listener).differs(dest, context, tag, before.length, length);
    }
    return true;
  }

  /** Takes back a message that is not sent after all. */
  void withdraws(int dest) {
    sent[dest]--;
  }

  /**
   * Classifies an announced message. Returns the late or early message that waits for its data, or
   * null.
   */
  @Nullable Crossing arrives(int source, int context, long tag, long length, long stamp) {
    arrived++;
    long theirs = stamp >> 1;
    if (isNumbered() && (theirs > line || (theirs == line && collecting))) {
      log().sentAfterLine(source);
    }
    if (theirs > line) {
      Early message = new Early(source, length);
      early.add(message);
      othersAhead = true;
      return message;
    }
    if (theirs == line) {
      if ((stamp & 1) != 0) {
        stop();
      }
      return null;
    }
    assert open && theirs == line - 1 : "a message is late for a recovery line that is closed";
    arrivedBefore++;
    return save(context, source, tag, length, null);
  }

  /**
   * Saves an announced message with the checkpoint.
   *
   * @param early the early message if it is one and its data is not here
   */
  Saved save(int context, int source, long tag, long length, @Nullable Early early) {
    Saved message = new Saved(context, source, tag, length, early);
    saved.add(message);
    missing++;
    return message;
  }

  // ---- the recovery line

  /** Reaches the next recovery line; {@link #save} follows for each message already here. */
  void begin(long number) {
    assert !open : "a recovery line is begun while another one is open";
    line = number;
    if (isNumbered()) {
      log().mark();
    } else {
      log().reachLineAlone();
    }
    stopped = false;
    othersAhead = false;
    open = true;
    collecting = true;
    spoiled = null;
    saved = new ArrayList<>();
    lineTurns++;
    missing = 0;
    sentBefore = isNumbered() ? log().counts() : sent.clone();
    earlyAtLine = early;
    early = new ArrayList<>();
    arrivedBefore = arrived - earlyAtLine.size();
  }

  /**
   * By receiver, the number of messages that this rank had sent before its recovery line: in this
   * epoch, or, where messages are numbered, since the previous recovery line.
   */
  public long[] sentBefore() {
    return sentBefore.clone();
  }

  /** Whether all messages sent to this rank before the recovery line are here. */
  public boolean isComplete(long sentToThis) {
    long here = isNumbered() ? log().countBeforeLine() : arrivedBefore;
    assert here <= sentToThis : "more messages were received than were sent";
    return here == sentToThis && missing == 0;
  }

  /** Whether messages that belong to the recovery line may be missing here. */
  boolean isCollecting() {
    return collecting;
  }

  /** All messages that belong to the recovery line are here. */
  public void complete() {
    collecting = false;
    if (isNumbered()) {
      log().completeLine();
    }
  }

  /**
   * Stops recording determinants. All ranks have reached the recovery line, or a message arrived
   * from a rank that knows so: no message that depends on a later determinant can be early.
   */
  public void stop() {
    if (!stopped) {
      stopped = true;
      determinants = log().endRecording();
    }
  }

  /** The determinants from the recovery line on until {@link #stop}. */
  public long[] determinants() {
    return determinants;
  }

  /** Whether the checkpoint must hold the current determinants. */
  public boolean isRecording() {
    return open && !stopped;
  }

  private MessageSum sums() {
    return Objects.requireNonNull(sums);
  }

  private MessageLog log() {
    return Objects.requireNonNull(log);
  }

  /** Marks the checkpoint as incomplete. */
  public void spoil(String why) {
    if (open && spoiled == null) {
      spoiled = why;
    }
  }

  /** The reason why the checkpoint cannot be used; null if it can. */
  public @Nullable String spoiled() {
    return spoiled;
  }

  /**
   * Abandons the checkpoint, whose messages are all here. Other ranks may be at the next recovery
   * line already.
   */
  public void abandon() {
    assert !collecting : "messages of an abandoned recovery line are still missing";
    if (isNumbered()) {
      log().skipLine();
    }
    close();
  }

  /** Forgets everything that belongs to the checkpoint, which is written or abandoned. */
  public void close() {
    open = false;
    collecting = false;
    saved = new ArrayList<>();
    lineTurns++;
    missing = 0;
    spoiled = null;
    earlyAtLine = new ArrayList<>();
  }

  // ---- the checkpoint's contents

  List<Saved> saved() {
    return saved;
  }

  /** Early messages received here, in the order announced. */
  List<Received> earlyAtLine() {
    return earlyAtLine.stream().map(Early::toReceived).toList();
  }

  /** Messages that are not to be sent again, to each rank in the order sent. */
  public List<Received> notToSend() {
    return notToSend.values().stream().flatMap(ArrayDeque::stream).toList();
  }

  /**
   * Rolls back to a checkpoint.
   *
   * @param own messages that are not to be sent again, from this rank's image
   * @param reported messages not to be sent again that follow these, from the other ranks' images
   * @param decisions the determinants since the recovery line
   */
  public void rollBack(List<Received> own, List<Received> reported, long[] decisions) {
    log().rollBack(decisions);
    notToSend.clear();
    for (List<Received> part : List.of(own, reported)) {
      for (Received each : part) {
        notToSend.computeIfAbsent(each.rank, _ -> new ArrayDeque<>()).add(each);
      }
    }
  }
}
