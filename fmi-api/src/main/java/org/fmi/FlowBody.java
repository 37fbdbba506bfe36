package org.fmi;

/**
 * One iteration of a {@link Fmi#flowLoop flowLoop}, in three parts: what comes from other ranks,
 * what is computed from it, and what all ranks do together.
 *
 * @param <S> what a rank computes from one iteration to the next
 */
public interface FlowBody<S> {
  /**
   * Brings what other ranks have into {@code now}: sends to, and receives from, ranks that the
   * {@link Flow} names, point to point, by their ranks. Collectives belong into {@link #finish}.
   * All requests are complete when it returns.
   *
   * <p>What is sent in an iteration is received in it: a rank that computes again gets no message
   * of an iteration before, and would wait for ever, or take another one for it. Each checkpoint
   * that ranks wait for, such as that at the end of the loop, refuses messages that were sent in
   * the loop and have not been received, and those that were sent before the loop and have been. A
   * message that was received in a later iteration, but before the next checkpoint, is not noticed.
   *
   * <p>Changes nothing but what is received into: after a failure a rank may be asked for it again,
   * on a copy, and then ranks that do not take part are as {@link Comm#PROC_NULL}.
   *
   * @param iteration counted from 0
   * @param now the state before the iteration
   * @throws Exception as {@link LoopBody#run}
   */
  void exchange(long iteration, S now) throws Exception;

  /**
   * Computes {@code next} from {@code now} and from nothing else, in the same way each time.
   * Communicates with nobody: messages and collectives are refused, in each run. What {@code next}
   * held before is that of two iterations ago.
   *
   * @param iteration counted from 0
   * @param now the state before the iteration, with what {@link #exchange} has brought
   * @param next gets the state after it
   * @throws Exception as {@link LoopBody#run}
   */
  void step(long iteration, S now, S next) throws Exception;

  /**
   * Does what all ranks do together, such as a reduction, by collectives; messages point to point
   * are refused. Changes no state. After a failure it may be called again for the iteration that
   * ranks go on behind.
   *
   * @param iteration counted from 0
   * @param next the state after the iteration
   * @return whether this rank wants another iteration: {@link Fmi#flowLoopWhile} goes on if any
   *     rank does; {@link Fmi#flowLoop} does not look at it
   * @throws Exception as {@link LoopBody#run}
   */
  default boolean finish(long iteration, S next) throws Exception {
    return true;
  }
}
