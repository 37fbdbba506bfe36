package org.fmi.core.epoch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.IntUnaryOperator;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/** Exchanges of all ranks in a recovery; collective over all ranks. */
public final class AllRanks {
  private static final int TAG = 5;

  private AllRanks() {}

  /**
   * Combines contributions of some ranks on each of them. In each step a rank sends all that it
   * knows to one twice as far away as in the step before. So all ranks know everything after
   * ceil(log2 n) steps, parts of it by several ways. Collective over these ranks.
   *
   * @param size number of these ranks
   * @param me this rank's index among them
   * @param rank maps an index to a rank
   * @param mine this rank's contribution
   * @param both combines the knowledge of two ranks; commutative, and counts common knowledge once
   */
  public static long[] combine(
      Comm system,
      int size,
      int me,
      IntUnaryOperator rank,
      long[] mine,
      BinaryOperator<long[]> both) {
    long[] known = mine;
    for (int distance = 1; distance < size; distance <<= 1) {
      int to = rank.applyAsInt((me + distance) % size);
      int from = rank.applyAsInt(Math.floorMod(me - distance, size));
      long[] length = new long[1];
      system.sendRecv(new long[] {known.length}, to, TAG, length, from, TAG);
      long[] theirs = new long[Math.toIntExact(length[0])];
      system.sendRecv(known, to, TAG, theirs, from, TAG);
      known = both.apply(known, theirs);
    }
    return known;
  }

  /** Gathers the numbers of each rank, by world rank. */
  public static long[][] gather(RankConfig config, Comm system, List<Long> mine) {
    int size = config.size();
    long[] packed = mine.stream().mapToLong(Long::longValue).toArray();
    long[] counts = new long[size];
    system.allGather(new long[] {packed.length}, counts);
    long[] displs = new long[size];
    long total = 0;
    for (int r = 0; r < size; r++) {
      displs[r] = total;
      total += counts[r];
    }
    long[] all = new long[Math.toIntExact(total)];
    system.allGatherv(packed, all, counts, displs);
    long[][] each = new long[size][];
    for (int r = 0; r < size; r++) {
      each[r] = Arrays.copyOfRange(all, (int) displs[r], (int) (displs[r] + counts[r]));
    }
    return each;
  }

  /**
   * The failure of the lowest rank that has one, on all ranks; null if there is none.
   *
   * @param mine this rank's failure; null if there is none
   */
  public static @Nullable String refusal(RankConfig config, Comm system, @Nullable String mine) {
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
