package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.fmi.Fmi;
import org.fmi.tasks.Results;
import org.fmi.tasks.Task;
import org.fmi.tasks.TaskGraph;
import org.fmi.tasks.Tasks;
import org.fmi.testkit.SimCluster;
import org.fmi.testkit.SimProcess;

/**
 * A program that runs a task graph drawn by chance, whose results are known. It throws if a result
 * is another one, even if ranks die.
 */
final class TasksWorkload {
  /** The most tasks per rank: enough for several rounds now and then. */
  static final int TASKS_PER_RANK = 40;

  private static final int MOST_DEPENDENCIES = 3;
  private static final int LONGEST_NANOS = 200_000;

  private final long seed;

  TasksWorkload(long seed) {
    this.seed = seed;
  }

  /** The graph at one rank. */
  private final class Graph {
    private final SplittableRandom random = new SplittableRandom(seed);
    private final SimProcess process;
    private final List<Task<Object>> tasks = new ArrayList<>();
    private final List<Long> expected = new ArrayList<>();
    private final TreeSet<Integer> finals = new TreeSet<>();
    private final TaskGraph graph;

    Graph(SimProcess process, int ranks) {
      this.process = process;
      int size = 1 + random.nextInt(TASKS_PER_RANK * ranks);
      this.graph =
          TaskGraph.build(
              builder -> {
                for (int task = 0; task < size; task++) {
                  add(builder, task);
                }
              });
    }

    private void add(TaskGraph.Builder builder, int task) {
      List<Task<Object>> dependencies = new ArrayList<>();
      long sum = 0;
      for (int i = task == 0 ? 0 : random.nextInt(MOST_DEPENDENCIES + 1); i > 0; i--) {
        int on = random.nextInt(task);
        dependencies.add(tasks.get(on));
        finals.remove(on);
        sum += expected.get(on);
      }
      int nanos = random.nextInt(LONGEST_NANOS);
      expected.add(result(task, sum));
      finals.add(task);
      tasks.add(
          builder.task(
              "t" + task,
              in -> {
                process.compute(nanos);
                long inputs = 0;
                for (Task<Object> on : dependencies) {
                  inputs += unboxed(in.of(on));
                }
                return boxed(task, result(task, inputs));
              },
              dependencies.toArray(Task<?>[]::new)));
    }

    long run(Fmi fmi) {
      Results results = Tasks.run(fmi, graph);
      for (int task : finals) {
        long found = unboxed(results.of(tasks.get(task)));
        if (found != expected.get(task)) {
          throw new AssertionError(
              "S7: task %d has the result %x, not %x".formatted(task, found, expected.get(task)));
        }
      }
      return expected.getLast();
    }
  }

  private static long result(int task, long sum) {
    return 31 * sum + task;
  }

  /** Every third result is an object, of which other ranks receive a copy. */
  private static Object boxed(int task, long value) {
    return task % 3 == 0 ? List.of(value) : (Object) value;
  }

  private static long unboxed(Object result) {
    return (Long) (result instanceof List<?> list ? list.getFirst() : result);
  }

  long run(Fmi fmi, SimProcess process, SimCluster cluster) {
    return new Graph(process, fmi.world().size()).run(fmi);
  }
}
