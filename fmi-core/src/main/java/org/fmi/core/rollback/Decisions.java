package org.fmi.core.rollback;

/**
 * The agreement of all ranks after each iteration of a {@code loopWhile}. A rank that repeats
 * iterations alone learns it from the other ranks, and so does a rank that was interrupted after
 * others had agreed.
 */
public final class Decisions {
  private static final long NONE = -1;

  private long iteration = NONE;
  private boolean goesOn;

  /** Forgets everything, as all ranks roll back or another loop begins. */
  void forget() {
    iteration = NONE;
  }

  /** Records an agreement. */
  public void made(long after, boolean toGoOn) {
    iteration = after;
    goesOn = toGoOn;
  }

  public boolean isKnown(long after) {
    return after <= iteration;
  }

  /** Whether the loop continues after an iteration whose agreement is known. */
  public boolean goesOn(long after) {
    return after < iteration || goesOn;
  }

  /** One number for all of this, which is larger if more is known. */
  long packed() {
    return iteration == NONE ? NONE : 2 * iteration + (goesOn ? 1 : 0);
  }

  void unpack(long packed) {
    iteration = packed < 0 ? NONE : packed >> 1;
    goesOn = (packed & 1) != 0;
  }
}
