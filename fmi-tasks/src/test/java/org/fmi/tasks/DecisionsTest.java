package org.fmi.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The head and the workers together, in many orders of events. */
final class DecisionsTest {
  private static final long MOST_ORDERS = 100_000;

  private static void run(Dag dag, int ranks, int rounds, int deaths, IntUnaryOperator choice) {
    new SimulatedRanks(dag, ranks, rounds, deaths, choice).run();
  }

  @Test
  void randomGraphsAndDeaths() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      int size = random.nextInt(12);
      int[][] dependencies = new int[size][];
      double density = random.nextDouble();
      for (int task = 0; task < size; task++) {
        dependencies[task] =
            IntStream.range(0, task).filter(_ -> random.nextDouble() < density).toArray();
      }
      int ranks = 1 + random.nextInt(5);
      int deaths = random.nextInt(ranks);
      try {
        run(new Dag(dependencies), ranks, 1 + random.nextInt(3), deaths, random::nextInt);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** All orders of events, a death of the head or the worker anywhere among them. */
  @Test
  void allOrdersOfAFewTasks() {
    assertThat(allOrders(new Dag(new int[][] {{}}), 2, 1)).isGreaterThan(1_000);
    assertThat(allOrders(new Dag(new int[][] {{}, {0}}), 2, 1)).isGreaterThan(1_000);
    assertThat(allOrders(new Dag(new int[][] {{}}), 3, 2)).as("not all").isEqualTo(MOST_ORDERS);
  }

  private static long allOrders(Dag dag, int ranks, int deaths) {
    List<Integer> path = new ArrayList<>();
    List<Integer> widths = new ArrayList<>();
    long runs = 0;
    do {
      int[] at = {0};
      run(
          dag,
          ranks,
          1,
          deaths,
          width -> {
            if (at[0] == path.size()) {
              path.add(0);
              widths.add(width);
            }
            return path.get(at[0]++);
          });
      runs++;
      while (!path.isEmpty() && path.getLast() + 1 == widths.getLast()) {
        path.removeLast();
        widths.removeLast();
      }
      if (!path.isEmpty()) {
        path.add(path.removeLast() + 1);
      }
    } while (!path.isEmpty() && runs < MOST_ORDERS);
    return runs;
  }

  /** A task that throws ends the round at all ranks, once the others are done. */
  @Test
  void aFailureEndsTheRound() {
    List<String> notes = new ArrayList<>();
    Head head =
        new Head(
            new Dag(new int[][] {{}, {}, {0, 1}}),
            2,
            0,
            (to, note) -> notes.add(to + " " + kind(note)));
    head.held(0, new long[0]);
    assertThat(notes).isEmpty();
    head.held(1, new long[0]);
    assertThat(notes).containsExactly("1 Run 0", "0 Run 1");
    notes.clear();
    head.broken(1, "why");
    assertThat(notes).as("a task runs").isEmpty();
    head.done(0, 1, new int[0]);
    assertThat(notes).containsExactly("0 End why", "1 End why");
  }

  /** The one that holds the inputs computes the task. */
  @Test
  void tasksGoWhereTheirInputsAre() {
    List<String> notes = new ArrayList<>();
    Head head =
        new Head(
            new Dag(new int[][] {{}, {}, {0}, {1}}),
            2,
            0,
            (to, note) -> notes.add(to + " " + kind(note)));
    head.held(0, new long[] {0b10});
    head.held(1, new long[] {0b01});
    assertThat(notes).containsExactly("1 Run 2", "0 Run 3");
  }

  private static String kind(Note note) {
    return switch (note) {
      case Note.Run run -> "Run " + run.task();
      case Note.End end -> "End " + end.broken();
      default -> note.toString();
    };
  }
}
