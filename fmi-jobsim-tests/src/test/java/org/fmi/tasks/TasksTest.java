package org.fmi.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Fmi;
import org.fmi.junit.FmiTest;
import org.fmi.junit.KillRank;

class TasksTest {
  /** Pascal's triangle: each entry is the sum of the two above it. */
  private static TaskGraph triangle(int rows) {
    return TaskGraph.build(
        b -> {
          List<Task<long[]>> above = List.of();
          for (int row = 0; row < rows; row++) {
            List<Task<long[]>> here = new ArrayList<>();
            for (int i = 0; i <= row; i++) {
              String name = row + "/" + i;
              if (i == 0 || i == row) {
                here.add(b.task(name, _ -> new long[] {1}));
              } else {
                Task<long[]> left = above.get(i - 1);
                Task<long[]> right = above.get(i);
                here.add(
                    b.task(name, in -> new long[] {in.of(left)[0] + in.of(right)[0]}, left, right));
              }
            }
            above = here;
          }
          List<Task<long[]>> last = above;
          b.task(
              "sum",
              in -> last.stream().mapToLong(task -> in.of(task)[0]).sum(),
              last.toArray(Task<?>[]::new));
        });
  }

  @FmiTest(ranks = {1, 2, 3, 5})
  void allRanksGetTheResult(Fmi fmi) {
    assertThat(Tasks.run(fmi, triangle(20)).of("sum", Long.class)).isEqualTo(1 << 19);
  }

  @FmiTest(ranks = 3)
  @KillRank(rank = 0, iteration = 1)
  @KillRank(rank = 2, iteration = 4)
  void ranksAreReplaced(Fmi fmi) {
    assertThat(Tasks.run(fmi, triangle(30)).of("sum", Long.class)).isEqualTo(1 << 29);
  }

  @FmiTest(ranks = 2)
  @KillRank(rank = 1, iteration = KillRank.AFTER_LOOP)
  void aReplacementAfterTheGraphGetsTheResult(Fmi fmi) {
    Results results = Tasks.run(fmi, triangle(5));
    fmi.world().barrier();
    assertThat(results.of("sum", Long.class)).isEqualTo(16);
  }

  @FmiTest(ranks = 2)
  void oneGraphAfterAnother(Fmi fmi) {
    for (int rows = 1; rows < 6; rows++) {
      assertThat(Tasks.run(fmi, triangle(rows)).of("sum", Long.class)).isEqualTo(1 << (rows - 1));
    }
  }

  @FmiTest(ranks = 2)
  void anEmptyGraph(Fmi fmi) {
    assertThat(Tasks.run(fmi, TaskGraph.build(_ -> {})).computed()).isZero();
  }

  /** A result is what another rank would receive, also where it was computed. */
  @FmiTest(ranks = {1, 2})
  void aResultIsACopy(Fmi fmi) {
    List<String> mine = new ArrayList<>(List.of("a"));
    List<Task<List<String>>> tasks = new ArrayList<>();
    TaskGraph graph = TaskGraph.build(b -> tasks.add(b.task("list", _ -> mine)));
    Results results = Tasks.run(fmi, graph);
    mine.add("b");
    assertThat(results.of(tasks.getFirst())).containsExactly("a");
  }

  @FmiTest(ranks = {1, 3})
  void aTaskThatThrowsIsNamed(Fmi fmi) {
    TaskGraph graph =
        TaskGraph.build(
            b -> {
              Task<Integer> fine = b.task("fine", _ -> 1);
              b.task("divides", in -> in.of(fine) / (in.of(fine) - 1), fine);
            });
    assertThatThrownBy(() -> Tasks.run(fmi, graph))
        .isInstanceOf(TaskException.class)
        .hasMessageStartingWith("task \"divides\" has failed at rank ")
        .hasMessageEndingWith(": java.lang.ArithmeticException: / by zero");
  }

  private record Unsendable(Thread thread) {}

  @FmiTest(ranks = {1, 2})
  void aResultThatCannotBeSentIsNamed(Fmi fmi) {
    TaskGraph graph =
        TaskGraph.build(b -> b.task("thread", _ -> new Unsendable(Thread.currentThread())));
    assertThatThrownBy(() -> Tasks.run(fmi, graph))
        .isInstanceOf(TaskException.class)
        .hasMessageStartingWith("task \"thread\" has returned at rank ")
        .hasMessageContaining("what cannot be sent")
        .hasMessageContaining("Unsendable");
  }

  @FmiTest(ranks = 2)
  void aDependencyThatIsNotNamed(Fmi fmi) {
    TaskGraph graph =
        TaskGraph.build(
            b -> {
              Task<Integer> a = b.task("a", _ -> 1);
              b.task("c", in -> in.of(a));
            });
    assertThatThrownBy(() -> Tasks.run(fmi, graph))
        .hasMessageContaining("task \"c\" has failed")
        .hasMessageContaining("it takes the result of \"a\", which is not among its dependencies");
  }

  @FmiTest(ranks = 3)
  void graphsThatDiffer(Fmi fmi) {
    boolean odd = fmi.world().rank() == 2;
    TaskGraph graph =
        TaskGraph.build(
            b -> {
              Task<Integer> a = b.task("a", _ -> 1);
              if (odd) {
                b.task("c", _ -> 1);
              } else {
                b.task("c", _ -> 1, a);
              }
            });
    assertThatThrownBy(() -> Tasks.run(fmi, graph))
        .isInstanceOf(TaskException.class)
        .hasMessage(
            "ranks have different task graphs, and must build the same: task 1 is \"c\" with the"
                + " dependencies [\"a\"] at rank 0, and \"c\" with the dependencies [] at rank 2");
  }

  @FmiTest(ranks = 2)
  void oneMoreTaskAtARank(Fmi fmi) {
    assertThatThrownBy(() -> Tasks.run(fmi, triangle(1 + fmi.world().rank())))
        .hasMessageContaining("task 1 is \"sum\" with the dependencies [\"0/0\"] at rank 0, and");
  }

  @FmiTest(ranks = 1)
  void resultsThatThereAreNot(Fmi fmi) {
    List<Task<?>> others = new ArrayList<>();
    TaskGraph.build(b -> others.add(b.task("other", _ -> 1)));
    Results results = Tasks.run(fmi, triangle(1));
    assertThatThrownBy(() -> results.of("0/0", long[].class))
        .hasMessageContaining("task \"0/0\" is not final: \"sum\" depends on it");
    assertThatThrownBy(() -> results.of("product", long[].class))
        .hasMessage("no task is named \"product\"");
    assertThatThrownBy(() -> results.of("sum", String.class))
        .hasMessage("the result of task \"sum\" is a java.lang.Long, not a java.lang.String");
    assertThatThrownBy(() -> results.of(others.getFirst()))
        .hasMessage("task \"other\" is of another graph");
  }

  @FmiTest(ranks = 2)
  void notInALoop(Fmi fmi) {
    TaskGraph graph = triangle(2);
    fmi.loop(
        1,
        _ ->
            assertThatThrownBy(() -> Tasks.run(fmi, graph))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("loops cannot be nested"));
  }
}
