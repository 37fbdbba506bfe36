package org.fmi.tasks;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/** The tasks to run again after a loss, by the OCFTL paper and by what is really missing. */
public final class RestartSet {
  private RestartSet() {}

  /**
   * The restart set of the OCFTL paper (§4.2): from the failed tasks, all tasks that are reached
   * along dependencies and dependents, up to saved ones; of these, all that were executed and are
   * not saved. Tasks that ran when the failure was noticed are awaited first, so that they count as
   * executed.
   *
   * @param graph the tasks
   * @param executed numbers of the tasks that were executed
   * @param saved numbers of the tasks whose results are saved elsewhere
   * @param failed numbers of the tasks that were lost: the ones that a lost rank ran, and the ones
   *     whose results it held
   * @return the executed tasks to run again; tasks that never finished run anyway
   */
  public static BitSet paper(TaskGraph graph, BitSet executed, BitSet saved, BitSet failed) {
    return paper(graph.dag(), executed, saved, failed);
  }

  static BitSet paper(Dag dag, BitSet executed, BitSet saved, BitSet failed) {
    BitSet reached = (BitSet) failed.clone();
    Deque<Integer> open = new ArrayDeque<>();
    failed.stream().forEach(open::add);
    while (!open.isEmpty()) {
      int task = open.remove();
      if (saved.get(task)) {
        continue;
      }
      reach(dag.dependencies(task), reached, open);
      reach(dag.dependents(task), reached, open);
    }
    reached.and(executed);
    reached.andNot(saved);
    return reached;
  }

  /**
   * The fewest tasks that have to run again: executed ones that no living rank holds and that
   * nothing saved has, if an unfinished task needs them, directly or for another such task, or if
   * their results are wanted at the end.
   *
   * @param graph the tasks
   * @param executed numbers of the tasks that were executed
   * @param available numbers of the tasks whose results a living rank holds, or that are saved
   * @return the executed tasks to run again
   */
  public static BitSet needed(TaskGraph graph, BitSet executed, BitSet available) {
    return needed(graph.dag(), executed, available);
  }

  static BitSet needed(Dag dag, BitSet executed, BitSet available) {
    BitSet again = toRun(dag, available);
    again.and(executed);
    return again;
  }

  /** All tasks that have to run, for the first time or again. */
  static BitSet toRun(Dag dag, BitSet available) {
    BitSet missing = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    need(dag.finals(), available, missing, open);
    while (!open.isEmpty()) {
      need(dag.dependencies(open.remove()), available, missing, open);
    }
    return missing;
  }

  private static void need(int[] tasks, BitSet available, BitSet missing, Deque<Integer> open) {
    for (int task : tasks) {
      if (!available.get(task) && !missing.get(task)) {
        missing.set(task);
        open.add(task);
      }
    }
  }

  private static void reach(int[] tasks, BitSet reached, Deque<Integer> open) {
    for (int task : tasks) {
      if (!reached.get(task)) {
        reached.set(task);
        open.add(task);
      }
    }
  }
}
