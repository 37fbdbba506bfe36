package org.fmi.spi;

/**
 * The way in which ranks watch each other.
 *
 * @param overlay the links, and who watches whom
 * @param periodMillis the time between two heartbeats; less than the timeout, which is the job's
 * @param shuffled whether ranks have random places in the heart ring
 */
public record Detection(Overlay overlay, int periodMillis, boolean shuffled) {
  /** The overlays. */
  public enum Overlay {
    /** Each rank watches all its neighbours. */
    LOGRING,
    /** Each rank watches the one before it in a ring. */
    HEARTRING
  }

  public Detection {
    if (periodMillis < 1) {
      throw new IllegalArgumentException(
          "the period of heartbeats is at least 1 ms, not " + periodMillis);
    }
  }

  /** The log-ring, with a quarter of the timeout as period. */
  public static Detection byLogRing(int timeoutMillis) {
    return new Detection(Overlay.LOGRING, Math.max(1, timeoutMillis / 4), true);
  }
}
