package org.fmi.tasks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Heads and workers whose notes, computations, deaths, and notices of them come in any order that
 * keeps the notes between two ranks in theirs. Who has noticed a death leaves the round; when all
 * that live have ended or left it, they play it again without the dead.
 */
final class SimulatedRanks {
  /** A rank of one attempt at a round. */
  private static final class Member {
    final int process;

    /** Set when it joins. */
    @SuppressWarnings("NullAway.Init")
    Worker worker;

    /** Set if it is the head. */
    @SuppressWarnings("NullAway.Init")
    Head head;

    boolean ended;
    boolean left;

    Member(int process) {
      this.process = process;
    }

    boolean plays() {
      return !ended && !left;
    }
  }

  private final Dag dag;
  private final int rounds;
  private final IntUnaryOperator choice;
  private final List<Map<Integer, Object>> results = new ArrayList<>();
  private final BitSet living = new BitSet();
  private int deaths;

  /** Tasks that were computed at some time, and those computed again since the last loss. */
  private final BitSet executed = new BitSet();

  private final BitSet again = new BitSet();
  private BitSet executedBefore = new BitSet();
  private BitSet needed = new BitSet();
  private BitSet paper = new BitSet();

  private List<Member> members = List.of();
  private final Map<Integer, Deque<Note>> channels = new TreeMap<>();

  /**
   * @param deaths how many ranks die at most
   * @param choice chooses one of so many possible steps
   */
  SimulatedRanks(Dag dag, int ranks, int rounds, int deaths, IntUnaryOperator choice) {
    this.dag = dag;
    this.rounds = rounds;
    this.deaths = deaths;
    this.choice = choice;
    for (int rank = 0; rank < ranks; rank++) {
      results.add(new HashMap<>());
    }
    living.set(0, ranks);
  }

  /** Runs the graph, and checks what must hold. */
  void run() {
    for (int round = 0; round < rounds; round++) {
      int left = dag.size() - dag.size() * (round + 1) / rounds;
      while (!attempt(left)) {
        lose();
      }
    }
    Map<Integer, Object> expected = expected();
    living.stream()
        .forEach(
            process -> {
              for (int task : dag.finals()) {
                check(
                    Objects.equals(results.get(process).get(task), expected.get(task)),
                    "final result");
              }
            });
    check(again.equals(needed), "computed again: " + again + ", needed: " + needed);
  }

  /** The number of ranks that may still die. */
  int spared() {
    return deaths;
  }

  private void lose() {
    BitSet available = new BitSet();
    BitSet saved = new BitSet();
    living.stream()
        .forEach(
            process ->
                results
                    .get(process)
                    .keySet()
                    .forEach(
                        task -> {
                          saved.set(task, available.get(task));
                          available.set(task);
                        }));
    executedBefore = (BitSet) executed.clone();
    BitSet failed = (BitSet) executed.clone();
    failed.andNot(available);
    needed = RestartSet.needed(dag, executed, available);
    paper = RestartSet.paper(dag, executed, saved, failed);
    again.clear();
  }

  private boolean attempt(int left) {
    members = living.stream().mapToObj(Member::new).toList();
    channels.clear();
    for (int rank = 0; rank < members.size(); rank++) {
      int from = rank;
      Member member = members.get(rank);
      Post post = (to, note) -> channel(from, to).add(note);
      member.worker = new Worker(dag, rank, results.get(member.process), post);
      if (rank == Head.RANK) {
        member.head = new Head(dag, members.size(), left, post);
      }
      member.worker.begin();
    }
    while (living.stream().mapToObj(this::member).anyMatch(Member::plays)) {
      List<Runnable> steps = steps();
      check(!steps.isEmpty(), "nothing can happen");
      steps.get(choice.applyAsInt(steps.size())).run();
    }
    if (living.stream().mapToObj(this::member).anyMatch(member -> member.left)) {
      return false;
    }
    // Nobody has noticed a death; what was under way to the dead does not matter.
    channels.forEach(
        (ends, notes) ->
            check(notes.isEmpty() || !lives(ends) || !lives(ends / members.size()), "left over"));
    return true;
  }

  private boolean lives(int rank) {
    return living.get(members.get(rank % members.size()).process);
  }

  private Member member(int process) {
    return members.stream().filter(m -> m.process == process).findFirst().orElseThrow();
  }

  private Deque<Note> channel(int from, int to) {
    return channels.computeIfAbsent(from * members.size() + to, _ -> new ArrayDeque<>());
  }

  private List<Runnable> steps() {
    List<Runnable> steps = new ArrayList<>();
    channels.forEach(
        (ends, notes) -> {
          int to = ends % members.size();
          if (!notes.isEmpty() && lives(to) && members.get(to).plays()) {
            steps.add(() -> receive(members.get(to), ends / members.size(), notes.remove()));
          }
        });
    boolean lost = living.cardinality() < members.size();
    for (Member member : members) {
      if (!living.get(member.process)) {
        continue;
      }
      if (member.plays()) {
        int task = member.worker.next();
        if (task != Worker.NONE) {
          steps.add(() -> compute(member, task));
        }
        if (lost) {
          steps.add(() -> member.left = true);
        }
      }
      if (deaths > 0 && living.cardinality() > 1) {
        steps.add(
            () -> {
              deaths--;
              living.clear(member.process);
            });
      }
    }
    return steps;
  }

  private static void receive(Member member, int from, Note note) {
    switch (note) {
      case Note.Held(long[] words) -> member.head.held(from, words);
      case Note.Done(int task, int[] copies) -> member.head.done(from, task, copies);
      case Note.Broken(int _, String reason) -> member.head.broken(from, reason);
      case Note.Run(int task, int[] sources) -> member.worker.run(task, sources);
      case Note.Get(int task) -> member.worker.get(from, task);
      case Note.Result(int task, Object value) -> member.worker.result(task, value);
      case Note.End _ -> member.ended = true;
    }
  }

  private void compute(Member member, int task) {
    if (task == dag.collecting()) {
      member.worker.collected();
      return;
    }
    if (executedBefore.get(task)) {
      again.set(task);
      check(paper.get(task), "task " + task + " is not in the paper's set " + paper);
    }
    check(!results.get(member.process).containsKey(task), "computed twice");
    executed.set(task);
    member.worker.computed(task, value(task, results.get(member.process)));
  }

  private Object value(int task, Map<Integer, Object> inputs) {
    long value = task;
    for (int on : dag.dependencies(task)) {
      value = 31 * value + (long) Objects.requireNonNull(inputs.get(on));
    }
    return value;
  }

  /** What one process would compute: dependencies have lower numbers. */
  private Map<Integer, Object> expected() {
    Map<Integer, Object> all = new HashMap<>();
    for (int task = 0; task < dag.size(); task++) {
      all.put(task, value(task, all));
    }
    return all;
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
