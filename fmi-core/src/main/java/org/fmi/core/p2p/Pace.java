package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;

/**
 * Learns how long messages come faster from one peer: read out of its memory, or in frames. Where
 * the processor of a rank moves both, that depends on what no rule can know: in whose cache the
 * message lies, and whether the sender has a core to send frames with.
 *
 * <p>Messages of about the same length and into the same kind of memory are timed together. Both
 * ways take turns at first; then the faster one is taken, and the other one is tried now and then.
 */
final class Pace {
  /** In place of the time when a message began that is not timed. */
  static final long UNTIMED = Long.MIN_VALUE;

  /** Messages that take turns, and those after them that try the slower way often: code is cold. */
  private static final int FIRST = 8;

  private static final int EARLY = 1024;

  /** One message in so many tries the slower way. */
  private static final int TRY_EARLY = 8;

  private static final int TRY = 64;

  private static final int KINDS = 2 * Long.SIZE;

  /** By kind of message. */
  private final int[] begun = new int[KINDS];

  /** By kind of message: nanoseconds a byte. */
  private final double[] byFrames = new double[KINDS];

  private final double[] byReading = new double[KINDS];

  /** When the last message ended: the next one waited for it. */
  private long lastEnd = UNTIMED;

  private static int kind(MessageRequest r) {
    int length = Long.numberOfLeadingZeros(r.matchedLength);
    return r.base instanceof MemorySegment memory && memory.isNative()
        ? length
        : length + Long.SIZE;
  }

  /** A message begins that may come either way. Gives whether it is to be read. */
  boolean begins(MessageRequest r) {
    return begins(r, System.nanoTime());
  }

  boolean begins(MessageRequest r, long now) {
    int kind = kind(r);
    int n = begun[kind]++;
    r.begun = now;
    r.read = n < FIRST ? (n & 1) == 1 : isReadingFaster(kind) != isTrial(n);
    return r.read;
  }

  private boolean isReadingFaster(int kind) {
    return byReading[kind] < byFrames[kind];
  }

  private static boolean isTrial(int n) {
    return n % (n >= 0 && n < EARLY ? TRY_EARLY : TRY) == 0;
  }

  /** A message that has begun is here. */
  void ends(MessageRequest r) {
    ends(r, System.nanoTime());
  }

  void ends(MessageRequest r, long now) {
    long since = lastEnd == UNTIMED ? r.begun : Math.max(r.begun, lastEnd);
    lastEnd = now;
    double[] times = r.read ? byReading : byFrames;
    int kind = kind(r);
    times[kind] = learned(times[kind], (double) (now - since) / r.matchedLength);
  }

  /**
   * What is believed after another message. A shorter time is believed at once, as it has been
   * possible; a longer one slowly, as this rank or the sender may have had something else to do.
   */
  private static double learned(double before, double now) {
    return before == 0 || now < before ? now : before + Math.min(now - before, before) / FIRST;
  }
}
