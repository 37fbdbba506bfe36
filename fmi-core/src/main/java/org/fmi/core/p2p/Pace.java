package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;

/**
 * Learns how long messages come faster from one peer: read out of its memory, or in frames. Where
 * the processor of a rank moves both, that depends on what no rule can know: in whose cache the
 * message lies, and whether the sender has a core to send frames with.
 *
 * <p>Messages of about the same length and into the same kind of memory are timed together. Both
 * ways take turns at first; then the faster one is taken, and the other one is tried now and then.
 * The turns of shorter messages last until the code of both ways is compiled: before, the one that
 * is taken less would look slow for ever.
 */
final class Pace {
  /** In place of the time when a message began that is not timed. */
  static final long UNTIMED = Long.MIN_VALUE;

  /** From this length on, copying takes so long that it does not matter what code does it. */
  private static final long LONG_BYTES = 256 << 10;

  /** How many messages take turns. */
  private static final int TURNS = 4096;

  private static final int TURNS_OF_LONG = 64;

  /** After them, one message in so many tries the slower way. */
  private static final int TRY = 64;

  /**
   * By how much reading has to be the faster way: on machines whose speed changes from second to
   * second the two are compared at different times, and frames are never far behind.
   */
  private static final double CLEARLY = 1.5;

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
    boolean turns = n >= 0 && n < (r.matchedLength < LONG_BYTES ? TURNS : TURNS_OF_LONG);
    r.read = turns ? (n & 1) == 1 : isReadingFaster(kind) != (n % TRY == 0);
    return r.read;
  }

  private boolean isReadingFaster(int kind) {
    return byReading[kind] * CLEARLY < byFrames[kind];
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
   * What is believed after another message. One message says little, however long it has taken: its
   * sender may have had something else to do.
   */
  private static double learned(double before, double now) {
    return before == 0 ? now : before + Math.clamp(now - before, -before / 2, before / 2) / 4;
  }
}
