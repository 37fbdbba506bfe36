package org.fmi.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FileVersion;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * The recovery line: the checkpoint that all ranks roll back to, and the final checkpoints of the
 * loops before it. Every rank chooses it from what all ranks hold and see in files, with the same
 * result everywhere.
 *
 * @param checkpoint the newest checkpoint that can be brought back on all ranks; null if there
 *     never was one
 * @param finals the final checkpoints of the loops that ended before or with it, ascending by loop
 * @param files the version in files for groups that have lost more than their code can rebuild;
 *     null if there is no such group
 */
public record RecoveryLine(
    @Nullable CheckpointId checkpoint, List<CheckpointId> finals, @Nullable FileVersion files) {

  /** The program's start, if there is no checkpoint. */
  public static final RecoveryLine START = new RecoveryLine(null, List.of(), null);

  /** All checkpoints to bring back, ascending by version. */
  public List<CheckpointId> needed() {
    List<CheckpointId> all = new ArrayList<>(finals);
    if (checkpoint != null && !checkpoint.last()) {
      all.add(checkpoint);
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

  /** Its version; -1 at the program's start. */
  public long version() {
    return checkpoint == null ? -1 : checkpoint.version();
  }

  /** Chooses from the checkpoints in memory. */
  public static RecoveryLine choose(Holdings held, boolean restart) throws UnrecoverableException {
    return choose(held, List.of(), restart);
  }

  /**
   * Chooses the newest version that every rank has a source for: its own memory, its group's, or a
   * file. Prefers memory.
   *
   * @param held the holdings of all groups
   * @param files the versions in files that all ranks see
   * @param restart whether all processes are new
   * @throws UnrecoverableException if there are checkpoints, but none that can be brought back
   */
  public static RecoveryLine choose(Holdings held, List<FileVersion> files, boolean restart)
      throws UnrecoverableException {
    SortedMap<Long, CheckpointId> versions = held.versions();
    SortedSet<Long> all = new TreeSet<>(versions.keySet());
    files.forEach(each -> all.add(each.recoveryLine().version()));
    String why = "";
    for (long version : List.copyOf(all).reversed()) {
      List<CheckpointId> finals =
          versions.headMap(version + 1).values().stream().filter(CheckpointId::last).toList();
      CheckpointId id = versions.get(version);
      if (id != null) {
        String lost = held.lost(id);
        for (CheckpointId needed : finals) {
          lost = lost == null ? held.lost(needed) : lost;
        }
        if (lost == null) {
          return new RecoveryLine(id, finals, null);
        }
        if (why.isEmpty()) {
          why = lost;
        }
      }
      for (FileVersion each : files) {
        // A loop that has ended in memory must have ended in the files too: then both are of one
        // run.
        if (each.recoveryLine().version() == version && each.needed().containsAll(finals)) {
          List<CheckpointId> ended = each.needed().stream().filter(CheckpointId::last).toList();
          return new RecoveryLine(each.recoveryLine(), ended, each);
        }
      }
    }
    if (versions.isEmpty() || (restart && versions.lastKey() == 0)) {
      // The first checkpoint holds the program's start: without it the program starts again.
      return START;
    }
    throw new UnrecoverableException(why);
  }
}
