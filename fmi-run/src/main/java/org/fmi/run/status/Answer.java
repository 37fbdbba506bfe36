package org.fmi.run.status;

/** Where the answer to a question goes. Any thread. */
public interface Answer {
  /** Sends a part of it. */
  void part(byte[] bytes);

  /** That was all. */
  void end();

  /**
   * There is no answer.
   *
   * @param reason for the user, a line
   */
  void refuse(String reason);
}
