package org.fmi.core.progress;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Decides what a rank does after a poll without work: poll again, yield, or sleep.
 *
 * <p>Continued polling costs nothing in latency (about 0.05 µs in shared memory) as long as the
 * peer has a core. Without one, it stops the peer from running for a whole time slice (4 ms), and a
 * yield is the fastest way to the message (1.2 µs; 0.24 µs when no other thread wants to run).
 * Waking from sleep takes 6 to 60 µs. Hence:
 *
 * <ol>
 *   <li>{@link #SPINS} polls in a row, only while the machine has at least as many cores as ranks;
 *       with an occasional yield, as a kernel thread that works for a device may need this core to
 *       deliver the message;
 *   <li>{@link #YIELDS} polls with a {@link Thread#yield} before each;
 *   <li>sleeps of {@link #FIRST_SLEEP_NANOS} at first, each twice as long as the previous one, up
 *       to {@link #LAST_SLEEP_NANOS}; an arrival ends a sleep.
 * </ol>
 *
 * <p>A rank with a dedicated core polls for {@link #SPIN_NANOS} instead, and then sleeps. It yields
 * only if a transport needs yields, or while its own code is compiled: another program on the
 * machine would hold the core for a time slice each time.
 *
 * <p>Any work restarts the sequence.
 */
public final class WaitStrategy {
  /** Polls with almost nothing in between. */
  public static final int SPINS = 2_000;

  /**
   * Polls between two yields, which is less than a time slice even if polls are slow; on a
   * dedicated core, polls between two readings of the clock.
   */
  private static final int SPINS_PER_PAUSE = 64;

  /** Polls with a yield in between. */
  public static final int YIELDS = 400;

  /**
   * The polling time on a dedicated core: ten times the time that a woken peer needs, and less than
   * a time slice, so that a thread that needs this core does not wait long.
   */
  public static final long SPIN_NANOS = 1_000_000;

  /** The first sleep. */
  public static final long FIRST_SLEEP_NANOS = 50_000;

  /** The longest sleep. */
  public static final long LAST_SLEEP_NANOS = 100_000_000;

  /** The number of longest sleeps in a row after which a wait is long: a second. */
  private static final int LONG_WAIT = 10;

  /**
   * The interval at which a rank on a dedicated core checks whether to yield; a check takes 10 µs.
   */
  static final long LOOK_NANOS = 5_000_000;

  /** More polls than fit into {@link #SPIN_NANOS}. */
  private static final int UNTIL_TOLD = 1 << 30;

  private final int spins;
  private final int yields;

  /** Whether the rank has a dedicated core. */
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
   * A strategy for a machine where {@code ranks} ranks share {@code cores} cores.
   *
   * @throws IllegalArgumentException if one of them is less than 1
   */
  public WaitStrategy(int ranks, int cores) {
    this(ranks, cores, System::nanoTime);
  }

  /**
   * Creates a {@link #WaitStrategy(int, int)} with the rank's clock.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   */
  public WaitStrategy(int ranks, int cores, LongSupplier nanoTime) {
    this(nanoTime, spins(ranks, cores), YIELDS);
  }

  /** A strategy that sleeps after this many polls of each kind. */
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
   * A strategy for a rank with a dedicated core.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   * @param isWanted whether the rank should yield now; called from time to time
   */
  public static WaitStrategy onOwnCore(LongSupplier nanoTime, BooleanSupplier isWanted) {
    return new WaitStrategy(nanoTime, isWanted);
  }

  /**
   * A strategy for a rank with a dedicated core, or on a machine where {@code ranks} ranks share
   * {@code cores} cores.
   *
   * @param nanoTime the time in nanoseconds; only differences count
   */
  public static WaitStrategy of(OwnCore ownCore, int ranks, int cores, LongSupplier nanoTime) {
    return ownCore.exists()
        ? onOwnCore(nanoTime, ownCore::isWanted)
        : new WaitStrategy(ranks, cores, nanoTime);
  }

  /** Sets whether a transport needs yields while the rank polls on a dedicated core. */
  public void needsYields(boolean needed) {
    yielding = !ownCore || needed;
  }

  /** The time in nanoseconds; only differences count. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** Restarts the sequence, as there was work. */
  public void reset() {
    idle = 0;
    longest = 0;
    sleep = FIRST_SLEEP_NANOS;
  }

  /** Whether there has been no work for long; true once per long wait. */
  public boolean longWait() {
    boolean result = longest >= LONG_WAIT;
    longest = result ? 0 : longest;
    return result;
  }

  /** Whether each rank of the machine has a core. */
  public boolean mayWaitBusily() {
    return spins > 0;
  }

  /** Whether the next {@link #idle} returns at once. */
  public boolean spinning() {
    return idle < spins;
  }

  /** Makes the next sleep short again. */
  public void napFirst() {
    sleep = FIRST_SLEEP_NANOS;
  }

  /**
   * Notes that there was no work.
   *
   * @return the time to sleep before the next poll, in nanoseconds; 0 for none
   */
  @SuppressWarnings("ThreadPriorityCheck") // the purpose is to let the peer run on this core
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

  /** The strategy, in words for a person. */
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
