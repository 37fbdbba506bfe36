package org.fmi.run.shell;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.job.JobSpec;
import org.fmi.job.control.CoreList;
import org.fmi.job.control.CoreShare;

/**
 * Chooses the cores to which a rank is bound.
 *
 * <p>A machine has one place for each rank that it runs when the job starts; a spare has one for
 * each rank that it can take. Every place is an equal {@link CoreShare} of the machine's cores. A
 * rank keeps its place while it stays on the machine, so a replacement gets the cores of its
 * predecessor. A rank that finds all places taken is not bound. With too few cores, no rank is.
 */
final class Binding {
  /**
   * The choice for one process.
   *
   * @param text a description for the user
   */
  record Choice(CoreShare share, String text) {}

  private static final int NONE = -1;

  /** The cores of nodes on one machine. */
  private static final class Machine {
    final int places;
    final BitSet taken = new BitSet();
    List<int[]> cores = List.of();
    int whole;

    Machine(int places) {
      this.places = places;
    }
  }

  private record Place(Machine machine, int number) {}

  private final boolean wanted;
  private final boolean oneMachine;
  private final List<Machine> machines = new ArrayList<>();
  private final Map<Integer, Place> places = new HashMap<>();

  /**
   * Creates a binding of no ranks.
   *
   * @param wanted whether ranks are to be bound at all
   * @param oneMachine whether all nodes are on one machine
   */
  Binding(JobSpec spec, boolean wanted, boolean oneMachine) {
    this.wanted = wanted;
    this.oneMachine = oneMachine;
    int[] ranks = new int[spec.nodes().size()];
    for (int node : spec.placement()) {
      ranks[node]++;
    }
    for (int node = 0; node < ranks.length; node++) {
      add(oneMachine ? spec.size() : ranks[node] > 0 ? ranks[node] : spec.capacity(node));
    }
  }

  /**
   * Adds a node, with the next number.
   *
   * @param places places of its machine, if that has no other node
   */
  void add(int places) {
    machines.add(oneMachine && !machines.isEmpty() ? machines.getFirst() : new Machine(places));
  }

  /**
   * Notes the cores that a node may use.
   *
   * @param cores the usable cores, each with the numbers of its hardware threads
   * @param whole how many hardware threads may be busy
   */
  void found(int node, List<int[]> cores, int whole) {
    machines.get(node).cores = cores;
    machines.get(node).whole = whole;
  }

  /** Chooses for a new process of a rank, which takes the place of its predecessor. */
  Choice choose(int rank, int node) {
    if (!wanted) {
      return notBound("ranks not bound: --bind none");
    }
    Machine machine = machines.get(node);
    int place = place(rank, machine);
    int usable = Math.min(CoreShare.threads(machine.cores), machine.whole);
    if (machine.places > usable) {
      return notBound(
          "ranks not bound: " + count(machine.places, "rank") + ", " + count(usable, "core"));
    }
    if (place == NONE) {
      return notBound("rank " + rank + " not bound: other ranks have the cores");
    }
    CoreShare share = CoreShare.of(machine.cores, place, machine.places);
    String cores = CoreList.format(share.numbers());
    return new Choice(
        share,
        share.bound() == CoreShare.Bound.THREAD
            ? "the thread of rank " + rank + " on core " + cores
            : "rank " + rank + " on cores " + cores);
  }

  private int place(int rank, Machine machine) {
    Place before = places.get(rank);
    if (before != null && before.machine == machine) {
      return before.number;
    }
    if (before != null) {
      before.machine.taken.clear(before.number);
      places.remove(rank);
    }
    int number = machine.taken.nextClearBit(0);
    if (number >= machine.places) {
      return NONE;
    }
    machine.taken.set(number);
    places.put(rank, new Place(machine, number));
    return number;
  }

  private static Choice notBound(String text) {
    return new Choice(CoreShare.NONE, text);
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
