package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long messages come faster from one peer: read out of its memory, or in frames. Where
 * the processor of a rank moves both, that depends on what no rule can know: in whose cache the
 * message lies, and whether the sender has a core to send frames with.
 *
 * <p>The time of a message is not all that it costs. What was read lies in two caches, and its owner
 * has to take it back from the other one before it writes there again: its next receive takes
 * longer, where data bounce. So messages are read only if the time from one to the next, which has
 * all of that and what the program does, does not grow.
 *
 * <p>Messages of about the same length and into the same kind of memory are tried together. A trial
 * is a row of messages the way that is taken, and a row the other way, of which the second half
 * counts: neither way is at its speed at once. The first message that is read after others came in
 * frames takes two to four times as long as the fourth, as the kernel's code has left the caches;
 * frames after others were read are slow until the transport's buffers are in the caches again.
 * Between trials nothing is timed, longer and longer while they change nothing: so trials cost
 * little, and those of code that is not compiled yet do not last.
 */
final class Pace {
  /** In place of the time when a message began that is not timed. */
  static final long UNTIMED = Long.MIN_VALUE;

  /** How many bytes a row of a trial has: twice what a ring in shared memory holds. */
  private static final long ROW_BYTES = 4 << 20;

  private static final int LEAST_ROW = 8;
  private static final int MOST_ROW = 64;

  /** How many rows come between two trials. */
  private static final int LEAST_PAUSE = 8;

  static final int MOST_PAUSE = 256;

  /** By how much reading has to be the faster way: frames are never far behind. */
  private static final double CLEARLY = 1.25;

  /** By how much all that happens from one message to the next may then take longer. */
  private static final double NOT_AT_ALL = 1.02;

  /** Of messages that go the same way, one after the other: nanoseconds per byte. */
  private static final class Times {
    private final double[] own;
    private final double[] next;
    int count;

    Times(int most) {
      own = new double[most];
      next = new double[most];
    }

    void add(long ownNanos, long nextNanos, long bytes) {
      if (count == own.length) {
        return; // those of the trial before have ended late
      }
      own[count] = (double) ownNanos / bytes;
      next[count] = (double) nextNanos / bytes;
      count++;
    }

    /** Of the message in the middle: some wait for a sender that has something else to do. */
    double own() {
      return middle(own);
    }

    /** The same from one message to the next. */
    double next() {
      return middle(next);
    }

    private double middle(double[] times) {
      Arrays.sort(times, 0, count);
      return times[count / 2];
    }
  }

  /** Messages of about the same length and into the same kind of memory. */
  private static final class Kind {
    /** How many messages of a trial go each way. */
    private final int row;

    /** Whether messages are read. */
    private boolean read;

    /** How many have begun since the last trial did. */
    private int begun;

    private int pause = LEAST_PAUSE;

    // This trial: how many have ended, and how many of them the same way one after the other.
    private int ended;
    private boolean lastRead;
    private int sameWay;
    private long lastEnd;

    private final Times byFrames;
    private final Times byReading;

    Kind(long leastBytes) {
      row = Math.clamp(ROW_BYTES / leastBytes, LEAST_ROW, MOST_ROW);
      byFrames = new Times(row / 2);
      byReading = new Times(row / 2);
    }

    private void beginTrial() {
      begun = 0;
      ended = 0;
      sameWay = 0;
      byFrames.count = 0;
      byReading.count = 0;
    }

    /** Whether the next message that begins belongs to a trial. */
    boolean isTimed() {
      if (begun >= (2 + pause) * row) {
        beginTrial();
      }
      return begun < 2 * row;
    }

    boolean begins(MessageRequest r, long now) {
      boolean otherWay = begun >= row && begun < 2 * row;
      begun++;
      r.begun = now;
      r.read = read != otherWay;
      return r.read;
    }

    /**
     * A message of a trial has ended.
     *
     * @param since when it had begun, and those before it had ended
     */
    void ends(MessageRequest r, long since, long now) {
      sameWay = r.read == lastRead ? sameWay + 1 : 1;
      lastRead = r.read;
      if (sameWay > row / 2) {
        (r.read ? byReading : byFrames).add(now - since, now - lastEnd, r.matchedLength);
      }
      lastEnd = now;
      if (++ended == 2 * row) {
        decide();
      }
    }

    private void decide() {
      boolean known = byFrames.count > 0 && byReading.count > 0;
      boolean readingIsFaster =
          known
              ? byReading.own() * CLEARLY < byFrames.own()
                  && byReading.next() < byFrames.next() * NOT_AT_ALL
              : read;
      pause = readingIsFaster == read ? Math.min(2 * pause, MOST_PAUSE) : LEAST_PAUSE;
      read = readingIsFaster;
    }
  }

  private final @Nullable Kind[] kinds = new Kind[2 * Long.SIZE];

  /** When the last message ended: the next one waited for it. */
  private long lastEnd = UNTIMED;

  private Kind kind(MessageRequest r) {
    int zeros = Long.numberOfLeadingZeros(r.matchedLength);
    int number =
        r.base instanceof MemorySegment memory && memory.isNative() ? zeros : zeros + Long.SIZE;
    Kind k = kinds[number];
    if (k == null) {
      k = new Kind(Long.highestOneBit(r.matchedLength));
      kinds[number] = k;
    }
    return k;
  }

  /** A message begins that may come either way. Gives whether it is to be read. */
  boolean begins(MessageRequest r) {
    Kind k = kind(r);
    return k.begins(r, k.isTimed() ? System.nanoTime() : UNTIMED);
  }

  boolean begins(MessageRequest r, long now) {
    Kind k = kind(r);
    return k.begins(r, k.isTimed() ? now : UNTIMED);
  }

  /** A message that has begun, and is timed, is here. */
  void ends(MessageRequest r) {
    ends(r, System.nanoTime());
  }

  void ends(MessageRequest r, long now) {
    long since = lastEnd == UNTIMED ? r.begun : Math.max(r.begun, lastEnd);
    lastEnd = now;
    kind(r).ends(r, since, now);
  }
}
