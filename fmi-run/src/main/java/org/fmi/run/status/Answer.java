package org.fmi.run.status;

/** Where the answer to a question goes. Any thread. */
public interface Answer {
  /**
   * Sends a part of it.
   *
   * @return false if nobody waits for it any more; nothing else needs to be done then
   */
  boolean part(byte[] bytes);

  /**
   * Whether another part would go out soon. If not, the asker does not read, and parts would pile
   * up: an answer that goes on and on must wait.
   */
  boolean isReady();

  /** Runs a task, once, if nobody waits for the rest of it any more before it has come whole. */
  default void whenGone(Runnable task) {}

  /** That was all. */
  void end();

  /**
   * There is no answer.
   *
   * @param reason for the user, a line
   */
  void refuse(String reason);
}
