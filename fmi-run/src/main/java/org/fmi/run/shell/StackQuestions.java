package org.fmi.run.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * Asks ranks for their thread stacks on request; names ranks that do not answer in time. Keeps a
 * bounded amount of text. Belongs to the loop's thread.
 */
final class StackQuestions {
  /** Time limit for the answer of a rank. */
  static final int ANSWER_MILLIS = 2000;

  /** Maximum characters of stacks, of all requests together. */
  static final int MOST_CHARS = 32 << 20;

  /** Runs a task on the loop's thread, this many milliseconds from now. */
  interface Later {
    void run(long millis, Runnable task);
  }

  /**
   * The result of a request.
   *
   * @param texts by rank, in order: lines with their line ends
   * @param stacks the number of texts that are stacks, not reasons why there is none
   */
  record Answers(List<String> texts, int stacks) {
    Answers {
      texts = List.copyOf(texts);
    }
  }

  /** One open request. */
  private static final class Asked {
    final Consumer<Answers> asker;

    /** By rank; null until there is one. */
    final SortedMap<Integer, @Nullable String> answers = new TreeMap<>();

    int missing;
    int stacks;
    int chars;

    Asked(Consumer<Answers> asker) {
      this.asker = asker;
    }
  }

  private final IntPredicate ask;
  private final Later later;
  private final List<Asked> open = new ArrayList<>();
  private int chars;

  /**
   * @param ask sends the request to a rank; false if it has no process
   */
  StackQuestions(IntPredicate ask, Later later) {
    this.ask = ask;
    this.later = later;
  }

  /**
   * Asks ranks.
   *
   * @param asker gets the answers after {@link #ANSWER_MILLIS} at the latest
   */
  void ask(List<Integer> ranks, Consumer<Answers> asker) {
    Asked asked = new Asked(asker);
    open.add(asked);
    for (int rank : ranks) {
      if (ask.test(rank)) {
        asked.answers.put(rank, null);
        asked.missing++;
      } else {
        asked.answers.put(rank, "rank " + rank + " has no process at the moment\n\n");
      }
    }
    if (asked.missing == 0) {
      end(asked);
    } else {
      later.run(ANSWER_MILLIS, () -> end(asked));
    }
  }

  /** Takes the answer of a rank. */
  void answered(FromDaemon.Stack answer) {
    String header = "rank " + answer.rank() + ", process " + answer.pid() + ":\n";
    boolean kept = chars + answer.text().length() <= MOST_CHARS;
    String text =
        header + (kept ? answer.text() : "omitted, because all stacks are too long\n") + "\n";
    for (Asked asked : List.copyOf(open)) {
      if (asked.answers.containsKey(answer.rank())
          && asked.answers.putIfAbsent(answer.rank(), text) == null) {
        asked.stacks += kept ? 1 : 0;
        asked.chars += text.length();
        chars += text.length();
        asked.missing--;
        if (asked.missing == 0) {
          end(asked);
        }
      }
    }
  }

  private void end(Asked asked) {
    if (!open.remove(asked)) {
      return;
    }
    chars -= asked.chars;
    List<String> texts = new ArrayList<>();
    asked.answers.forEach((rank, text) -> texts.add(text != null ? text : silence(rank)));
    asked.asker.accept(new Answers(texts, asked.stacks));
  }

  private static String silence(int rank) {
    return "rank "
        + rank
        + " does not answer: its process is starting or stopped, or its JVM is busy\n\n";
  }
}
