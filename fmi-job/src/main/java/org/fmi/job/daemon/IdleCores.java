package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Decides which cores run slowly, as those that they are for wait in a recovery: for a replacement
 * to join, or for others to compute again. A core that several ranks share runs slowly only if all
 * of them wait; what is not bound to cores may run anywhere, and slows down none.
 */
final class IdleCores {
  private final Consumer<DaemonCommand> out;

  /** The cores of each rank that has a process here. */
  private final Map<Integer, int[]> coresOf = new TreeMap<>();

  private final TreeSet<Integer> waiting = new TreeSet<>();
  private List<Integer> slow = List.of();
  private int megahertz;

  IdleCores(Consumer<DaemonCommand> out) {
    this.out = out;
  }

  /**
   * How slowly.
   *
   * @param most megahertz that an idle core may have; 0 if all run as fast as always
   */
  void limit(int most) {
    megahertz = most;
  }

  /** A rank gets a process, which has much to do. */
  void spawned(int rank, int[] cores) {
    coresOf.put(rank, cores);
    waiting.remove(rank);
    decide();
  }

  /** A rank waits for others. */
  void waits(int rank) {
    if (coresOf.containsKey(rank) && waiting.add(rank)) {
      decide();
    }
  }

  /** A rank is about to have something to do. */
  void works(int rank) {
    if (waiting.remove(rank)) {
      decide();
    }
  }

  /** A rank's process has ended: its core may be needed for the next one. */
  void gone(int rank) {
    coresOf.remove(rank);
    waiting.remove(rank);
    decide();
  }

  private void decide() {
    TreeSet<Integer> idle = new TreeSet<>();
    TreeSet<Integer> needed = new TreeSet<>();
    coresOf.forEach(
        (rank, cores) -> {
          for (int core : cores) {
            (waiting.contains(rank) ? idle : needed).add(core);
          }
        });
    idle.removeAll(needed);
    List<Integer> next = megahertz > 0 ? new ArrayList<>(idle) : List.of();
    if (!next.equals(slow)) {
      slow = next;
      out.accept(new DaemonCommand.SlowDown(next, megahertz));
    }
  }
}
