package org.fmi.core.rollback;

/**
 * The agreement of all ranks after each iteration of a {@code loopWhile}. A rank that repeats
 * iterations alone learns it from the other ranks, and so does a rank that was interrupted after
 * others had agreed.
 */
public final class LoopAgreements {
  private static final long NONE = -1;

  private long iteration = NONE;
  private boolean continues;

  /** Forgets everything, as all ranks roll back or another loop begins. */
  void forget() {
    iteration = NONE;
  }

  /** Records an agreement. */
  public void agreed(long after, boolean toContinue) {
    iteration = after;
    continues = toContinue;
  }

  public boolean isKnown(long after) {
    return after <= iteration;
  }

  /** Whether the loop continues after an iteration whose agreement is known. */
  public boolean continues(long after) {
    return after < iteration || continues;
  }

  /** All of this as one number, which is larger if more is known. */
  long packed() {
    return iteration == NONE ? NONE : 2 * iteration + (continues ? 1 : 0);
  }

  void unpack(long packed) {
    iteration = packed < 0 ? NONE : packed >> 1;
    continues = (packed & 1) != 0;
  }
}
