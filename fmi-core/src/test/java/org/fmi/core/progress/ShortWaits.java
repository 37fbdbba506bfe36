package org.fmi.core.progress;

/** How ranks wait of which many share a core with those that they wait for. */
public final class ShortWaits {
  private static final int YIELDS = 8;

  private ShortWaits() {}

  /** Sleeps almost at once: a poll that finds nothing is time that the others do not have. */
  public static WaitStrategy strategy() {
    return new WaitStrategy(System::nanoTime, 0, YIELDS);
  }
}
