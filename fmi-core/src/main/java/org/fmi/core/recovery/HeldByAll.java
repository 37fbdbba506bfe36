package org.fmi.core.recovery;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.FileVersion;
import org.fmi.spi.RankConfig;

/**
 * Tells all ranks which checkpoints each of them holds, and which it sees in files, by all-gathers
 * of numbers.
 */
final class HeldByAll {
  private static final int NUMBERS_OF_ID = 4;

  private HeldByAll() {}

  /** By world rank; collective over all ranks. */
  static List<RecoveryLine.Held> gather(RankConfig config, Comm system, CheckpointStore store) {
    List<Long> mine = new ArrayList<>();
    mine.add((long) config.group()[0]);
    mine.add((long) store.tolerance());
    put(mine, store.held());
    List<RecoveryLine.Held> held = new ArrayList<>();
    for (long[] each : AllRanks.gather(config, system, mine)) {
      held.add(new RecoveryLine.Held((int) each[0], (int) each[1], ids(each, 2)));
    }
    return held;
  }

  /**
   * The versions in files that all ranks see; collective over all ranks.
   *
   * @param seen what this one sees
   */
  static List<FileVersion> common(RankConfig config, Comm system, List<FileVersion> seen) {
    List<Long> mine = new ArrayList<>();
    for (FileVersion version : seen) {
      mine.add(version.token());
      put(mine, version.needed());
    }
    List<List<FileVersion>> all = new ArrayList<>();
    for (long[] each : AllRanks.gather(config, system, mine)) {
      List<FileVersion> versions = new ArrayList<>();
      for (int at = 0; at < each.length; ) {
        List<CheckpointId> needed = ids(each, at + 1);
        versions.add(new FileVersion(each[at], needed));
        at += 2 + NUMBERS_OF_ID * needed.size();
      }
      all.add(versions);
    }
    return RecoveryLine.seenByAll(all);
  }

  private static void put(List<Long> packed, List<CheckpointId> ids) {
    packed.add((long) ids.size());
    for (CheckpointId id : ids) {
      packed.addAll(List.of(id.version(), id.loop(), id.iteration(), id.last() ? 1L : 0L));
    }
  }

  /** What {@link #put} has written. */
  private static List<CheckpointId> ids(long[] packed, int at) {
    List<CheckpointId> ids = new ArrayList<>();
    for (int i = 0; i < packed[at]; i++) {
      int p = at + 1 + NUMBERS_OF_ID * i;
      ids.add(new CheckpointId(packed[p], packed[p + 1], packed[p + 2], packed[p + 3] != 0));
    }
    return ids;
  }
}
