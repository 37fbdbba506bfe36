package org.fmi.core.p2p;

import java.util.function.Consumer;
import org.fmi.ErrorClass;
import org.fmi.FmiException;

/**
 * The loop iteration that the program's collectives carry, and the reaction if two ranks make one
 * call in different iterations: one of them may have skipped a call, and would get data of another
 * iteration.
 *
 * <p>A turn takes a few bits of a {@link CollectiveCall}: it distinguishes nearby iterations. It is
 * valid in the epoch in which its iteration began: after a failure, ranks start an iteration over,
 * or omit the turn for the rest of an iteration that they continue.
 */
public final class Turns {
  /** The number of distinct iterations. It is odd, as periods in loops are mostly even. */
  private static final int ITERATIONS = 255;

  /** The turn outside of loops, which matches any. */
  public static final int NONE = 0;

  /** Exceeds all turns. Consecutive loops have different turns. */
  static final int END = 1 + 2 * ITERATIONS;

  private final boolean refuses;
  private final Consumer<String> warns;
  private int epoch = -1;
  private long loop;
  private long iteration;
  private int turn = NONE;

  /**
   * The last loop with a warning. Its iterations are no longer compared, as the difference may be
   * intended.
   */
  private long warnedOf = -1;

  /**
   * The state outside of loops.
   *
   * @param refuses whether a difference is an error; if not, there is one warning per loop
   */
  public Turns(boolean refuses, Consumer<String> warns) {
    this.refuses = refuses;
    this.warns = warns;
  }

  /** Begins an iteration. */
  public void begins(long ofLoop, long next, int inEpoch) {
    epoch = inEpoch;
    loop = ofLoop;
    iteration = next;
    turn = loop == warnedOf ? NONE : of(loop, iteration);
  }

  /** Ends the loop. */
  public void ends() {
    turn = NONE;
  }

  /** The turn of a call that begins in this epoch. */
  public int now(int inEpoch) {
    return inEpoch == epoch ? turn : NONE;
  }

  static int of(long loop, long iteration) {
    return (int) (1 + iteration % ITERATIONS + (loop & 1) * ITERATIONS);
  }

  /** Whether two ranks may be in one call: in the same iteration, or in different loops. */
  static boolean match(int one, int other) {
    return one == other || one == NONE || other == NONE || one > ITERATIONS != other > ITERATIONS;
  }

  /**
   * Handles a call that another rank makes in another iteration.
   *
   * @param theirs the other rank's turn
   * @throws FmiException if differences are refused
   */
  public void differ(int rank, int source, String call, int theirs) {
    if (turn == NONE) {
      return; // this call has already caused a warning
    }
    long ahead = Math.floorMod(theirs - turn, ITERATIONS);
    long other = iteration + (ahead > ITERATIONS / 2 ? ahead - ITERATIONS : ahead);
    String text =
        "rank "
            + source
            + " calls "
            + call
            + " in iteration "
            + other
            + " of loop "
            + loop
            + " where rank "
            + rank
            + " calls it in iteration "
            + iteration;
    if (refuses) {
      throw new FmiException(
          ErrorClass.MISMATCH,
          text
              + ": all ranks of a communicator must make the same collective calls in an iteration,"
              + " as a checkpoint may be taken before the next one");
    }
    warnedOf = loop;
    turn = NONE;
    warns.accept(
        text
            + ": if one has skipped a call, each gets data of another iteration; --check ends a job"
            + " there");
  }
}
