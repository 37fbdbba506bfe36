package org.fmi.core.epoch;

import java.util.Arrays;
import org.fmi.Comm;

/** An exchange of numbers between all ranks, with a different count for each pair. */
public final class Exchange {
  private Exchange() {}

  /**
   * Exchanges numbers; collective over all ranks.
   *
   * @param out numbers for each rank
   * @return numbers from each rank
   */
  public static long[][] of(Comm system, long[][] out) {
    int size = system.size();
    long[] counts = new long[size];
    Arrays.setAll(counts, rank -> out[rank].length);
    long[] theirCounts = new long[size];
    system.allToAll(counts, theirCounts);
    long[] starts = starts(counts);
    long[] sent = new long[(int) (starts[size - 1] + counts[size - 1])];
    for (int rank = 0; rank < size; rank++) {
      System.arraycopy(out[rank], 0, sent, (int) starts[rank], out[rank].length);
    }
    long[] theirStarts = starts(theirCounts);
    long[] received = new long[(int) (theirStarts[size - 1] + theirCounts[size - 1])];
    system.allToAllv(sent, counts, starts, received, theirCounts, theirStarts);
    long[][] in = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      int from = (int) theirStarts[rank];
      in[rank] = Arrays.copyOfRange(received, from, from + (int) theirCounts[rank]);
    }
    return in;
  }

  private static long[] starts(long[] counts) {
    long[] starts = new long[counts.length];
    for (int i = 1; i < counts.length; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    return starts;
  }
}
