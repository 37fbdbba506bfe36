package org.fmi.run.status;

/** The answer to a request. Any thread. */
public interface Answer {
  /**
   * Sends a part of it.
   *
   * @return false if the client is gone; nothing else needs to be done then
   */
  boolean part(byte[] bytes);

  /**
   * Whether another part would go out soon. If not, the client does not read, and parts would pile
   * up: an endless answer must wait.
   */
  boolean isReady();

  /** Runs a task, once, if the client leaves before the answer is complete. */
  default void whenGone(Runnable task) {}

  /** Completes the answer. */
  void end();

  /**
   * Refuses an answer.
   *
   * @param reason for the user, one line
   */
  void refuse(String reason);
}
