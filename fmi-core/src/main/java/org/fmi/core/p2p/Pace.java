package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Measures which way messages from one peer are faster: by reading its memory, or in frames. If a
 * rank's processor moves the bytes in both cases, the answer depends on facts that no rule can
 * know: which cache holds the message, and whether the sender has a core to send frames with.
 *
 * <p>Messages of similar length into the same kind of memory are tried together. A trial is a row
 * of messages the current way, and a row the other way. Only the second half of a row counts, as
 * neither way is at full speed at once: the first read after frames takes two to four times as long
 * as the fourth, because the kernel's code has left the caches, and frames after reads are slow
 * until the transport's buffers are in the caches again. Pauses between trials are not timed, and
 * double while trials change nothing. So trials cost little, and results from code that is not
 * compiled yet do not last.
 */
final class Pace {
  /** The start time of a message that is not timed. */
  static final long UNTIMED = Long.MIN_VALUE;

  /** The bytes in a row of a trial: twice the size of a ring in shared memory. */
  private static final long ROW_BYTES = 4 << 20;

  private static final int LEAST_ROW = 8;
  private static final int MOST_ROW = 64;

  /** The number of rows between two trials. */
  private static final int LEAST_PAUSE = 8;

  static final int MOST_PAUSE = 256;

  /**
   * The factor by which reading must be faster to be chosen, as frames are never much slower.
   * Reading has a hidden cost for the owner of the memory: the bytes are then in the reader's cache
   * too, and return from there when the owner writes again, as when data bounce.
   */
  private static final double CLEARLY = 1.5;

  /** Times of consecutive messages by the same way, in nanoseconds per byte. */
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
      if (count < all.length) { // else messages of the previous trial have ended late
        all[count++] = time;
      }
    }

    boolean isEmpty() {
      return count == 0;
    }

    /** The median, as some messages wait for a busy sender. */
    double median() {
      Arrays.sort(all, 0, count);
      return all[count / 2];
    }
  }

  /** Messages of similar length into the same kind of memory. */
  private static final class Kind {
    /** The number of messages per way in a trial. */
    private final int row;

    /** Whether messages are read. */
    private boolean read;

    /** The number of messages begun since the start of the last trial. */
    private int begun;

    private int pause = LEAST_PAUSE;

    // This trial: the number of messages that have ended, and of the latest ones by the same way.
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

    /** Whether the next message belongs to a trial. */
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

    /** Notes the end of a trial's message. */
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

  /** The end of the last message, for which the next one waited. */
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

  /** Begins a message that may travel either way. Returns whether to read it. */
  boolean begins(MessageRequest r) {
    Kind k = kind(r);
    return k.begins(r, k.isTimed() ? System.nanoTime() : UNTIMED);
  }

  boolean begins(MessageRequest r, long now) {
    Kind k = kind(r);
    return k.begins(r, k.isTimed() ? now : UNTIMED);
  }

  /** Notes the end of a timed message. */
  void ends(MessageRequest r) {
    ends(r, System.nanoTime());
  }

  void ends(MessageRequest r, long now) {
    long since = lastEnd == UNTIMED ? r.begun : Math.max(r.begun, lastEnd);
    lastEnd = now;
    kind(r).ends(r.read, (double) (now - since) / r.matchedLength);
  }
}
