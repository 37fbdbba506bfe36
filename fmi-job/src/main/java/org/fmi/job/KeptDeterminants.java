package org.fmi.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.fmi.control.RankMessage;

/**
 * Determinants that ranks have reported since the last checkpoint. The replacement of a lost rank
 * must replay them. They are stored here because they must outlive the process and the node of the
 * rank.
 */
final class KeptDeterminants {
  /** The determinants that one rank has reported since a checkpoint. */
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
   * By rank and version: two per rank while an asynchronous checkpoint is under way, plus those of
   * abandoned checkpoints.
   */
  private final Map<Integer, NavigableMap<Long, Told>> byRank = new HashMap<>();

  /** The newest complete checkpoint; no rank rolls back beyond it. */
  private long committed = Long.MIN_VALUE;

  /**
   * Stores determinants that a rank reports of itself or of another rank. Some or all of them may
   * be known already.
   */
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

  /** Returns the determinants that a rank has reported since this checkpoint. */
  long[] since(long version, int rank) {
    Told told = byRank.getOrDefault(rank, NONE).get(version);
    return told == null ? NOTHING : Arrays.copyOf(told.values, told.length);
  }

  /**
   * Forgets checkpoints newer than this one: no rank rolls back to them, and others will reuse
   * their versions.
   */
  void forgetNewer(long version) {
    byRank.values().forEach(versions -> versions.tailMap(version, false).clear());
    committed = Math.min(committed, version);
  }

  /** Forgets all determinants, because all ranks roll back and nothing is replayed. */
  void clear() {
    byRank.clear();
    committed = Long.MIN_VALUE;
  }
}
