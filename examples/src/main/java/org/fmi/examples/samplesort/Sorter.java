package org.fmi.examples.samplesort;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.examples.Displacements;

/** Sorts the keys of all ranks: afterwards each has those between two splitters. */
final class Sorter {
  private static final int SAMPLES = 32;

  private final Comm world;
  private final int ranks;

  Sorter(Comm world) {
    this.world = world;
    ranks = world.size();
  }

  /**
   * Sorts.
   *
   * @param keys this rank's keys, at least one; they are sorted, too
   * @return the keys that this rank has afterwards: less than those of the next one. How many these
   *     are differs by rank.
   */
  long[] sort(long[] keys) {
    Arrays.sort(keys);
    long[] splitters = splitters(keys);

    long[] sendCounts = new long[ranks];
    int begin = 0;
    for (int r = 0; r < ranks; r++) {
      int end = r == ranks - 1 ? keys.length : firstNotLess(keys, splitters[r]);
      sendCounts[r] = (long) end - begin;
      begin = end;
    }
    long[] recvCounts = new long[ranks];
    world.allToAll(sendCounts, recvCounts);
    Displacements from = Displacements.of(sendCounts);
    Displacements into = Displacements.of(recvCounts);
    long[] received = new long[into.total()];
    world.allToAllv(keys, sendCounts, from.at(), received, recvCounts, into.at());
    Arrays.sort(received);
    return received;
  }

  /** The least key of each rank but the first: they divide samples of all keys evenly. */
  private long[] splitters(long[] sorted) {
    long[] mine = new long[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      mine[i] = sorted[(int) ((2L * i + 1) * sorted.length / (2 * SAMPLES))];
    }
    long[] all = new long[SAMPLES * ranks];
    world.allGather(mine, all);
    Arrays.sort(all);
    long[] splitters = new long[ranks - 1];
    for (int r = 1; r < ranks; r++) {
      splitters[r - 1] = all[r * SAMPLES];
    }
    return splitters;
  }

  private static int firstNotLess(long[] sorted, long key) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
