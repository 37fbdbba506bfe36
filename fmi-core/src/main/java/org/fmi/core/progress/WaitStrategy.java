package org.fmi.core.progress;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

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
 * <p>A rank that has a core of its own polls for {@link #SPIN_NANOS} instead, and then sleeps. It
 * yields only if a transport needs that, or while its own code is compiled: a program beside the
 * job would keep the core for a time slice each time.
 *
 * <p>Any work found starts it over.
 */
public final class WaitStrategy {
  /** Polls with hardly anything in between. */
  public static final int SPINS = 2_000;

  /**
   * After this many polls it yields, which is less than a time slice later even if they are slow;
   * on a core of its own it looks at the clock.
   */
  private static final int SPINS_PER_PAUSE = 64;

  /** Polls with a yield in between. */
  public static final int YIELDS = 400;

  /**
   * How long a rank polls on a core of its own: ten times as long as a peer needs that is woken,
   * and less than a time slice, so that who waits for this core is not kept from it for long.
   */
  public static final long SPIN_NANOS = 1_000_000;

  /** The first sleep. */
  public static final long FIRST_SLEEP_NANOS = 50_000;

  /** The longest sleep. */
  public static final long LAST_SLEEP_NANOS = 100_000_000;

  /** A wait is long after this many of the longest sleeps in a row: a second. */
  private static final int LONG_WAIT = 10;

  /** How often a rank on a core of its own asks whether it is to yield; asking takes 10 µs. */
  static final long LOOK_NANOS = 5_000_000;

  /** More polls than there are in {@link #SPIN_NANOS}. */
  private static final int UNTIL_TOLD = 1 << 30;

  private final int spins;
  private final int yields;

  /** Whether the rank has a core of its own. */
  private final boolean ownCore;

  private final BooleanSupplier isWanted;
  private final LongSupplier nanoTime;

  private boolean yielding;
  private boolean wanted;
  private long lastLook;
  private int idle;
  private long spinBegin;
  private int longest;
  private long sleep = FIRST_SLEEP_NANOS;

  /**
   * For a machine where {@code ranks} ranks share {@code cores} cores.
   *
   * @throws IllegalArgumentException if one of them is less than 1
   */
  public WaitStrategy(int ranks, int cores) {
    this(ranks, cores, System::nanoTime);
  }

  /**
   * As {@link #WaitStrategy(int, int)}, with the rank's clock.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   */
  public WaitStrategy(int ranks, int cores, LongSupplier nanoTime) {
    this(nanoTime, spins(ranks, cores), YIELDS);
  }

  /** Sleeps after so many polls of each kind. */
  WaitStrategy(LongSupplier nanoTime, int spins, int yields) {
    this.spins = spins;
    this.yields = yields;
    ownCore = false;
    isWanted = () -> false;
    this.nanoTime = nanoTime;
    yielding = true;
  }

  private static int spins(int ranks, int cores) {
    if (ranks < 1 || cores < 1) {
      throw new IllegalArgumentException(
          "ranks and cores of a machine are at least 1, not " + ranks + " and " + cores);
    }
    return ranks <= cores ? SPINS : 0;
  }

  private WaitStrategy(LongSupplier nanoTime, BooleanSupplier isWanted) {
    this.spins = UNTIL_TOLD;
    this.yields = 0;
    this.ownCore = true;
    this.isWanted = isWanted;
    this.nanoTime = nanoTime;
    this.lastLook = nanoTime.getAsLong() - LOOK_NANOS;
  }

  /**
   * For a rank that has a core of its own.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   * @param isWanted whether the rank is to yield now; asked now and then
   */
  public static WaitStrategy onOwnCore(LongSupplier nanoTime, BooleanSupplier isWanted) {
    return new WaitStrategy(nanoTime, isWanted);
  }

  /**
   * As suits a rank on a core of its own, or one on a machine where {@code ranks} ranks share
   * {@code cores} cores.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   */
  public static WaitStrategy of(OwnCore ownCore, int ranks, int cores, LongSupplier nanoTime) {
    return ownCore.exists()
        ? onOwnCore(nanoTime, ownCore::isWanted)
        : new WaitStrategy(ranks, cores, nanoTime);
  }

  /** Whether a transport needs yields while the rank polls on a core of its own. */
  public void needsYields(boolean needed) {
    yielding = !ownCore || needed;
  }

  /** The time in nanoseconds; only differences count. */
  long now() {
    return nanoTime.getAsLong();
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
      if (idle % SPINS_PER_PAUSE == 0) {
        pause();
      } else {
        Thread.onSpinWait();
      }
      return 0;
    }
    if (idle < spins + yields) {
      idle++;
      Thread.yield();
      return 0;
    }
    long now = sleep;
    longest += now == LAST_SLEEP_NANOS ? 1 : 0;
    sleep = Math.min(2 * sleep, LAST_SLEEP_NANOS);
    return now;
  }

  @SuppressWarnings("ThreadPriorityCheck") // as in idle
  private void pause() {
    if (!ownCore) {
      Thread.yield();
      return;
    }
    long now = nanoTime.getAsLong();
    if (now - lastLook >= LOOK_NANOS) {
      lastLook = now;
      wanted = isWanted.getAsBoolean();
    }
    if (yielding || wanted) {
      Thread.yield();
    }
    if (idle == SPINS_PER_PAUSE) {
      spinBegin = now;
    } else if (now - spinBegin >= SPIN_NANOS) {
      idle = spins;
    }
  }

  /** How this rank waits, for a person. */
  @Override
  public String toString() {
    if (ownCore) {
      return "spin "
          + SPIN_NANOS / 1_000_000
          + " ms"
          + (yielding ? " with yields" : "")
          + ", sleep";
    }
    return (spins > 0 ? "spin " + spins + ", " : "") + "yield " + yields + ", sleep";
  }
}
