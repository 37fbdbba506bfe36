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
 * Asks ranks what their threads do, for whoever wants to know; a rank that does not answer in time
 * is said not to. Belongs to the loop's thread.
 */
final class StackQuestions {
  /** How long a rank may take to answer. */
  static final int ANSWER_MILLIS = 2000;

  /** Runs a task on the loop's thread, this many milliseconds from now. */
  interface Later {
    void run(long millis, Runnable task);
  }

  /**
   * What an asker gets.
   *
   * @param texts by rank, in their order: lines with their ends
   * @param stacks how many of them are stacks, and not why there is none
   */
  record Answers(List<String> texts, int stacks) {
    Answers {
      texts = List.copyOf(texts);
    }
  }

  /** What one asker waits for. */
  private static final class Asked {
    final Consumer<Answers> asker;

    /** By rank; null while there is none. */
    final SortedMap<Integer, @Nullable String> answers = new TreeMap<>();

    int missing;
    int stacks;

    Asked(Consumer<Answers> asker) {
      this.asker = asker;
    }
  }

  private final IntPredicate ask;
  private final Later later;
  private final List<Asked> open = new ArrayList<>();

  /**
   * @param ask sends the question to a rank; false if that has no process
   */
  StackQuestions(IntPredicate ask, Later later) {
    this.ask = ask;
    this.later = later;
  }

  /**
   * Asks ranks.
   *
   * @param asker gets the answers {@link #ANSWER_MILLIS} from now at the latest
   */
  void ask(List<Integer> ranks, Consumer<Answers> asker) {
    Asked asked = new Asked(asker);
    open.add(asked);
    for (int rank : ranks) {
      if (ask.test(rank)) {
        asked.answers.put(rank, null);
        asked.missing++;
      } else {
        asked.answers.put(rank, "rank " + rank + " has no process at this moment\n\n");
      }
    }
    if (asked.missing == 0) {
      end(asked);
    } else {
      later.run(ANSWER_MILLIS, () -> end(asked));
    }
  }

  /** A rank has answered. */
  void came(FromDaemon.Stack answer) {
    String text =
        "rank " + answer.rank() + ", process " + answer.pid() + ":\n" + answer.text() + "\n";
    for (Asked asked : List.copyOf(open)) {
      if (asked.answers.containsKey(answer.rank())
          && asked.answers.putIfAbsent(answer.rank(), text) == null) {
        asked.stacks++;
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
    List<String> texts = new ArrayList<>();
    asked.answers.forEach((rank, text) -> texts.add(text != null ? text : silence(rank)));
    asked.asker.accept(new Answers(texts, asked.stacks));
  }

  private static String silence(int rank) {
    return "rank "
        + rank
        + " does not answer: it is being started, or is stopped, or its virtual machine is"
        + " busy\n\n";
  }
}
