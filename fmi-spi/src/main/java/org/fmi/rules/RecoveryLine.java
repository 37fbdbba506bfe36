package org.fmi.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FileVersion;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint that all go back to, and the final checkpoints of the loops before it. Chosen by
 * every rank for itself from what all ranks hold, and what they see in files, with the same result
 * everywhere.
 *
 * @param line the newest checkpoint that can be brought back on all ranks; null if there never was
 *     one
 * @param finals the final checkpoints of the loops that ended before it (or with it), ascending by
 *     loop
 * @param files what groups read that have lost more than their code brings back; null if none has
 */
public record RecoveryLine(
    @Nullable CheckpointId line, List<CheckpointId> finals, @Nullable FileVersion files) {

  /** Nothing to go back to: the program's start. */
  public static final RecoveryLine START = new RecoveryLine(null, List.of(), null);

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

  /** The number of its version; -1 at the program's start. */
  public long version() {
    return line == null ? -1 : line.version();
  }

  /** Chooses from what ranks hold in memory. */
  public static RecoveryLine choose(List<Held> held, boolean restart)
      throws UnrecoverableException {
    return choose(held, List.of(), restart);
  }

  /**
   * Chooses the newest version that each rank has from somewhere: its own memory, its group's, or a
   * file. Of two sources of one version, memory.
   *
   * @param held by world rank
   * @param files the versions that all ranks see in files
   * @param restart all processes are new
   * @throws UnrecoverableException if there are checkpoints, but none that can be brought back
   */
  public static RecoveryLine choose(List<Held> held, List<FileVersion> files, boolean restart)
      throws UnrecoverableException {
    SortedMap<Long, CheckpointId> versions = new TreeMap<>();
    for (Held h : held) {
      for (CheckpointId id : h.complete()) {
        versions.put(id.version(), id);
      }
    }
    SortedSet<Long> all = new TreeSet<>(versions.keySet());
    files.forEach(each -> all.add(each.line().version()));
    String why = "";
    for (long version : List.copyOf(all).reversed()) {
      List<CheckpointId> finals =
          versions.headMap(version + 1).values().stream().filter(CheckpointId::last).toList();
      CheckpointId id = versions.get(version);
      if (id != null) {
        String lost = lost(held, id);
        for (CheckpointId needed : finals) {
          lost = lost == null ? lost(held, needed) : lost;
        }
        if (lost == null) {
          return new RecoveryLine(id, finals, null);
        }
        if (why.isEmpty()) {
          why = lost;
        }
      }
      for (FileVersion each : files) {
        // What ended before it in memory must have ended in the files too: it is the same run then.
        if (each.line().version() == version && each.needed().containsAll(finals)) {
          List<CheckpointId> ended = each.needed().stream().filter(CheckpointId::last).toList();
          return new RecoveryLine(each.line(), ended, each);
        }
      }
    }
    if (versions.isEmpty() || (restart && versions.lastKey() == 0)) {
      // The first checkpoint is of the program's start: without it the program just starts again.
      return START;
    }
    throw new UnrecoverableException(why);
  }

  /** The versions that all ranks see in files, in the order of the first rank. */
  public static List<FileVersion> seenByAll(List<List<FileVersion>> seen) {
    List<FileVersion> common = new ArrayList<>(seen.getFirst());
    seen.forEach(common::retainAll);
    return common;
  }

  /** Whether a group has lost more of a checkpoint than its code brings back. */
  public static boolean isBeyondCode(List<Held> held, int leader, CheckpointId id) {
    int lost = 0;
    for (Held each : held) {
      lost += each.leader() == leader && !each.complete().contains(id) ? 1 : 0;
    }
    return lost > held.get(leader).tolerance();
  }

  /** The ranks that have to read a checkpoint from files, ascending. */
  public static List<Integer> readers(List<Held> held, CheckpointId id) {
    List<Integer> readers = new ArrayList<>();
    for (int rank = 0; rank < held.size(); rank++) {
      if (!held.get(rank).complete().contains(id)
          && isBeyondCode(held, held.get(rank).leader(), id)) {
        readers.add(rank);
      }
    }
    return readers;
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
