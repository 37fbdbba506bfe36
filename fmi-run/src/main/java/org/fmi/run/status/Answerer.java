package org.fmi.run.status;

/** Whoever knows the answers: fmirun today. Called on one thread; must not block. */
public interface Answerer {
  /**
   * Answers now, or later by way of {@code answer}.
   *
   * @param answer is ended or refused exactly once
   */
  void answer(Question question, Answer answer);
}
