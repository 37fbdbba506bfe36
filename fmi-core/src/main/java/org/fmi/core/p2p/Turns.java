package org.fmi.core.p2p;

import java.util.function.Consumer;
import org.fmi.ErrorClass;
import org.fmi.FmiException;

/**
 * The iteration of a loop that the program is in, as its collectives carry it; and what follows
 * where two ranks make one call in different iterations: one of them may have skipped a call, and
 * gets the data of another iteration.
 *
 * <p>A turn has a few bits of a {@link CollectiveCall}: it tells iterations apart that are near to
 * each other. It is that of the epoch in which the iteration began: after a failure ranks begin
 * anew, or say nothing of the rest of an iteration that they go on with.
 */
public final class Turns {
  /**
   * How many iterations have numbers of their own. An odd number: a loop's habits are even ones.
   */
  private static final int ITERATIONS = 255;

  /** The turn outside of loops: it goes with any. */
  public static final int NONE = 0;

  /** All turns are less. Those of two loops, one after the other, are different. */
  static final int END = 1 + 2 * ITERATIONS;

  private final boolean refuses;
  private final Consumer<String> warns;
  private int epoch = -1;
  private long loop;
  private long iteration;
  private int turn = NONE;

  /** The last loop that was warned of. Its iterations are compared no more: they may be meant. */
  private long warnedOf = -1;

  /**
   * Outside of loops.
   *
   * @param refuses whether a difference is an error; else it is warned of, once in a loop
   */
  public Turns(boolean refuses, Consumer<String> warns) {
    this.refuses = refuses;
    this.warns = warns;
  }

  /** An iteration begins. */
  public void begins(long ofLoop, long next, int inEpoch) {
    epoch = inEpoch;
    loop = ofLoop;
    iteration = next;
    turn = loop == warnedOf ? NONE : of(loop, iteration);
  }

  /** The loop is over. */
  public void ends() {
    turn = NONE;
  }

  /** What a call carries that begins in this epoch. */
  public int now(int inEpoch) {
    return inEpoch == epoch ? turn : NONE;
  }

  static int of(long loop, long iteration) {
    return (int) (1 + iteration % ITERATIONS + (loop & 1) * ITERATIONS);
  }

  /** Whether two ranks may be in one call, as they are in one iteration, or not in one loop. */
  static boolean match(int one, int other) {
    return one == other || one == NONE || other == NONE || one > ITERATIONS != other > ITERATIONS;
  }

  /**
   * This rank is in a call that another one makes in another iteration.
   *
   * @param theirs the other's turn
   * @throws FmiException if that is refused
   */
  public void differ(int rank, int source, String call, int theirs) {
    if (turn == NONE) {
      return; // it has been warned of in this call
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
