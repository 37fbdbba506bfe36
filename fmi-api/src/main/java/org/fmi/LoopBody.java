package org.fmi;

/** The body of a fault-tolerant loop. */
@FunctionalInterface
public interface LoopBody {
  /**
   * Computes iteration {@code iteration}. May be called again for an iteration that was done
   * before: after a failure the state is that of the last checkpoint.
   *
   * @param iteration counted from 0
   * @throws Exception a failure of the program itself: {@code loop} throws it on, a checked one as
   *     the cause of an {@link IllegalStateException}, and this rank is replaced; after three in a
   *     row at the same place the job ends
   */
  void run(long iteration) throws Exception;
}
