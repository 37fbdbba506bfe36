package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
 *   <li><i>early</i> if it was sent behind the line and announced before it: it is counted, and its
 *       sender does not send it when it goes back to the line. As messages of a pair are announced
 *       in the order sent, these are its first ones from the line on.
 * </ul>
 *
 * <p>All late messages have come once as many have been announced as all ranks together had sent to
 * this one before their line.
 *
 * <p>Covers the same messages as the {@link MessageLog}: those of the program and those of its
 * collectives, to other ranks.
 */
public final class LineMessages {
  /** A message that belongs to the checkpoint: it was here before the line, or is late. */
  final class Kept {
    final int context;
    final int source;
    final long tag;
    final long length;

    /** The line that it belongs to, by its place among those begun and closed. */
    private final long turn = turns;

    /** Null until it is here. */
    private @Nullable MemorySegment data;

    private Kept(int context, int source, long tag, long length) {
      this.context = context;
      this.source = source;
      this.tag = tag;
      this.length = length;
    }

    /** Its data is here. */
    void comes(MemorySegment memory, long at) {
      MemorySegment copy = MessagePool.memory(length);
      MemorySegment.copy(memory, at, copy, 0, length);
      hold(copy);
    }

    /** A receive that has matched it is complete. */
    void comes(MessageRequest r) {
      if (r.state != MessageRequest.State.DONE) {
        if (turn == turns) {
          spoil("a message that does not fit its receive crosses it");
        }
        hold(MessagePool.memory(0));
        return;
      }
      MemorySegment copy = MessagePool.memory(length);
      Memory.toSegment(r.base, r.offset, copy, 0, length);
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
  private long[] early;
  private @Nullable MessageLog log;

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
  private long[] sentBefore = {};
  private long[] earlyThere = {};
  private long arrivedBefore;
  private List<Kept> kept = new ArrayList<>();
  private int missing;

  /** Counts what has been begun and closed: what was kept for one does not count for another. */
  private long turns;

  private @Nullable String spoiled;

  /** By rank: messages that it has got already, and that are not sent again. */
  private final long[] unneeded;

  LineMessages(int size) {
    sent = new long[size];
    early = new long[size];
    unneeded = new long[size];
  }

  /**
   * From now on.
   *
   * @param decisions records what this rank decides by the order of messages
   */
  public void enable(MessageLog decisions) {
    log = decisions;
  }

  boolean on() {
    return log != null;
  }

  /** Begins an epoch, in which all go back. */
  void enter() {
    if (!on()) {
      return;
    }
    Arrays.fill(sent, 0);
    Arrays.fill(early, 0);
    Arrays.fill(unneeded, 0);
    arrived = 0;
    othersAreAhead = false;
    close();
  }

  /** All ranks stand behind this line. */
  public void reach(long number) {
    line = number;
    log().passLine();
    stopped = false;
    stop();
    othersAreAhead = false;
    Arrays.fill(early, 0);
    close();
  }

  /** Whether a rank has sent something from behind a line that this one has not come to. */
  public boolean othersAreAhead() {
    return othersAreAhead;
  }

  // ---- messages

  /** What a message that is sent now carries. */
  long stamp() {
    return on() ? line << 1 | (stopped ? 1 : 0) : 0;
  }

  /** A message is sent. Gives false if it has come already. */
  boolean sends(int dest) {
    if (unneeded[dest] > 0) {
      unneeded[dest]--;
      return false;
    }
    sent[dest]++;
    return true;
  }

  /** A message is not sent after all. */
  void withdraws(int dest) {
    sent[dest]--;
  }

  /** A message is announced. Gives where it is kept if it is late, else null. */
  @Nullable Kept arrives(int source, int context, long tag, long length, long stamp) {
    arrived++;
    long theirs = stamp >> 1;
    if (theirs > line) {
      early[source]++;
      othersAreAhead = true;
      return null;
    }
    if (theirs == line) {
      if ((stamp & 1) != 0) {
        stop();
      }
      return null;
    }
    assert open && theirs == line - 1 : "a message is late for a line that is closed";
    arrivedBefore++;
    return keep(context, source, tag, length);
  }

  /** A message that no receive has matched is here when this rank comes to its line. */
  Kept keep(int context, int source, long tag, long length) {
    Kept message = new Kept(context, source, tag, length);
    kept.add(message);
    missing++;
    return message;
  }

  // ---- the line

  /** This rank comes to the next line; {@link #keep} follows for what is here. */
  void begin(long number) {
    assert !open : "a line is begun while another one is open";
    line = number;
    log().passLine();
    stopped = false;
    othersAreAhead = false;
    open = true;
    spoiled = null;
    kept = new ArrayList<>();
    turns++;
    missing = 0;
    sentBefore = sent.clone();
    earlyThere = early;
    early = new long[sent.length];
    arrivedBefore = arrived - Arrays.stream(earlyThere).sum();
  }

  /** By rank, how many messages this one had sent to it in this epoch before its line. */
  public long[] sentBefore() {
    return sentBefore.clone();
  }

  /** Whether all of the messages that were sent to this rank before the line are here. */
  public boolean isComplete(long sentToThis) {
    assert arrivedBefore <= sentToThis : "more messages have come than were sent";
    return arrivedBefore == sentToThis && missing == 0;
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

  /** The checkpoint is written, or given up: what belongs to it is forgotten. */
  public void close() {
    open = false;
    kept = new ArrayList<>();
    turns++;
    missing = 0;
    spoiled = null;
    earlyThere = new long[sent.length];
  }

  // ---- with the checkpoint

  List<Kept> kept() {
    return kept;
  }

  /** By rank, how many messages of it have come here that it sends behind the line. */
  long[] earlyThere() {
    return earlyThere;
  }

  /** By rank, how many of the next messages to it are not sent. */
  public long[] unneeded() {
    return unneeded.clone();
  }

  /**
   * Goes back to a checkpoint.
   *
   * @param own by rank, how many of the next messages to it are not sent, as this rank's image says
   * @param told as the others' images say
   * @param decisions what was decided behind the line
   */
  public void goBack(long[] own, long[] told, long[] decisions) {
    log().goBack(decisions);
    for (int rank = 0; rank < unneeded.length; rank++) {
      unneeded[rank] = own[rank] + told[rank];
    }
  }
}
