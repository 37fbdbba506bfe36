package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.job.control.FromDaemon;
import org.junit.jupiter.api.Test;

final class StackQuestionsTest {
  private static final int GONE = 9;

  private final List<Integer> asked = new ArrayList<>();
  private final List<Runnable> timers = new ArrayList<>();
  private final List<StackQuestions.Answers> answers = new ArrayList<>();
  private final StackQuestions questions =
      new StackQuestions(
          rank -> {
            asked.add(rank);
            return rank != GONE;
          },
          (_, task) -> timers.add(task));

  private void ask(Integer... ranks) {
    questions.ask(List.of(ranks), answers::add);
  }

  private void answer(int rank) {
    questions.answered(new FromDaemon.Stack(rank, 100 + rank, "\"main\" RUNNABLE\n"));
  }

  @Test
  void answersAreHandedOverOnceInTheOrderOfRanks() {
    ask(0, 1);
    assertThat(asked).containsExactly(0, 1);
    answer(1);
    answer(1);
    assertThat(answers).isEmpty();
    answer(0);
    answer(0);
    timers.forEach(Runnable::run);
    assertThat(answers)
        .containsExactly(
            new StackQuestions.Answers(
                List.of(
                    "rank 0, process 100:\n\"main\" RUNNABLE\n\n",
                    "rank 1, process 101:\n\"main\" RUNNABLE\n\n"),
                2));
  }

  /** As at the end of the time of a job with very many ranks. */
  @Test
  void stacksTakeBoundedMemory() {
    String stack = "x".repeat(StackQuestions.MOST_CHARS / 3);
    for (int round = 1; round <= 2; round++) {
      ask(0, 1, 2, 3);
      for (int rank = 0; rank < 4; rank++) {
        questions.answered(new FromDaemon.Stack(rank, 1, stack));
      }
      assertThat(answers).hasSize(round);
      assertThat(answers.getLast().stacks()).isEqualTo(2);
      assertThat(answers.getLast().texts().get(3)).contains("rank 3", "omitted");
    }
  }

  @Test
  void aRankThatDoesNotAnswerIsNamed() {
    ask(0, 1);
    answer(0);
    timers.forEach(Runnable::run);
    assertThat(answers).hasSize(1);
    assertThat(answers.getFirst().texts().get(1))
        .startsWith("rank 1 does not answer: ")
        .endsWith("\n");
    assertThat(answers.getFirst().stacks()).isEqualTo(1);
    answer(1);
    assertThat(answers).hasSize(1);
  }

  @Test
  void aRankWithoutProcessIsNotWaitedFor() {
    ask(0, GONE);
    answer(0);
    assertThat(answers).hasSize(1);
    assertThat(answers.getFirst().texts().get(1)).startsWith("rank 9 has no process");
    ask(GONE);
    assertThat(answers).hasSize(2);
    assertThat(answers.getLast().stacks()).isZero();
  }

  @Test
  void oneAnswerServesAllWhoAsked() {
    ask(0);
    ask(0, 1);
    answer(0);
    assertThat(answers).hasSize(1);
    answer(1);
    assertThat(answers).hasSize(2);
  }
}
