package org.fmi.tasks;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rank computes which task in one round. It begins with nothing, and learns from all
 * ranks which results they hold, so that any rank can be the next head. Pure: notes in, notes out.
 */
final class Head {
  /** Rank of the head. */
  static final int RANK = 0;

  /** The tasks that a rank has at most: one to compute, one whose inputs may arrive meanwhile. */
  static final int WINDOW = 2;

  /** The ready tasks among which a rank's next one is chosen. */
  private static final int LOOK_AHEAD = 64;

  private final Dag dag;
  private final int ranks;
  private final int left;
  private final Post post;

  /** The ranks that hold each result. */
  private final BitSet[] holders;

  /** Tasks that have to run and are not done. */
  private BitSet missing = new BitSet();

  /** The ones of them that wait for no other one, and that no rank has been given. */
  private final BitSet ready = new BitSet();

  /** For each missing task, its dependencies that are missing. */
  private final int[] waitsFor;

  private final int[] load;
  private int heard;
  private int running;
  private boolean collects;
  private @Nullable String broken;

  /**
   * @param ranks their number
   * @param left the number of tasks that the round may leave for later ones; 0 in the last round,
   *     in which each rank gets the final results
   */
  Head(Dag dag, int ranks, int left, Post post) {
    this.dag = dag;
    this.ranks = ranks;
    this.left = left;
    this.post = post;
    holders = new BitSet[dag.size()];
    waitsFor = new int[dag.size()];
    load = new int[ranks];
    Arrays.setAll(holders, _ -> new BitSet());
  }

  /** A rank's first note: the results that it holds. */
  void held(int rank, long[] words) {
    BitSet.valueOf(words).stream().forEach(task -> holders[task].set(rank));
    heard++;
    if (heard == ranks) {
      begin();
    }
  }

  private void begin() {
    BitSet available = new BitSet();
    for (int task = 0; task < dag.size(); task++) {
      available.set(task, !holders[task].isEmpty());
    }
    missing = RestartSet.toRun(dag, available);
    missing.stream().forEach(task -> waitsFor[task] = missingAmong(dag.dependencies(task)));
    missing.stream().forEach(task -> ready.set(task, waitsFor[task] == 0));
    proceed();
  }

  private int missingAmong(int[] tasks) {
    int count = 0;
    for (int task : tasks) {
      count += missing.get(task) ? 1 : 0;
    }
    return count;
  }

  void done(int rank, int task, int[] copies) {
    ended(rank);
    for (int copy : copies) {
      holders[copy].set(rank);
    }
    if (task != dag.collecting()) {
      holders[task].set(rank);
      missing.clear(task);
      for (int dependent : dag.dependents(task)) {
        // One that is done already is not missing: its result is there, and this one was lost.
        if (missing.get(dependent) && --waitsFor[dependent] == 0) {
          ready.set(dependent);
        }
      }
    }
    proceed();
  }

  /** A task has thrown: the round ends when the tasks that run have ended. */
  void broken(int rank, String reason) {
    ended(rank);
    if (broken == null) {
      broken = reason;
    }
    proceed();
  }

  private void ended(int rank) {
    load[rank]--;
    running--;
  }

  private void proceed() {
    if (broken == null && !collects) {
      handOut();
    }
    if (running > 0) {
      return;
    }
    if (broken == null && left == 0 && !collects) {
      collects = true;
      for (int rank = 0; rank < ranks; rank++) {
        give(rank, dag.collecting());
      }
    } else {
      for (int rank = 0; rank < ranks; rank++) {
        post.send(rank, new Note.End(broken));
      }
    }
  }

  private void handOut() {
    while (!ready.isEmpty() && missing.cardinality() - running > left) {
      int rank = leastLoaded();
      if (load[rank] == WINDOW) {
        return;
      }
      int task = nearest(rank);
      ready.clear(task);
      give(rank, task);
    }
  }

  /** Of several, the last one: the head has other things to do. */
  private int leastLoaded() {
    int least = ranks - 1;
    for (int rank = ranks - 1; rank >= 0; rank--) {
      if (load[rank] < load[least]) {
        least = rank;
      }
    }
    return least;
  }

  /** The ready task of which a rank holds the most inputs; of several, the first one. */
  private int nearest(int rank) {
    int best = -1;
    int most = -1;
    int task = ready.nextSetBit(0);
    for (int i = 0; i < LOOK_AHEAD && task >= 0; i++) {
      int inputs = 0;
      for (int on : dag.dependencies(task)) {
        inputs += holders[on].get(rank) ? 1 : 0;
      }
      if (inputs > most) {
        best = task;
        most = inputs;
      }
      task = ready.nextSetBit(task + 1);
    }
    return best;
  }

  private void give(int rank, int task) {
    int[] dependencies = dag.dependencies(task);
    int[] sources = new int[dependencies.length];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = source(dependencies[i], rank);
    }
    load[rank]++;
    running++;
    post.send(rank, new Note.Run(task, sources));
  }

  /** The rank itself if it holds the result, else the holders by turns. */
  private int source(int task, int rank) {
    BitSet of = holders[task];
    if (of.get(rank)) {
      return rank;
    }
    int turn = (rank + task) % of.cardinality();
    int holder = of.nextSetBit(0);
    while (turn-- > 0) {
      holder = of.nextSetBit(holder + 1);
    }
    return holder;
  }
}
