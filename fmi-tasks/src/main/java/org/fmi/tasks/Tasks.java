package org.fmi.tasks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.StateRef;
import org.jspecify.annotations.Nullable;

/** Runs a {@link TaskGraph} on all ranks of a job. */
public final class Tasks {
  /** Tasks per rank and round: a checkpoint can be taken between rounds. */
  private static final int ROUND = 16;

  /** Instead of a task's number: the reason for which the graph has failed. */
  private static final int BROKEN = -1;

  private final TaskGraph graph;
  private final StateRef<HashMap<Integer, @Nullable Object>> state = StateRef.of(new HashMap<>());

  private Tasks(TaskGraph graph) {
    this.graph = graph;
  }

  /**
   * Runs all tasks of a graph; all ranks call it, outside of loops, with the same graph. The lowest
   * living rank hands tasks out, and computes some itself. Each rank keeps the results that it has
   * computed or received; those of a lost rank that are still needed are computed again.
   *
   * @param fmi the job
   * @param graph the same on all ranks
   * @return the results of the final tasks, equal on all ranks, with or without failures
   * @throws TaskException if a task throws or returns what cannot be sent, or if ranks have
   *     different graphs: at all ranks
   * @throws IllegalStateException if called in a loop
   */
  public static Results run(Fmi fmi, TaskGraph graph) {
    return new Tasks(graph).run(fmi);
  }

  private Results run(Fmi fmi) {
    int size = fmi.world().size();
    long rounds = Math.max(1, Math.ceilDiv(graph.size(), (long) ROUND * size));
    try (Losses losses = new Losses(fmi)) {
      TaskRunner runner = new TaskRunner(fmi, graph, () -> state.get(), losses.self());
      fmi.loop(rounds, round -> round(losses, runner, round, rounds), state);
      Object broken = state.get().get(BROKEN);
      if (broken != null) {
        throw runner.failure() == null
            ? new TaskException(broken.toString(), null)
            : runner.failure();
      }
      return new Results(graph, state.get(), runner.computed(), losses.isFirst());
    }
  }

  private void round(Losses losses, TaskRunner runner, long round, long rounds) {
    HashMap<Integer, @Nullable Object> results = state.get();
    if (results.containsKey(BROKEN)) {
      return;
    }
    int left = (int) (graph.size() - graph.size() * (round + 1) / rounds);
    String broken =
        losses.survive(
            (comm, sends) -> {
              String difference = round == 0 ? difference(comm) : null;
              return difference != null
                  ? difference
                  : new Round(comm, graph.dag(), runner, results, left, sends).run();
            });
    if (broken != null) {
      results.clear();
      results.put(BROKEN, broken);
    } else if (left == 0) {
      results.keySet().retainAll(Arrays.stream(graph.dag().finals()).boxed().toList());
    }
  }

  /** The first difference between the graphs of two ranks, the same text at all ranks. */
  private @Nullable String difference(Comm comm) {
    List<Long> fingerprints =
        comm.allGatherObjects(graph.fingerprint()).stream().map(Long.class::cast).toList();
    int other = 1;
    while (other < comm.size() && fingerprints.get(other).equals(fingerprints.getFirst())) {
      other++;
    }
    if (other >= comm.size()) {
      return null;
    }
    String[] here =
        IntStream.range(0, graph.size()).mapToObj(graph::describe).toArray(String[]::new);
    List<String[]> all = comm.allGatherObjects(here).stream().map(String[].class::cast).toList();
    String[] first = all.getFirst();
    String[] second = all.get(other);
    int task = Math.max(0, Arrays.mismatch(first, second));
    return "ranks have different task graphs, and must build the same: task %d is %s at rank 0, and %s at rank %d"
        .formatted(task, at(first, task), at(second, task), other);
  }

  private static String at(String[] tasks, int task) {
    return task < tasks.length ? tasks[task] : "missing";
  }
}
