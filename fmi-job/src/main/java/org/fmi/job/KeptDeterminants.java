package org.fmi.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.fmi.control.RankMessage;

/**
 * Keeps what ranks have decided since the last checkpoint by the time at which messages came: the
 * next process of a rank that is lost has to decide the same. It is kept here, as what a rank has
 * told must outlive its process and its node.
 */
final class KeptDeterminants {
  /** What one rank has reported since a checkpoint. */
  private static final class Told {
    long[] values = new long[16];
    int length;

    boolean hasAt(int place, long[] others, int count) {
      return Arrays.equals(values, place, place + count, others, 0, count);
    }
  }

  private static final long[] NOTHING = {};
  private static final NavigableMap<Long, Told> NONE = Collections.emptyNavigableMap();

  /**
   * By rank and version: two of each rank while a checkpoint that nobody waits for is under way,
   * and those that were given up meanwhile.
   */
  private final Map<Integer, NavigableMap<Long, Told>> byRank = new HashMap<>();

  /** The newest checkpoint that is complete: nobody goes back to those before it. */
  private long committed = Long.MIN_VALUE;

  /** Keeps what a rank tells of itself, or of another: in part, or all of it, that may be known. */
  void keep(RankMessage.Chose m) {
    if (m.committed() > committed) {
      committed = m.committed();
      byRank.values().forEach(versions -> versions.headMap(committed, false).clear());
    }
    if (m.version() < committed) {
      return;
    }
    Map<Long, Told> versions = byRank.computeIfAbsent(m.rank(), _ -> new TreeMap<>());
    Told told = versions.computeIfAbsent(m.version(), _ -> new Told());
    int known = told.length - m.first();
    assert known >= 0 : m.first() + " follows " + told.length;
    long[] values = m.determinants();
    assert told.hasAt(m.first(), values, Math.min(known, values.length))
        : "rank " + m.rank() + " has decided otherwise than others have heard";
    int length = m.first() + values.length;
    if (length <= told.length) {
      return;
    }
    if (length > told.values.length) {
      told.values = Arrays.copyOf(told.values, Math.max(length, 2 * told.values.length));
    }
    System.arraycopy(values, known, told.values, told.length, values.length - known);
    told.length = length;
  }

  /** What a rank has reported since this checkpoint. */
  long[] since(long version, int rank) {
    Told told = byRank.getOrDefault(rank, NONE).get(version);
    return told == null ? NOTHING : Arrays.copyOf(told.values, told.length);
  }

  /** No rank goes back to a newer checkpoint than this one: others will have their versions. */
  void forgetNewer(long version) {
    byRank.values().forEach(versions -> versions.tailMap(version, false).clear());
    committed = Math.min(committed, version);
  }

  /** All go back: what was decided is decided anew. */
  void clear() {
    byRank.clear();
    committed = Long.MIN_VALUE;
  }
}
