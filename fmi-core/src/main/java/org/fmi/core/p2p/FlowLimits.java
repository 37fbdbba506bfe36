package org.fmi.core.p2p;

/**
 * How much one rank may have under way to another before it must wait for the receiver.
 *
 * <p>At a receiver, unmatched eager messages take at most {@code (size - 1) * windowBytes(size)} of
 * heap: up to 64 MiB for up to 1,024 ranks, 64 KiB for each other rank beyond. More of them come
 * only where it asks for what it may be waiting for.
 */
final class FlowLimits {
  /** What a message costs beside its length, so that empty ones are bounded too. */
  static final int MESSAGE_COST = 128;

  /** About what an announcement takes at its receiver. */
  static final int ANNOUNCEMENT_COST = 256;

  /** Unanswered announcements of one ordered pair of ranks. */
  static final int ANNOUNCEMENTS = 1024;

  /** How many messages that wait for eager credit come where the receiver asks for them. */
  static final int ANNOUNCED_WITHOUT_CREDIT = 64;

  /** That many after it has asked again and again, and has given no credit in between. */
  static final int MOST_ANNOUNCED_WITHOUT_CREDIT = 1 << 16;

  private static final long MAX_BYTES = 1 << 20;
  private static final long MIN_BYTES = 1 << 16;
  private static final long ALL_PEERS_BYTES = 64L << 20;

  private FlowLimits() {}

  /** The eager window of an ordered pair in bytes, in a job of {@code size} ranks. */
  static long windowBytes(int size) {
    return Math.clamp(ALL_PEERS_BYTES / size, MIN_BYTES, MAX_BYTES);
  }
}
