package org.fmi.core.progress;

/**
 * Decides what a rank does after a poll that found nothing: poll again, let others run, or sleep.
 *
 * <p>Polling on costs nothing in latency (about 0.05 µs in shared memory) as long as the peer has a
 * core of its own; without one it keeps the peer from running for a whole time slice (4 ms). Then a
 * yield is the fastest way to the message (1.2 µs; 0.24 µs when nobody else wants to run). Being
 * woken from sleep takes 6 to 60 µs. Hence:
 *
 * <ol>
 *   <li>{@link #SPINS} polls in a row, only while the machine's ranks are no more than its cores;
 *       with a yield now and then, for what is to bring the message may wait for this core: a
 *       thread of the kernel that works for a device;
 *   <li>{@link #YIELDS} polls with a {@link Thread#yield} before each;
 *   <li>sleeps, of {@link #FIRST_SLEEP_NANOS} at first and then ever twice as long, up to {@link
 *       #LAST_SLEEP_NANOS}; an arrival ends them.
 * </ol>
 *
 * Any work found starts it over.
 */
public final class WaitStrategy {
  /** Polls with hardly anything in between. */
  public static final int SPINS = 2_000;

  /**
   * Of these, every such one is followed by a yield: less than a time slice of slow polls later.
   */
  private static final int SPINS_TO_A_YIELD = 64;

  /** Polls with a yield in between. */
  public static final int YIELDS = 400;

  /** The first sleep. */
  public static final long FIRST_SLEEP_NANOS = 50_000;

  /** The longest sleep. */
  public static final long LAST_SLEEP_NANOS = 100_000_000;

  /** So many of the longest sleeps in a row are a long wait: a second. */
  private static final int LONG_WAIT = 10;

  private final int spins;
  private int idle;
  private int longest;
  private long sleep = FIRST_SLEEP_NANOS;

  /**
   * For a machine where {@code ranks} ranks share {@code cores} cores.
   *
   * @throws IllegalArgumentException if one of them is less than 1
   */
  public WaitStrategy(int ranks, int cores) {
    if (ranks < 1 || cores < 1) {
      throw new IllegalArgumentException(
          "ranks and cores of a machine are at least 1, not " + ranks + " and " + cores);
    }
    spins = ranks <= cores ? SPINS : 0;
  }

  /** There was work. */
  public void reset() {
    idle = 0;
    longest = 0;
    sleep = FIRST_SLEEP_NANOS;
  }

  /** Whether there has been no work for long; true once in every long wait. */
  public boolean longWait() {
    boolean result = longest >= LONG_WAIT;
    longest = result ? 0 : longest;
    return result;
  }

  /** Whether each rank of the machine has a core. */
  public boolean mayWaitBusily() {
    return spins > 0;
  }

  /** Whether the next {@link #idle} just returns. */
  public boolean spinning() {
    return idle < spins;
  }

  /** The next sleep is to be short again. */
  public void napFirst() {
    sleep = FIRST_SLEEP_NANOS;
  }

  /**
   * There was no work.
   *
   * @return how long to sleep before the next poll, in nanoseconds; 0 not at all
   */
  @SuppressWarnings("ThreadPriorityCheck") // to let the peer run on this core is all that is wanted
  public long idle() {
    if (idle < spins) {
      idle++;
      if (idle % SPINS_TO_A_YIELD == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
      return 0;
    }
    if (idle < spins + YIELDS) {
      idle++;
      Thread.yield();
      return 0;
    }
    long now = sleep;
    longest += now == LAST_SLEEP_NANOS ? 1 : 0;
    sleep = Math.min(2 * sleep, LAST_SLEEP_NANOS);
    return now;
  }

  /** For a person: how this rank waits. */
  @Override
  public String toString() {
    return (spins > 0 ? "spin " + spins + ", " : "") + "yield " + YIELDS + ", sleep";
  }
}
