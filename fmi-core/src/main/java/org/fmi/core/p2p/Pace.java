package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long messages come faster from one peer: read out of its memory, or in frames. Where
 * the processor of a rank moves both, that depends on what no rule can know: in whose cache the
 * message lies, and whether the sender has a core to send frames with.
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

  /**
   * By how much reading has to be the faster way: frames are never far behind. It costs the owner
   * of the memory, too, which is not seen here: what was read lies in the reader's cache as well,
   * and is taken back from there when the owner writes again, as where data bounce.
   */
  private static final double CLEARLY = 1.5;

  /** Of messages that go the same way, one after the other: nanoseconds per byte. */
  private static final class Times {
    private final double[] all;
    private int count;

    Times(int most) {
      all = new double[most];
    }

    void clear() {
      count = 0;
    }

    void add(double time) {
      if (count < all.length) { // else those of the trial before have ended late
        all[count++] = time;
      }
    }

    boolean isEmpty() {
      return count == 0;
    }

    /** That in the middle: some messages wait for a sender that has something else to do. */
    double median() {
      Arrays.sort(all, 0, count);
      return all[count / 2];
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
      byFrames.clear();
      byReading.clear();
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

    /** A message of a trial has ended. */
    void ends(boolean wasRead, double nanosPerByte) {
      sameWay = wasRead == lastRead ? sameWay + 1 : 1;
      lastRead = wasRead;
      if (sameWay > row / 2) {
        (wasRead ? byReading : byFrames).add(nanosPerByte);
      }
      if (++ended == 2 * row) {
        decide();
      }
    }

    private void decide() {
      boolean before = read;
      if (!byFrames.isEmpty() && !byReading.isEmpty()) {
        read = byReading.median() * CLEARLY < byFrames.median();
      }
      pause = read == before ? Math.min(2 * pause, MOST_PAUSE) : LEAST_PAUSE;
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
    kind(r).ends(r.read, (double) (now - since) / r.matchedLength);
  }
}
