package org.fmi.tasks;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The dependencies of tasks, which are numbers from 0 on. */
final class Dag {
  private final int[][] dependencies;
  private final int[][] dependents;
  private final int[] finals;

  /**
   * @param dependencies of each task; without a {@link #cycle}
   */
  Dag(int[][] dependencies) {
    int size = dependencies.length;
    this.dependencies = dependencies;
    int[] count = new int[size];
    for (int[] each : dependencies) {
      for (int on : each) {
        count[on]++;
      }
    }
    dependents = new int[size][];
    for (int task = 0; task < size; task++) {
      dependents[task] = new int[count[task]];
    }
    Arrays.fill(count, 0);
    for (int task = 0; task < size; task++) {
      for (int on : dependencies[task]) {
        dependents[on][count[on]++] = task;
      }
    }
    BitSet last = new BitSet();
    for (int task = 0; task < size; task++) {
      last.set(task, dependents[task].length == 0);
    }
    finals = last.stream().toArray();
  }

  int size() {
    return dependencies.length;
  }

  /**
   * The tasks whose results a task needs; those of all final tasks for {@link #collecting}.
   *
   * @return not to be changed
   */
  int[] dependencies(int task) {
    return task == collecting() ? finals : dependencies[task];
  }

  /**
   * The tasks that need a task's result.
   *
   * @return not to be changed
   */
  int[] dependents(int task) {
    return dependents[task];
  }

  /**
   * The tasks that no task depends on.
   *
   * @return not to be changed
   */
  int[] finals() {
    return finals;
  }

  /** The number of an additional task, which each rank has: it collects the final results. */
  int collecting() {
    return dependencies.length;
  }

  /**
   * Finds tasks that depend on each other in a circle, each on the next; null if there are none.
   */
  static @Nullable List<Integer> cycle(int[][] dependencies) {
    int size = dependencies.length;
    int[] next = new int[size]; // the dependency to look at next
    BitSet done = new BitSet();
    BitSet onPath = new BitSet();
    int[] path = new int[size];
    for (int start = 0; start < size; start++) {
      if (done.get(start)) {
        continue;
      }
      int depth = 0;
      path[0] = start;
      onPath.set(start);
      while (depth >= 0) {
        int task = path[depth];
        if (next[task] == dependencies[task].length) {
          done.set(task);
          onPath.clear(task);
          depth--;
          continue;
        }
        int on = dependencies[task][next[task]++];
        if (onPath.get(on)) {
          int first = 0;
          while (path[first] != on) {
            first++;
          }
          return Arrays.stream(path, first, depth + 1).boxed().toList();
        }
        if (!done.get(on)) {
          path[++depth] = on;
          onPath.set(on);
        }
      }
    }
    return null;
  }
}
