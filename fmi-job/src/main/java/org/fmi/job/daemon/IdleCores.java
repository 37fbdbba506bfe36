package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Chooses the cores that run slowly because their ranks wait in a recovery, for a replacement to
 * join or for other ranks to recompute. A core shared by several ranks runs slowly only if all of
 * them wait. Ranks that are not bound may run anywhere, and slow down no core.
 */
final class IdleCores {
  private final Consumer<DaemonCommand> out;

  /** The cores of each rank with a process here. */
  private final Map<Integer, int[]> coresOf = new TreeMap<>();

  private final TreeSet<Integer> waiting = new TreeSet<>();
  private List<Integer> slow = List.of();
  private int megahertz;

  IdleCores(Consumer<DaemonCommand> out) {
    this.out = out;
  }

  /**
   * Sets the limit.
   *
   * @param most maximum frequency of an idle core, in MHz; 0 for full speed
   */
  void limit(int most) {
    megahertz = most;
  }

  /** Notes a new process of a rank, which has work to do. */
  void spawned(int rank, int[] cores) {
    coresOf.put(rank, cores);
    waiting.remove(rank);
    decide();
  }

  /** Notes that a rank waits for other ranks. */
  void waits(int rank) {
    if (coresOf.containsKey(rank) && waiting.add(rank)) {
      decide();
    }
  }

  /** Notes that a rank is about to have work. */
  void works(int rank) {
    if (waiting.remove(rank)) {
      decide();
    }
  }

  /** Notes the end of a rank's process: its core may be needed for the next one. */
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
