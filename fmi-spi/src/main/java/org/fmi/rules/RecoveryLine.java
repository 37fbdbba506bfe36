package org.fmi.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint that all go back to, and the final checkpoints of the loops before it. Chosen by
 * every rank for itself from what all ranks hold, with the same result everywhere.
 *
 * @param line the newest checkpoint that can be brought back on all ranks; null if there never was
 *     one
 * @param finals the final checkpoints of the loops that ended before it (or with it), ascending by
 *     loop
 */
public record RecoveryLine(@Nullable CheckpointId line, List<CheckpointId> finals) {

  /**
   * What one rank holds.
   *
   * @param leader the lowest rank of its checkpoint group
   * @param tolerance how many members of the group may lose a checkpoint
   * @param complete the checkpoints it holds complete
   */
  public record Held(int leader, int tolerance, List<CheckpointId> complete) {}

  /** All checkpoints to bring back, ascending by version. */
  public List<CheckpointId> needed() {
    List<CheckpointId> all = new ArrayList<>(finals);
    if (line != null && !line.last()) {
      all.add(line);
    }
    return all;
  }

  /** The final checkpoint of a loop that has ended, or null. */
  public @Nullable CheckpointId finalOf(long loop) {
    for (CheckpointId id : finals) {
      if (id.loop() == loop) {
        return id;
      }
    }
    return null;
  }

  /**
   * Chooses.
   *
   * @param held by world rank
   * @param restart all processes are new
   * @throws UnrecoverableException if there are checkpoints, but none that can be brought back
   */
  public static RecoveryLine choose(List<Held> held, boolean restart)
      throws UnrecoverableException {
    SortedMap<Long, CheckpointId> versions = new TreeMap<>();
    for (Held h : held) {
      for (CheckpointId id : h.complete()) {
        versions.put(id.version(), id);
      }
    }
    String why = "";
    for (CheckpointId id : List.copyOf(versions.values()).reversed()) {
      List<CheckpointId> finals =
          versions.headMap(id.version() + 1).values().stream().filter(CheckpointId::last).toList();
      String lost = lost(held, id);
      for (CheckpointId needed : finals) {
        lost = lost == null ? lost(held, needed) : lost;
      }
      if (lost == null) {
        return new RecoveryLine(id, finals);
      }
      if (why.isEmpty()) {
        why = lost;
      }
    }
    if (versions.isEmpty() || (restart && versions.lastKey() == 0)) {
      // The first checkpoint is of the program's start: without it the program just starts again.
      return new RecoveryLine(null, List.of());
    }
    throw new UnrecoverableException(why);
  }

  /** The ranks of a group that do not hold a checkpoint, ascending. */
  public static int[] lostIn(List<Held> held, int[] group, CheckpointId id) {
    int[] lost = new int[group.length];
    int n = 0;
    for (int rank : group) {
      if (!held.get(rank).complete().contains(id)) {
        lost[n++] = rank;
      }
    }
    return Arrays.copyOf(lost, n);
  }

  /** Why a checkpoint cannot be brought back; null if it can. */
  private static @Nullable String lost(List<Held> held, CheckpointId id) {
    String another = another(held, id);
    if (another != null) {
      return another;
    }
    Map<Integer, List<Integer>> lostByGroup = new HashMap<>();
    for (int rank = 0; rank < held.size(); rank++) {
      if (!held.get(rank).complete().contains(id)) {
        lostByGroup.computeIfAbsent(held.get(rank).leader(), k -> new ArrayList<>()).add(rank);
      }
    }
    for (Map.Entry<Integer, List<Integer>> e : lostByGroup.entrySet()) {
      int tolerance = held.get(e.getKey()).tolerance();
      if (e.getValue().size() > tolerance) {
        return "the checkpoint of iteration "
            + id.iteration()
            + " is lost for good: ranks "
            + e.getValue()
            + " of one checkpoint group lost theirs at once, or found it damaged, and the group's"
            + " code brings back "
            + tolerance;
      }
    }
    return null;
  }

  /**
   * Who holds a checkpoint of the same version that is not of the same place of the program; null
   * if nobody does. It was never committed: what one rank holds is no part of the other's.
   */
  private static @Nullable String another(List<Held> held, CheckpointId id) {
    for (int rank = 0; rank < held.size(); rank++) {
      for (CheckpointId other : held.get(rank).complete()) {
        if (other.version() == id.version()
            && (other.loop() != id.loop() || other.last() != id.last())) {
          return "the checkpoint of iteration "
              + id.iteration()
              + " of loop "
              + id.loop()
              + " was taken together with that of iteration "
              + other.iteration()
              + " of loop "
              + other.loop()
              + " at rank "
              + rank;
        }
      }
    }
    return null;
  }
}
