package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.job.control.ToDaemon;

/**
 * Messages about the next process of a rank that arrive before its last process has ended. fmirun
 * does not wait for the end of a process that it has replaced while the node was silent.
 */
final class HeldMessages {
  /** The messages by rank, in order. */
  private final TreeMap<Integer, List<ToDaemon>> held = new TreeMap<>();

  /**
   * Holds a message if its time has not come.
   *
   * @param ranks the process of each rank
   * @return whether it is held
   */
  boolean take(ToDaemon message, Map<Integer, NodeProcess> ranks) {
    return switch (message) {
      case ToDaemon.Spawn m -> {
        NodeProcess last = ranks.get(m.assignment().rank());
        yield last != null && last.isKilled() && hold(m.assignment().rank(), m);
      }
      case ToDaemon.Forget m -> ranks.containsKey(m.rank()) && hold(m.rank(), m);
      case ToDaemon.KillRank m -> follows(m.rank(), m.incarnation()) && hold(m.rank(), m);
      case ToDaemon.Forward m -> follows(m.rank(), m.incarnation()) && hold(m.rank(), m);
      case ToDaemon.Input m -> follows(0, m.incarnation()) && hold(0, m);
      case ToDaemon.ForwardAll m -> {
        held.forEach(
            (rank, messages) -> {
              int next = spawned(messages);
              if (next >= 0) {
                messages.add(new ToDaemon.Forward(rank, next, m.message()));
              }
            });
        yield false; // it is for the others as well
      }
      default -> false;
    };
  }

  private boolean hold(int rank, ToDaemon message) {
    return held.computeIfAbsent(rank, r -> new ArrayList<>()).add(message);
  }

  /** Whether the process of this incarnation is to be started after the end of the last one. */
  private boolean follows(int rank, int incarnation) {
    List<ToDaemon> messages = held.get(rank);
    return messages != null && spawned(messages) == incarnation;
  }

  private static int spawned(List<ToDaemon> messages) {
    for (ToDaemon message : messages) {
      if (message instanceof ToDaemon.Spawn spawn) {
        return spawn.assignment().incarnation();
      }
    }
    return -1;
  }

  /** Returns and removes the messages for a rank whose process has ended. */
  List<ToDaemon> release(int rank) {
    List<ToDaemon> messages = held.remove(rank);
    return messages == null ? List.of() : messages;
  }
}
