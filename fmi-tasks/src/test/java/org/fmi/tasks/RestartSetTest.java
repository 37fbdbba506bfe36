package org.fmi.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RestartSetTest {
  private static BitSet set(int... numbers) {
    BitSet set = new BitSet();
    Arrays.stream(numbers).forEach(set::set);
    return set;
  }

  /** Figure 2 of the paper: task 17 fails while 6, 7 and 16 run, which are awaited. */
  private static TaskGraph figure2() {
    return TaskGraph.build(
        b -> {
          List<Task<Integer>> tasks = new ArrayList<>();
          for (int i = 0; i <= 19; i++) {
            tasks.add(b.task("" + i, _ -> 0));
          }
          int[][] edges = {
            {10, 14}, {12, 14}, {12, 15}, {13, 15}, {13, 16}, {14, 17}, {15, 17}, {16, 18},
            {17, 18}, {17, 19}
          };
          for (int[] edge : edges) {
            b.depend(tasks.get(edge[1]), tasks.get(edge[0]));
          }
        });
  }

  private static final BitSet EXECUTED = set(IntStream.rangeClosed(0, 16).toArray());

  @Test
  void theFigureOfThePaper() {
    assertThat(RestartSet.paper(figure2(), EXECUTED, set(10, 13), set(17)))
        .isEqualTo(set(12, 14, 15, 16));
  }

  /** The worker that ran 17 held the results of 12 and 14; 15 and 16 are at living ones. */
  @Test
  void lessIsNeeded() {
    BitSet available = (BitSet) EXECUTED.clone();
    available.andNot(set(12, 14));
    assertThat(RestartSet.needed(figure2(), EXECUTED, available)).isEqualTo(set(12, 14));
    available.set(14);
    assertThat(RestartSet.needed(figure2(), EXECUTED, available))
        .as("12 is lost, and nobody needs it any more")
        .isEqualTo(set());
  }

  /** Of all graphs of four tasks, all executed ones, and all that are lost or saved. */
  @Test
  void whatIsNeededIsEnoughAndContainedInThePapersSet() {
    int size = 4;
    long cases = 0;
    for (int edges = 0; edges < 1 << (size * (size - 1) / 2); edges++) {
      Dag dag = dag(size, edges);
      for (int done = 0; done < 1 << size; done++) {
        BitSet executed = BitSet.valueOf(new long[] {done});
        if (!executed.stream().allMatch(t -> has(executed, dag.dependencies(t)))) {
          continue;
        }
        for (int lost = done; ; lost = lost - 1 & done) {
          BitSet gone = BitSet.valueOf(new long[] {lost});
          BitSet available = (BitSet) executed.clone();
          available.andNot(gone);
          BitSet needed = RestartSet.needed(dag, executed, available);
          assertThat(needed).isEqualTo(byDefinition(dag, executed, available));
          for (int saved = done & ~lost; ; saved = saved - 1 & done & ~lost) {
            BitSet paper =
                RestartSet.paper(dag, executed, BitSet.valueOf(new long[] {saved}), gone);
            assertContains(paper, needed);
            assertContains(executed, paper);
            cases++;
            if (saved == 0) {
              break;
            }
          }
          if (lost == 0) {
            break;
          }
        }
      }
    }
    assertThat(cases).isGreaterThan(10_000);
  }

  /** The smallest set of lost tasks with which all that is unfinished can be computed. */
  private static BitSet byDefinition(Dag dag, BitSet executed, BitSet available) {
    BitSet smallest = null;
    for (int bits = 0; bits < 1 << dag.size(); bits++) {
      BitSet again = BitSet.valueOf(new long[] {bits});
      BitSet lost = (BitSet) executed.clone();
      lost.andNot(available);
      BitSet there = (BitSet) available.clone();
      there.or(again);
      BitSet runs = (BitSet) again.clone();
      IntStream.range(0, dag.size()).filter(t -> !executed.get(t)).forEach(runs::set);
      there.or(runs);
      boolean possible =
          contains(lost, again)
              && has(there, dag.finals())
              && runs.stream().allMatch(t -> has(there, dag.dependencies(t)));
      if (possible && (smallest == null || again.cardinality() < smallest.cardinality())) {
        smallest = again;
      }
    }
    return Objects.requireNonNull(smallest); // all of them is enough
  }

  private static Dag dag(int size, int edges) {
    int[][] dependencies = new int[size][];
    int bit = 0;
    for (int task = 0; task < size; task++) {
      int first = bit;
      dependencies[task] =
          IntStream.range(0, task).filter(on -> ((edges >> (first + on)) & 1) != 0).toArray();
      bit += task;
    }
    return new Dag(dependencies);
  }

  private static boolean has(BitSet set, int[] all) {
    return Arrays.stream(all).allMatch(set::get);
  }

  private static boolean contains(BitSet larger, BitSet smaller) {
    BitSet rest = (BitSet) smaller.clone();
    rest.andNot(larger);
    return rest.isEmpty();
  }

  private static void assertContains(BitSet larger, BitSet smaller) {
    if (!contains(larger, smaller)) {
      throw new AssertionError(larger + " does not contain " + smaller);
    }
  }
}
