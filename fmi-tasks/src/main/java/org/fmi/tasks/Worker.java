package org.fmi.tasks;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of one rank in a round: which results it holds, which it has to fetch, and which task it
 * can compute next. Pure: notes in, notes out; {@link #next} says what to compute.
 */
final class Worker {
  /** No task can be computed. */
  static final int NONE = -1;

  private final Dag dag;
  private final int rank;
  private final Map<Integer, @Nullable Object> results;
  private final Post post;

  /** The tasks to compute, in the order in which the head gave them. */
  private final Deque<Integer> given = new ArrayDeque<>();

  private final BitSet fetching = new BitSet();

  /** Results that were fetched, and of which the head does not know yet. */
  private final BitSet copies = new BitSet();

  /**
   * @param results what this rank holds, by task; the worker adds to it
   */
  Worker(Dag dag, int rank, Map<Integer, @Nullable Object> results, Post post) {
    this.dag = dag;
    this.rank = rank;
    this.results = results;
    this.post = post;
  }

  void begin() {
    BitSet held = new BitSet();
    results.keySet().forEach(held::set);
    post.send(Head.RANK, new Note.Held(held.toLongArray()));
  }

  void run(int task, int[] sources) {
    given.add(task);
    int[] dependencies = dag.dependencies(task);
    for (int i = 0; i < sources.length; i++) {
      int on = dependencies[i];
      if (sources[i] != rank && !results.containsKey(on) && !fetching.get(on)) {
        fetching.set(on);
        post.send(sources[i], new Note.Get(on));
      }
    }
  }

  void get(int from, int task) {
    assert results.containsKey(task) : task;
    post.send(from, new Note.Result(task, results.get(task)));
  }

  void result(int task, @Nullable Object value) {
    results.put(task, value);
    fetching.clear(task);
    copies.set(task);
  }

  /** The first task given whose inputs are here, or {@link #NONE}. */
  int next() {
    for (int task : given) {
      if (hasAll(dag.dependencies(task))) {
        return task;
      }
    }
    return NONE;
  }

  private boolean hasAll(int[] tasks) {
    for (int task : tasks) {
      if (!results.containsKey(task)) {
        return false;
      }
    }
    return true;
  }

  /** The task {@link #next} was computed. */
  void computed(int task, @Nullable Object value) {
    results.put(task, value);
    done(task);
  }

  /** The final results are here. */
  void collected() {
    done(dag.collecting());
  }

  private void done(int task) {
    given.remove(task);
    post.send(Head.RANK, new Note.Done(task, copies.stream().toArray()));
    copies.clear();
  }

  /** The task {@link #next} has thrown. */
  void broken(int task, String reason) {
    given.remove(task);
    post.send(Head.RANK, new Note.Broken(task, reason));
  }
}
