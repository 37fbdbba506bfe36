package org.fmi.core.recovery;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/** What all ranks tell each other in a recovery; collective over all of them. */
final class AllRanks {
  private AllRanks() {}

  /** The numbers of each rank, by world rank. */
  static long[][] gather(RankConfig config, Comm system, List<Long> mine) {
    int size = config.size();
    long[] packed = mine.stream().mapToLong(Long::longValue).toArray();
    long[] counts = new long[size];
    system.allGather(new long[] {packed.length}, 0, 1, counts, 0);
    long[] displs = new long[size];
    long total = 0;
    for (int r = 0; r < size; r++) {
      displs[r] = total;
      total += counts[r];
    }
    long[] all = new long[Math.toIntExact(total)];
    system.allGatherv(packed, 0, packed.length, all, 0, counts, displs);
    long[][] each = new long[size][];
    for (int r = 0; r < size; r++) {
      each[r] = Arrays.copyOfRange(all, (int) displs[r], (int) (displs[r] + counts[r]));
    }
    return each;
  }

  /**
   * What the lowest rank with a failure tells, on all ranks; null if all went well.
   *
   * @param mine null if all went well here
   */
  static @Nullable String refusal(RankConfig config, Comm system, @Nullable String mine) {
    long[] lowest = {mine == null ? config.size() : config.rank()};
    system.allReduce(lowest, Op.MIN);
    if (lowest[0] == config.size()) {
      return null;
    }
    int root = (int) lowest[0];
    byte[] text = mine == null ? new byte[0] : mine.getBytes(StandardCharsets.UTF_8);
    long[] length = {text.length};
    system.bcast(length, root);
    byte[] all = config.rank() == root ? text : new byte[(int) length[0]];
    system.bcast(all, root);
    return new String(all, StandardCharsets.UTF_8);
  }
}
