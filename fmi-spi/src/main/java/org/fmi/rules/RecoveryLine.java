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
  public static RecoveryLine choose(Holdings held, boolean restart) throws UnrecoverableException {
    return choose(held, List.of(), restart);
  }

  /**
   * Chooses the newest version that each rank has from somewhere: its own memory, its group's, or a
   * file. Of two sources of one version, memory.
   *
   * @param held what all groups hold
   * @param files the versions that all ranks see in files
   * @param restart all processes are new
   * @throws UnrecoverableException if there are checkpoints, but none that can be brought back
   */
  public static RecoveryLine choose(Holdings held, List<FileVersion> files, boolean restart)
      throws UnrecoverableException {
    SortedMap<Long, CheckpointId> versions = held.versions();
    SortedSet<Long> all = new TreeSet<>(versions.keySet());
    files.forEach(each -> all.add(each.line().version()));
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
}
