package org.fmi.core.recovery;

import org.fmi.ConvergingBody;
import org.fmi.LoopBody;
import org.fmi.control.RankMessage;

/** Knows where a rank stands in a loop of the program. */
final class Loop {
  /** Counts the program's loops, from 0. */
  final long number;

  final LoopState state;

  /** How many iterations it has; -1 if only the program knows. */
  final long iterations;

  /** Whether the program begins each iteration by a call. */
  final boolean byCall;

  /** The iteration under way. */
  long iteration;

  /** The iteration of the checkpoint taken or restored last; -1 for none yet. */
  long checkpointed = -1;

  /** A final checkpoint of it exists. */
  boolean ended;

  /** How many iterations this rank has completed, as far as is known; -1 if nothing is. */
  private long furthest = -1;

  /** How many of them it has done again. */
  private long repeated;

  /** Where this process began, while it is not known how far the one before had come; else -1. */
  private long replacedAt = -1;

  /** A body that always wants another iteration. */
  static ConvergingBody goingOn(LoopBody body) {
    return iteration -> {
      body.run(iteration);
      return true;
    };
  }

  /**
   * @param iterations -1 if the program begins each by a call
   */
  Loop(long number, LoopState state, long iterations) {
    this.number = number;
    this.state = state;
    this.iterations = iterations;
    this.byCall = iterations < 0;
  }

  /** An iteration is complete. */
  void completed() {
    iteration++;
    if (iteration <= furthest) {
      repeated++;
    } else {
      furthest = iteration;
    }
  }

  /** Goes back to a checkpoint, or on from it, which this rank took before this iteration. */
  void restored(long from) {
    iteration = from;
    checkpointed = from;
    if (furthest < 0) {
      replacedAt = iteration;
    } else if (replacedAt >= 0) {
      repeated += furthest - replacedAt;
      replacedAt = furthest;
    }
  }

  /** How many iterations this rank has completed, as far as is known; -1 if nothing is. */
  long furthest() {
    return furthest;
  }

  /** A process that has replaced another takes that to have been as far as others were. */
  void othersWere(long furthestOfAll) {
    if (replacedAt >= 0) {
      furthest = Math.max(furthest, furthestOfAll);
      replacedAt = -1;
    }
  }

  /** What the process before had sent up to the iteration under way has come elsewhere. */
  void wasHeardOf() {
    if (replacedAt >= 0) {
      repeated += iteration - replacedAt;
      furthest = iteration + 1;
      replacedAt = -1;
    }
  }

  /** Iterations that the loop has had, and those of them that this rank has done again. */
  RankMessage.LoopDone done(int epoch) {
    return new RankMessage.LoopDone(epoch, number, iteration, repeated);
  }

  /**
   * What the loop throws when its body has thrown.
   *
   * @throws Error that the body has thrown
   */
  RuntimeException failed(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException("iteration " + iteration + " failed: " + thrown, thrown);
    };
  }
}
