package org.fmi.core.recovery;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.RankConfig;

/** Tells all ranks which checkpoints each of them holds, by an all-gather of numbers. */
final class HeldByAll {
  private HeldByAll() {}

  /** By world rank; collective over all ranks. */
  static List<RecoveryLine.Held> gather(RankConfig config, Comm system, CheckpointStore store) {
    List<CheckpointId> mine = store.held();
    int size = config.size();
    long[] counts = new long[size];
    system.allGather(new long[] {3 + 4L * mine.size()}, 0, 1, counts, 0);
    long[] packed = new long[3 + 4 * mine.size()];
    packed[0] = config.group()[0];
    packed[1] = store.tolerance();
    packed[2] = mine.size();
    for (int i = 0; i < mine.size(); i++) {
      CheckpointId id = mine.get(i);
      packed[3 + 4 * i] = id.version();
      packed[4 + 4 * i] = id.loop();
      packed[5 + 4 * i] = id.iteration();
      packed[6 + 4 * i] = id.last() ? 1 : 0;
    }
    long[] displs = new long[size];
    long total = 0;
    for (int r = 0; r < size; r++) {
      displs[r] = total;
      total += counts[r];
    }
    long[] all = new long[Math.toIntExact(total)];
    system.allGatherv(packed, 0, packed.length, all, 0, counts, displs);
    List<RecoveryLine.Held> held = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      int at = (int) displs[r];
      List<CheckpointId> complete = new ArrayList<>();
      for (int i = 0; i < all[at + 2]; i++) {
        int p = at + 3 + 4 * i;
        complete.add(new CheckpointId(all[p], all[p + 1], all[p + 2], all[p + 3] != 0));
      }
      held.add(new RecoveryLine.Held((int) all[at], (int) all[at + 1], complete));
    }
    return held;
  }
}
