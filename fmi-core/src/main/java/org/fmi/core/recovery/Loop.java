package org.fmi.core.recovery;

import org.fmi.ConvergingBody;
import org.fmi.LoopBody;

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
