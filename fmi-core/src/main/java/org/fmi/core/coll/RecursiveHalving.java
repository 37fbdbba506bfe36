package org.fmi.core.coll;

/**
 * Reduce-scatter among the virtual ranks of a fold: in each step a rank exchanges half of its
 * remaining blocks with a peer at half the distance; at the end, virtual rank v has block v of the
 * result. The first half of Rabenseifner's algorithms. Combines ranks out of order.
 */
final class RecursiveHalving {
  private RecursiveHalving() {}

  /**
   * Runs at acting ranks.
   *
   * @param data the vector; only read
   * @param result receives block v of the result; its other blocks are undefined. May be the same
   *     location.
   * @param starts the offsets of the blocks in bytes, and the vector's end
   */
  static void run(
      Channel channel,
      PowerOfTwoFold fold,
      Reducer reducer,
      Location data,
      Location result,
      long[] starts) {
    int size = fold.size();
    if (size == 1) {
      data.copyTo(result, starts[1]);
      return;
    }
    int v = fold.virtual();
    Location from = data;
    int low = 0;
    for (int half = size / 2; half > 0; half /= 2) {
      int peer = fold.actor(v ^ half);
      boolean upper = (v & half) != 0;
      int keep = upper ? low + half : low;
      int give = upper ? low : low + half;
      long keepBytes = starts[keep + half] - starts[keep];
      long giveBytes = starts[give + half] - starts[give];
      Pipeline.exchange(
          channel,
          reducer,
          from.plus(starts[give]),
          giveBytes,
          peer,
          from.plus(starts[keep]),
          result.plus(starts[keep]),
          keepBytes,
          peer);
      from = result;
      low = keep;
    }
  }

  /** The starts of {@code blocks} blocks of nearly equal length, cut at whole units. */
  static long[] equalBlocks(Reducer reducer, long bytes, int blocks) {
    long unit = reducer.unitBytes();
    long units = bytes / unit;
    long[] starts = new long[blocks + 1];
    for (int i = 0; i <= blocks; i++) {
      starts[i] = (units / blocks * i + Math.min(i, units % blocks)) * unit;
    }
    return starts;
  }
}
