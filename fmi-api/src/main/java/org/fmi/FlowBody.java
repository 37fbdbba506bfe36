package org.fmi;

/**
 * The body of a {@link Fmi#flowLoop flowLoop}. An iteration has three parts: the exchange of data
 * with other ranks, the computation, and the collective operations of all ranks.
 *
 * @param <S> the state that an iteration computes
 */
public interface FlowBody<S> {
  /**
   * Receives the data of other ranks into {@code now}: sends to, and receives from, ranks that the
   * {@link Flow} names, point to point, by their ranks. Collectives belong into {@link #finish}.
   * All requests are complete when it returns.
   *
   * <p>A message is received in the iteration that sends it: a rank that recomputes gets no message
   * of an earlier iteration, and would wait forever or match the wrong message. Each checkpoint
   * that ranks wait for, such as that at the end of the loop, refuses messages that were sent in
   * the loop and have not been received, and those that were sent before the loop and have been. A
   * message that was received in a later iteration, but before the next checkpoint, is not noticed.
   *
   * <p>Changes only the buffers that it receives into. After a failure it may be called again, on a
   * copy of the state; ranks that do not take part are then {@link Comm#PROC_NULL}.
   *
   * @param iteration counted from 0
   * @param now the state before the iteration
   * @throws Exception as {@link LoopBody#run}
   */
  void exchange(long iteration, S now) throws Exception;

  /**
   * Computes {@code next} from {@code now} and from nothing else, in the same way each time. Must
   * not communicate: messages and collectives are refused, in each run. Before the call {@code
   * next} holds the state of two iterations ago.
   *
   * @param iteration counted from 0
   * @param now the state before the iteration, with the data that {@link #exchange} has received
   * @param next gets the state after it
   * @throws Exception as {@link LoopBody#run}
   */
  void step(long iteration, S now, S next) throws Exception;

  /**
   * Runs the collective operations of the iteration, such as a reduction; messages point to point
   * are refused. Changes no state. After a failure it may be called again for the last iteration
   * before the ranks continue.
   *
   * @param iteration counted from 0
   * @param next the state after the iteration
   * @return whether this rank wants another iteration: {@link Fmi#flowLoopWhile} continues if any
   *     rank does; {@link Fmi#flowLoop} ignores it
   * @throws Exception as {@link LoopBody#run}
   */
  default boolean finish(long iteration, S next) throws Exception {
    return true;
  }
}
