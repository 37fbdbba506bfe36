package org.fmi.core.recovery;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.core.p2p.LineMessages.Come;

/** Tells ranks that go back which of their messages others have already. */
final class EarlyMessages {
  /** Length and sum. */
  private static final int LONGS = 2;

  private EarlyMessages() {}

  /**
   * Collective over all ranks.
   *
   * @param here messages that this rank has, by sender in the order sent
   * @return those that others have of this rank, by receiver in the order sent
   */
  static List<Come> tell(Comm system, List<Come> here) {
    int size = system.size();
    long[] counts = new long[size];
    for (Come each : here) {
      counts[each.rank()] += LONGS;
    }
    long[] starts = starts(counts);
    long[] out = new long[LONGS * here.size()];
    long[] next = starts.clone();
    for (Come each : here) {
      int at = (int) next[each.rank()];
      out[at] = each.length();
      out[at + 1] = each.sum();
      next[each.rank()] += LONGS;
    }
    long[] theirCounts = new long[size];
    system.allToAll(counts, 0, 1, theirCounts, 0);
    long[] theirStarts = starts(theirCounts);
    long[] in = new long[(int) (theirStarts[size - 1] + theirCounts[size - 1])];
    system.allToAllv(out, 0, counts, starts, in, 0, theirCounts, theirStarts);
    List<Come> there = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      int end = (int) (theirStarts[rank] + theirCounts[rank]);
      for (int at = (int) theirStarts[rank]; at < end; at += LONGS) {
        there.add(new Come(rank, in[at], in[at + 1]));
      }
    }
    return there;
  }

  private static long[] starts(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < counts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }
}
