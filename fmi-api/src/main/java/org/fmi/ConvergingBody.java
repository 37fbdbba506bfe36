package org.fmi;

/** The body of a fault-tolerant loop that returns whether to continue. */
@FunctionalInterface
public interface ConvergingBody {
  /**
   * Computes iteration {@code iteration}. May be called again for an iteration that was done
   * before, as {@link LoopBody#run}.
   *
   * @param iteration counted from 0
   * @return whether this rank wants another iteration; there is one if any rank does
   * @throws Exception as {@link LoopBody#run}
   */
  boolean run(long iteration) throws Exception;
}
