package org.fmi.sim;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A bar on a terminal that says how much of a simulation is done. Short ones have none. */
public final class Progress {
  private static final long FIRST_NANOS = 2_000_000_000L;
  private static final long PAUSE_NANOS = 200_000_000L;
  private static final int WIDTH = 40;
  private static final String ERASE = "\r\033[K";

  private final Consumer<String> terminal;
  private final LongSupplier clock;
  private double total = 1;
  private double done;
  private long nextNanos;
  private boolean drawn;

  /**
   * \t * Creates a display of work that has just begun.
   *
   * @param terminal receives the drawing, if there is a terminal
   * @param clock in nanoseconds
   */
  public Progress(Consumer<String> terminal, LongSupplier clock) {
    this.terminal = terminal;
    this.clock = clock;
    this.nextNanos = clock.getAsLong() + FIRST_NANOS;
  }

  /** Sets the amount of work, in any unit; may be a guess. */
  public void expect(double all) {
    total = all;
    done = 0;
  }

  /** Adds an amount of completed work. */
  public void add(double more) {
    done += more;
    long now = clock.getAsLong();
    if (now - nextNanos >= 0) {
      nextNanos = now + PAUSE_NANOS;
      double share = Math.min(0.99, done / total);
      int full = (int) (WIDTH * share);
      String bar = "=".repeat(full) + " ".repeat(WIDTH - full);
      terminal.accept(
          ERASE + String.format(Locale.ROOT, "simulating [%s] %.0f %%", bar, 100 * share));
      drawn = true;
    }
  }

  /** Makes room for output. */
  public void erase() {
    if (drawn) {
      terminal.accept(ERASE);
      drawn = false;
    }
  }
}
