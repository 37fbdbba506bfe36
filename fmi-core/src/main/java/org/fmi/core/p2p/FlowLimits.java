package org.fmi.core.p2p;

/**
 * How much one rank may have under way to another before it must wait for the receiver.
 *
 * <p>At a receiver, unmatched eager messages take at most {@code (size - 1) * windowBytes(size)} of
 * heap: up to 64 MiB for up to 1,024 ranks, 64 KiB for each other rank beyond.
 */
final class FlowLimits {
  /** What a message costs beside its length, so that empty ones are bounded too. */
  static final int MESSAGE_COST = 128;

  /** Unanswered announcements of one ordered pair of ranks. */
  static final int ANNOUNCEMENTS = 1024;

  /** How many messages that wait for eager credit are announced where the receiver asks for it. */
  static final int ANNOUNCED_WITHOUT_CREDIT = 64;

  private static final long MAX_BYTES = 1 << 20;
  private static final long MIN_BYTES = 1 << 16;
  private static final long ALL_PEERS_BYTES = 64L << 20;

  private FlowLimits() {}

  /** The eager window of an ordered pair in bytes, in a job of {@code size} ranks. */
  static long windowBytes(int size) {
    return Math.clamp(ALL_PEERS_BYTES / size, MIN_BYTES, MAX_BYTES);
  }
}
