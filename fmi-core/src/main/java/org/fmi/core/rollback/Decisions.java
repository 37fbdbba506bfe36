package org.fmi.core.rollback;

/**
 * What all ranks have agreed on after the iterations of a {@code loopWhile}: a rank that repeats
 * them alone learns it, and so does one that was interrupted when others had agreed already.
 */
public final class Decisions {
  private static final long NONE = -1;

  private long iteration = NONE;
  private boolean goesOn;

  /** Nothing is known, as all go back or another loop begins. */
  void forget() {
    iteration = NONE;
  }

  /** Ranks have agreed. */
  public void made(long after, boolean toGoOn) {
    iteration = after;
    goesOn = toGoOn;
  }

  public boolean isKnown(long after) {
    return after <= iteration;
  }

  /** Whether the loop goes on after an iteration, of which that is known. */
  public boolean goesOn(long after) {
    return after < iteration || goesOn;
  }

  /** As one number, which is larger if more is known. */
  long packed() {
    return iteration == NONE ? NONE : 2 * iteration + (goesOn ? 1 : 0);
  }

  void unpack(long packed) {
    iteration = packed < 0 ? NONE : packed >> 1;
    goesOn = (packed & 1) != 0;
  }
}
