package org.fmi;

/** One iteration of a fault-tolerant loop. */
@FunctionalInterface
public interface LoopBody {
  /**
   * Computes iteration {@code iteration}. May be called again for an iteration that was done
   * before: after a failure the state is that of the last checkpoint.
   *
   * @throws Exception a failure of the program itself, which ends this rank
   */
  void run(long iteration) throws Exception;
}
