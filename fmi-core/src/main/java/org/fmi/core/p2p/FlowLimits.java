package org.fmi.core.p2p;

/**
 * Limits on one rank's traffic to another before it must wait for the receiver.
 *
 * <p>At a receiver, unmatched eager messages take at most {@code (size - 1) * windowBytes(size)} of
 * heap: up to 64 MiB for up to 1,024 ranks, and 64 KiB for each further rank. More arrive only on
 * request of a receiver that may be waiting for one of them.
 */
final class FlowLimits {
  /** The cost of a message in addition to its length, so that empty messages are bounded too. */
  static final int MESSAGE_COST = 128;

  /** The approximate size of an announcement at its receiver. */
  static final int ANNOUNCEMENT_COST = 256;

  /** Unanswered announcements of one ordered pair of ranks. */
  static final int ANNOUNCEMENTS = 1024;

  /**
   * The number of sends held back for eager credit that are announced on the receiver's request.
   */
  static final int ANNOUNCED_WITHOUT_CREDIT = 64;

  /** The most of them, after repeated requests without any credit in between. */
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
