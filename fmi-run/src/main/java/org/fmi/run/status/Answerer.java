package org.fmi.run.status;

/** Answers requests. Called on one thread; must not block. */
public interface Answerer {
  /**
   * Answers now, or later through {@code answer}.
   *
   * @param answer is ended or refused exactly once
   */
  void answer(Question question, Answer answer);
}
