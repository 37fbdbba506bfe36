package org.fmi.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TaskGraphTest {

  @Test
  void aCycleIsNamed() {
    assertThatThrownBy(
            () ->
                TaskGraph.build(
                    b -> {
                      Task<Integer> before = b.task("before", _ -> 0);
                      Task<Integer> a = b.task("a", _ -> 1, before);
                      Task<Integer> c = b.task("c", _ -> 2, a);
                      Task<Integer> d = b.task("d", _ -> 3, c, before);
                      b.depend(a, d);
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "tasks depend on each other in a cycle, so that none of them can begin: \"a\" needs"
                + " \"d\" needs \"c\" needs \"a\"; remove one of these dependencies");
    assertThatThrownBy(
            () ->
                TaskGraph.build(
                    b -> {
                      Task<Integer> a = b.task("a", _ -> 1);
                      b.depend(a, a);
                    }))
        .hasMessageContaining("\"a\" needs \"a\"");
  }

  @Test
  void twoTasksOfOneName() {
    assertThatThrownBy(
            () ->
                TaskGraph.build(
                    b -> {
                      b.task("a", _ -> 1);
                      b.task("a", _ -> 2);
                    }))
        .hasMessage("two tasks are named \"a\": give each its own name");
  }

  @Test
  void aTaskOfAnotherGraph() {
    List<Task<Integer>> others = new ArrayList<>();
    TaskGraph other = TaskGraph.build(b -> others.add(b.task("a", _ -> 1)));
    assertThat(other.size()).isOne();
    assertThatThrownBy(() -> TaskGraph.build(b -> b.task("c", _ -> 1, others.getFirst())))
        .hasMessageContaining("task \"c\" cannot depend on \"a\": \"a\" is of another graph");
  }

  @Test
  void aGraphThatIsCompleteStaysAsItIs() {
    List<TaskGraph.Builder> builders = new ArrayList<>();
    TaskGraph graph = TaskGraph.build(builders::add);
    assertThat(graph.size()).isZero();
    assertThatThrownBy(() -> builders.getFirst().task("late", _ -> 1))
        .hasMessage("task \"late\": the graph is complete; use its builder within build");
  }

  @Test
  void aDependencyThatIsNamedTwiceCountsOnce() {
    TaskGraph graph =
        TaskGraph.build(
            b -> {
              Task<Integer> a = b.task("a", _ -> 1);
              b.task("c", _ -> 2, a, a);
            });
    assertThat(graph.dag().dependencies(1)).containsExactly(0);
    assertThat(graph.dag().dependents(0)).containsExactly(1);
    assertThat(graph.dag().finals()).containsExactly(1);
  }

  @Test
  void graphsOfOtherTasksOrDependenciesDiffer() {
    TaskGraph one = TaskGraph.build(b -> b.task("c", _ -> 2, b.task("a", _ -> 1)));
    TaskGraph same = TaskGraph.build(b -> b.task("c", _ -> 3, b.task("a", _ -> 4)));
    TaskGraph apart =
        TaskGraph.build(
            b -> {
              b.task("a", _ -> 1);
              b.task("c", _ -> 2);
            });
    assertThat(same.fingerprint()).isEqualTo(one.fingerprint());
    assertThat(apart.fingerprint()).isNotEqualTo(one.fingerprint());
  }
}
