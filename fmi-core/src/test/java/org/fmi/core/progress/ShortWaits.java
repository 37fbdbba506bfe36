package org.fmi.core.progress;

/** The waits of ranks of which many share a core with the ranks that they wait for. */
public final class ShortWaits {
  private static final int YIELDS = 8;

  private ShortWaits() {}

  /** Sleeps almost at once: a poll without work takes time from the other ranks. */
  public static WaitStrategy strategy() {
    return new WaitStrategy(System::nanoTime, 0, YIELDS);
  }
}
