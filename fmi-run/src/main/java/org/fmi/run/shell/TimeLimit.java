package org.fmi.run.shell;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Ends a job that takes longer than the user gives it, with the stacks of all ranks. */
final class TimeLimit {
  /** Ends the job, unless it ends already. */
  interface End {
    void end(int status, List<String> stacksOfRanks, String message);
  }

  private TimeLimit() {}

  /**
   * Begins to count.
   *
   * @param millis that the job may take; 0 for no limit
   */
  static void set(
      long millis, int ranks, StackQuestions stacks, StackQuestions.Later later, End end) {
    if (millis > 0) {
      Consumer<StackQuestions.Answers> isOver =
          answers ->
              end.end(
                  Ending.TIMED_OUT,
                  answers.texts(),
                  "the job has not ended within "
                      + BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString()
                      + " s (--timeout)");
      later.run(millis, () -> stacks.ask(IntStream.range(0, ranks).boxed().toList(), isOver));
    }
  }
}
